/** Names of events: the object's name and a time, as client-go names them. */
import type { ObjectReference } from '../../core/api/types/core-v1.ts';
import type { Random } from '../random/random.ts';

/** Names grow in the order in which events were recorded, also within a millisecond: lists are sorted by name. */
export function createEventNames(random: Random): (regarding: ObjectReference, now: number) => string {
  /** The time in the last name given. */
  let nanoseconds = 0n;
  return ({ name = '' }, now) => {
    const current = BigInt(Math.floor(now)) * 1_000_000n + BigInt(random.integer(500_000));
    nanoseconds = current > nanoseconds ? current : nanoseconds + BigInt(1 + random.integer(100));
    const base = name
      .toLowerCase()
      .replaceAll(/[^a-z0-9.-]/g, '-')
      .replaceAll(/^[-.]+/g, '')
      .slice(0, 200);
    return `${base === '' ? 'event' : base}.${nanoseconds.toString(16)}`;
  };
}
