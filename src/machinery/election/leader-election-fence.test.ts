import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS } from '../../core/api/registry/resources.ts';
import { configMap, merge } from '../client/contract/support.contract.ts';
import type { Client } from '../client/client.ts';
import { fencedClient } from './leader-election-fence.ts';
import { createSeededRandom } from '../random/seeded-random.ts';
import { createFakeClient } from '../testing/fake-client.ts';
import { createVirtualClock } from '../time/virtual-clock.ts';

const namespace = 'ns';
const key = { namespace, name: 'a' };

function setUp() {
  const clock = createVirtualClock();
  const fake = createFakeClient({ clock, random: createSeededRandom(1) });
  const lost = new AbortController();
  return { clock, fake, lost, client: fencedClient(fake, lost.signal) };
}

/** Every way to change something, by name. */
const WRITES: readonly (readonly [string, (client: Client) => Promise<unknown>])[] = [
  ['create', (client) => client.create(CONFIG_MAPS, configMap('b'), { namespace })],
  ['update', (client) => client.update(CONFIG_MAPS, configMap('a'), { namespace })],
  ['patch', (client) => client.patch(CONFIG_MAPS, key, merge({ data: { x: 'y' } }))],
  ['apply', (client) => client.apply(CONFIG_MAPS, configMap('a'), { namespace, fieldManager: 'test' })],
  ['delete', (client) => client.delete(CONFIG_MAPS, key)],
  ['deleteCollection', (client) => client.deleteCollection(CONFIG_MAPS, { namespace })],
  ['bind', (client) => client.bind(key, 'node')],
  ['evict', (client) => client.evict(key)],
];

describe('a fenced client', () => {
  it('passes everything while the lead is ours', async () => {
    const { client, fake } = setUp();
    await client.create(CONFIG_MAPS, configMap('a'), { namespace });
    await client.patch(CONFIG_MAPS, key, merge({ data: { x: 'y' } }), { signal: new AbortController().signal });
    expect((await client.get(CONFIG_MAPS, key)).data).toMatchObject({ x: 'y' });
    expect((await client.list(CONFIG_MAPS, { namespace })).items).toHaveLength(1);
    await client.delete(CONFIG_MAPS, key);
    expect(fake.requests.map(({ verb }) => verb)).toEqual(['create', 'patch', 'get', 'list', 'delete']);
  });

  it.each(WRITES)('lets no %s begin after the lead was lost', async (_verb, write) => {
    const { client, fake, lost } = setUp();
    await client.create(CONFIG_MAPS, configMap('a'), { namespace });
    lost.abort(new Error('too slow'));
    const before = fake.requests.length;
    await expect(write(client)).rejects.toMatchObject({
      code: 'EN_MACHINERY_NOT_LEADER',
      cause: { message: 'too slow' },
    });
    expect(fake.requests).toHaveLength(before);
    expect((await client.get(CONFIG_MAPS, key)).metadata.name).toBe('a');
  });

  it.each([true, false])('gives a write up that is on its way; it has a signal of its own: %s', async (hasOwn) => {
    const { clock, lost, fake } = setUp();
    let given: AbortSignal | undefined;
    const slow: Client = {
      ...fake,
      create: (_resource, _object, options) =>
        new Promise((_resolve, reject) => {
          given = options?.signal;
          given?.addEventListener('abort', () => reject(given?.reason as Error));
        }),
    };
    const own = new AbortController();
    const writing = fencedClient(slow, lost.signal).create(CONFIG_MAPS, configMap('a'), {
      namespace,
      ...(hasOwn ? { signal: own.signal } : {}),
    });
    const outcome = writing.catch((error: unknown) => error);
    await clock.drain();
    expect(given?.aborted).toBe(false);
    lost.abort(new Error('too slow'));
    expect(await outcome).toMatchObject({ code: 'EN_MACHINERY_NOT_LEADER' });
  });

  it("still heeds the caller's own signal", async () => {
    const { lost, fake } = setUp();
    const slow: Client = {
      ...fake,
      create: (_resource, _object, options) =>
        new Promise((_resolve, reject) =>
          options?.signal?.addEventListener('abort', () => reject(options.signal?.reason as Error)),
        ),
    };
    const own = new AbortController();
    const writing = fencedClient(slow, lost.signal).create(CONFIG_MAPS, configMap('a'), { signal: own.signal });
    const reason = new Error('enough');
    own.abort(reason);
    await expect(writing).rejects.toBe(reason);
  });
});
