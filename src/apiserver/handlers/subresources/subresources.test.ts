import { describe, expect, it } from 'vitest';
import { DEPLOYMENTS, NAMESPACES, NODES, PODS, REPLICATION_CONTROLLERS } from '../../../core/api/registry/resources.ts';
import type { Scale } from '../../../core/api/types/autoscaling-v1.ts';
import type { Binding } from '../../../core/api/types/core-v1.ts';
import type { KubeObject, Resource } from '../../../core/kube/objects.ts';
import { type StatusError, tooManyRequests } from '../../../core/kube/status-error.ts';
import type { Client } from '../../../machinery/client/client.ts';
import { LOOPBACK } from '../../contract/users.ts';
import { failure, pod } from '../../testing/samples.ts';
import { createTestServer } from '../../testing/test-server.ts';

const A = { namespace: 'default', name: 'a' };

const deployment = (client: Client) =>
  client.create(DEPLOYMENTS, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a', namespace: 'default' },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'a' }, matchExpressions: [{ key: 'tier', operator: 'In', values: ['y', 'x'] }] },
      template: {
        metadata: { name: '', labels: { app: 'a', tier: 'x' } },
        spec: { containers: [{ name: 'm', image: 'i' }] },
      },
    },
  });
const SCALES = DEPLOYMENTS as unknown as Resource<Scale>;
const scale = (replicas: number, metadata = {}): Scale => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { ...A, ...metadata },
  spec: { replicas },
});

describe('scale', () => {
  it('shows replicas and the selector in one line', async () => {
    const { client } = await createTestServer();
    const { metadata } = await deployment(client);
    expect(await client.get(SCALES, A, { subresource: 'scale' })).toEqual({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: {
        name: 'a',
        namespace: 'default',
        uid: metadata.uid,
        resourceVersion: metadata.resourceVersion,
        creationTimestamp: metadata.creationTimestamp,
      },
      spec: { replicas: 2 },
      status: { replicas: 0, selector: 'app=a,tier in (x,y)' },
    });
  });

  it('reads the old kind of selector too', async () => {
    const { client } = await createTestServer();
    await client.create(REPLICATION_CONTROLLERS, {
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata: { ...A },
      spec: {
        replicas: 1,
        selector: { b: '2', a: '1' },
        template: {
          metadata: { name: '', labels: { a: '1', b: '2' } },
          spec: { containers: [{ name: 'm', image: 'i' }] },
        },
      },
    });
    const resource = REPLICATION_CONTROLLERS as unknown as Resource<Scale>;
    const read = await client.get(resource, A, { subresource: 'scale' });
    expect(read.status?.selector).toBe('a=1,b=2');
  });

  it('changes replicas and nothing else, as a change of the spec', async () => {
    const { client } = await createTestServer();
    const before = await deployment(client);
    const answer = await client.update(SCALES, scale(5), { subresource: 'scale' });
    expect(answer).toMatchObject({ kind: 'Scale', spec: { replicas: 5 } });
    const after = await client.get(DEPLOYMENTS, A);
    expect(after.spec?.replicas).toBe(5);
    expect(after.metadata.generation).toBe(2);
    expect(after.spec?.template).toBe(before.spec?.template);
  });

  it('is patched as what it looks like', async () => {
    const { client } = await createTestServer();
    await deployment(client);
    const patch = { type: 'merge', body: { spec: { replicas: 7 } } } as const;
    expect((await client.patch(SCALES, A, patch, { subresource: 'scale' })).spec?.replicas).toBe(7);
  });

  it('wants to be told which object it is about, and minds fields it does not know', async () => {
    const { client, server } = await createTestServer();
    await deployment(client);
    const unknown = { ...scale(3), spec: { replicas: 3, replica: 4 } };
    const strict = { subresource: 'scale', fieldValidation: 'Strict' } as const;
    expect((await failure(client.update(SCALES, unknown as Scale, strict))).message).toBe(
      'Scale in version "v1" cannot be handled as a Scale: strict decoding error: unknown field "spec.replica"',
    );
    const target = { tenant: 'system', group: 'apps', version: 'v1', resource: 'deployments', ...A };
    const put = (object: object, warnings: string[] = []) =>
      server.handle({
        verb: 'update',
        target: { ...target, subresource: 'scale' },
        user: LOOPBACK,
        object: object as KubeObject,
        options: {},
        warn: (text) => void warnings.push(text),
      });
    expect((await failure(put({ ...scale(3), metadata: {} }))).message).toBe(
      'the name of the object (a based on URL) was undeterminable: name must be provided',
    );
    const warnings: string[] = [];
    await put(unknown, warnings);
    expect(warnings).toEqual(['unknown field "spec.replica"']);
  });

  it('is what admission sees and may change, not the object behind it', async () => {
    const seen: string[] = [];
    const { client } = await createTestServer({
      plugins: [
        {
          name: 'at most five',
          handles: ({ subresource }) => subresource === 'scale',
          mutate: ({ kind, object, oldObject, resource, subresource }) => {
            const asked = object as Scale;
            seen.push(`${resource.resource}/${subresource} ${kind} ${oldObject?.kind} ${asked.spec?.replicas}`);
            return { allowed: true, object: { ...asked, spec: { replicas: 5 } } as KubeObject };
          },
        },
      ],
    });
    await deployment(client);
    expect((await client.update(SCALES, scale(9), { subresource: 'scale' })).spec?.replicas).toBe(5);
    expect((await client.get(DEPLOYMENTS, A)).spec?.replicas).toBe(5);
    expect(seen).toEqual(['deployments/scale Scale Scale 9']);
  });

  it('knows versions, and what cannot be', async () => {
    const { client } = await createTestServer();
    const { metadata } = await deployment(client);
    await client.update(SCALES, scale(3), { subresource: 'scale' });
    const stale = scale(4, { resourceVersion: metadata.resourceVersion });
    expect((await failure(client.update(SCALES, stale, { subresource: 'scale' }))).reason).toBe('Conflict');
    const negative = await failure(client.update(SCALES, scale(-1), { subresource: 'scale' }));
    expect(negative.status).toMatchObject({
      code: 422,
      details: { kind: 'Scale', causes: [{ field: 'spec.replicas' }] },
    });
    const fraction = await failure(client.update(SCALES, scale(1.5), { subresource: 'scale' }));
    expect(fraction.status).toMatchObject({
      code: 400,
      message: expect.stringContaining('cannot be handled as a Scale: json: cannot unmarshal number 1.5') as string,
    });
    const none = client.get(NODES, { name: 'n' }, { subresource: 'scale' });
    expect((await failure(none)).status).toMatchObject({
      code: 404,
      message: 'the server could not find the requested resource',
    });
  });
});

