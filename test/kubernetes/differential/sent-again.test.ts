import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmbedded, type EmbeddedCluster } from '../../../src/assembly/embedded.ts';
import { NAMESPACES, PODS, PRIORITY_CLASSES, SERVICE_ACCOUNTS } from '../../../src/core/api/registry/resources.ts';
import type { Pod } from '../../../src/core/api/types/core-v1.ts';
import { NAMESPACE_LABELS, PRIORITIES } from './scheduler-case.ts';
import { generateSchedulerCase } from './scheduler-generate.ts';
import { sentAgain } from './sent-again.ts';
import { refusalOf } from './side.ts';

const term = {
  topologyKey: 'kubernetes.io/hostname',
  labelSelector: { matchLabels: { app: 'web' } },
};

describe('a pod that is taken away and comes again', () => {
  let cluster: EmbeddedCluster;
  beforeAll(async () => {
    cluster = await startEmbedded({ port: 0, bind: '127.0.0.1', groups: [], controllers: [], scheduler: false });
    const { client } = cluster;
    for (const name of Object.keys(NAMESPACE_LABELS)) {
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} };
      await refusalOf(client.create(NAMESPACES, namespace));
      const metadata = { name: 'default', namespace: name };
      await refusalOf(client.create(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata }));
    }
    for (const [name, value] of Object.entries(PRIORITIES)) {
      const metadata = { name };
      await client.create(PRIORITY_CLASSES, {
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata,
        value,
      });
    }
  });
  afterAll(() => cluster?.stop());

  it('is taken although keys were merged into its selectors, which go on saying the same', async () => {
    const { client } = cluster;
    const first = await client.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'merged', namespace: 'default', labels: { app: 'web', tier: 'front' } },
      spec: {
        affinity: {
          podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...term, matchLabelKeys: ['tier'] }] },
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 1, podAffinityTerm: { ...term, mismatchLabelKeys: ['tier', 'absent'] } },
            ],
          },
        },
        topologySpreadConstraints: [
          { ...term, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', matchLabelKeys: ['tier'] },
        ],
        containers: [{ name: 'main', image: 'example.com/web:1' }],
      },
    });
    await client.delete(PODS, { namespace: 'default', name: 'merged' }, { gracePeriodSeconds: 0 });
    const second = await client.create(PODS, sentAgain(first));
    const selectorsOf = (pod: Pod): readonly unknown[] => [
      pod.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.[0]?.labelSelector,
      pod.spec.affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution?.[0]?.podAffinityTerm
        .labelSelector,
      pod.spec.topologySpreadConstraints?.[0]?.labelSelector,
    ];
    expect(selectorsOf(second)).toEqual(selectorsOf(first));
    expect(selectorsOf(first).every((selector) => JSON.stringify(selector).includes('front'))).toBe(true);
  });

  it('is taken whenever it was before', async () => {
    const { client } = cluster;
    const refusals: string[] = [];
    for (let seed = 0; seed < 100; seed++) {
      const { pods, steps } = generateSchedulerCase(`again/${seed}`);
      const coming = steps.flatMap((step) => (step.do === 'schedule' || step.do === 'probe' ? [step.pod] : []));
      for (const { status: _, ...pod } of [...pods, ...coming]) {
        const metadata = { ...pod.metadata, name: `seed-${seed}-${pod.metadata.name}` };
        let made: Pod | undefined;
        await refusalOf(client.create(PODS, { ...pod, metadata }).then((stored) => (made = stored)));
        if (made === undefined) continue;
        const key = { namespace: metadata.namespace ?? '', name: metadata.name };
        await client.delete(PODS, key, { gracePeriodSeconds: 0 });
        const refusal = await refusalOf(client.create(PODS, sentAgain(made)));
        if (refusal !== undefined) refusals.push(refusal);
      }
    }
    expect(refusals).toEqual([]);
  });
});
