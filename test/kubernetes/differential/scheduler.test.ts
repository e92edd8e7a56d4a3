/** kube-scheduler and ours, given the same clusters made up from a seed, come to the same decisions and give the same reasons. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Node, Pod } from '../../../src/core/api/types/core-v1.ts';
import { missingPrograms } from '../support/programs.ts';
import { judge, limitMs } from './judge.ts';
import { casesOf, partedText } from './plan.ts';
import type { SchedulerCase } from './scheduler-case.ts';
import { generateSchedulerCase } from './scheduler-generate.ts';
import { playSchedulerCase } from './scheduler-play.ts';
import { startSchedulerStage, type SchedulerStage } from './scheduler-stage.ts';

const CASES = casesOf('scheduler', 200);
const AGAIN_MS = 2_000;

describe.skipIf(missingPrograms(['etcd', 'kube-apiserver', 'kube-scheduler']).length > 0)(
  'kube-scheduler and ours agree',
  () => {
    let started: SchedulerStage | undefined;
    let stage: SchedulerStage;
    beforeAll(async () => {
      started = stage = await startSchedulerStage();
    });
    afterAll(() => started?.stop());

    it(
      `on ${CASES.length} clusters`,
      async () => {
        const counts = { decisions: 0, overtaken: 0, probes: 0, refreshed: 0, victims: 0 };
        const count = (what: keyof typeof counts): void => void (counts[what] += 1);
        const began = Date.now();
        const { played, failures } = await judge({
          seeds: CASES,
          generate: generateSchedulerCase,
          play: (world, isAgain) => playSchedulerCase(stage, world, isAgain ? { patienceMs: AGAIN_MS } : { count }),
        });
        const { ties, woken } = stage;
        const told = JSON.stringify({ cases: played, ...counts, ties, woken });
        process.stderr.write(`scheduler: ${told} in ${Math.round((Date.now() - began) / 1000)} s\n`);
        expect(failures, partedText(failures.length, played)).toEqual([]);
        expect(played).toBe(CASES.length);
        // A generator that no longer makes anything interesting would pass.
        if (played >= 100) {
          expect(counts.decisions).toBeGreaterThan(played);
          expect(counts.probes).toBeGreaterThan(played / 4);
          expect(ties).toBeGreaterThan(played / 40);
          expect(counts.victims).toBeGreaterThan(played / 20);
          expect(counts.overtaken).toBeLessThan(played / 20);
        }
      },
      limitMs(CASES.length),
    );

    it('and a toleration that only ours is given is noticed', async () => {
      const tolerant = (pod: Pod): Pod => ({ ...pod, spec: { ...pod.spec, tolerations: [{ operator: 'Exists' }] } });
      expect(await playSchedulerCase(stage, TAINTED)).toBeUndefined();
      expect(await playSchedulerCase(stage, TAINTED, { distort: tolerant, patienceMs: AGAIN_MS })).toBeDefined();
    });

    // What repelled the pod goes before its other victim does. Kubernetes sleeps on, and ours has a free node at once.
    it('and nothing else happens before a pod that only ours tried again has its node on both sides', async () => {
      expect(await playSchedulerCase(stage, REPELLED)).toBeUndefined();
    });
  },
);

const node = (name: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'topology.kubernetes.io/zone': 'zone-1' } },
  spec: {},
  status: { allocatable: { cpu: '1', memory: '1Gi', pods: '10', 'example.com/gpu': '1' } },
});

const containers = (gpus: string): Pod['spec']['containers'] => [
  {
    name: 'main',
    image: 'example.com/web:1',
    resources: { requests: { 'example.com/gpu': gpus }, limits: { 'example.com/gpu': gpus } },
  },
];

/**
 * One victim is gone at once, the other stays for a while. kube-scheduler learns that the first is gone while it is about to
 * delete the second, does not try the pod then, and does not come back to it either.
 */
const REPELLED: SchedulerCase = {
  nodes: [node('node-0'), node('node-1')],
  pods: [
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'repels', namespace: 'default', labels: { app: 'db' } },
      spec: {
        nodeName: 'node-0',
        // Of the two victims the more important is deleted first.
        priorityClassName: 'high',
        terminationGracePeriodSeconds: 0,
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: 'topology.kubernetes.io/zone', labelSelector: { matchLabels: { app: 'web' } } },
            ],
          },
        },
        containers: containers('0'),
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'leaves-slowly', namespace: 'default' },
      spec: { nodeName: 'node-0', terminationGracePeriodSeconds: 30, containers: containers('1') },
    },
  ],
  budgets: [],
  volumes: [],
  claims: [],
  services: [],
  steps: [
    {
      do: 'schedule',
      pod: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'new-0', namespace: 'default', labels: { app: 'web' } },
        spec: { priorityClassName: 'top', containers: containers('1') },
      },
    },
    { do: 'finish-deletions' },
  ],
};

const TAINTED: SchedulerCase = {
  nodes: [
    {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'node-0' },
      spec: { taints: [{ key: 'dedicated', effect: 'NoSchedule' }] },
      status: { allocatable: { cpu: '1', memory: '1Gi', pods: '10' } },
    },
  ],
  pods: [],
  budgets: [],
  volumes: [],
  claims: [],
  services: [],
  steps: [
    {
      do: 'schedule',
      pod: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'new-0', namespace: 'default' },
        spec: { containers: [{ name: 'main', image: 'example.com/web:1' }] },
      },
    },
  ],
};