describe('binding', () => {
  it('gives a pod its node, once', async () => {
    const { client } = await createTestServer();
    const before = await client.create(PODS, pod('a'));
    await client.bind({ ...A, uid: before.metadata.uid }, 'n1');
    const bound = await client.get(PODS, A);
    expect(bound.spec?.nodeName).toBe('n1');
    expect(bound.status?.conditions).toContainEqual(expect.objectContaining({ type: 'PodScheduled', status: 'True' }));
    expect(bound.spec?.containers).toBe(before.spec?.containers);
    const again = await failure(client.bind(A, 'n2'));
    expect(again.status).toMatchObject({
      code: 409,
      message: 'Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "n1"',
    });
  });

  it('makes a promise of another node void', async () => {
    const { client } = await createTestServer();
    const created = await client.create(PODS, pod('a'));
    const promised = { ...created, status: { ...created.status, nominatedNodeName: 'n2' } };
    await client.update(PODS, promised, { subresource: 'status' });
    await client.bind(A, 'n1');
    expect((await client.get(PODS, A)).status).not.toHaveProperty('nominatedNodeName');
  });

  it('refuses another pod of the same name, one that goes, one that waits, and one that is not', async () => {
    const { client } = await createTestServer();
    await client.create(PODS, pod('a'));
    expect((await failure(client.bind({ ...A, uid: 'other' }, 'n1'))).reason).toBe('Conflict');
    await client.create(PODS, pod('gated', { schedulingGates: [{ name: 'example.test/wait' }] }));
    const gated = await failure(client.bind({ ...A, name: 'gated' }, 'n1'));
    expect(gated.message).toContain('pod gated has non-empty .spec.schedulingGates');
    await client.create(PODS, {
      ...pod('going'),
      metadata: { ...A, name: 'going', finalizers: ['example.test/hold'] },
    });
    await client.delete(PODS, { ...A, name: 'going' });
    const going = await failure(client.bind({ ...A, name: 'going' }, 'n1'));
    expect(going.message).toContain('pod going is being deleted, cannot be assigned to a host');
    expect((await failure(client.bind({ ...A, name: 'nobody' }, 'n1'))).code).toBe(404);
  });

  it('tells a pod the zone and region of its node, and pods of one zone share what they are told', async () => {
    const { client } = await createTestServer();
    const zone = 'topology.kubernetes.io/zone';
    for (const [name, value] of [
      ['n1', 'a'],
      ['n2', 'a'],
      ['n3', 'b'],
    ] as const) {
      const labels = { [zone]: value, 'kubernetes.io/hostname': name };
      await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec: {} });
    }
    const labels = Object.freeze({ app: 'web', [zone]: 'wrong' });
    const placed = async (name: string, node: string) => {
      const made = pod(name);
      await client.create(PODS, { ...made, metadata: { ...made.metadata, labels } });
      await client.bind({ ...A, name }, node);
      return (await client.get(PODS, { ...A, name })).metadata.labels;
    };
    const first = await placed('a', 'n1');
    expect(first).toEqual({ app: 'web', [zone]: 'a' });
    expect(await placed('b', 'n2')).toBe(first);
    expect(await placed('c', 'n3')).toEqual({ app: 'web', [zone]: 'b' });
    expect(await placed('d', 'nowhere')).toEqual(labels);
    const made = pod('born');
    const born = await client.create(PODS, { ...made, spec: { ...made.spec, nodeName: 'n3' } });
    expect(born.metadata.labels).toEqual({ [zone]: 'b' });
  });

  it('wants a node', async () => {
    const { client } = await createTestServer();
    await client.create(PODS, pod('a'));
    const error = await failure(client.bind(A, ''));
    expect(error.status).toMatchObject({ code: 500, message: 'target.name: Required value' });
  });

  it('can be posted to the collection of bindings as well', async () => {
    const { client, server } = await createTestServer();
    await client.create(PODS, pod('a'));
    const binding: Binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'a' }, target: { name: 'n1' } };
    const target = {
      tenant: 'system',
      group: '',
      version: 'v1',
      resource: 'bindings',
      namespace: 'default',
      name: '',
      subresource: '',
    };
    const answer = await server.handle({ verb: 'create', target, user: LOOPBACK, object: binding, options: {} });
    expect(answer).toMatchObject({ type: 'status', status: { status: 'Success', code: 201 } });
    expect((await client.get(PODS, A)).spec?.nodeName).toBe('n1');
  });

  it('does not happen on a dry run', async () => {
    const { client, server } = await createTestServer();
    await client.create(PODS, pod('a'));
    const binding: Binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'a' }, target: { name: 'n1' } };
    const target = { tenant: 'system', group: '', version: 'v1', resource: 'pods', ...A, subresource: 'binding' };
    await server.handle({ verb: 'create', target, user: LOOPBACK, object: binding, options: { dryRun: true } });
    expect((await client.get(PODS, A)).spec?.nodeName ?? '').toBe('');
  });
});

