/**
 * Judges an event before anything is written: dropped because its object is noisy, counted into one
 * that was emitted before, or new. All memory here is bounded; the oldest entry is forgotten first.
 */
import type { Clock } from '../time/clock.ts';
import { createTokenBucket, type TokenBucket } from '../controller/workqueue/rate-limiter.ts';
import { createMemory } from './memory.ts';

export interface EventLimits {
  /** Events of one source about one object: `burst` at once, then one every `refillMs`. */
  readonly burst: number;
  readonly refillMs: number;
  /** Different notes for the same reason within the window, up to which each is an event of its own; the rest are combined. */
  readonly similar: number;
  readonly windowMs: number;
  /** Objects, groups and events remembered. */
  readonly memory: number;
}

export const DEFAULT_EVENT_LIMITS: EventLimits = {
  burst: 25,
  refillMs: 300_000,
  similar: 10,
  windowMs: 600_000,
  memory: 4096,
};

export interface EventKeys {
  /** Source and object. */
  readonly object: string;
  /** Source, object, type, reason and action: all but the note. */
  readonly group: string;
  readonly note: string;
}

/** `key` names the event to count into or to create. */
export type Verdict = { readonly keep: false } | { readonly keep: true; readonly key: string; readonly note: string };

interface Group {
  /** Notes told apart so far. */
  readonly notes: Set<string>;
  lastSeen: number;
}

export function createEventCorrelator(
  clock: Pick<Clock, 'monotonic'>,
  limits: EventLimits,
): (keys: EventKeys) => Verdict {
  const buckets = createMemory<TokenBucket>(limits.memory);
  const groups = createMemory<Group>(limits.memory);

  return ({ object, group: groupKey, note }) => {
    const now = clock.monotonic();
    const bucket = buckets.recall(object, () => createTokenBucket(clock, 1000 / limits.refillMs, limits.burst));
    if (!bucket.tryTake()) return { keep: false };

    const known = groups.get(groupKey);
    if (known !== undefined && now - known.lastSeen > limits.windowMs) groups.forget(groupKey);
    const group = groups.recall(groupKey, () => ({ notes: new Set<string>(), lastSeen: now }));
    group.lastSeen = now;
    if (group.notes.has(note)) return { keep: true, key: `${groupKey}\n${note}`, note };
    if (group.notes.size < limits.similar) {
      group.notes.add(note);
      return { keep: true, key: `${groupKey}\n${note}`, note };
    }
    return { keep: true, key: `${groupKey}\n`, note: `(combined from similar events): ${note}` };
  };
}
