import { describe, expect, it } from 'vitest';
import { AVAILABLE, CRASHING, DESIRED, DOWN, UPDATED } from '../../core/daemons/daemon-pod-rules.ts';
import type { DaemonSetView, RolloutState } from '../../core/daemons/rollout-plan.ts';
import { daemonConditions } from './conditions.ts';

const of = (
  state: RolloutState,
  available: number,
  more: { readonly down?: number; readonly crashing?: number } = {},
) => {
  const counts = new Map<number, number>([
    [DESIRED, 10],
    [UPDATED, 10],
    [AVAILABLE, available],
    [DOWN, more.down ?? 0],
    [CRASHING, more.crashing ?? 0],
  ]);
  const view = { count: (bit: number) => counts.get(bit) ?? 0 } as unknown as DaemonSetView;
  const limits = { maxUnavailable: 2, maxSurge: 0 };
  const wishes = { problems: [], canaryForMs: undefined };
  const found = daemonConditions(view, state, 2, limits, wishes).find(({ type }) => type === 'Degraded');
  return { status: found?.status, reason: found?.reason, message: found?.message };
};

describe('Degraded', () => {
  it('is False where every pod is available', () => {
    expect(of('Complete', 10)).toMatchObject({ status: 'False', reason: 'AllAvailable' });
  });

  it('is False while a rollout has no more down than it may', () => {
    expect(of('Progressing', 8)).toMatchObject({ status: 'False', reason: 'RollingOut' });
    expect(of('Canary', 9)).toMatchObject({ status: 'False', reason: 'RollingOut' });
    expect(of('Progressing', 7)).toMatchObject({ status: 'True', reason: 'PodsUnavailable' });
  });

  it('says how many pods wait where no rollout is under way', () => {
    expect(of('Complete', 0)).toEqual({
      status: 'True',
      reason: 'PodsUnavailable',
      message:
        '10 nodes without an available pod: 0 down, 0 where the new pod does not come up, 10 where it waits to be scheduled or ready',
    });
  });

  it('tells nodes that are down from a rollout that fails', () => {
    expect(of('Complete', 9, { down: 1 })).toMatchObject({ status: 'True', reason: 'NodesDown' });
    expect(of('Progressing', 7, { down: 1 })).toMatchObject({ status: 'True', reason: 'NodesDown' });
    expect(of('Stopped', 8, { down: 1, crashing: 1 })).toMatchObject({ status: 'True', reason: 'NewPodsFailing' });
  });
});
