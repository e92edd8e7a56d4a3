/** Updates and patches. */
import { describe, expect, it } from 'vitest';
import type { Client } from '../client.ts';
import { realRandom } from '../../random/real-random.ts';
import { CONFIG_MAPS, PODS, DAEMON_SETS } from '../../../core/api/registry/resources.ts';
import {
  configMap,
  pod,
  daemonSet,
  failure,
  reasonOf,
  merge,
  needs,
  type ContractContext,
} from './support.contract.ts';

export function describeChangeContract(context: () => ContractContext): void {
  const client = (): Client => context().client;

  describe('update', () => {
    it('writes over the version it read, and no other', async () => {
      const namespace = await context().freshNamespace();
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
      const namespace = await context().freshNamespace();
      await client().create(CONFIG_MAPS, configMap('a'), { namespace });
      const updated = await client().update(CONFIG_MAPS, configMap('a', { data: { n: '2' } }), { namespace });
      expect(updated.data).toEqual({ n: '2' });
    });

    it('keeps the version when nothing changed', async () => {
      const namespace = await context().freshNamespace();
      const first = await client().create(CONFIG_MAPS, configMap('a', { data: { n: '1' } }), { namespace });
      const again = await client().update(CONFIG_MAPS, first, { namespace });
      expect(again.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    });

    it('does not find what does not exist', async () => {
      const namespace = await context().freshNamespace();
      expect(await reasonOf(client().update(CONFIG_MAPS, configMap('a'), { namespace }))).toEqual([404, 'NotFound']);
    });

    it('takes an object of another identity for another object', async () => {
      const namespace = await context().freshNamespace();
      await client().create(CONFIG_MAPS, configMap('a'), { namespace });
      const other = configMap('a', { metadata: { name: 'a', uid: '00000000-0000-4000-8000-000000000000' } });
      expect(await reasonOf(client().update(CONFIG_MAPS, other, { namespace }))).toEqual([409, 'Conflict']);
    });

    it('changes nothing on a dry run', async () => {
      const namespace = await context().freshNamespace();
      const first = await client().create(CONFIG_MAPS, configMap('a', { data: { n: '1' } }), { namespace });
      await client().update(CONFIG_MAPS, { ...first, data: { n: '2' } }, { namespace, dryRun: true });
      expect(await client().get(CONFIG_MAPS, { namespace, name: 'a' })).toEqual(first);
    });

    it('counts generations by what the user wants, not by labels', async () => {
      const namespace = await context().freshNamespace();
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
      const namespace = context().podNamespace;
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
      const updated = await client().update(PODS, { ...current, spec, status }, { namespace, subresource });
      expect([updated.status?.message, updated.spec.containers[0]?.image]).toEqual([
        'said again',
        'example.test/agent:1',
      ]);
    });
  });

  describe('patch', () => {
    it('merges: null removes, objects merge, the rest replaces', async () => {
      const namespace = await context().freshNamespace();
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
      const namespace = await context().freshNamespace();
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
      const namespace = await context().freshNamespace();
      const key = { namespace, name: 'a' };
      const first = await client().create(CONFIG_MAPS, configMap('a'), { namespace });
      const { resourceVersion } = first.metadata;
      await client().patch(CONFIG_MAPS, key, merge({ metadata: { resourceVersion }, data: { n: '1' } }));
      const stale = client().patch(CONFIG_MAPS, key, merge({ metadata: { resourceVersion }, data: { n: '2' } }));
      expect(await reasonOf(stale)).toEqual([409, 'Conflict']);
    });

    it('does not find what does not exist', async () => {
      const namespace = await context().freshNamespace();
      const patch = client().patch(CONFIG_MAPS, { namespace, name: 'a' }, merge({ data: {} }));
      expect(await reasonOf(patch)).toEqual([404, 'NotFound']);
    });

    it('merges lists by their keys when strategic', async ({ skip }) => {
      needs(context(), 'strategic', skip);
      const namespace = await context().freshNamespace();
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
      needs(context(), 'apply', skip);
      const namespace = await context().freshNamespace();
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
}
