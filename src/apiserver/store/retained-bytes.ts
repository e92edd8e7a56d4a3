/**
 * Roughly how many bytes of heap an event keeps alive that would otherwise be free: the parts of the replaced object
 * which its successor does not share. An estimate is enough, since it only bounds the history.
 */
import type { StoreEvent } from './store.ts';

const EVENT_BYTES = 120;
/** A guard against absurd objects; beyond it the estimate is simply low. */
const MAX_DEPTH = 64;

export function retainedBytes(event: StoreEvent): number {
  if (event.previous === undefined) return EVENT_BYTES;
  // After a deletion nothing else holds the object; after a change its successor holds the parts they share.
  const successor = event.type === 'DELETED' ? undefined : event.object;
  return EVENT_BYTES + unsharedBytes(event.previous, successor, 0);
}

/** Longer strings count although the successor has an equal one: a body that was parsed anew brought a copy of its own. */
const LONG_STRING = 256;

function unsharedBytes(value: unknown, other: unknown, depth: number): number {
  if (typeof value === 'string') return value.length <= LONG_STRING && value === other ? 0 : 24 + value.length;
  if (typeof value !== 'object' || value === null || value === other || depth > MAX_DEPTH) return 0;
  let bytes = 24;
  if (Array.isArray(value)) {
    const others: readonly unknown[] = Array.isArray(other) ? other : [];
    for (let i = 0; i < value.length; i++) bytes += 8 + unsharedBytes(value[i], others[i], depth + 1);
    return bytes;
  }
  const fields = value as Record<string, unknown>;
  const others = (typeof other === 'object' && other !== null ? other : {}) as Record<string, unknown>;
  for (const key of Object.keys(fields)) bytes += 8 + unsharedBytes(fields[key], others[key], depth + 1);
  return bytes;
}
