import { describe, expect, it } from 'vitest';
import type { DaemonSet } from '../../../core/api/types/apps-v1.ts';
import type { Node, Taint } from '../../../core/api/types/core-v1.ts';
import { daemonTolerations } from '../../../core/daemons/daemon-tolerations.ts';
import { compileEligibility } from '../../../core/daemons/eligibility.ts';
import { SHOULD_CONTINUE, SHOULD_RUN } from '../../../core/daemons/verdict.ts';
import { eligibility } from './daemon-facts.ts';

/** Every key that a daemon may tolerate by itself, and two that none does. */
const KEYS = [
  ...daemonTolerations({ hostNetwork: true }).map(({ key = '' }) => key),
  'everynode.dev/unreserved',
  'node.kubernetes.io/out-of-service',
  'example.test/own',
];
const TAINTS: readonly Taint[] = KEYS.flatMap((key) =>
  ['NoSchedule', 'NoExecute', 'PreferNoSchedule'].map((effect) => ({ key, effect })),
);

const nodeWith = (taint: Taint): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n' },
  spec: { taints: [taint] },
});

const setOf = (spec: object): DaemonSet => ({ spec: { template: { spec } } }) as unknown as DaemonSet;

describe("the simulation's own idea of a daemon's nodes", () => {
  it.each([false, true])('is that of the controller for every taint (host network: %s)', (hostNetwork) => {
    const spec = { containers: [], hostNetwork };
    const set = setOf(spec);
    const { judge } = compileEligibility(spec);
    for (const taint of TAINTS) {
      const verdict = judge(nodeWith(taint));
      const expected = { shouldRun: (verdict & SHOULD_RUN) !== 0, shouldContinue: (verdict & SHOULD_CONTINUE) !== 0 };
      expect(eligibility(set, nodeWith(taint)), `${taint.key}:${taint.effect}`).toEqual(expected);
    }
  });

  it('tolerates the taints of the list, with the effect that the list names and with no harder one', () => {
    const judged = (key: string, effect: string) => eligibility(setOf({ containers: [] }), nodeWith({ key, effect }));
    const all = { shouldRun: true, shouldContinue: true };
    for (const { key = '', effect = '' } of daemonTolerations({})) expect(judged(key, effect), key).toEqual(all);
    expect(judged('node.kubernetes.io/disk-pressure', 'NoExecute')).toEqual({
      shouldRun: false,
      shouldContinue: false,
    });
    expect(judged('node.kubernetes.io/not-ready', 'NoSchedule')).toEqual({ shouldRun: false, shouldContinue: true });
    expect(judged('node.kubernetes.io/network-unavailable', 'NoSchedule').shouldRun).toBe(false);
  });
});
