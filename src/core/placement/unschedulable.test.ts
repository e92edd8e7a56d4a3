import { describe, expect, it } from 'vitest';
import { compileTolerations } from './taints.ts';
import { schedulable, unschedulableNo } from './unschedulable.ts';

const none = compileTolerations(undefined);
const daemon = compileTolerations([
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
]);

describe('cordoned nodes', () => {
  it('take only pods that tolerate the unschedulable taint', () => {
    expect(schedulable(none, true)).toBe(false);
    expect(schedulable(daemon, true)).toBe(true);
  });

  it('are ordinary nodes otherwise', () => {
    expect(schedulable(none, false)).toBe(true);
    expect(schedulable(none, undefined)).toBe(true);
  });

  it('say how to be opened', () => {
    const no = unschedulableNo('n1');
    expect(no.message).toBe('node(s) were unschedulable');
    expect(no.fix).toContain('kubectl uncordon n1');
  });
});
