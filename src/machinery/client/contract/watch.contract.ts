/** The watching half of the client contract. */
import { describe, expect, it } from 'vitest';
import type { ConfigMap } from '../../../core/api/types/core-v1.ts';
import { CONFIG_MAPS } from '../../../core/api/registry/resources.ts';
import { configMap, failure, merge, type ContractContext } from './support.contract.ts';
import type { Client, WatchEvent, WatchOptions } from '../client.ts';

interface WatchReader {
  /** The next `count` events that are not bookmarks. */
  take(count: number): Promise<readonly string[]>;
  next(): Promise<WatchEvent<ConfigMap> | undefined>;
  stop(): void;
}

function openWatch(client: Client, options: WatchOptions): WatchReader {
  const controller = new AbortController();
  const iterator = client.watch(CONFIG_MAPS, { ...options, signal: controller.signal })[Symbol.asyncIterator]();
  let waiting: readonly WatchEvent<ConfigMap>[] = [];
  const next = async (): Promise<WatchEvent<ConfigMap> | undefined> => {
    while (waiting.length === 0) {
      const step = await iterator.next();
      if (step.done === true) return undefined;
      waiting = step.value;
    }
    const [first, ...rest] = waiting;
    waiting = rest;
    return first;
  };
  return {
    next,
    async take(count) {
      const seen: string[] = [];
      while (seen.length < count) {
        const event = await next();
        if (event === undefined) throw new Error(`the watch ended after ${seen.length} events`);
        if (event.type !== 'BOOKMARK') seen.push(`${event.type} ${event.object.metadata.name}`);
      }
      return seen;
    },
    stop: () => controller.abort(),
  };
}

