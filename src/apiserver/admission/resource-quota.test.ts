import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CONFIG_MAPS,
  DEPLOYMENTS,
  PERSISTENT_VOLUME_CLAIMS,
  PODS,
  RESOURCE_QUOTAS,
  SERVICES,
} from '../../core/api/registry/resources.ts';
import type { PodSpec, ResourceQuotaSpec } from '../../core/api/types/core-v1.ts';
import type { AdmissionPlugin } from '../../machinery/ports/admission.ts';
import type { Client } from '../../machinery/client/client.ts';
import { failure, pod } from '../testing/samples.ts';
import { createTestServer } from '../testing/test-server.ts';

const IN = { namespace: 'default' };
const quota = (spec: ResourceQuotaSpec, name = 'q') => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name, namespace: 'default' },
  spec,
});
const sized = (requests: object, limits?: object): Partial<PodSpec> => ({
  containers: [
    { name: 'main', image: 'example.test/app:1', resources: { requests, ...(limits === undefined ? {} : { limits }) } },
  ] as PodSpec['containers'],
});

async function withQuota(spec: ResourceQuotaSpec, plugins: readonly AdmissionPlugin[] = []): Promise<Client> {
  const { client } = await createTestServer({ plugins });
  await client.create(RESOURCE_QUOTAS, quota(spec));
  return client;
}

const refusal = async (request: Promise<unknown>): Promise<string> => (await failure(request)).message;

