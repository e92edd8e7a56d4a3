/**
 * kube-controller-manager's DaemonSet controller and ours, given the same nodes and DaemonSets made up from a seed, make the same
 * pods, revisions, counts and events; at the start, after every change, and at every moment of a rollout.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DaemonSet } from '../../../src/core/api/types/apps-v1.ts';
import { missingPrograms } from '../support/programs.ts';
import type { DaemonSetCase } from './daemonset-case.ts';
import { generateDaemonSetCase, SETS } from './daemonset-generate.ts';
import { playDaemonSetCase } from './daemonset-play.ts';
import { startDaemonSetStage, type DaemonSetStage } from './daemonset-stage.ts';
import { judge, limitMs } from './judge.ts';
import { casesOf, partedText } from './plan.ts';

/** Each with several DaemonSets. */
const CASES = casesOf('daemonset', 40);
const AGAIN_MS = 5_000;

describe.skipIf(missingPrograms(['etcd', 'kube-apiserver', 'kube-controller-manager']).length > 0)(
  'kube-controller-manager’s DaemonSet controller and ours agree',
  () => {
    let started: DaemonSetStage | undefined;
    let stage: DaemonSetStage;
    beforeAll(async () => {
      started = stage = await startDaemonSetStage();
    });
    afterAll(() => started?.stop());

    it(
      `on ${CASES.length * SETS} DaemonSets`,
      async () => {
        const counts = { sets: 0, steps: 0, comparisons: 0 };
        const count = (what: keyof typeof counts): void => void (counts[what] += 1);
        const began = Date.now();
        const { played, failures } = await judge({
          seeds: CASES,
          generate: generateDaemonSetCase,
          play: (world, isAgain) => playDaemonSetCase(stage, world, isAgain ? { patienceMs: AGAIN_MS } : { count }),
        });
        const told = JSON.stringify({ cases: played, ...counts });
        process.stderr.write(`daemonset: ${told} in ${Math.round((Date.now() - began) / 1000)} s\n`);
        expect(failures, partedText(failures.length, played)).toEqual([]);
        expect(counts.sets).toBe(CASES.length * SETS);
        expect(counts.comparisons).toBeGreaterThan(counts.steps);
      },
      limitMs(CASES.length),
    );

    it('and a toleration that only ours is given is noticed', async () => {
      const tolerant = (set: DaemonSet): DaemonSet => {
        const { template } = set.spec;
        const spec = {
          ...template.spec,
          containers: template.spec?.containers ?? [],
          tolerations: [{ operator: 'Exists' }],
        };
        return { ...set, spec: { ...set.spec, template: { ...template, spec } } };
      };
      expect(await playDaemonSetCase(stage, PLAIN)).toBeUndefined();
      expect(await playDaemonSetCase(stage, PLAIN, { distort: tolerant, patienceMs: AGAIN_MS })).toBeDefined();
    });

    // Kubernetes misses that a pod counts when the one before it became ready shortly before; see daemonset-play.ts.
    it.each([700, 2_500])('in a surge, too, when rounds of kubelets are %d ms apart', async (pauseMs) => {
      expect(await playDaemonSetCase(stage, SURGING, { pauseMs })).toBeUndefined();
    });
  },
);

const PLAIN: DaemonSetCase = {
  nodes: [{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-0' }, spec: {} }],
  orphans: [],
  sets: [
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'set-0' },
      spec: {
        selector: { matchLabels: { app: 'set-0' } },
        template: {
          metadata: { name: '', labels: { app: 'set-0' } },
          spec: { containers: [{ name: 'main', image: 'example.com/agent:1' }] },
        },
      },
    },
  ],
  steps: [],
};

/** New pods come two at a time, so that the third becomes ready while the first two do not count yet, if rounds are that far apart. */
const SURGING: DaemonSetCase = {
  nodes: ['node-0', 'node-1', 'node-2'].map((name) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name } },
    spec: {},
    status: { allocatable: { cpu: '4', memory: '8Gi', pods: '20' } },
  })),
  orphans: [],
  sets: PLAIN.sets.map((set) => ({
    ...set,
    spec: {
      ...set.spec,
      minReadySeconds: 1,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '50%', maxUnavailable: 0 } },
    },
  })),
  steps: [
    {
      do: 'patch-set',
      set: 'set-0',
      body: { spec: { template: { spec: { containers: [{ name: 'main', image: 'example.com/agent:2' }] } } } },
    },
  ],
};
