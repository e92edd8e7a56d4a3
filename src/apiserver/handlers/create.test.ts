import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS, DAEMON_SETS, NAMESPACES, PODS } from '../../core/api/registry/resources.ts';
import type { ConfigMap } from '../../core/api/types/core-v1.ts';
import type { KubeObject, Resource } from '../../core/kube/objects.ts';
import { createSeededRandom } from '../../machinery/random/seeded-random.ts';
import { createVirtualClock } from '../../machinery/time/virtual-clock.ts';
import type { Random } from '../../machinery/random/random.ts';
import { LOOPBACK } from '../contract/users.ts';
import { configMap, failure, pod } from '../testing/samples.ts';
import { createTestServer } from '../testing/test-server.ts';

const TARGET = { tenant: 'system', group: '', version: 'v1', namespace: 'default', name: '', subresource: '' };

describe('create', () => {
  it('of a large object takes a turn before each of its steps, and ends as without', async () => {
    const { server } = await createTestServer();
    const turns: string[] = [];
    const pace = { turn: () => (turns.push('waited'), Promise.resolve()) };
    const request = {
      verb: 'create' as const,
      target: { ...TARGET, resource: 'configmaps' },
      user: LOOPBACK,
      object: configMap('large'),
      options: {},
    };
    const response = await server.handle({ ...request, pace });
    expect(response).toMatchObject({ type: 'object', created: true, object: { metadata: { name: 'large' } } });
    // Between decoding and who owns its fields, and between that and admission, validation and the store.
    expect(turns).toEqual(['waited', 'waited']);
    await expect(server.handle({ ...request, pace })).rejects.toMatchObject({ status: { code: 409 } });
  });

  it('fills in what belongs to the server and ignores what a client claims of it', async () => {
    const clock = createVirtualClock();
    const { client } = await createTestServer({ clock, random: createSeededRandom('create') });
    const claims = {
      uid: 'mine',
      creationTimestamp: '1999-01-01T00:00:00Z',
      deletionTimestamp: '1999-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 5,
      generation: 9,
      selfLink: '/x',
    };
    const { metadata } = await client.create(CONFIG_MAPS, configMap('a', claims));
    expect(metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    // The metadata as clients see it; managedFields are another matter.
    expect(JSON.parse(JSON.stringify(metadata))).toEqual({
      name: 'a',
      namespace: 'default',
      uid: metadata.uid,
      resourceVersion: metadata.resourceVersion,
      creationTimestamp: '2026-01-01T00:00:00Z',
      // A ConfigMap's generation is not counted by the server, so the number is the client's.
      generation: 9,
    });
  });

  it('starts to count generations at one, for kinds that count them', async () => {
    const { client } = await createTestServer();
    const template = {
      metadata: { name: '', labels: { app: 'a' } },
      spec: { containers: [{ name: 'm', image: 'i' }] },
    };
    const daemonSet = await client.create(DAEMON_SETS, {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'a', namespace: 'default', generation: 7 },
      spec: { selector: { matchLabels: { app: 'a' } }, template },
    });
    expect(daemonSet.metadata.generation).toBe(1);
  });

  it('tries other names when a generated one is taken, eight times', async () => {
    const suffixes: string[] = [];
    const random: Random = { ...createSeededRandom('names'), suffix: () => suffixes.shift() ?? 'last0' };
    const { client } = await createTestServer({ random });
    await client.create(CONFIG_MAPS, configMap('a-taken'));
    const generated = (): ConfigMap => configMap('', { generateName: 'a-' });
    suffixes.push('taken', 'taken', 'free0');
    expect((await client.create(CONFIG_MAPS, generated())).metadata).toMatchObject({
      name: 'a-free0',
      generateName: 'a-',
    });
    suffixes.push(...Array.from({ length: 8 }, () => 'taken'));
    expect((await failure(client.create(CONFIG_MAPS, generated()))).reason).toBe('AlreadyExists');
    expect(suffixes).toEqual([]);
  });

  it('keeps generated names within a label', async () => {
    const { client } = await createTestServer();
    const { metadata } = await client.create(CONFIG_MAPS, configMap('', { generateName: 'x'.repeat(80) }));
    expect(metadata.name).toHaveLength(63);
  });

  it('says when the name is taken by an object on its way out', async () => {
    const { client } = await createTestServer();
    await client.create(CONFIG_MAPS, configMap('a', { finalizers: ['example.test/hold'] }));
    await client.delete(CONFIG_MAPS, { namespace: 'default', name: 'a' });
    const error = await failure(client.create(CONFIG_MAPS, configMap('a')));
    expect(error.status).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message: 'object is being deleted: configmaps "a" already exists',
    });
  });

  it('does not let body and path disagree', async () => {
    const { client } = await createTestServer();
    const elsewhere = client.create(CONFIG_MAPS, configMap('a', { namespace: 'kube-system' }), {
      namespace: 'default',
    });
    expect((await failure(elsewhere)).message).toBe(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
    const pods = { ...CONFIG_MAPS, resource: 'pods' } as Resource;
    expect((await failure(client.create(pods, configMap('a')))).code).toBe(400);
    const otherVersion = { ...configMap('a'), apiVersion: 'v2' };
    expect((await failure(client.create(CONFIG_MAPS, otherVersion))).message).toBe(
      'the API version in the data (v2) does not match the expected API version (v1)',
    );
  });

  it('needs a namespace for what lives in one, and ignores it for what does not', async () => {
    const { client } = await createTestServer();
    const nowhere = configMap('a', { namespace: '' });
    expect((await failure(client.create(CONFIG_MAPS, nowhere))).code).toBe(400);
    const made = await client.create(NAMESPACES, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'b', namespace: 'default' },
      spec: {},
    });
    expect(made.metadata.namespace).toBeUndefined();
  });

  it('warns of unknown fields, drops them, or refuses them when told to', async () => {
    const { server } = await createTestServer();
    const object = { ...configMap('a'), colour: 'red' } as KubeObject;
    const warnings: string[] = [];
    const request = { verb: 'create', target: { ...TARGET, resource: 'configmaps' }, user: LOOPBACK, object } as const;
    const strict = server.handle({ ...request, options: { fieldValidation: 'Strict' } });
    expect((await failure(strict)).message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "colour"',
    );
    const warn = (text: string): void => void warnings.push(text);
    const response = await server.handle({ ...request, options: {}, warn });
    expect(warnings).toEqual(['unknown field "colour"']);
    expect(response.type === 'object' && 'colour' in response.object).toBe(false);
  });

  it('names the field that has the wrong type', async () => {
    const { client } = await createTestServer();
    const wrong = { ...configMap('a'), data: { key: 5 } } as unknown as ConfigMap;
    const error = await failure(client.create(CONFIG_MAPS, wrong));
    expect(error.message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    );
  });

  it('keeps owners that are named twice once, and says so', async () => {
    const { server } = await createTestServer();
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u1' };
    const warnings: string[] = [];
    const response = await server.handle({
      verb: 'create',
      target: { ...TARGET, resource: 'configmaps' },
      user: LOOPBACK,
      object: configMap('a', { ownerReferences: [owner, { ...owner }, { ...owner, uid: 'u2' }] }),
      options: {},
      warn: (text) => void warnings.push(text),
    });
    expect(response).toMatchObject({ object: { metadata: { ownerReferences: [{ uid: 'u1' }, { uid: 'u2' }] } } });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('duplicate UID(s) observed: u1');
  });

  it('answers a dry run as if it had happened, without a version', async () => {
    const { client, store } = await createTestServer();
    const before = store.revision;
    const made = await client.create(CONFIG_MAPS, configMap('a'), { dryRun: true });
    expect(made.metadata.resourceVersion).toBeUndefined();
    expect(made.metadata.uid).not.toBe('');
    expect(store.revision).toBe(before);
    await client.create(CONFIG_MAPS, configMap('a'));
    expect((await failure(client.create(CONFIG_MAPS, configMap('a'), { dryRun: true }))).reason).toBe('AlreadyExists');
  });

  it('creates nothing in a namespace that is going or gone, even when admission takes its time', async () => {
    let release = (): void => undefined;
    const waiting = new Promise<void>((resolve) => (release = resolve));
    const slow = {
      name: 'Slow',
      handles: ({ resource }: { resource: { resource: string } }) => resource.resource === 'configmaps',
      mutate: async () => {
        await waiting;
        return { allowed: true } as const;
      },
    };
    const { client } = await createTestServer({ plugins: [slow] });
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'going' }, spec: {} });
    const late = client.create(CONFIG_MAPS, configMap('a', { namespace: 'going' }));
    await client.delete(NAMESPACES, { name: 'going' });
    release();
    const outcome = await failure(late);
    expect([403, 404]).toContain(outcome.code);
    const early = await failure(client.create(CONFIG_MAPS, configMap('a', { namespace: 'nowhere' })));
    expect(early.status).toMatchObject({ code: 404, details: { name: 'nowhere', kind: 'namespaces' } });
  });

  it('shares what pods of one template share', async () => {
    const { client } = await createTestServer();
    const { spec } = pod('x', { volumes: [{ name: 'v', emptyDir: {} }] });
    if (spec === undefined) throw new Error('no spec');
    const made = [];
    for (let i = 0; i < 5; i++) made.push(await client.create(PODS, { ...pod(`p${i}`), spec: { ...spec } }));
    const [, , , fourth, fifth] = made;
    expect(fifth?.spec?.containers).toBe(fourth?.spec?.containers);
    expect(fifth?.spec?.volumes).toBe(fourth?.spec?.volumes);
    expect(fifth?.spec?.tolerations).toBe(fourth?.spec?.tolerations);
  });

  it('makes equal objects from the wire share, when they have one owner', async () => {
    const { server } = await createTestServer();
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u1', controller: true }];
    const create = async (name: string) => {
      const object = structuredClone({ ...pod(name), metadata: { name, namespace: 'default', ownerReferences } });
      const target = { ...TARGET, resource: 'pods' };
      const answer = await server.handle({
        verb: 'create',
        target,
        user: LOOPBACK,
        object,
        options: {},
        unshared: true,
      });
      return answer.type === 'object' ? (answer.object as unknown as typeof object) : undefined;
    };
    // Each stage remembers what it made of a part from the part's second appearance on.
    const made = [];
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) made.push(await create(name));
    const [before, last] = made.slice(-2);
    expect(last?.spec?.containers).toBe(before?.spec?.containers);
    expect(last?.metadata.ownerReferences).toBe(before?.metadata.ownerReferences);
    expect(last?.metadata.name).toBe('f');
  });
});
