import { describe, expect, it } from 'vitest';
import { encodeFields } from '../../../core/api/apply/fields-v1.ts';
import { managedOf, withPlainManaged } from '../../../core/api/apply/managed.ts';
import { CONFIG_MAPS, DEPLOYMENTS, NODES, PODS } from '../../../core/api/registry/resources.ts';
import type { Deployment } from '../../../core/api/types/apps-v1.ts';
import type { ConfigMap } from '../../../core/api/types/core-v1.ts';
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';
import type { Client, Patch } from '../../../machinery/client/client.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import { realClock } from '../../../machinery/time/real-clock.ts';
import { createVirtualClock } from '../../../machinery/time/virtual-clock.ts';
import { LOOPBACK } from '../../contract/users.ts';
import { configMap, failure, pod } from '../../testing/samples.ts';
import { createTestServer } from '../../testing/test-server.ts';

const A = { namespace: 'default', name: 'a' };

/** `manager operation subresource fields`, one an owner. */
const owners = (object: KubeObject): readonly string[] =>
  (managedOf(object) ?? []).map(({ manager, operation, set, subresource }) =>
    [manager, operation, ...(subresource === '' ? [] : [subresource]), encodeFields(set)].join(' '),
  );
const map = (data: { readonly [key: string]: string }, extra: object = {}): ConfigMap => configMap('a', extra, data);
const by = (fieldManager: string, more: object = {}) => ({ fieldManager, ...more });

const deployment = (image: string, replicas?: number): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a', namespace: 'default' },
  spec: {
    ...(replicas === undefined ? {} : { replicas }),
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels: { app: 'a' } } as never, spec: { containers: [{ name: 'c', image }] } },
  },
});

