/** Deletion, binding and eviction. */
import { describe, expect, it } from 'vitest';
import type { ConfigMap, Pod } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import type { Client } from '../client.ts';
import { realRandom } from '../../random/real-random.ts';
import { CONFIG_MAPS, PODS } from '../../../core/api/registry/resources.ts';
import { configMap, pod, reasonOf, merge, namesIn, type ContractContext } from './support.contract.ts';

export function describeDeleteContract(context: () => ContractContext): void {
  const client = (): Client => context().client;

  describe('delete', () => {
    it('removes and says so', async () => {
      const namespace = await context().freshNamespace();
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
      const namespace = await context().freshNamespace();
      const key = { namespace, name: 'a' };
      await client().create(CONFIG_MAPS, configMap('a', { metadata: { name: 'a', finalizers: ['example.test/f'] } }), {
        namespace,
      });
      const deleting = (await client().delete(CONFIG_MAPS, key)) as Stored<ConfigMap>;
      expect(deleting.metadata.deletionTimestamp).toMatch(/^\d{4}-/);
      const again = (await client().delete(CONFIG_MAPS, key)) as Stored<ConfigMap>;
      expect(again.metadata.resourceVersion).toBe(deleting.metadata.resourceVersion);
      await client().patch(CONFIG_MAPS, key, merge({ metadata: { finalizers: null } }));
      expect(await reasonOf(client().get(CONFIG_MAPS, key))).toEqual([404, 'NotFound']);
    });

    it('deletes only the object that was meant', async () => {
      const namespace = await context().freshNamespace();
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
      const namespace = await context().freshNamespace();
      const created = await client().create(CONFIG_MAPS, configMap('a'), { namespace });
      await client().delete(CONFIG_MAPS, { namespace, name: 'a' }, { dryRun: true });
      expect(await client().get(CONFIG_MAPS, { namespace, name: 'a' })).toEqual(created);
    });

    it('deletes a collection by selector', async () => {
      const namespace = await context().freshNamespace();
      await client().create(CONFIG_MAPS, configMap('a', { labels: { go: 'yes' } }), { namespace });
      await client().create(CONFIG_MAPS, configMap('b', { labels: { go: 'yes' } }), { namespace });
      await client().create(CONFIG_MAPS, configMap('c', { labels: { go: 'no' } }), { namespace });
      await client().deleteCollection(CONFIG_MAPS, { namespace, labelSelector: 'go=yes' });
      expect(await namesIn(client(), namespace)).toEqual(['c']);
    });

    it('lets a pod on a node go gracefully', async () => {
      const namespace = context().podNamespace;
      const name = `p-${realRandom.suffix(6)}`;
      await client().create(PODS, pod(name), { namespace });
      await client().bind({ namespace, name }, 'node-1');
      // A kube-apiserver judges a deletion by its cache first, and a pod on no node needs no grace: let it hear of the binding.
      const { resourceVersion } = (await client().get(PODS, { namespace, name })).metadata;
      await client().get(PODS, { namespace, name }, { resourceVersion });
      const deleting = (await client().delete(PODS, { namespace, name }, { gracePeriodSeconds: 7 })) as Stored<Pod>;
      expect(deleting.metadata.deletionGracePeriodSeconds).toBe(7);
      expect((await client().get(PODS, { namespace, name })).metadata.deletionTimestamp).toBeDefined();
      await client().delete(PODS, { namespace, name }, { gracePeriodSeconds: 0 });
      expect(await reasonOf(client().get(PODS, { namespace, name }))).toEqual([404, 'NotFound']);
    });
  });

  describe('pods', () => {
    it('binds a pod once', async () => {
      const namespace = context().podNamespace;
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
      const namespace = context().podNamespace;
      const name = `p-${realRandom.suffix(6)}`;
      await client().create(PODS, pod(name), { namespace });
      await client().evict({ namespace, name });
      expect(await reasonOf(client().get(PODS, { namespace, name }))).toEqual([404, 'NotFound']);
      expect(await reasonOf(client().evict({ namespace, name }))).toEqual([404, 'NotFound']);
    });
  });
}
