import { describe, expect, it } from 'vitest';
import { daemonTolerations } from './daemon-tolerations.ts';

describe('the tolerations of daemons', () => {
  it('come after the template’s own, in upstream’s order', () => {
    const own = { key: 'dedicated', operator: 'Exists' };
    const keys = daemonTolerations({ tolerations: [own] }).map(({ key, effect }) => `${key}:${effect ?? ''}`);
    expect(keys).toEqual([
      'dedicated:',
      'node.kubernetes.io/not-ready:NoExecute',
      'node.kubernetes.io/unreachable:NoExecute',
      'node.kubernetes.io/disk-pressure:NoSchedule',
      'node.kubernetes.io/memory-pressure:NoSchedule',
      'node.kubernetes.io/pid-pressure:NoSchedule',
      'node.kubernetes.io/unschedulable:NoSchedule',
    ]);
    expect(daemonTolerations({ hostNetwork: true }).at(-1)?.key).toBe('node.kubernetes.io/network-unavailable');
  });
  it('replace one that says the same for a limited time, in its place', () => {
    const limited = {
      key: 'node.kubernetes.io/not-ready',
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 30,
    };
    const list = daemonTolerations({ tolerations: [limited, { key: 'other', operator: 'Exists' }] });
    expect(list[0]).toEqual({ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' });
    expect(list.filter(({ key }) => key === 'node.kubernetes.io/not-ready')).toHaveLength(1);
  });
});