describe('owners of fields', () => {
  it('are written down for creates, updates and patches of every kind', async () => {
    const { client } = await createTestServer();
    const made = await client.create(CONFIG_MAPS, map({ a: '1' }), by('ann'));
    expect(owners(made)).toEqual(['ann Update {"f:data":{".":{},"f:a":{}}}']);
    const updated = await client.update(CONFIG_MAPS, { ...made, data: { a: '1', b: '2' } }, by('bob'));
    expect(owners(updated)).toEqual(['ann Update {"f:data":{".":{},"f:a":{}}}', 'bob Update {"f:data":{"f:b":{}}}']);
    const patch: Patch = { type: 'merge', body: { metadata: { labels: { x: 'y' } }, data: { a: '3' } } };
    const patched = await client.patch(CONFIG_MAPS, A, patch, by('eve'));
    expect(owners(patched)).toEqual([
      'ann Update {"f:data":{}}',
      'bob Update {"f:data":{"f:b":{}}}',
      'eve Update {"f:data":{"f:a":{}},"f:metadata":{"f:labels":{".":{},"f:x":{}}}}',
    ]);
    expect(owners(await client.get(CONFIG_MAPS, A))).toEqual(owners(patched));
  });

  it('are not seen by who reads the object in the process, and are plain data for others', async () => {
    const { client } = await createTestServer();
    const made = await client.create(CONFIG_MAPS, map({ a: '1' }), by('ann'));
    expect(made.metadata.managedFields).toBeUndefined();
    expect(JSON.stringify(made)).not.toContain('managedFields');
    expect(withPlainManaged(made).metadata.managedFields).toEqual([
      {
        manager: 'ann',
        operation: 'Update',
        apiVersion: 'v1',
        time: made.metadata.creationTimestamp,
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } },
      },
    ]);
  });

  it('of alike objects name the owner that each has', async () => {
    const reference = (uid: string, more: object = {}) => ({ apiVersion: 'v1', kind: 'Node', name: 'n', uid, ...more });
    const owned = (name: string, ...ownerReferences: readonly object[]) =>
      configMap(name, { ownerReferences: ownerReferences as never }, { a: '1' });
    const objects = [
      owned('a', reference('1')),
      owned('b', reference('2')),
      owned('c', reference('2')),
      owned('d', reference('3', { controller: true })),
      owned('e', reference('4', { controller: false })),
      owned('f', reference('5', { controller: true })),
      owned('g', reference('6'), reference('7')),
      owned('h'),
      owned('i', reference('8', { blockOwnerDeletion: true })),
    ];
    const { client } = await createTestServer();
    for (const object of objects) {
      const { client: fresh } = await createTestServer();
      const made = await client.create(CONFIG_MAPS, object, by('ann'));
      expect(owners(made)).toEqual(owners(await fresh.create(CONFIG_MAPS, object, by('ann'))));
    }
  });

  it('of status belong to its subresource, those of spec to the object', async () => {
    const { client } = await createTestServer();
    const node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n', labels: { a: 'b' } },
      status: { phase: 'ignored' },
    } as const;
    const made = await client.create(NODES, node as never, by('ann'));
    expect(owners(made).join()).not.toContain('f:status');
    const status = { nodeInfo: { machineID: 'm' }, conditions: [{ type: 'Ready', status: 'True' }] } as never;
    const reported = await client.update(
      NODES,
      { ...made, spec: { unschedulable: true }, status },
      {
        ...by('kubelet'),
        subresource: 'status',
      },
    );
    const own = owners(reported).find((entry) => entry.startsWith('kubelet'));
    expect(own).toContain('kubelet Update status {"f:status":{"f:conditions":{".":{},"k:{\\"type\\":\\"Ready\\"}"');
    // Times that Go writes as null are owned with the condition they stand in.
    expect(own).toContain('"f:lastHeartbeatTime":{},"f:lastTransitionTime":{}');
    expect(own).not.toContain('f:spec');
  });

  it('share everything among objects of one template', async () => {
    const { client } = await createTestServer({ clock: createVirtualClock() });
    const one = await client.create(PODS, pod('p1'));
    const other = await client.create(PODS, pod('p2'));
    expect(managedOf(one)).toBeDefined();
    expect(managedOf(other)).toBe(managedOf(one));
    expect(owners(one)[0]).toContain('everynode Update {"f:spec":{"f:containers":{"k:{\\"name\\":\\"main\\"}":{".":{}');
    const third = await client.create(PODS, pod('p3', { hostNetwork: true }));
    expect(owners(third)[0]).toContain('f:hostNetwork');
  });

  it('survive deletion marks, bindings and whatever else is not a write of the client', async () => {
    const { client } = await createTestServer();
    const made = await client.create(PODS, pod('p', {}), by('ann'));
    await client.bind({ namespace: 'default', name: 'p' }, 'n1');
    const bound = await client.get(PODS, { namespace: 'default', name: 'p' });
    expect(bound.spec?.nodeName).toBe('n1');
    expect(owners(bound)).toEqual(owners(made));
    await client.delete(PODS, { namespace: 'default', name: 'p' }, { gracePeriodSeconds: 30 });
    const dying = await client.get(PODS, { namespace: 'default', name: 'p' });
    expect(dying.metadata.deletionTimestamp).toBeDefined();
    expect(owners(dying)).toEqual(owners(made));
  });

  it('are taken from a list the client brings, cleared by an empty one, kept where it makes no sense', async () => {
    const { client } = await createTestServer();
    const made = await client.create(CONFIG_MAPS, map({ a: '1' }), by('ann'));
    const put = (managedFields: unknown): Promise<Stored<ConfigMap>> =>
      client.update(
        CONFIG_MAPS,
        { ...made, metadata: { ...made.metadata, resourceVersion: '', managedFields: managedFields as never } },
        by('bob'),
      );
    const entry = { operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': {} } };
    expect(owners(await put([{ ...entry, manager: 'x' }]))).toEqual(['x Apply {"f:data":{}}']);
    expect(owners(await put([{ ...entry, operation: 'Nonsense' }]))).toEqual(['x Apply {"f:data":{}}']);
    expect(owners(await put([{ ...entry, fieldsV1: { q: {} } }]))).toEqual(['x Apply {"f:data":{}}']);
    expect(owners(await put(undefined))).toEqual(['x Apply {"f:data":{}}']);
    expect(owners(await put([{}]))).toEqual([]);
    await put([{ ...entry, manager: 'x' }]);
    expect(owners(await put([]))).toEqual([]);
    // No owner is recorded until the next apply, which records the existing fields as `before-first-apply`.
    expect(owners(await client.update(CONFIG_MAPS, { ...made, metadata: A, data: { b: '1' } }, by('bob')))).toEqual([]);
    expect(owners(await client.apply(CONFIG_MAPS, map({ c: '1' }), by('eve')))).toEqual([
      'eve Apply {"f:data":{"f:c":{}}}',
      'before-first-apply Update {"f:data":{".":{},"f:b":{}}}',
    ]);
  });

  it('can be patched, which is how kubectl takes over from client-side apply', async () => {
    const { client } = await createTestServer();
    await client.create(CONFIG_MAPS, map({ a: '1' }), by('kubectl-client-side-apply'));
    const fieldsV1 = { 'f:data': { '.': {}, 'f:a': {} } };
    const value = [{ manager: 'kubectl', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 }];
    const patch: Patch = {
      type: 'json',
      body: [
        { op: 'test', path: '/metadata/managedFields/0/manager', value: 'kubectl-client-side-apply' },
        { op: 'replace', path: '/metadata/managedFields', value },
      ],
    };
    expect(owners(await client.patch(CONFIG_MAPS, A, patch))).toEqual(['kubectl Apply {"f:data":{".":{},"f:a":{}}}']);
    const merge: Patch = { type: 'merge', body: { metadata: { managedFields: [{}] } } };
    expect(owners(await client.patch(CONFIG_MAPS, A, merge))).toEqual([]);
  });
});

