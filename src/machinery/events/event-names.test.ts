import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../random/seeded-random.ts';
import { createEventNames } from './event-names.ts';

describe('event names', () => {
  it('grow in the order of recording, also within a millisecond and when the clock goes back', () => {
    const nameOf = createEventNames(createSeededRandom(1));
    const times = [1_700_000_000_000, ...Array.from({ length: 50 }, () => 1_700_000_000_000), 1_600_000_000_000];
    const names = times.map((now) => nameOf({ name: 'web' }, now));
    expect(names).toEqual(names.toSorted());
    expect(new Set(names).size).toBe(names.length);
  });

  it('begin with the name of the object as far as a name of an event may', () => {
    const nameOf = createEventNames(createSeededRandom(1));
    expect(nameOf({ name: '-System:Node_1' }, 0)).toMatch(/^system-node-1\.[0-9a-f]+$/);
    expect(nameOf({}, 0)).toMatch(/^event\.[0-9a-f]+$/);
    expect(nameOf({ name: 'x'.repeat(253) }, 0).indexOf('.')).toBe(200);
  });
});
