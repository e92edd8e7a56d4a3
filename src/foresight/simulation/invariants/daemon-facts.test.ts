import { describe, expect, it } from 'vitest';
import type { DaemonSet } from '../../../core/api/types/apps-v1.ts';
import type { Node, Taint } from '../../../core/api/types/core-v1.ts';
import { compileEligibility } from '../../../core/daemons/eligibility.ts';
import { SHOULD_CONTINUE, SHOULD_RUN } from '../../../core/daemons/verdict.ts';
import { eligibility } from './daemon-facts.ts';

const CONDITIONS = [
  'not-ready',
  'unreachable',
  'disk-pressure',
  'memory-pressure',
  'pid-pressure',
  'unschedulable',
  'network-unavailable',
  'out-of-service',
];
const KEYS = [
  ...CONDITIONS.map((name) => `node.kubernetes.io/${name}`),
  'everynode.dev/unreserved',
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

describe("the simulation's own idea of a daemon's nodes", () => {
  it.each([false, true])('is that of the controller for every taint (host network: %s)', (hostNetwork) => {
    const spec = { containers: [], hostNetwork };
    const set = { spec: { template: { spec } } } as unknown as DaemonSet;
    const { judge } = compileEligibility(spec);
    for (const taint of TAINTS) {
      const verdict = judge(nodeWith(taint));
      const expected = { shouldRun: (verdict & SHOULD_RUN) !== 0, shouldContinue: (verdict & SHOULD_CONTINUE) !== 0 };
      expect(eligibility(set, nodeWith(taint)), `${taint.key}:${taint.effect}`).toEqual(expected);
    }
  });
});
