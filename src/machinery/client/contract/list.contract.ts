/** Lists, selectors and pages. */
import { describe, expect, it } from 'vitest';
import type { Client } from '../client.ts';
import { realRandom } from '../../random/real-random.ts';
import { CONFIG_MAPS } from '../../../core/api/registry/resources.ts';
import { configMap, reasonOf, namesIn, type ContractContext } from './support.contract.ts';

export function describeListContract(context: () => ContractContext): void {
  const client = (): Client => context().client;

  describe('list', () => {
    it('selects by labels and fields, in order of names', async () => {
      const namespace = await context().freshNamespace();
      for (const [each, labels] of [
        ['c', { tier: 'web', env: 'prod' }],
        ['a', { tier: 'web' }],
        ['b', { tier: 'db', env: 'test' }],
      ] as const) {
        await client().create(CONFIG_MAPS, configMap(each, { labels }), { namespace });
      }
      expect(await namesIn(client(), namespace)).toEqual(['a', 'b', 'c']);
      expect(await namesIn(client(), namespace, { labelSelector: 'tier=web' })).toEqual(['a', 'c']);
      expect(await namesIn(client(), namespace, { labelSelector: 'tier!=web' })).toEqual(['b']);
      expect(await namesIn(client(), namespace, { labelSelector: 'env in (prod, test),tier notin (db)' })).toEqual([
        'c',
      ]);
      expect(await namesIn(client(), namespace, { labelSelector: '!env' })).toEqual(['a']);
      expect(await namesIn(client(), namespace, { labelSelector: 'env' })).toEqual(['b', 'c']);
      expect(await namesIn(client(), namespace, { fieldSelector: 'metadata.name=b' })).toEqual(['b']);
      expect(await namesIn(client(), namespace, { fieldSelector: 'metadata.name!=b' })).toEqual(['a', 'c']);
    });

    it('answers with full objects, at a version that a watch can start from', async () => {
      const namespace = await context().freshNamespace();
      const created = await client().create(CONFIG_MAPS, configMap('a'), { namespace });
      const list = await client().list(CONFIG_MAPS, { namespace });
      expect(list.items).toEqual([created]);
      expect(BigInt(list.resourceVersion)).toBeGreaterThanOrEqual(BigInt(created.metadata.resourceVersion));
      expect(list.continue ?? '').toBe('');
    });

    it('finds objects of all namespaces when none is named', async () => {
      const [one, two] = [await context().freshNamespace(), await context().freshNamespace()];
      const label = `contract-${realRandom.suffix(8)}`;
      for (const namespace of [one, two]) {
        await client().create(CONFIG_MAPS, configMap('a', { labels: { label } }), { namespace });
      }
      const { items } = await client().list(CONFIG_MAPS, { labelSelector: `label=${label}` });
      expect(items.map((item) => item.metadata.namespace)).toEqual([one, two].toSorted());
    });

    it('pages through one consistent state while it changes', async () => {
      const namespace = await context().freshNamespace();
      for (const each of ['a', 'b', 'c', 'd', 'e']) await client().create(CONFIG_MAPS, configMap(each), { namespace });
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
      const { harness } = context();
      if (harness.compact === undefined) skip();
      const namespace = await context().freshNamespace();
      for (const each of ['a', 'b', 'c']) await client().create(CONFIG_MAPS, configMap(each), { namespace });
      const first = await client().list(CONFIG_MAPS, { namespace, limit: 1 });
      await client().create(CONFIG_MAPS, configMap('d'), { namespace });
      await harness.compact?.();
      const rest = client().list(CONFIG_MAPS, { namespace, limit: 1, continue: first.continue ?? '' });
      expect(await reasonOf(rest)).toEqual([410, 'Expired']);
    });
  });
}
