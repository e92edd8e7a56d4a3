import { describe, expect, it } from 'vitest';
import { failure, pod } from '../../src/apiserver/testing/samples.ts';
import { createTestServer } from '../../src/apiserver/testing/test-server.ts';
import { LIMIT_RANGES, NAMESPACES, PODS, RESOURCE_QUOTAS } from '../../src/core/api/registry/resources.ts';
import type { Client, Patch } from '../../src/machinery/client/client.ts';

const A = { namespace: 'default', name: 'a' };
const OPTIONS = { namespace: 'default' };

const debug = (name: string, more: object = {}): Patch => ({
  type: 'strategic',
  body: { spec: { ephemeralContainers: [{ name, image: 'example.test/debug:1', ...more }] } },
});

describe('pods/ephemeralcontainers', () => {
  const add = (client: Client, patch: Patch) => client.patch(PODS, A, patch, { subresource: 'ephemeralcontainers' });

  it('adds containers to a pod, never takes or changes one', async () => {
    const { client } = await createTestServer();
    await client.create(PODS, pod('a'));
    const added = await add(client, debug('one'));
    expect(added.spec?.ephemeralContainers).toMatchObject([
      { name: 'one', image: 'example.test/debug:1', imagePullPolicy: 'IfNotPresent' },
    ]);
    expect(added.metadata.generation).toBe(2);
    const both = await add(client, debug('two'));
    expect(both.spec?.ephemeralContainers?.map(({ name }) => name).toSorted()).toEqual(['one', 'two']);
    const { ephemeralContainers: _, ...spec } = both.spec;
    const removed = client.update(PODS, { ...both, spec }, { subresource: 'ephemeralcontainers' });
    expect((await failure(removed)).message).toContain('existing ephemeral containers "one" may not be removed');
    expect((await failure(add(client, debug('one', { image: 'example.test/other:1' })))).message).toContain(
      'existing ephemeral containers "one" may not be changed',
    );
    // Only here: an ordinary change of the pod may not.
    expect((await failure(client.patch(PODS, A, debug('three')))).code).toBe(422);
  });

  it('answers to the policy of the namespace', async () => {
    const { client } = await createTestServer();
    await client.create(PODS, pod('a'));
    const body = { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'baseline' } } };
    await client.patch(NAMESPACES, { name: 'default' }, { type: 'merge', body });
    expect((await failure(add(client, debug('root', { securityContext: { privileged: true } })))).message).toContain(
      'violates PodSecurity "baseline:latest": privileged (container "root" must not set securityContext.privileged=true)',
    );
    await add(client, debug('plain'));
  });
});

describe('pods/resize', () => {
  const resize = (client: Client, cpu: string) =>
    client.patch(
      PODS,
      A,
      {
        type: 'strategic',
        body: { spec: { containers: [{ name: 'main', resources: { requests: { cpu }, limits: { cpu: '2' } } }] } },
      },
      { subresource: 'resize' },
    );

  async function resizable(): Promise<Client> {
    const { client } = await createTestServer();
    const resources = { requests: { cpu: '100m' }, limits: { cpu: '1' } };
    const made = await client.create(
      PODS,
      pod('a', { containers: [{ name: 'main', image: 'example.test/a:1', resources }] }),
    );
    // A kubelet that reports what its containers have can resize them.
    const containerStatuses = [{ name: 'main', image: '', imageID: '', ready: true, restartCount: 0, resources }];
    await client.update(
      PODS,
      { ...made, status: { ...made.status, phase: 'Running', containerStatuses } },
      { subresource: 'status' },
    );
    return client;
  }

  it('changes what containers ask for, and nothing else', async () => {
    const client = await resizable();
    const resized = await resize(client, '500m');
    expect(resized.spec?.containers[0]?.resources).toEqual({ requests: { cpu: '500m' }, limits: { cpu: '2' } });
    expect(
      (
        await failure(
          client.patch(PODS, A, { type: 'merge', body: { spec: { containers: [] } } }, { subresource: 'resize' }),
        )
      ).code,
    ).toBe(422);
  });

  it('answers to limit ranges and quotas', async () => {
    const client = await resizable();
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', ...OPTIONS },
      spec: { hard: { 'requests.cpu': '1' } },
    };
    await client.create(RESOURCE_QUOTAS, quota);
    expect((await failure(resize(client, '1200m'))).message).toBe(
      'pods "a" is forbidden: exceeded quota: q, requested: requests.cpu=1100m, used: requests.cpu=100m, limited: requests.cpu=1',
    );
    const limits = [{ type: 'Container', max: { cpu: '1500m' } }];
    await client.create(LIMIT_RANGES, {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { name: 'l', ...OPTIONS },
      spec: { limits },
    });
    expect((await failure(resize(client, '200m'))).message).toBe(
      'pods "a" is forbidden: maximum cpu usage per Container is 1500m, but limit is 2',
    );
  });
});
