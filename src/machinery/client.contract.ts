/**
 * What every transport of `Client` must do alike. Each implementation runs it:
 *
 *     describeClientContract('in-process', async () => ({ client, compact, close }));
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConfigMap, Namespace, Pod } from '../core/api/types/core-v1.ts';
import type { DaemonSet } from '../core/api/types/apps-v1.ts';
import type { Resource, Stored } from '../core/kube/objects.ts';
import { StatusError, type StatusReason } from '../core/kube/status-error.ts';
import { describeWatchContract } from './client-watch.contract.ts';
import type { Client } from './client.ts';
import { realRandom } from './real-random.ts';

export type ContractFeature =
  /** Objects are judged by their schemas, namespaces must exist. */
  | 'validation'
  /** Server-side apply with owned fields. */
  | 'apply'
  | 'strategic'
  | 'tenants';

export interface ClientHarness {
  readonly client: Client;
  /** Where pods may be created; made by the suite when absent. */
  readonly namespace?: string;
  readonly features?: readonly ContractFeature[];
  /** Makes the server forget its history, so that everything older than now is expired. */
  compact?(): void | Promise<void>;
  close?(): void | Promise<void>;
}

export const CONFIG_MAPS: Resource<ConfigMap> = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};
export const PODS: Resource<Pod> = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };
export const NAMESPACES: Resource<Namespace> = {
  group: '',
  version: 'v1',
  resource: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};
export const DAEMON_SETS: Resource<DaemonSet> = {
  group: 'apps',
  version: 'v1',
  resource: 'daemonsets',
  kind: 'DaemonSet',
  namespaced: true,
};

export const configMap = (
  name: string,
  rest: Partial<ConfigMap> & { labels?: Record<string, string> } = {},
): ConfigMap => {
  const { labels, ...fields } = rest;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    ...fields,
    metadata: { name, ...(labels ? { labels } : {}), ...fields.metadata },
  };
};

export const pod = (name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'main', image: 'example.test/agent:1' }] },
});

const daemonSet = (name: string, image: string): DaemonSet => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { name: '', labels: { app: name } },
      spec: { containers: [{ name: 'main', image }] },
    },
  },
});

