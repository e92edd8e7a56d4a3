import { describe, expect, it } from 'vitest';
import { NODES, PODS, PRIORITY_CLASSES, SERVICE_ACCOUNTS } from '../../core/api/registry/resources.ts';
import type { Toleration } from '../../core/api/types/core-v1.ts';
import type { PriorityClass } from '../../core/api/types/scheduling-v1.ts';
import { LOOPBACK } from '../contract/users.ts';
import { failure, pod } from '../testing/samples.ts';
import { createTestServer } from '../testing/test-server.ts';
import { createTaintNodesByCondition } from './taint-nodes-by-condition.ts';

const A = { namespace: 'default', name: 'a' };
const priorityClass = (name: string, value: number, rest: Partial<PriorityClass> = {}): PriorityClass => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value,
  ...rest,
});

describe('Priority', () => {
  it('gives ordinary pods no priority and the right to preempt', async () => {
    const { client } = await createTestServer();
    const { spec } = await client.create(PODS, pod('a'));
    expect(spec).toMatchObject({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
    expect(spec?.priorityClassName).toBeUndefined();
  });

  it('resolves the class by name', async () => {
    const { client } = await createTestServer();
    await client.create(PRIORITY_CLASSES, priorityClass('high', 1000, { preemptionPolicy: 'Never' }));
    const { spec } = await client.create(PODS, pod('a', { priorityClassName: 'high' }));
    expect(spec).toMatchObject({ priorityClassName: 'high', priority: 1000, preemptionPolicy: 'Never' });
    const critical = await client.create(PODS, pod('b', { priorityClassName: 'system-node-critical' }));
    expect(critical.spec?.priority).toBe(2_000_001_000);
  });

  it('uses the default class, and allows only one', async () => {
    const { client } = await createTestServer();
    await client.create(PRIORITY_CLASSES, priorityClass('usual', 7, { globalDefault: true }));
    const { spec } = await client.create(PODS, pod('a'));
    expect(spec).toMatchObject({ priorityClassName: 'usual', priority: 7 });
    const second = client.create(PRIORITY_CLASSES, priorityClass('other', 8, { globalDefault: true }));
    expect((await failure(second)).message).toBe(
      'priorityclasses.scheduling.k8s.io "other" is forbidden: PriorityClass usual is already marked as default. Only one default can exist',
    );
    const described = { ...priorityClass('usual', 7, { globalDefault: true }), description: 'as usual' };
    expect((await client.update(PRIORITY_CLASSES, described)).description).toBe('as usual');
  });

  it('refuses classes nobody made and numbers the class does not have', async () => {
    const { client } = await createTestServer();
    expect((await failure(client.create(PODS, pod('a', { priorityClassName: 'none' })))).message).toBe(
      'pods "a" is forbidden: no PriorityClass with name none was found',
    );
    expect((await failure(client.create(PODS, pod('a', { priority: 5 })))).message).toContain(
      'the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0',
    );
    expect((await failure(client.create(PODS, pod('a', { preemptionPolicy: 'Never' })))).message).toContain(
      'the string value of PreemptionPolicy (Never) must not be provided',
    );
    expect((await client.create(PODS, pod('b', { priority: 0 }))).spec?.priority).toBe(0);
  });

  it('does not let an ignorant client take the priority away', async () => {
    const { client } = await createTestServer();
    const made = await client.create(PODS, pod('a', { priorityClassName: 'system-node-critical' }));
    const { preemptionPolicy: _, priority: __, ...spec } = made.spec ?? { containers: [] };
    const updated = await client.update(PODS, { ...made, spec, metadata: { ...made.metadata, labels: { x: 'y' } } });
    expect(updated.spec).toMatchObject({ priority: 2_000_001_000, preemptionPolicy: 'PreemptLowerPriority' });
  });
});

describe('ServiceAccount', () => {
  it('gives every pod an account and its token', async () => {
    const { client } = await createTestServer();
    const { spec } = await client.create(PODS, pod('a', { initContainers: [{ name: 'i', image: 'j' }] }));
    expect(spec?.serviceAccountName).toBe('default');
    const volume = spec?.volumes?.find(({ name }) => name.startsWith('kube-api-access-'));
    expect(volume?.name).toMatch(/^kube-api-access-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(volume?.projected?.sources).toHaveLength(3);
    for (const container of [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])]) {
      expect(container.volumeMounts).toContainEqual(
        expect.objectContaining({
          name: volume?.name,
          mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
          readOnly: true,
        }),
      );
    }
  });

  it('gives pods of one template the same name, and others another', async () => {
    const { client } = await createTestServer();
    const nameOf = async (name: string, image: string) => {
      const { spec } = await client.create(PODS, pod(name, { containers: [{ name: 'm', image }] }));
      return spec?.volumes?.at(-1)?.name;
    };
    expect(await nameOf('a', 'x:1')).toBe(await nameOf('b', 'x:1'));
    expect(await nameOf('c', 'x:1')).not.toBe(await nameOf('d', 'x:2'));
  });

  it('mounts nothing over what is mounted there, and nothing when told not to', async () => {
    const { client } = await createTestServer();
    const mine = [{ name: 'v', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }];
    const own = pod('a', {
      containers: [{ name: 'm', image: 'i', volumeMounts: mine }],
      volumes: [{ name: 'v', emptyDir: {} }],
    });
    const { spec } = await client.create(PODS, own);
    expect(spec?.volumes).toHaveLength(1);
    const without = await client.create(PODS, pod('b', { automountServiceAccountToken: false }));
    expect(without.spec?.volumes ?? []).toEqual([]);
    await client.create(SERVICE_ACCOUNTS, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'quiet', namespace: 'default' },
      automountServiceAccountToken: false,
      imagePullSecrets: [{ name: 'pull' }],
    });
    const quiet = await client.create(PODS, pod('c', { serviceAccountName: 'quiet' }));
    expect(quiet.spec?.volumes ?? []).toEqual([]);
    expect(quiet.spec?.imagePullSecrets).toEqual([{ name: 'pull' }]);
  });

  it('refuses accounts that do not exist', async () => {
    const { client } = await createTestServer();
    const error = await failure(client.create(PODS, pod('a', { serviceAccountName: 'ghost' })));
    expect(error.status).toMatchObject({ code: 403, reason: 'Forbidden' });
    expect(error.message).toContain('error looking up service account default/ghost: serviceaccount "ghost" not found');
  });

  it('leaves mirror pods as the node wrote them', async () => {
    const { client } = await createTestServer();
    const mirror = { ...pod('a'), metadata: { ...A, annotations: { 'kubernetes.io/config.mirror': 'x' } } };
    const made = await client.create(PODS, { ...mirror, spec: { ...mirror.spec, nodeName: 'n' } });
    expect(made.spec?.volumes ?? []).toEqual([]);
    const named = { ...mirror, spec: { ...mirror.spec, serviceAccountName: 'default', nodeName: 'n' } as never };
    expect((await failure(client.create(PODS, named))).message).toContain(
      'a mirror pod may not reference service accounts',
    );
  });
});

