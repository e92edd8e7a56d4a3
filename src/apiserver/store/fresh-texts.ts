/**
 * Texts of objects that were written to disk a moment ago. The answer to the write is the same text: encoding it
 * is among the dearest steps of a write over HTTP, and one is enough. Objects never change, so identity is the key, and
 * servers that share a process may share this too.
 */
import type { SplitObject } from '../../core/api/encoding/object-json.ts';

/** More texts than writes are under way at once; the oldest, which were never taken, go first. */
const MOST = 256;
/** A long text is rare, and 256 of the longest would be a quarter of a gigabyte. */
const LONGEST = 64 * 1024;

const fresh = new Map<object, SplitObject>();

export function keepText(object: object, text: SplitObject): void {
  if (text.before.length + text.after.length > LONGEST) return;
  fresh.set(object, text);
  if (fresh.size <= MOST) return;
  for (const oldest of fresh.keys()) {
    fresh.delete(oldest);
    break;
  }
}

/** Takes the text: the caller keeps it from here on. */
export function takeText(object: object): SplitObject | undefined {
  const text = fresh.get(object);
  if (text !== undefined) fresh.delete(object);
  return text;
}