/** The Status an operation fails with; anything else than a StatusError fails the test. */
export async function failure(promise: Promise<unknown>): Promise<StatusError> {
  const outcome = await promise.then(
    (value) => new Error(`expected a failure, got ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (outcome instanceof StatusError) return outcome;
  throw outcome;
}

const reasonOf = async (promise: Promise<unknown>): Promise<readonly [number, StatusReason]> => {
  const { code, reason } = await failure(promise);
  return [code, reason];
};

export interface ContractContext {
  readonly harness: ClientHarness;
  readonly client: Client;
  /** A namespace of its own for each call. */
  freshNamespace(): Promise<string>;
  readonly podNamespace: string;
}

export function describeClientContract(name: string, makeHarness: () => ClientHarness | Promise<ClientHarness>): void {
  describe(`client contract: ${name}`, () => {
    let context: ContractContext;
    const client = (): Client => context.client;

    beforeAll(async () => {
      const harness = await makeHarness();
      const freshNamespace = async (): Promise<string> => {
        const created = await harness.client.create(NAMESPACES, {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name: `contract-${realRandom.suffix(8)}` },
        });
        return created.metadata.name;
      };
      const podNamespace = harness.namespace ?? (await freshNamespace());
      context = { harness, client: harness.client, freshNamespace, podNamespace };
    });
    afterAll(() => context.harness.close?.());

    const needs = (feature: ContractFeature, skip: () => void): void => {
      if (context.harness.features?.includes(feature) !== true) skip();
    };

    describe('create and get', () => {
      it('gives an object its identity and answers with the same one later', async () => {
        const namespace = await context.freshNamespace();
        const created = await client().create(CONFIG_MAPS, configMap('a', { data: { key: 'value' } }), { namespace });
        expect(created).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { key: 'value' } });
        expect(created.metadata).toMatchObject({ name: 'a', namespace });
        expect(created.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
        expect(created.metadata.resourceVersion).toMatch(/^[1-9][0-9]*$/);
        expect(created.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
        expect(await client().get(CONFIG_MAPS, { namespace, name: 'a' })).toEqual(created);
      });

      it('says which object is not found', async () => {
        const namespace = await context.freshNamespace();
        const error = await failure(client().get(DAEMON_SETS, { namespace, name: 'nobody' }));
        expect(error.status).toMatchObject({
          status: 'Failure',
          code: 404,
          reason: 'NotFound',
          message: 'daemonsets.apps "nobody" not found',
          details: { name: 'nobody', group: 'apps', kind: 'daemonsets' },
        });
      });

      it('refuses a second object of the same name', async () => {
        const namespace = await context.freshNamespace();
        await client().create(CONFIG_MAPS, configMap('a'), { namespace });
        const error = await failure(client().create(CONFIG_MAPS, configMap('a'), { namespace }));
        expect(error.status).toMatchObject({
          code: 409,
          reason: 'AlreadyExists',
          message: 'configmaps "a" already exists',
        });
      });

      it('keeps equal names in different namespaces apart', async () => {
        const [one, two] = [await context.freshNamespace(), await context.freshNamespace()];
        const a = await client().create(CONFIG_MAPS, configMap('a', { data: { in: 'one' } }), { namespace: one });
        const b = await client().create(CONFIG_MAPS, configMap('a', { data: { in: 'two' } }), { namespace: two });
        expect(a.metadata.uid).not.toBe(b.metadata.uid);
        expect((await client().get(CONFIG_MAPS, { namespace: one, name: 'a' })).data).toEqual({ in: 'one' });
      });

      it('makes names from generateName', async () => {
        const namespace = await context.freshNamespace();
        const wanted: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '', generateName: 'gen-' } };
        const names = new Set<string>();
        for (let i = 0; i < 10; i += 1) {
          names.add((await client().create(CONFIG_MAPS, wanted, { namespace })).metadata.name);
        }
        expect(names.size).toBe(10);
        for (const each of names) expect(each).toMatch(/^gen-[a-z0-9]{5,}$/);
      });

      it('refuses an object without a name', async () => {
        const namespace = await context.freshNamespace();
        expect(await reasonOf(client().create(CONFIG_MAPS, configMap(''), { namespace }))).toEqual([422, 'Invalid']);
      });

      it('refuses a resourceVersion on create', async () => {
        const namespace = await context.freshNamespace();
        const wanted = configMap('a', { metadata: { name: 'a', resourceVersion: '5' } });
        expect(await reasonOf(client().create(CONFIG_MAPS, wanted, { namespace }))).toEqual([400, 'BadRequest']);
      });

      it('stores nothing on a dry run', async () => {
        const namespace = await context.freshNamespace();
        const dry = await client().create(CONFIG_MAPS, configMap('a'), { namespace, dryRun: true });
        expect(dry.metadata.name).toBe('a');
        expect(await reasonOf(client().get(CONFIG_MAPS, { namespace, name: 'a' }))).toEqual([404, 'NotFound']);
      });

      it('treats __proto__ and constructor as the plain keys they are', async () => {
        const namespace = await context.freshNamespace();
        const data = JSON.parse('{"__proto__":"p","constructor":"c","toString":"t"}') as Record<string, string>;
        await client().create(CONFIG_MAPS, configMap('a', { data }), { namespace });
        const read = await client().get(CONFIG_MAPS, { namespace, name: 'a' });
        expect(JSON.stringify(read.data)).toBe('{"__proto__":"p","constructor":"c","toString":"t"}');
        expect(({} as { p?: unknown }).p).toBeUndefined();
      });

      it('says that a namespace does not exist', async ({ skip }) => {
        needs('validation', skip);
        const error = await failure(client().create(CONFIG_MAPS, configMap('a'), { namespace: 'no-such-namespace' }));
        expect(error.status).toMatchObject({ code: 404, message: 'namespaces "no-such-namespace" not found' });
      });

      it('names every field that is wrong', async ({ skip }) => {
        needs('validation', skip);
        const wanted = { ...pod('Not_A_Name'), spec: { containers: [] } } as Pod;
        const error = await failure(client().create(PODS, wanted, { namespace: context.podNamespace }));
        expect([error.code, error.reason]).toEqual([422, 'Invalid']);
        const fields = error.status.details?.causes?.map((cause) => cause.field);
        expect(fields).toEqual(expect.arrayContaining(['metadata.name', 'spec.containers']));
      });
    });

    describe('update', () => {
      it('writes over the version it read, and no other', async () => {
        const namespace = await context.freshNamespace();
        const first = await client().create(CONFIG_MAPS, configMap('a', { data: { n: '1' } }), { namespace });
        const second = await client().update(CONFIG_MAPS, { ...first, data: { n: '2' } }, { namespace });
        expect(BigInt(second.metadata.resourceVersion)).toBeGreaterThan(BigInt(first.metadata.resourceVersion));
        expect(second.metadata.uid).toBe(first.metadata.uid);
        const error = await failure(client().update(CONFIG_MAPS, { ...first, data: { n: '3' } }, { namespace }));
        expect([error.code, error.reason]).toEqual([409, 'Conflict']);
        expect(error.message).toContain('the object has been modified');
        expect(await client().get(CONFIG_MAPS, { namespace, name: 'a' })).toEqual(second);
      });

      it('writes over any version when none is named', async () => {
        const namespace = await context.freshNamespace();
        await client().create(CONFIG_MAPS, configMap('a'), { namespace });
        const updated = await client().update(CONFIG_MAPS, configMap('a', { data: { n: '2' } }), { namespace });
        expect(updated.data).toEqual({ n: '2' });
      });

      it('keeps the version when nothing changed', async () => {
        const namespace = await context.freshNamespace();
        const first = await client().create(CONFIG_MAPS, configMap('a', { data: { n: '1' } }), { namespace });
        const again = await client().update(CONFIG_MAPS, first, { namespace });
        expect(again.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
      });

      it('does not find what does not exist', async () => {
        const namespace = await context.freshNamespace();
        expect(await reasonOf(client().update(CONFIG_MAPS, configMap('a'), { namespace }))).toEqual([404, 'NotFound']);
      });

      it('takes an object of another identity for another object', async () => {
        const namespace = await context.freshNamespace();
        await client().create(CONFIG_MAPS, configMap('a'), { namespace });
        const other = configMap('a', { metadata: { name: 'a', uid: '00000000-0000-4000-8000-000000000000' } });
        expect(await reasonOf(client().update(CONFIG_MAPS, other, { namespace }))).toEqual([409, 'Conflict']);
      });

      it('changes nothing on a dry run', async () => {
        const namespace = await context.freshNamespace();
        const first = await client().create(CONFIG_MAPS, configMap('a', { data: { n: '1' } }), { namespace });
        await client().update(CONFIG_MAPS, { ...first, data: { n: '2' } }, { namespace, dryRun: true });
        expect(await client().get(CONFIG_MAPS, { namespace, name: 'a' })).toEqual(first);
      });

      it('counts generations by what the user wants, not by labels', async () => {
        const namespace = await context.freshNamespace();
        const first = await client().create(DAEMON_SETS, daemonSet('d', 'example.test/a:1'), { namespace });
        expect(first.metadata.generation).toBe(1);
        const labelled = await client().patch(
          DAEMON_SETS,
          { namespace, name: 'd' },
          merge({ metadata: { labels: { a: 'b' } } }),
        );
        expect(labelled.metadata.generation).toBe(1);
        const image = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'example.test/a:2' }];
        const changed = await client().patch(DAEMON_SETS, { namespace, name: 'd' }, { type: 'json', body: image });
        expect(changed.metadata.generation).toBe(2);
      });

      it('writes the status through its subresource and nowhere else', async () => {
        const namespace = context.podNamespace;
        const { name } = (await client().create(PODS, pod(`p-${realRandom.suffix(6)}`), { namespace })).metadata;
        const key = { namespace, name };
        const patch = merge({ metadata: { labels: { a: 'b' } }, status: { message: 'from status' } });
        expect((await client().patch(PODS, key, patch)).status?.message).toBeUndefined();
        const subresource = 'status';
        const withStatus = await client().patch(PODS, key, merge({ status: { message: 'said' } }), { subresource });
        expect(withStatus.status?.message).toBe('said');
        const image = 'example.test/other:1';
        const current = await client().get(PODS, key);
        const spec = { ...current.spec, containers: [{ ...current.spec.containers[0], name: 'main', image }] };
        const status = { ...current.status, message: 'said again' };
        const updated = await client().update(PODS, { ...current, spec, status } as Pod, { namespace, subresource });
        expect([updated.status?.message, updated.spec.containers[0]?.image]).toEqual([
          'said again',
          'example.test/agent:1',
        ]);
      });
    });

    describe('patch', () => {
      it('merges: null removes, objects merge, the rest replaces', async () => {
        const namespace = await context.freshNamespace();
        await client().create(CONFIG_MAPS, configMap('a', { data: { keep: '1', drop: '2', change: '3' } }), {
          namespace,
        });
        const patched = await client().patch(
          CONFIG_MAPS,
          { namespace, name: 'a' },
          merge({ data: { drop: null, change: '4', add: '5' } }),
        );
        expect(patched.data).toEqual({ keep: '1', change: '4', add: '5' });
      });

      it('applies JSON patches whole or not at all', async () => {
        const namespace = await context.freshNamespace();
        const key = { namespace, name: 'a' };
        await client().create(CONFIG_MAPS, configMap('a', { data: { n: '1' } }), { namespace });
        const good = await client().patch(CONFIG_MAPS, key, {
          type: 'json',
          body: [
            { op: 'test', path: '/data/n', value: '1' },
            { op: 'replace', path: '/data/n', value: '2' },
            { op: 'add', path: '/metadata/labels', value: { a: 'b' } },
          ],
        });
        expect([good.data, good.metadata.labels]).toEqual([{ n: '2' }, { a: 'b' }]);
        const bad = client().patch(CONFIG_MAPS, key, {
          type: 'json',
          body: [
            { op: 'replace', path: '/data/n', value: '3' },
            { op: 'test', path: '/data/n', value: '1' },
          ],
        });
        expect(await reasonOf(bad)).toEqual([422, 'Invalid']);
        expect((await client().get(CONFIG_MAPS, key)).data).toEqual({ n: '2' });
      });

      it('honours a resourceVersion in the patch', async () => {
        const namespace = await context.freshNamespace();
        const key = { namespace, name: 'a' };
        const first = await client().create(CONFIG_MAPS, configMap('a'), { namespace });
        const { resourceVersion } = first.metadata;
        await client().patch(CONFIG_MAPS, key, merge({ metadata: { resourceVersion }, data: { n: '1' } }));
        const stale = client().patch(CONFIG_MAPS, key, merge({ metadata: { resourceVersion }, data: { n: '2' } }));
        expect(await reasonOf(stale)).toEqual([409, 'Conflict']);
      });

      it('does not find what does not exist', async () => {
        const namespace = await context.freshNamespace();
        const patch = client().patch(CONFIG_MAPS, { namespace, name: 'a' }, merge({ data: {} }));
        expect(await reasonOf(patch)).toEqual([404, 'NotFound']);
      });

      it('merges lists by their keys when strategic', async ({ skip }) => {
        needs('strategic', skip);
        const namespace = await context.freshNamespace();
        await client().create(DAEMON_SETS, daemonSet('d', 'example.test/a:1'), { namespace });
        const containers = [{ name: 'second', image: 'example.test/b:1' }];
        const patched = await client().patch(
          DAEMON_SETS,
          { namespace, name: 'd' },
          { type: 'strategic', body: { spec: { template: { spec: { containers } } } } },
        );
        expect(patched.spec.template.spec?.containers.map((each) => each.name).toSorted()).toEqual(['main', 'second']);
      });

      it('applies what a manager says, creating if need be', async ({ skip }) => {
        needs('apply', skip);
        const namespace = await context.freshNamespace();
        const options = { namespace, fieldManager: 'contract' };
        await client().apply(CONFIG_MAPS, configMap('a', { data: { mine: '1', old: '1' } }), options);
        const again = await client().apply(CONFIG_MAPS, configMap('a', { data: { mine: '2' } }), options);
        expect(again.data).toEqual({ mine: '2' });
        const other = client().apply(CONFIG_MAPS, configMap('a', { data: { mine: '3' } }), {
          namespace,
          fieldManager: 'another',
        });
        expect(await reasonOf(other)).toEqual([409, 'Conflict']);
      });
    });

    describe('delete', () => {
      it('removes and says so', async () => {
        const namespace = await context.freshNamespace();
        const key = { namespace, name: 'a' };
        const created = await client().create(CONFIG_MAPS, configMap('a'), { namespace });
        const answer = await client().delete(CONFIG_MAPS, key);
        expect(answer).toMatchObject({
          kind: 'Status',
          status: 'Success',
          details: { name: 'a', uid: created.metadata.uid },
        });
        expect(await reasonOf(client().get(CONFIG_MAPS, key))).toEqual([404, 'NotFound']);
        expect(await reasonOf(client().delete(CONFIG_MAPS, key))).toEqual([404, 'NotFound']);
      });

      it('keeps an object until its finalizers are gone', async () => {
        const namespace = await context.freshNamespace();
        const key = { namespace, name: 'a' };
        await client().create(
          CONFIG_MAPS,
          configMap('a', { metadata: { name: 'a', finalizers: ['example.test/f'] } }),
          { namespace },
        );
        const deleting = (await client().delete(CONFIG_MAPS, key)) as Stored<ConfigMap>;
        expect(deleting.metadata.deletionTimestamp).toMatch(/^\d{4}-/);
        const again = (await client().delete(CONFIG_MAPS, key)) as Stored<ConfigMap>;
        expect(again.metadata.resourceVersion).toBe(deleting.metadata.resourceVersion);
        await client().patch(CONFIG_MAPS, key, merge({ metadata: { finalizers: null } }));
        expect(await reasonOf(client().get(CONFIG_MAPS, key))).toEqual([404, 'NotFound']);
      });

      it('deletes only the object that was meant', async () => {
        const namespace = await context.freshNamespace();
        const key = { namespace, name: 'a' };
        const { uid, resourceVersion } = (await client().create(CONFIG_MAPS, configMap('a'), { namespace })).metadata;
        const wrong = '00000000-0000-4000-8000-000000000000';
        expect(await reasonOf(client().delete(CONFIG_MAPS, key, { preconditions: { uid: wrong } }))).toEqual([
          409,
          'Conflict',
        ]);
        await client().patch(CONFIG_MAPS, key, merge({ data: { n: '1' } }));
        const stale = client().delete(CONFIG_MAPS, key, { preconditions: { resourceVersion } });
        expect(await reasonOf(stale)).toEqual([409, 'Conflict']);
        await client().delete(CONFIG_MAPS, key, { preconditions: { uid } });
      });

      it('deletes nothing on a dry run', async () => {
        const namespace = await context.freshNamespace();
        const created = await client().create(CONFIG_MAPS, configMap('a'), { namespace });
        await client().delete(CONFIG_MAPS, { namespace, name: 'a' }, { dryRun: true });
        expect(await client().get(CONFIG_MAPS, { namespace, name: 'a' })).toEqual(created);
      });

      it('deletes a collection by selector', async () => {
        const namespace = await context.freshNamespace();
        await client().create(CONFIG_MAPS, configMap('a', { labels: { go: 'yes' } }), { namespace });
        await client().create(CONFIG_MAPS, configMap('b', { labels: { go: 'yes' } }), { namespace });
        await client().create(CONFIG_MAPS, configMap('c', { labels: { go: 'no' } }), { namespace });
        await client().deleteCollection(CONFIG_MAPS, { namespace, labelSelector: 'go=yes' });
        expect(await names(namespace)).toEqual(['c']);
      });

      it('lets a pod on a node go gracefully', async () => {
        const namespace = context.podNamespace;
        const name = `p-${realRandom.suffix(6)}`;
        await client().create(PODS, pod(name), { namespace });
        await client().bind({ namespace, name }, 'node-1');
        const deleting = (await client().delete(PODS, { namespace, name }, { gracePeriodSeconds: 7 })) as Stored<Pod>;
        expect(deleting.metadata.deletionGracePeriodSeconds).toBe(7);
        expect((await client().get(PODS, { namespace, name })).metadata.deletionTimestamp).toBeDefined();
        await client().delete(PODS, { namespace, name }, { gracePeriodSeconds: 0 });
        expect(await reasonOf(client().get(PODS, { namespace, name }))).toEqual([404, 'NotFound']);
      });
    });

    describe('pods', () => {
      it('binds a pod once', async () => {
        const namespace = context.podNamespace;
        const name = `p-${realRandom.suffix(6)}`;
        const { uid } = (await client().create(PODS, pod(name), { namespace })).metadata;
        const stranger = '00000000-0000-4000-8000-000000000000';
        expect(await reasonOf(client().bind({ namespace, name, uid: stranger }, 'node-1'))).toEqual([409, 'Conflict']);
        await client().bind({ namespace, name, uid }, 'node-1');
        expect((await client().get(PODS, { namespace, name })).spec.nodeName).toBe('node-1');
        expect(await reasonOf(client().bind({ namespace, name }, 'node-2'))).toEqual([409, 'Conflict']);
        expect(await reasonOf(client().bind({ namespace, name: 'nobody' }, 'node-2'))).toEqual([404, 'NotFound']);
      });

      it('evicts a pod that no budget protects', async () => {
        const namespace = context.podNamespace;
        const name = `p-${realRandom.suffix(6)}`;
        await client().create(PODS, pod(name), { namespace });
        await client().evict({ namespace, name });
        expect(await reasonOf(client().get(PODS, { namespace, name }))).toEqual([404, 'NotFound']);
        expect(await reasonOf(client().evict({ namespace, name }))).toEqual([404, 'NotFound']);
      });
    });

    const names = async (namespace: string, options: { labelSelector?: string; fieldSelector?: string } = {}) =>
      (await client().list(CONFIG_MAPS, { namespace, ...options })).items.map((item) => item.metadata.name);

    describe('list', () => {
      it('selects by labels and fields, in order of names', async () => {
        const namespace = await context.freshNamespace();
        for (const [each, labels] of [
          ['c', { tier: 'web', env: 'prod' }],
          ['a', { tier: 'web' }],
          ['b', { tier: 'db', env: 'test' }],
        ] as const) {
          await client().create(CONFIG_MAPS, configMap(each, { labels }), { namespace });
        }
        expect(await names(namespace)).toEqual(['a', 'b', 'c']);
        expect(await names(namespace, { labelSelector: 'tier=web' })).toEqual(['a', 'c']);
        expect(await names(namespace, { labelSelector: 'tier!=web' })).toEqual(['b']);
        expect(await names(namespace, { labelSelector: 'env in (prod, test),tier notin (db)' })).toEqual(['c']);
        expect(await names(namespace, { labelSelector: '!env' })).toEqual(['a']);
        expect(await names(namespace, { labelSelector: 'env' })).toEqual(['b', 'c']);
        expect(await names(namespace, { fieldSelector: 'metadata.name=b' })).toEqual(['b']);
        expect(await names(namespace, { fieldSelector: 'metadata.name!=b' })).toEqual(['a', 'c']);
      });

      it('answers with full objects, at a version that a watch can start from', async () => {
        const namespace = await context.freshNamespace();
        const created = await client().create(CONFIG_MAPS, configMap('a'), { namespace });
        const list = await client().list(CONFIG_MAPS, { namespace });
        expect(list.items).toEqual([created]);
        expect(BigInt(list.resourceVersion)).toBeGreaterThanOrEqual(BigInt(created.metadata.resourceVersion));
        expect(list.continue ?? '').toBe('');
      });

      it('finds objects of all namespaces when none is named', async () => {
        const [one, two] = [await context.freshNamespace(), await context.freshNamespace()];
        const label = `contract-${realRandom.suffix(8)}`;
        for (const namespace of [one, two]) {
          await client().create(CONFIG_MAPS, configMap('a', { labels: { label } }), { namespace });
        }
        const { items } = await client().list(CONFIG_MAPS, { labelSelector: `label=${label}` });
        expect(items.map((item) => item.metadata.namespace)).toEqual([one, two].toSorted());
      });

      it('pages through one consistent state while it changes', async () => {
        const namespace = await context.freshNamespace();
        for (const each of ['a', 'b', 'c', 'd', 'e'])
          await client().create(CONFIG_MAPS, configMap(each), { namespace });
        const first = await client().list(CONFIG_MAPS, { namespace, limit: 2 });
        expect(first.remainingItemCount).toBe(3);
        await client().delete(CONFIG_MAPS, { namespace, name: 'd' });
        await client().create(CONFIG_MAPS, configMap('cc'), { namespace });
        const seen = first.items.map((item) => item.metadata.name);
        let token = first.continue ?? '';
        expect(token).not.toBe('');
        while (token !== '') {
          const page = await client().list(CONFIG_MAPS, { namespace, limit: 2, continue: token });
          expect(page.resourceVersion).toBe(first.resourceVersion);
          seen.push(...page.items.map((item) => item.metadata.name));
          token = page.continue ?? '';
        }
        expect(seen).toEqual(['a', 'b', 'c', 'd', 'e']);
      });

      it('refuses a page whose state is forgotten', async ({ skip }) => {
        const { harness } = context;
        if (harness.compact === undefined) skip();
        const namespace = await context.freshNamespace();
        for (const each of ['a', 'b', 'c']) await client().create(CONFIG_MAPS, configMap(each), { namespace });
        const first = await client().list(CONFIG_MAPS, { namespace, limit: 1 });
        await client().create(CONFIG_MAPS, configMap('d'), { namespace });
        await harness.compact?.();
        const rest = client().list(CONFIG_MAPS, { namespace, limit: 1, continue: first.continue ?? '' });
        expect(await reasonOf(rest)).toEqual([410, 'Expired']);
      });
    });

    describe('tenants', () => {
      it('keeps equal names of different tenants apart', async ({ skip }) => {
        needs('tenants', skip);
        const tenant = 'acme';
        const name = `contract-${realRandom.suffix(8)}`;
        const object: Namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
        const ours = await client().create(NAMESPACES, object);
        const theirs = await client().create(NAMESPACES, object, { tenant });
        expect(theirs.metadata.uid).not.toBe(ours.metadata.uid);
        expect((await client().get(NAMESPACES, { tenant, name })).metadata.uid).toBe(theirs.metadata.uid);
        await client().delete(NAMESPACES, { name });
        const options = { tenant, fieldSelector: `metadata.name=${name}` };
        expect((await client().list(NAMESPACES, options)).items).toHaveLength(1);
      });
    });

    describe('signals', () => {
      it('does nothing when the signal has fired already', async () => {
        const namespace = await context.freshNamespace();
        const signal = AbortSignal.abort();
        await expect(client().create(CONFIG_MAPS, configMap('a'), { namespace, signal })).rejects.toThrow(
          expect.objectContaining({ name: 'AbortError' }),
        );
        expect(await names(namespace)).toEqual([]);
      });
    });

    describeWatchContract(() => context);
  });
}

export const merge = (body: object) => ({ type: 'merge' as const, body: body as never });
