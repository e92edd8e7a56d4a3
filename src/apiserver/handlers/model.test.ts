/**
 * The API against a small model of it: random creates, updates, patches, deletes and finalizers, some of them at the
 * same time, with watchers that must see every revision once and end with the state a list shows.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS } from '../../core/api/registry/resources.ts';
import type { ConfigMap } from '../../core/api/types/core-v1.ts';
import { StatusError } from '../../core/kube/status-error.ts';
import type { Client } from '../../machinery/client/client.ts';
import { createVirtualClock } from '../../machinery/time/virtual-clock.ts';
import { createSeededRandom } from '../../machinery/random/seeded-random.ts';
import { LOOPBACK } from '../contract/users.ts';
import type { ApiWatchEvent } from '../contract/request.ts';
import { configMap } from '../testing/samples.ts';
import { type TestServer, createTestServer } from '../testing/test-server.ts';

type Step =
  | { readonly do: 'create'; readonly name: string; readonly held: boolean; readonly on: boolean }
  | { readonly do: 'put'; readonly name: string; readonly value: number; readonly on: boolean; readonly stale: boolean }
  | { readonly do: 'patch'; readonly name: string; readonly value: number }
  | { readonly do: 'release'; readonly name: string }
  | { readonly do: 'delete'; readonly name: string };

/** An object in the model. */
interface Known {
  readonly value: string | undefined;
  readonly on: boolean;
  readonly held: boolean;
  readonly deleting: boolean;
}

const NAME = fc.constantFrom('a', 'b', 'c');
const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('create' as const), name: NAME, held: fc.boolean(), on: fc.boolean() }),
  fc.record({ do: fc.constant('put' as const), name: NAME, value: fc.nat(3), on: fc.boolean(), stale: fc.boolean() }),
  fc.record({ do: fc.constant('patch' as const), name: NAME, value: fc.nat(3) }),
  fc.record({ do: fc.constant('release' as const), name: NAME }),
  fc.record({ do: fc.constant('delete' as const), name: NAME }),
);

const HOLD = 'example.test/hold';
const labelsOf = (on: boolean) => ({ on: on ? 'yes' : 'no' });

/** The expected outcome: the objects afterwards, or the code of the refusal. */
function predict(model: ReadonlyMap<string, Known>, step: Step): Map<string, Known> | number {
  const next = new Map(model);
  const known = model.get(step.name);
  if (step.do === 'create') {
    if (known !== undefined) return 409;
    return next.set(step.name, { value: undefined, on: step.on, held: step.held, deleting: false });
  }
  if (known === undefined) return 404;
  switch (step.do) {
    case 'put':
      if (step.stale) return 409;
      return next.set(step.name, { ...known, value: String(step.value), on: step.on });
    case 'patch':
      return next.set(step.name, { ...known, value: String(step.value) });
    case 'release':
      if (known.deleting) next.delete(step.name);
      else next.set(step.name, { ...known, held: false });
      return next;
    case 'delete':
      if (known.held) next.set(step.name, { ...known, deleting: true });
      else next.delete(step.name);
      return next;
  }
}

async function perform(client: Client, step: Step): Promise<number> {
  const key = { namespace: 'default', name: step.name };
  try {
    switch (step.do) {
      case 'create':
        await client.create(
          CONFIG_MAPS,
          configMap(step.name, { labels: labelsOf(step.on), ...(step.held ? { finalizers: [HOLD] } : {}) }),
        );
        break;
      case 'put': {
        const current = await client.get(CONFIG_MAPS, key);
        const metadata = {
          ...current.metadata,
          labels: labelsOf(step.on),
          ...(step.stale ? { resourceVersion: '1' } : {}),
        };
        await client.update(CONFIG_MAPS, { ...current, metadata, data: { value: String(step.value) } });
        break;
      }
      case 'patch':
        await client.patch(CONFIG_MAPS, key, { type: 'merge', body: { data: { value: String(step.value) } } });
        break;
      case 'release':
        await client.patch(CONFIG_MAPS, key, { type: 'merge', body: { metadata: { finalizers: null } } });
        break;
      case 'delete':
        await client.delete(CONFIG_MAPS, key);
        break;
    }
    return 200;
  } catch (error) {
    if (error instanceof StatusError) return error.code;
    throw error;
  }
}