export function describeWatchContract(context: () => ContractContext): void {
  const client = (): Client => context().client;
  const create = (namespace: string, name: string, labels: Record<string, string> = {}) =>
    client().create(CONFIG_MAPS, configMap(name, { labels }), { namespace });
  const versionNow = async (namespace: string): Promise<string> =>
    (await client().list(CONFIG_MAPS, { namespace })).resourceVersion;

  describe('watch', () => {
    it('sees every change after a list, in order', async () => {
      const namespace = await context().freshNamespace();
      await create(namespace, 'before');
      const watch = openWatch(client(), { namespace, resourceVersion: await versionNow(namespace) });
      await create(namespace, 'a');
      await client().patch(CONFIG_MAPS, { namespace, name: 'a' }, merge({ data: { n: '1' } }));
      await create(namespace, 'b');
      await client().delete(CONFIG_MAPS, { namespace, name: 'a' });
      expect(await watch.take(4)).toEqual(['ADDED a', 'MODIFIED a', 'ADDED b', 'DELETED a']);
      watch.stop();
    });

    it('hands out growing versions, the deletion with its own', async () => {
      const namespace = await context().freshNamespace();
      const watch = openWatch(client(), { namespace, resourceVersion: await versionNow(namespace) });
      const created = await create(namespace, 'a');
      await client().delete(CONFIG_MAPS, { namespace, name: 'a' });
      const versions: bigint[] = [];
      while (versions.length < 2) {
        const event = await watch.next();
        if (event !== undefined && event.type !== 'BOOKMARK')
          versions.push(BigInt(event.object.metadata.resourceVersion));
      }
      expect(versions[0]).toBe(BigInt(created.metadata.resourceVersion));
      expect(versions[1]).toBeGreaterThan(versions[0] ?? 0n);
      watch.stop();
    });

    it('resumes after any version it has seen', async () => {
      const namespace = await context().freshNamespace();
      await create(namespace, 'a');
      const middle = await create(namespace, 'b');
      await create(namespace, 'c');
      await client().delete(CONFIG_MAPS, { namespace, name: 'a' });
      const watch = openWatch(client(), { namespace, resourceVersion: middle.metadata.resourceVersion });
      expect(await watch.take(2)).toEqual(['ADDED c', 'DELETED a']);
      watch.stop();
    });

    it('begins with what there is when no version is named', async () => {
      const namespace = await context().freshNamespace();
      await create(namespace, 'a');
      await create(namespace, 'b');
      const watch = openWatch(client(), { namespace });
      expect((await watch.take(2)).toSorted()).toEqual(['ADDED a', 'ADDED b']);
      await create(namespace, 'c');
      expect(await watch.take(1)).toEqual(['ADDED c']);
      watch.stop();
    });

    it('marks the end of the initial state when asked to send it', async ({ skip }) => {
      if (context().harness.lacksInitialEvents === true) skip();
      const namespace = await context().freshNamespace();
      const a = await create(namespace, 'a');
      const watch = openWatch(client(), { namespace, sendInitialEvents: true, allowWatchBookmarks: true });
      expect(await watch.take(1)).toEqual(['ADDED a']);
      const end = await watch.next();
      expect(end).toMatchObject({ type: 'BOOKMARK', initialEventsEnd: true });
      const version = end?.type === 'BOOKMARK' ? end.resourceVersion : '0';
      expect(BigInt(version)).toBeGreaterThanOrEqual(BigInt(a.metadata.resourceVersion));
      await create(namespace, 'b');
      expect(await watch.take(1)).toEqual(['ADDED b']);
      watch.stop();
    });

    it('shows objects entering and leaving a selection', async () => {
      const namespace = await context().freshNamespace();
      const options = { namespace, labelSelector: 'on=yes', resourceVersion: await versionNow(namespace) };
      const watch = openWatch(client(), options);
      await create(namespace, 'a', { on: 'no' });
      await client().patch(CONFIG_MAPS, { namespace, name: 'a' }, merge({ metadata: { labels: { on: 'yes' } } }));
      await client().patch(CONFIG_MAPS, { namespace, name: 'a' }, merge({ data: { n: '1' } }));
      const left = await client().patch(
        CONFIG_MAPS,
        { namespace, name: 'a' },
        merge({ metadata: { labels: { on: 'no' } } }),
      );
      expect(await watch.take(2)).toEqual(['ADDED a', 'MODIFIED a']);
      let event = await watch.next();
      while (event?.type === 'BOOKMARK') event = await watch.next();
      expect(event).toMatchObject({
        type: 'DELETED',
        object: { metadata: { resourceVersion: left.metadata.resourceVersion } },
      });
      watch.stop();
    });

    it('selects one object by its name', async () => {
      const namespace = await context().freshNamespace();
      const options = { namespace, fieldSelector: 'metadata.name=b', resourceVersion: await versionNow(namespace) };
      const watch = openWatch(client(), options);
      await create(namespace, 'a');
      await create(namespace, 'b');
      await client().delete(CONFIG_MAPS, { namespace, name: 'b' });
      expect(await watch.take(2)).toEqual(['ADDED b', 'DELETED b']);
      watch.stop();
    });

    it('sees a lingering deletion as a change and the end as a deletion', async () => {
      const namespace = await context().freshNamespace();
      const key = { namespace, name: 'a' };
      const object = configMap('a', { metadata: { name: 'a', finalizers: ['example.test/f'] } });
      const { resourceVersion } = (await client().create(CONFIG_MAPS, object, { namespace })).metadata;
      const watch = openWatch(client(), { namespace, resourceVersion });
      await client().delete(CONFIG_MAPS, key);
      await client().patch(CONFIG_MAPS, key, merge({ metadata: { finalizers: null } }));
      expect(await watch.take(2)).toEqual(['MODIFIED a', 'DELETED a']);
      watch.stop();
    });

    it('loses and repeats nothing when many write at once', async () => {
      const namespace = await context().freshNamespace();
      const watch = openWatch(client(), { namespace, resourceVersion: await versionNow(namespace) });
      const names = Array.from({ length: 100 }, (_, index) => `n-${index}`);
      const created = await Promise.all(names.map((name) => create(namespace, name)));
      const inOrder = created
        .toSorted((a, b) => Number(BigInt(a.metadata.resourceVersion) - BigInt(b.metadata.resourceVersion)))
        .map((object) => `ADDED ${object.metadata.name}`);
      expect(await watch.take(100)).toEqual(inOrder);
      watch.stop();
    });

    it('answers 410 when the history it needs is forgotten', async ({ skip }) => {
      const { harness } = context();
      if (harness.compact === undefined) skip();
      const namespace = await context().freshNamespace();
      const old = await create(namespace, 'a');
      await create(namespace, 'b');
      await harness.compact?.();
      const watch = openWatch(client(), { namespace, resourceVersion: old.metadata.resourceVersion });
      const error = await failure(watch.next());
      expect([error.code, error.reason]).toEqual([410, 'Expired']);
    });

    it('ends with AbortError when the signal fires, and answers no more', async () => {
      const namespace = await context().freshNamespace();
      const watch = openWatch(client(), { namespace, resourceVersion: await versionNow(namespace) });
      await create(namespace, 'a');
      await watch.take(1);
      const pending = watch.next();
      watch.stop();
      await expect(pending).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
      expect(await watch.next()).toBeUndefined();
    });

    it('lets go when the reader leaves', async () => {
      const namespace = await context().freshNamespace();
      await create(namespace, 'a');
      for await (const batch of client().watch(CONFIG_MAPS, { namespace })) {
        expect(batch[0]?.type).toBe('ADDED');
        break;
      }
      expect((await create(namespace, 'b')).metadata.name).toBe('b');
    });

    it('ends orderly after the time it was given', async () => {
      const namespace = await context().freshNamespace();
      const options = { namespace, resourceVersion: await versionNow(namespace), timeoutSeconds: 1 };
      const watch = openWatch(client(), options);
      await create(namespace, 'a');
      expect(await watch.take(1)).toEqual(['ADDED a']);
      let event = await watch.next();
      while (event !== undefined) event = await watch.next();
      expect(event).toBeUndefined();
    });
  });
}
