/** Creating and reading. */
import { describe, expect, it } from 'vitest';
import type { ConfigMap, Pod } from '../../../core/api/types/core-v1.ts';
import type { Client } from '../client.ts';
import { realRandom } from '../../random/real-random.ts';
import { CONFIG_MAPS, PODS, NAMESPACES, DAEMON_SETS } from '../../../core/api/registry/resources.ts';
import {
  configMap,
  pod,
  failure,
  reasonOf,
  needs,
  namesIn,
  namespaceNamed,
  type ContractContext,
} from './support.contract.ts';

export function describeCreateContract(context: () => ContractContext): void {
  const client = (): Client => context().client;

  describe('create and get', () => {
    it('gives an object its identity and answers with the same one later', async () => {
      const namespace = await context().freshNamespace();
      const created = await client().create(CONFIG_MAPS, configMap('a', { data: { key: 'value' } }), { namespace });
      expect(created).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { key: 'value' } });
      expect(created.metadata).toMatchObject({ name: 'a', namespace });
      expect(created.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
      expect(created.metadata.resourceVersion).toMatch(/^[1-9][0-9]*$/);
      expect(created.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(await client().get(CONFIG_MAPS, { namespace, name: 'a' })).toEqual(created);
    });

    it('answers with who an object is and nothing of what it has, where that is asked for', async () => {
      const namespace = await context().freshNamespace();
      const { apiVersion, kind, metadata } = await client().create(
        CONFIG_MAPS,
        configMap('a', { data: { key: 'value' } }),
        { namespace },
      );
      const key = { namespace, name: 'a' };
      expect(await client().get(CONFIG_MAPS, key, { metadataOnly: true })).toEqual({ apiVersion, kind, metadata });
    });

    it('says which object is not found', async () => {
      const namespace = await context().freshNamespace();
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
      const namespace = await context().freshNamespace();
      await client().create(CONFIG_MAPS, configMap('a'), { namespace });
      const error = await failure(client().create(CONFIG_MAPS, configMap('a'), { namespace }));
      expect(error.status).toMatchObject({
        code: 409,
        reason: 'AlreadyExists',
        message: 'configmaps "a" already exists',
      });
    });

    it('keeps equal names in different namespaces apart', async () => {
      const [one, two] = [await context().freshNamespace(), await context().freshNamespace()];
      const a = await client().create(CONFIG_MAPS, configMap('a', { data: { in: 'one' } }), { namespace: one });
      const b = await client().create(CONFIG_MAPS, configMap('a', { data: { in: 'two' } }), { namespace: two });
      expect(a.metadata.uid).not.toBe(b.metadata.uid);
      expect((await client().get(CONFIG_MAPS, { namespace: one, name: 'a' })).data).toEqual({ in: 'one' });
    });

    it('makes names from generateName', async () => {
      const namespace = await context().freshNamespace();
      const wanted: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '', generateName: 'gen-' } };
      const names = new Set<string>();
      for (let i = 0; i < 10; i += 1) {
        names.add((await client().create(CONFIG_MAPS, wanted, { namespace })).metadata.name);
      }
      expect(names.size).toBe(10);
      for (const each of names) expect(each).toMatch(/^gen-[a-z0-9]{5,}$/);
    });

    it('refuses an object without a name', async () => {
      const namespace = await context().freshNamespace();
      expect(await reasonOf(client().create(CONFIG_MAPS, configMap(''), { namespace }))).toEqual([422, 'Invalid']);
    });

    it('refuses a resourceVersion on create', async () => {
      const namespace = await context().freshNamespace();
      const wanted = configMap('a', { metadata: { name: 'a', resourceVersion: '5' } });
      const { code, message } = await failure(client().create(CONFIG_MAPS, wanted, { namespace }));
      expect(message).toBe('resourceVersion should not be set on objects to be created');
      expect(code).toBe(context().harness.checksVersionLate === true ? 500 : 400);
    });

    it('stores nothing on a dry run', async () => {
      const namespace = await context().freshNamespace();
      const dry = await client().create(CONFIG_MAPS, configMap('a'), { namespace, dryRun: true });
      expect(dry.metadata.name).toBe('a');
      expect(await reasonOf(client().get(CONFIG_MAPS, { namespace, name: 'a' }))).toEqual([404, 'NotFound']);
    });

    it('treats __proto__ and constructor as the plain keys they are', async () => {
      const namespace = await context().freshNamespace();
      const data = JSON.parse('{"__proto__":"p","constructor":"c","toString":"t"}') as Record<string, string>;
      await client().create(CONFIG_MAPS, configMap('a', { data }), { namespace });
      const read = await client().get(CONFIG_MAPS, { namespace, name: 'a' });
      expect(JSON.stringify(read.data)).toBe('{"__proto__":"p","constructor":"c","toString":"t"}');
      expect(({} as { p?: unknown }).p).toBeUndefined();
    });

    it('says that a namespace does not exist', async ({ skip }) => {
      needs(context(), 'validation', skip);
      const error = await failure(client().create(CONFIG_MAPS, configMap('a'), { namespace: 'no-such-namespace' }));
      expect(error.status).toMatchObject({ code: 404, message: 'namespaces "no-such-namespace" not found' });
    });

    it('names every field that is wrong', async ({ skip }) => {
      needs(context(), 'validation', skip);
      const wanted = { ...pod('Not_A_Name'), spec: { containers: [] } } as Pod;
      const error = await failure(client().create(PODS, wanted, { namespace: context().podNamespace }));
      expect([error.code, error.reason]).toEqual([422, 'Invalid']);
      const fields = error.status.details?.causes?.map((cause) => cause.field);
      expect(fields).toEqual(expect.arrayContaining(['metadata.name', 'spec.containers']));
    });
  });

  describe('signals', () => {
    it('does nothing when the signal has fired already', async () => {
      const namespace = await context().freshNamespace();
      const signal = AbortSignal.abort();
      await expect(client().create(CONFIG_MAPS, configMap('a'), { namespace, signal })).rejects.toThrow(
        expect.objectContaining({ name: 'AbortError' }),
      );
      expect(await namesIn(client(), namespace)).toEqual([]);
    });
  });

  describe('tenants', () => {
    it('keeps equal names of different tenants apart', async ({ skip }) => {
      needs(context(), 'tenants', skip);
      const tenant = 'acme';
      const name = `contract-${realRandom.suffix(8)}`;
      const object = namespaceNamed(name);
      const ours = await client().create(NAMESPACES, object);
      const theirs = await client().create(NAMESPACES, object, { tenant });
      expect(theirs.metadata.uid).not.toBe(ours.metadata.uid);
      expect((await client().get(NAMESPACES, { tenant, name })).metadata.uid).toBe(theirs.metadata.uid);
      await client().delete(NAMESPACES, { name });
      const options = { tenant, fieldSelector: `metadata.name=${name}` };
      expect((await client().list(NAMESPACES, options)).items).toHaveLength(1);
    });
  });
}