const knownOf = (object: ConfigMap): Known => ({
  value: object.data?.['value'],
  on: object.metadata.labels?.['on'] === 'yes',
  held: object.metadata.finalizers !== undefined,
  deleting: object.metadata.deletionTimestamp !== undefined,
});

/** Follows a watch as an informer does; complains when it makes no sense. */
function follow(server: TestServer['server'], labelSelector?: string) {
  const cache = new Map<string, Known>();
  let last = 0;
  const target = {
    tenant: 'system',
    group: '',
    version: 'v1',
    resource: 'configmaps',
    namespace: 'default',
    name: '',
    subresource: '',
  };
  const seen = (event: ApiWatchEvent): void => {
    if (event.type === 'BOOKMARK') return;
    const { name, resourceVersion } = event.object.metadata;
    expect(Number(resourceVersion)).toBeGreaterThan(last);
    last = Number(resourceVersion);
    expect(cache.has(name)).toBe(event.type !== 'ADDED');
    if (event.type === 'DELETED') cache.delete(name);
    else cache.set(name, knownOf(event.object));
  };
  const options = labelSelector === undefined ? {} : { labelSelector };
  server.watch(
    { verb: 'watch', target, user: LOOPBACK, options },
    { events: (batch) => batch.forEach(seen), ended: (error) => expect(error).toBeUndefined() },
  );
  return cache;
}

const sorted = (map: ReadonlyMap<string, Known>) => [...map].toSorted(([a], [b]) => (a < b ? -1 : 1));

describe('the API and its model', () => {
  it('agree after every step, and watchers see it happen', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { maxLength: 25 }), async (steps) => {
        const clock = createVirtualClock();
        const starting = createTestServer({ clock, random: createSeededRandom('model') });
        await clock.drain();
        const { client, server, store } = await starting;
        const [all, on] = [follow(server), follow(server, 'on=yes')];
        let model: Map<string, Known> = new Map();
        for (const step of steps) {
          const outcome = predict(model, step);
          const before = store.revision;
          const code = perform(client, step);
          await clock.drain();
          expect([step, await code]).toEqual([step, typeof outcome === 'number' ? outcome : 200]);
          const unchanged =
            typeof outcome === 'number' || JSON.stringify(sorted(outcome)) === JSON.stringify(sorted(model));
          expect(store.revision).toBe(before + (unchanged ? 0 : 1));
          if (typeof outcome !== 'number') model = outcome;
          const listing = client.list(CONFIG_MAPS, { namespace: 'default' });
          await clock.drain();
          const listed = new Map((await listing).items.map((item) => [item.metadata.name, knownOf(item)]));
          expect(sorted(listed)).toEqual(sorted(model));
          expect(sorted(all)).toEqual(sorted(model));
          expect(sorted(on)).toEqual(sorted(model).filter(([, known]) => known.on));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('keeps watchers and lists in agreement when everything happens at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 5, maxLength: 60 }), async (steps) => {
        const clock = createVirtualClock();
        const starting = createTestServer({ clock, random: createSeededRandom('crowd') });
        await clock.drain();
        const { client, server } = await starting;
        const [all, on] = [follow(server), follow(server, 'on=yes')];
        const outcomes = steps.map((step) => perform(client, step));
        await clock.drain();
        const codes = await Promise.all(outcomes);
        expect(codes.every((code) => [200, 404, 409, 422].includes(code))).toBe(true);
        const listing = client.list(CONFIG_MAPS, { namespace: 'default' });
        await clock.drain();
        const listed = new Map((await listing).items.map((item) => [item.metadata.name, knownOf(item)]));
        expect(sorted(all)).toEqual(sorted(listed));
        expect(sorted(on)).toEqual(sorted(listed).filter(([, known]) => known.on));
      }),
      { numRuns: 60 },
    );
  });
});
