import { describe, expect, it } from 'vitest';
import { findCondition, isConditionFalse, isConditionTrue, setCondition, withoutCondition } from './conditions.ts';
import type { ConditionLike } from './conditions.ts';
import { deepFreeze } from './immutable.ts';

const NOW = '2024-05-01T00:00:00Z';
const ready: ConditionLike = {
  type: 'Ready',
  status: 'True',
  reason: 'Up',
  lastTransitionTime: '2024-01-01T00:00:00Z',
};
const list: readonly ConditionLike[] = deepFreeze([ready, { type: 'Other', status: 'False' }]);

describe('conditions', () => {
  it('are found by type', () => {
    expect(findCondition(list, 'Ready')).toBe(ready);
    expect(findCondition(undefined, 'Ready')).toBeUndefined();
    expect(findCondition(null, 'Ready')).toBeUndefined();
    expect(isConditionTrue(null, 'Ready')).toBe(false);
    expect(isConditionTrue(list, 'Ready')).toBe(true);
    expect(isConditionFalse(list, 'Other')).toBe(true);
    expect(isConditionTrue(list, 'Absent')).toBe(false);
    expect(isConditionFalse(list, 'Absent')).toBe(false);
  });
  it('come back as the same list when nothing changed', () => {
    expect(setCondition(list, { type: 'Ready', status: 'True', reason: 'Up' }, NOW)).toBe(list);
    expect(setCondition(list, { type: 'Ready', status: 'True', reason: 'Up', message: '' }, NOW)).toBe(list);
  });
  it('move their time only with their status', () => {
    const worded = setCondition(list, { type: 'Ready', status: 'True', reason: 'StillUp' }, NOW);
    expect(findCondition(worded, 'Ready')).toEqual({ ...ready, reason: 'StillUp' });
    const down = setCondition(list, { type: 'Ready', status: 'False', reason: 'Down' }, NOW);
    expect(findCondition(down, 'Ready')).toEqual({
      type: 'Ready',
      status: 'False',
      reason: 'Down',
      lastTransitionTime: NOW,
    });
    expect(down[1]).toBe(list[1]);
  });
  it('converge: setting twice changes once, even when a reason goes away', () => {
    const once = setCondition(list, { type: 'Ready', status: 'True' }, NOW);
    expect(findCondition(once, 'Ready')?.reason).toBeUndefined();
    expect(setCondition(once, { type: 'Ready', status: 'True' }, NOW)).toBe(once);
  });
  it('respect a time that is given', () => {
    const at = '2020-01-01T00:00:00Z';
    const down = setCondition(list, { type: 'Ready', status: 'False', lastTransitionTime: at }, NOW);
    expect(findCondition(down, 'Ready')?.lastTransitionTime).toBe(at);
    const added = setCondition(undefined, { type: 'New', status: 'True', lastTransitionTime: at }, NOW);
    expect(added).toEqual([{ type: 'New', status: 'True', lastTransitionTime: at }]);
  });
  it('are appended when new', () => {
    expect(setCondition(list, { type: 'New', status: 'Unknown' }, NOW)).toEqual([
      ...list,
      { type: 'New', status: 'Unknown', lastTransitionTime: NOW },
    ]);
  });
  it('see a generation pass', () => {
    const seen = setCondition(list, { type: 'Ready', status: 'True', reason: 'Up', observedGeneration: 2 }, NOW);
    expect(findCondition(seen, 'Ready')).toEqual({ ...ready, observedGeneration: 2 });
  });
  it('are removed by type', () => {
    expect(withoutCondition(list, 'Ready')).toEqual([list[1]]);
    expect(withoutCondition(list, 'Absent')).toBe(list);
  });
});