describe('eviction', () => {
  it('deletes a pod that nothing protects, and leaves a note why', async () => {
    const { client } = await createTestServer();
    await client.create(PODS, { ...pod('a'), metadata: { ...A, finalizers: ['example.test/hold'] } });
    await client.evict(A);
    const going = await client.get(PODS, A);
    expect(going.metadata.deletionTimestamp).toBeDefined();
    expect(going.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', reason: 'EvictionByEvictionAPI' }),
    );
  });

  it('asks whoever keeps budgets, for pods that run', async () => {
    const eviction = () => tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 10);
    const { client } = await createTestServer({ hooks: { eviction } });
    const made = await client.create(PODS, pod('a'));
    const running = { ...made, status: { ...made.status, phase: 'Running' } };
    await client.update(PODS, running, { subresource: 'status' });
    expect((await failure(client.evict(A))).status).toMatchObject({ code: 429, reason: 'TooManyRequests' });
    await client.create(PODS, pod('b'));
    await client.evict({ ...A, name: 'b' });
    expect((await failure(client.get(PODS, { ...A, name: 'b' }))).code).toBe(404);
  });

  it('honours preconditions and dry runs', async () => {
    const { client } = await createTestServer();
    await client.create(PODS, pod('a'));
    expect((await failure(client.evict(A, { preconditions: { uid: 'other' } }))).reason).toBe('Conflict');
    await client.evict(A, { dryRun: true });
    expect((await client.get(PODS, A)).metadata.deletionTimestamp).toBeUndefined();
  });
});