describe('server-side apply', () => {
  const apply = (client: Client, object: ConfigMap, manager: string, more: object = {}): Promise<Stored<ConfigMap>> =>
    client.apply(CONFIG_MAPS, object, by(manager, more));

  it('creates what is not there, and is 201', async () => {
    const { server } = await createTestServer();
    const send = (body: ConfigMap) =>
      server.handle({
        verb: 'patch',
        user: LOOPBACK,
        options: by('ann'),
        target: { tenant: 'system', group: '', version: 'v1', resource: 'configmaps', ...A, subresource: '' },
        patch: { type: 'apply', body, force: false },
      });
    expect(await send(map({ a: '1' }))).toMatchObject({ created: true });
    expect(await send(map({ a: '1' }))).toMatchObject({ created: false });
  });

  it('owns what it applied, keeps what others set, and takes out what it gave up', async () => {
    const { client } = await createTestServer();
    await apply(client, map({ a: '1', b: '1' }), 'ann');
    await client.patch(CONFIG_MAPS, A, { type: 'merge', body: { data: { c: '1' } } }, by('bob'));
    const after = await apply(client, map({ a: '2' }), 'ann');
    expect(after.data).toEqual({ a: '2', c: '1' });
    expect(owners(after)).toEqual(['ann Apply {"f:data":{"f:a":{}}}', 'bob Update {"f:data":{"f:c":{}}}']);
  });

  it('that changes nothing writes nothing, also when time has passed', async () => {
    let now = Date.UTC(2026, 0, 1);
    const clock: Clock = { ...realClock, now: () => now };
    const { client, store } = await createTestServer({ clock });
    const first = await apply(client, map({ a: '1' }), 'ann');
    const before = store.revision;
    now += 5000;
    const second = await apply(client, map({ a: '1' }), 'ann');
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    expect(store.revision).toBe(before);
    // A second manager that applies the same configuration becomes an owner too, which is a change.
    const third = await apply(client, map({ a: '1' }), 'bob');
    expect(store.revision).toBe(before + 1);
    expect(owners(third).length).toBe(2);
  });

  it('names who owns what it would change, and takes it by force', async () => {
    const { client } = await createTestServer();
    await client.create(DEPLOYMENTS, deployment('i:1', 2), by('ann'));
    const conflicting = client.apply(DEPLOYMENTS, deployment('i:2', 3), by('bob'));
    const error = await failure(conflicting);
    expect(error.status).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message:
        'Apply failed with 2 conflicts: conflicts with "ann" using apps/v1:\n- .spec.replicas\n- .spec.template.spec.containers[name="c"].image',
      details: {
        causes: [
          { reason: 'FieldManagerConflict', message: 'conflict with "ann" using apps/v1', field: '.spec.replicas' },
          {
            reason: 'FieldManagerConflict',
            message: 'conflict with "ann" using apps/v1',
            field: '.spec.template.spec.containers[name="c"].image',
          },
        ],
      },
    });
    const forced = await client.apply(DEPLOYMENTS, deployment('i:2', 3), { fieldManager: 'bob', force: true });
    expect(forced.spec?.replicas).toBe(3);
    expect(owners(forced).find((entry) => entry.startsWith('ann'))).not.toContain('f:image":');
  });

  it('can be tried without being done', async () => {
    const { client, store } = await createTestServer();
    await apply(client, map({ a: '1' }), 'ann');
    const before = store.revision;
    const tried = await apply(client, map({ a: '2' }), 'ann', { dryRun: true });
    expect(tried.data).toEqual({ a: '2' });
    expect((await apply(client, configMap('new', {}, { x: 'y' }), 'ann', { dryRun: true })).metadata.name).toBe('new');
    expect(store.revision).toBe(before);
    expect((await failure(apply(client, map({ a: '3' }), 'bob', { dryRun: true }))).code).toBe(409);
  });

  it('is refused in the words of Kubernetes where it is not right', async () => {
    const { client } = await createTestServer();
    const refused = async (object: object, manager = 'ann'): Promise<string> => {
      const { code, message } = await failure(apply(client, object as ConfigMap, manager));
      return `${code} ${message}`;
    };
    expect(await refused(map({}), '')).toBe(
      '422 PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
    expect(await refused({ ...map({}), kind: 'Secret' })).toBe('400 invalid object type: /v1, Kind=Secret');
    expect(await refused({ ...map({}), apiVersion: 'apps/v1' })).toBe(
      '400 invalid object type: apps/v1, Kind=ConfigMap',
    );
    expect(await refused(map({}, { managedFields: [] }))).toBe('400 metadata.managedFields must be nil');
    expect(await refused({ ...map({}), foo: 1 })).toBe(
      '500 failed to create typed patch object (default/a; /v1, Kind=ConfigMap): .foo: field not declared in schema',
    );
    expect(await refused(map({}, { uid: 'x' }))).toBe(
      '409 Operation cannot be fulfilled on configmaps "a": uid mismatch: the provided object specified uid x, and no existing object was found',
    );
  });

  it('goes through validation like any other change', async () => {
    const { client } = await createTestServer();
    const bad = configMap('a', { labels: { 'not ok!': 'x' } });
    expect((await failure(apply(client, bad, 'ann'))).code).toBe(422);
    await apply(client, map({ a: '1' }), 'ann');
    const stale = await failure(apply(client, map({ a: '2' }, { resourceVersion: '1' }), 'ann'));
    expect(stale.code).toBe(409);
  });

  it('of kubectl takes over what client-side apply left, and keeps its note up to date', async () => {
    const { client } = await createTestServer();
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
    const note = (data: object): string =>
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' }, data });
    const annotations = { [annotation]: note({ a: '1', b: '1' }) };
    await client.create(CONFIG_MAPS, map({ a: '1', b: '1' }, { annotations }), by('kubectl-client-side-apply'));
    expect((await failure(apply(client, map({ a: '2', b: '1' }), 'other'))).code).toBe(409);
    const after = await apply(client, map({ a: '2', b: '1' }), 'kubectl');
    expect(after.data).toEqual({ a: '2', b: '1' });
    expect(JSON.parse(after.metadata.annotations?.[annotation] ?? '')).toMatchObject({ data: { a: '2', b: '1' } });
    await client.patch(CONFIG_MAPS, A, { type: 'merge', body: { data: { b: '9' } } }, by('bob'));
    const error = await failure(apply(client, map({ a: '3', b: '1' }), 'kubectl'));
    expect(error.message).toBe('Apply failed with 1 conflict: conflict with "bob" using v1: .data.b');
  });

  it('works on subresources, which then own their part', async () => {
    const { client } = await createTestServer();
    await client.create(DEPLOYMENTS, deployment('i:1', 2), by('ann'));
    const status = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: A, status: { replicas: 2 } } as never;
    const done = await client.apply(DEPLOYMENTS, status, { fieldManager: 'ctl', subresource: 'status' });
    expect(done.status).toMatchObject({ replicas: 2 });
    expect(owners(done)).toContain('ctl Apply status {"f:status":{"f:replicas":{}}}');
  });

  it('and updates of scale own replicas', async () => {
    const { client } = await createTestServer();
    await client.apply(DEPLOYMENTS, deployment('i:1', 2), by('ann'));
    const scale = (replicas: number): never =>
      ({ apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: A, spec: { replicas } }) as never;
    await client.update(DEPLOYMENTS, scale(5), { ...by('hpa'), subresource: 'scale' });
    const scaled = await client.get(DEPLOYMENTS, A);
    expect(scaled.spec?.replicas).toBe(5);
    expect(owners(scaled)).toContain('hpa Update scale {"f:spec":{"f:replicas":{}}}');
    expect(owners(scaled)[0]).not.toContain('f:replicas');
    const error = await failure(client.apply(DEPLOYMENTS, deployment('i:1', 2), by('ann')));
    expect(error.message).toBe(
      'Apply failed with 1 conflict: conflict with "hpa" with subresource "scale" using apps/v1: .spec.replicas',
    );
    const taken = await failure(client.apply(DEPLOYMENTS, scale(7), { ...by('eve'), subresource: 'scale' }));
    expect(taken.message).toContain('conflict with "hpa" with subresource "scale" using apps/v1: .spec.replicas');
    await client.apply(DEPLOYMENTS, scale(7), { fieldManager: 'eve', subresource: 'scale', force: true });
    const after = await client.get(DEPLOYMENTS, A);
    expect(after.spec?.replicas).toBe(7);
    expect(owners(after)).toContain('eve Apply scale {"f:spec":{"f:replicas":{}}}');
    expect(owners(after).join()).not.toContain('hpa');
  });
});
