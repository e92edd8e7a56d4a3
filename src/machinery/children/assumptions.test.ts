import { describe, expect, it } from 'vitest';
import type { Stored } from '../../core/kube/objects.ts';
import { Assumptions, fulfil, newAssumption, shows } from './assumptions.ts';

const volume = (resourceVersion: string): Stored => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'v', uid: 'v', resourceVersion, creationTimestamp: '' },
});

describe('an assumption', () => {
  it('holds until the cache shows its write', () => {
    const assumptions = new Assumptions();
    const assumption = newAssumption(volume('5'));
    assumptions.assume('v', assumption);
    assumptions.confirm('v', volume('6'));
    expect(assumptions.get('v')).toBe(assumption);
    fulfil(assumption, volume('7'));
    assumptions.confirm('v', volume('6'));
    expect([...assumptions.objects()]).toEqual([volume('7')]);
    assumptions.confirm('v', volume('7'));
    expect(assumptions.get('v')).toBeUndefined();
  });

  it('ends with its object', () => {
    const assumptions = new Assumptions();
    assumptions.assume('v', newAssumption(volume('5')));
    assumptions.confirm('other', undefined);
    expect(assumptions.get('v')).toBeDefined();
    assumptions.confirm('v', undefined);
    expect(assumptions.get('v')).toBeUndefined();
  });

  it('is taken back only before it is written, and only by the one who decided it', () => {
    const assumptions = new Assumptions();
    const first = newAssumption(volume('5'));
    const second = newAssumption(volume('5'));
    assumptions.assume('v', second);
    assumptions.undo('v', first);
    expect(assumptions.get('v')).toBe(second);
    fulfil(second, volume('6'));
    assumptions.undo('v', second);
    expect(assumptions.get('v')).toBe(second);
    assumptions.assume('v', first);
    assumptions.undo('v', first);
    expect(assumptions.get('v')).toBeUndefined();
  });

  it('is shown by a state that is as new, by any before the write, and by one without an order', () => {
    const assumption = newAssumption(volume('5'));
    expect(shows(volume('4'), assumption)).toBe(true);
    fulfil(assumption, volume('6'));
    expect(shows(volume('5'), assumption)).toBe(false);
    expect(shows(volume('6'), assumption)).toBe(true);
    expect(shows(volume('odd'), assumption)).toBe(true);
    expect(shows(undefined, assumption)).toBe(true);
  });
});