describe('finalize', () => {
  const target = {
    tenant: 'system',
    group: '',
    version: 'v1',
    resource: 'namespaces',
    namespace: '',
    name: 'team',
    subresource: 'finalize',
  };
  const finalize = async (object: object): Promise<unknown> => {
    const { client, server } = await createTestServer();
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' }, spec: {} });
    const request = { verb: 'update', target, user: LOOPBACK, object: object as KubeObject, options: {} } as const;
    return server.handle(request).then(
      (response) => (response.type === 'object' ? response.object : response),
      (error: StatusError) => error.code,
    );
  };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } };

  it('changes the list of those who still clean up', async () => {
    const answer = await finalize({ ...namespace, spec: { finalizers: ['example.test/mine'] } });
    expect(answer).toMatchObject({ metadata: { name: 'team' }, spec: { finalizers: ['example.test/mine'] } });
  });

  it('reads what it is given as it would read a namespace', async () => {
    expect(await finalize({ metadata: { name: 'team' } })).toMatchObject({ metadata: { name: 'team' }, spec: {} });
    for (const spec of [5, [], { finalizers: 'x' }, { finalizers: [5] }, { finalizers: {} }]) {
      expect(await finalize({ ...namespace, spec })).toBe(400);
    }
    expect(await finalize({ ...namespace, metadata: 'x' })).toBe(400);
    expect(await finalize({ ...namespace, kind: 'Pod' })).toBe(400);
  });

  it('touches no namespace but the one that the body names', async () => {
    expect(await finalize({ ...namespace, metadata: { name: 'another' } })).toBe(400);
    expect(await finalize({})).toBe(400);
  });
});

describe('other subresources', () => {
  it('are answered by whoever serves them', async () => {
    const token = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { name: '' },
      status: { token: 't' },
    };
    const { client } = await createTestServer({
      hooks: {
        subresources: new Map([
          ['serviceaccounts/token', () => ({ type: 'object', object: token as never, created: true }) as const],
        ]),
      },
    });
    const accounts: Resource = {
      group: '',
      version: 'v1',
      resource: 'serviceaccounts',
      kind: 'ServiceAccount',
      namespaced: true,
    };
    const request = { ...token, metadata: { name: 'default' } };
    const answer = await client.create(accounts, request, { namespace: 'default', subresource: 'token' });
    expect(answer).toBe(token);
  });

  it('that stream are found behind an object that exists', async () => {
    const { client, server } = await createTestServer({
      hooks: {
        connect: new Map([
          [
            'pods/log',
            ({ query }, { metadata }) => ({
              contentType: 'text/plain',
              body: (async function* () {
                yield `${metadata.name} ${query.get('container') ?? ''}`;
              })(),
            }),
          ],
        ]),
      },
    });
    await client.create(PODS, pod('a'));
    const target = { tenant: 'system', group: '', version: 'v1', resource: 'pods', ...A, subresource: 'log' };
    const request = {
      verb: 'connect',
      method: 'GET',
      query: new URLSearchParams('container=main'),
      user: LOOPBACK,
    } as const;
    const { body } = await server.connect({ ...request, target });
    const chunks = [];
    for await (const chunk of body) chunks.push(chunk);
    expect(chunks).toEqual(['a main']);
    expect((await failure(server.connect({ ...request, target: { ...target, name: 'b' } }))).code).toBe(404);
    expect((await failure(server.connect({ ...request, target: { ...target, subresource: 'exec' } }))).code).toBe(405);
    expect((await failure(server.connect({ ...request, target: { ...target, subresource: 'nonsense' } }))).code).toBe(
      404,
    );
  });
});
