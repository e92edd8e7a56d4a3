import { describe, expect, it } from 'vitest';
import { LIMIT_RANGES, PERSISTENT_VOLUME_CLAIMS, PODS } from '../../core/api/registry/resources.ts';
import type { LimitRangeItem, PodSpec } from '../../core/api/types/core-v1.ts';
import type { Client } from '../../machinery/client/client.ts';
import { failure, pod } from '../testing/samples.ts';
import { createTestServer } from '../testing/test-server.ts';

async function withLimits(...limits: readonly LimitRangeItem[]): Promise<Client> {
  const { client } = await createTestServer();
  await client.create(LIMIT_RANGES, range('limits', ...limits));
  return client;
}

const range = (name: string, ...limits: readonly LimitRangeItem[]) => ({
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name, namespace: 'default' },
  spec: { limits },
});
const NOTE = 'kubernetes.io/limit-ranger';
const refusal = async (request: Promise<unknown>): Promise<string> => (await failure(request)).message;
const sized = (resources: object): Partial<PodSpec> => ({
  containers: [{ name: 'main', image: 'example.test/app:1', resources }] as PodSpec['containers'],
});

describe('LimitRanger', () => {
  it('fills in what containers leave out, and says so', async () => {
    const client = await withLimits({
      type: 'Container',
      default: { cpu: '200m', memory: '256Mi' },
      defaultRequest: { cpu: '100m' },
    });
    const made = await client.create(
      PODS,
      pod('a', {
        containers: [
          { name: 'main', image: 'example.test/app:1' },
          { name: 'side', image: 'example.test/app:1', resources: { limits: { cpu: '1', memory: '1Gi' } } },
        ],
        initContainers: [{ name: 'init', image: 'example.test/app:1', resources: { requests: { cpu: '1m' } } }],
      }),
    );
    expect(made.metadata.annotations?.[NOTE]).toBe(
      'LimitRanger plugin set: cpu, memory request for container main; cpu, memory limit for container main; memory request for init container init; cpu, memory limit for init container init',
    );
    expect(made.spec.containers.map(({ resources }) => resources)).toEqual([
      { limits: { cpu: '200m', memory: '256Mi' }, requests: { cpu: '100m', memory: '256Mi' } },
      { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } },
    ]);
    expect(made.spec.initContainers?.[0]?.resources).toEqual({
      limits: { cpu: '200m', memory: '256Mi' },
      requests: { cpu: '1m', memory: '256Mi' },
    });
  });

  it('gives pods of one template the very same containers', async () => {
    const client = await withLimits({ type: 'Container', default: { cpu: '200m' } });
    const spec = pod('x').spec;
    const made = [];
    for (let i = 0; i < 12; i += 1) made.push(await client.create(PODS, { ...pod(`p-${i}`), spec }));
    expect(made.at(-2)?.spec.containers).toBe(made.at(-1)?.spec.containers);
    expect(made.at(-2)?.metadata.annotations).toBe(made.at(-1)?.metadata.annotations);
  });

  it('leaves pods alone elsewhere', async () => {
    const client = await withLimits({ type: 'Container', default: { cpu: '200m' }, max: { cpu: '1' } });
    const made = await client.create(PODS, { ...pod('a'), metadata: { name: 'a', namespace: 'kube-system' } });
    expect(made.metadata.annotations).toBeUndefined();
    expect(made.spec.containers[0]?.resources?.limits).toBeUndefined();
  });

  it.each([
    [
      { min: { cpu: '100m' } },
      { requests: { cpu: '50m' } },
      'minimum cpu usage per Container is 100m, but request is 50m',
    ],
    [
      { max: { memory: '1Gi' } },
      { limits: { memory: '2Gi' } },
      'maximum memory usage per Container is 1Gi, but limit is 2Gi',
    ],
    [
      { maxLimitRequestRatio: { cpu: '2' } },
      { requests: { cpu: '100m' }, limits: { cpu: '500m' } },
      'cpu max limit to request ratio per Container is 2, but provided ratio is 5.000000',
    ],
    [
      { maxLimitRequestRatio: { cpu: '2' } },
      {},
      'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
    ],
    [
      { min: { cpu: '100m', memory: '1Mi' } },
      { requests: { cpu: '50m', memory: '1' } },
      '[minimum cpu usage per Container is 100m, but request is 50m, minimum memory usage per Container is 1Mi, but request is 1]',
    ],
  ])('refuses containers outside %j', async (item, resources, why) => {
    const client = await withLimits({ type: 'Container', ...item });
    expect(await refusal(client.create(PODS, pod('a', sized(resources))))).toBe(`pods "a" is forbidden: ${why}`);
  });

  it('judges pods as a whole', async () => {
    const client = await withLimits({ type: 'Pod', max: { cpu: '1' }, min: { memory: '1Mi' } });
    const two = (cpu: string): Partial<PodSpec> => ({
      containers: ['a', 'b'].map((name) => ({
        name,
        image: 'example.test/app:1',
        resources: { limits: { cpu, memory: '1Mi' } },
      })),
    });
    await client.create(PODS, pod('fits', two('500m')));
    expect(await refusal(client.create(PODS, pod('a', two('600m'))))).toBe(
      'pods "a" is forbidden: maximum cpu usage per Pod is 1, but limit is 1200m',
    );
    expect(await refusal(client.create(PODS, pod('a')))).toBe(
      'pods "a" is forbidden: [minimum memory usage per Pod is 1Mi.  No request is specified, maximum cpu usage per Pod is 1.  No limit is specified]',
    );
  });

  it('judges claims', async () => {
    const client = await withLimits({
      type: 'PersistentVolumeClaim',
      min: { storage: '1Gi' },
      max: { storage: '5Gi' },
    });
    const claim = (storage: string) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'c', namespace: 'default' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
    });
    expect(await refusal(client.create(PERSISTENT_VOLUME_CLAIMS, claim('500Mi')))).toBe(
      'persistentvolumeclaims "c" is forbidden: minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 500Mi',
    );
    expect(await refusal(client.create(PERSISTENT_VOLUME_CLAIMS, claim('6Gi')))).toBe(
      'persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 6Gi',
    );
    await client.create(PERSISTENT_VOLUME_CLAIMS, claim('2Gi'));
  });

  it('names a pod without a name by what it will begin with', async () => {
    const client = await withLimits({ type: 'Container', max: { cpu: '1' } });
    await client.create(LIMIT_RANGES, range('more', { type: 'Container', max: { memory: '1Gi' } }));
    const { name: _, ...metadata } = pod('x').metadata;
    const unnamed = { ...pod('x', sized({ limits: { cpu: '2' } })), metadata: { ...metadata, generateName: 'x-' } };
    expect(await refusal(client.create(PODS, unnamed as never))).toMatch(/^pods "x-\w{5}" is forbidden: maximum cpu/);
  });
});