describe('ResourceQuota', () => {
  it('says what was asked for, what is used and what there is', async () => {
    const client = await withQuota({ hard: { pods: '2', 'requests.cpu': '1', 'limits.memory': '1Gi' } });
    const spec = sized({ cpu: '600m' }, { memory: '256Mi' });
    await client.create(PODS, pod('a', spec));
    expect(await refusal(client.create(PODS, pod('b', spec)))).toBe(
      'pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1',
    );
    await client.create(PODS, pod('b', sized({ cpu: '400m' }, { memory: '1M' })));
    expect(await refusal(client.create(PODS, pod('c', spec)))).toBe(
      'pods "c" is forbidden: exceeded quota: q, requested: pods=1,requests.cpu=600m, used: pods=2,requests.cpu=1, limited: pods=2,requests.cpu=1',
    );
  });

  it('wants to know what pods need where it counts that', async () => {
    const client = await withQuota({
      hard: { cpu: '1', 'limits.cpu': '1', 'requests.memory': '1Gi', 'requests.ephemeral-storage': '1Gi' },
    });
    const spec = {
      containers: [
        { name: 'b', image: 'example.test/app:1' },
        { name: 'a', image: 'example.test/app:1', resources: { limits: { cpu: '1' } } },
      ],
      initContainers: [{ name: 'init', image: 'example.test/app:1', resources: { requests: { memory: '1Mi' } } }],
    };
    expect(await refusal(client.create(PODS, pod('x', spec)))).toBe(
      'pods "x" is forbidden: failed quota: q: must specify cpu for: b,init; limits.cpu for: b,init; requests.memory for: a,b',
    );
    await client.create(PODS, pod('x', { ...spec, resources: { requests: { cpu: '1' } } }));
  });

  it('gives back what goes, and counts what has ended no more', async () => {
    const client = await withQuota({ hard: { pods: '1', 'count/pods': '2' } });
    const made = await client.create(PODS, pod('a'));
    expect(await refusal(client.create(PODS, pod('b')))).toContain(
      'exceeded quota: q, requested: pods=1, used: pods=1',
    );
    await client.update(PODS, { ...made, status: { ...made.status, phase: 'Succeeded' } }, { subresource: 'status' });
    await settled();
    await client.create(PODS, pod('b'));
    expect(await refusal(client.create(PODS, pod('c')))).toContain(
      'requested: count/pods=1,pods=1, used: count/pods=2,pods=1, limited: count/pods=2,pods=1',
    );
    await client.delete(PODS, { ...IN, name: 'b' }, { gracePeriodSeconds: 0 });
    await settled();
    await client.create(PODS, pod('c'));
  });

  it('is never overdrawn, however many come at once', async () => {
    const client = await withQuota({ hard: { pods: '10' } });
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, (_, i) => client.create(PODS, pod(`p-${i}`))));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect((await client.list(PODS, IN)).items).toHaveLength(10);
  });

  it('is never overdrawn either when others take their time over every pod', async () => {
    const slow: AdmissionPlugin = {
      name: 'Slow',
      handles: ({ resource }) => resource.resource === 'pods',
      validate: async () => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        return { allowed: true };
      },
    };
    const client = await withQuota({ hard: { pods: '3' } }, [slow]);
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => client.create(PODS, pod(`p-${i}`))));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  });

  it('takes nothing for what did not come in, or only might', async () => {
    const client = await withQuota({ hard: { pods: '2' } });
    await client.create(PODS, pod('a'));
    for (let i = 0; i < 5; i += 1) {
      expect((await failure(client.create(PODS, pod('a')))).reason).toBe('AlreadyExists');
      await client.create(PODS, pod('dry'), { dryRun: true });
    }
    await client.create(PODS, pod('b'));
    expect(await refusal(client.create(PODS, pod('c'), { dryRun: true }))).toContain('exceeded quota');
  });

  it('counts within its scopes alone', async () => {
    const { client } = await createTestServer();
    await client.create(RESOURCE_QUOTAS, quota({ hard: { pods: '1' }, scopes: ['BestEffort'] }, 'best'));
    await client.create(
      RESOURCE_QUOTAS,
      quota({ hard: { pods: '1' }, scopes: ['NotBestEffort', 'Terminating'] }, 'brief'),
    );
    await client.create(
      RESOURCE_QUOTAS,
      quota(
        {
          hard: { pods: '0' },
          scopeSelector: {
            matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['system-node-critical'] }],
          },
        },
        'critical',
      ),
    );
    await client.create(
      RESOURCE_QUOTAS,
      quota({ hard: { pods: '0' }, scopes: ['CrossNamespacePodAffinity'] }, 'across'),
    );
    await client.create(PODS, pod('a'));
    expect(await refusal(client.create(PODS, pod('b')))).toContain('exceeded quota: best,');
    const burstable = sized({ cpu: '1m' });
    for (const name of ['c', 'd', 'e']) await client.create(PODS, pod(name, burstable));
    await client.create(PODS, pod('f', { ...burstable, activeDeadlineSeconds: 60 }));
    expect(await refusal(client.create(PODS, pod('g', { ...burstable, activeDeadlineSeconds: 60 })))).toContain(
      'exceeded quota: brief,',
    );
    expect(
      await refusal(client.create(PODS, pod('h', { ...burstable, priorityClassName: 'system-node-critical' }))),
    ).toContain('exceeded quota: critical,');
    const term = { topologyKey: 'zone', namespaces: ['other'] };
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    expect(await refusal(client.create(PODS, pod('i', { ...burstable, affinity })))).toContain(
      'exceeded quota: across,',
    );
    // An update may move an existing pod into another scope.
    const body = { spec: { activeDeadlineSeconds: 5 } };
    expect(await refusal(client.patch(PODS, { ...IN, name: 'c' }, { type: 'merge', body }))).toContain(
      'exceeded quota: brief,',
    );
  });

  it('counts services by what they open, claims by what they ask for, and objects of any kind', async () => {
    const client = await withQuota({
      hard: {
        services: '2',
        'services.nodeports': '2',
        'services.loadbalancers': '1',
        'requests.storage': '10Gi',
        'gold.storageclass.storage.k8s.io/requests.storage': '5Gi',
        configmaps: '1',
        'count/deployments.apps': '0',
      },
    });
    const service = (name: string, type: string, ports: number[]) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: 'default' },
      spec: { type, ports: ports.map((port) => ({ name: `p${port}`, port })) },
    });
    await client.create(SERVICES, service('a', 'LoadBalancer', [80]));
    expect(await refusal(client.create(SERVICES, service('b', 'NodePort', [80, 81])))).toContain(
      'exceeded quota: q, requested: services.nodeports=2, used: services.nodeports=1, limited: services.nodeports=2',
    );
    await client.create(SERVICES, service('b', 'ClusterIP', [80]));
    const body = { spec: { type: 'LoadBalancer' } };
    expect(await refusal(client.patch(SERVICES, { ...IN, name: 'b' }, { type: 'merge', body }))).toContain(
      'exceeded quota: q, requested: services.loadbalancers=1, used: services.loadbalancers=1',
    );
    const claim = (name: string, storage: string, storageClassName?: string) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name, namespace: 'default' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage } },
        ...(storageClassName === undefined ? {} : { storageClassName }),
      },
    });
    await client.create(PERSISTENT_VOLUME_CLAIMS, claim('a', '4Gi', 'gold'));
    expect(await refusal(client.create(PERSISTENT_VOLUME_CLAIMS, claim('b', '2Gi', 'gold')))).toContain(
      'requested: gold.storageclass.storage.k8s.io/requests.storage=2Gi, used: gold.storageclass.storage.k8s.io/requests.storage=4Gi',
    );
    expect(await refusal(client.create(PERSISTENT_VOLUME_CLAIMS, claim('b', '7Gi')))).toContain(
      'requested: requests.storage=7Gi, used: requests.storage=4Gi, limited: requests.storage=10Gi',
    );
    const map = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } });
    await client.create(CONFIG_MAPS, map('a'));
    expect(await refusal(client.create(CONFIG_MAPS, map('b')))).toContain(
      'requested: configmaps=1, used: configmaps=1',
    );
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'example.test/app:1' }] },
        },
      },
    };
    expect(await refusal(client.create(DEPLOYMENTS, deployment as never))).toBe(
      'deployments.apps "d" is forbidden: exceeded quota: q, requested: count/deployments.apps=1, used: count/deployments.apps=0, limited: count/deployments.apps=0',
    );
  });

  it('counts extended resources and huge pages as requests', async () => {
    const client = await withQuota({ hard: { 'requests.example.test/gpu': '1', 'hugepages-2Mi': '4Mi' } });
    const gpu = { 'example.test/gpu': '1', 'hugepages-2Mi': '4Mi', memory: '1Gi' };
    await client.create(PODS, pod('a', sized(gpu, gpu)));
    expect(await refusal(client.create(PODS, pod('b', sized(gpu, gpu))))).toContain(
      'requested: hugepages-2Mi=4Mi,requests.example.test/gpu=1, used: hugepages-2Mi=4Mi,requests.example.test/gpu=1',
    );
  });

  it('follows its own changes, and is gone when it is deleted', async () => {
    const client = await withQuota({ hard: { pods: '1' } });
    await client.create(PODS, pod('a'));
    await client.patch(
      RESOURCE_QUOTAS,
      { ...IN, name: 'q' },
      { type: 'merge', body: { spec: { hard: { pods: '2' } } } },
    );
    await settled();
    await client.create(PODS, pod('b'));
    expect(await refusal(client.create(PODS, pod('c')))).toContain('limited: pods=2');
    await client.delete(RESOURCE_QUOTAS, { ...IN, name: 'q' });
    await settled();
    await client.create(PODS, pod('c'));
    await client.create(RESOURCE_QUOTAS, quota({ hard: { pods: '3' } }, 'again'));
    await settled();
    expect(await refusal(client.create(PODS, pod('d')))).toContain(
      'exceeded quota: again, requested: pods=1, used: pods=3',
    );
  });

  it('always knows exactly what is used, whatever happened before', async () => {
    const step = fc.record({
      name: fc.integer({ min: 0, max: 5 }),
      what: fc.constantFrom('create', 'delete', 'end', 'dry', 'twice', 'quota'),
      cpu: fc.constantFrom('100m', '0.3', '1', '250m'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const client = await withQuota({ hard: { pods: '4', 'requests.cpu': '2' } });
        for (const { name, what, cpu } of steps) {
          const key = { ...IN, name: `p-${name}` };
          const create = (options = {}) => client.create(PODS, pod(`p-${name}`, sized({ cpu })), options);
          if (what === 'create') await create().catch(() => undefined);
          else if (what === 'dry') await create({ dryRun: true }).catch(() => undefined);
          else if (what === 'twice') await Promise.allSettled([create(), create()]);
          else if (what === 'delete') await client.delete(PODS, key, { gracePeriodSeconds: 0 }).catch(() => undefined);
          else if (what === 'quota') {
            const body = { metadata: { labels: { touched: `${name}` } } };
            await client.patch(RESOURCE_QUOTAS, { ...IN, name: 'q' }, { type: 'merge', body });
          } else {
            const body = { status: { phase: 'Failed' } };
            await client.patch(PODS, key, { type: 'merge', body }, { subresource: 'status' }).catch(() => undefined);
          }
        }
        await settled();
        const { items } = await client.list(PODS, IN);
        const living = items.filter(({ status }) => status?.phase !== 'Failed');
        const milli = living.reduce(
          (sum, { spec }) => sum + (MILLI[spec.containers[0]?.resources?.requests?.['cpu'] ?? ''] ?? 0),
          0,
        );
        expect(living.length <= 4 && milli <= 2000).toBe(true);
        // An oracle of its own: the remaining amount fits, and a thousandth more does not.
        const left = 2000 - milli;
        const probe = (amount: number) =>
          client.create(PODS, pod('probe', sized({ cpu: `${amount}m` })), { dryRun: true }).then(
            () => true,
            () => false,
          );
        expect([await probe(left), await probe(left + 1)]).toEqual([living.length < 4, false]);
      }),
      { numRuns: 60 },
    );
  });
});

const MILLI: { readonly [text: string]: number } = { '100m': 100, '300m': 300, '1': 1000, '250m': 250 };

/** Events of the store have been delivered. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