describe('DefaultTolerationSeconds', () => {
  const seconds = (tolerations: readonly Toleration[] | undefined) =>
    tolerations?.map(({ key, tolerationSeconds }) => [key, tolerationSeconds]);

  it('lets pods wait five minutes', async () => {
    const { client } = await createTestServer();
    const { spec } = await client.create(PODS, pod('a'));
    expect(seconds(spec?.tolerations)).toEqual([
      ['node.kubernetes.io/not-ready', 300],
      ['node.kubernetes.io/unreachable', 300],
    ]);
  });

  it('adds nothing to what a pod says itself', async () => {
    const { client } = await createTestServer();
    const all = await client.create(PODS, pod('a', { tolerations: [{ operator: 'Exists' }] }));
    expect(all.spec?.tolerations).toHaveLength(1);
    const one: Toleration = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' };
    const half = await client.create(PODS, pod('b', { tolerations: [one] }));
    expect(seconds(half.spec?.tolerations)).toEqual([
      ['node.kubernetes.io/not-ready', undefined],
      ['node.kubernetes.io/unreachable', 300],
    ]);
    const other: Toleration = { ...one, effect: 'NoSchedule' };
    expect((await client.create(PODS, pod('c', { tolerations: [other] }))).spec?.tolerations).toHaveLength(3);
  });
});

describe('TaintNodesByCondition', () => {
  it('keeps pods off a node until it is ready', async () => {
    const { client } = await createTestServer({ plugins: [createTaintNodesByCondition()] });
    const node = (name: string, taints: readonly { key: string; effect: string }[] = []) =>
      client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { taints } });
    const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
    const mine = { key: 'dedicated', effect: 'NoSchedule' };
    expect((await node('a')).spec?.taints).toEqual([notReady]);
    expect((await node('b', [mine])).spec?.taints).toEqual([mine, notReady]);
    expect((await node('c', [notReady])).spec?.taints).toEqual([notReady]);
  });
});

describe('NamespaceLifecycle', () => {
  it('says why a namespace on its way out takes nothing in', async () => {
    const { client, server } = await createTestServer();
    const namespaces = {
      tenant: 'system',
      group: '',
      version: 'v1',
      resource: 'namespaces',
      namespace: '',
      name: '',
      subresource: '',
    };
    const object = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'going', finalizers: ['example.test/hold'] },
    };
    await server.handle({ verb: 'create', target: namespaces, user: LOOPBACK, object, options: {} });
    await server.handle({ verb: 'delete', target: { ...namespaces, name: 'going' }, user: LOOPBACK, options: {} });
    const error = await failure(client.create(PODS, { ...pod('a'), metadata: { name: 'a', namespace: 'going' } }));
    expect(error.status).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: 'pods "a" is forbidden: unable to create new content in namespace going because it is being terminated',
      details: {
        name: 'a',
        kind: 'pods',
        causes: [
          {
            reason: 'NamespaceTerminating',
            message: 'namespace going is being terminated',
            field: 'metadata.namespace',
          },
        ],
      },
    });
  });
});
