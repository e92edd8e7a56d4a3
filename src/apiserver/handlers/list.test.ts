import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS, NODES } from '../../core/api/registry/resources.ts';
import type { Client, ListOptions } from '../../machinery/client/client.ts';
import { realClock } from '../../machinery/time/real-clock.ts';
import { LOOPBACK } from '../contract/users.ts';
import { configMap, failure } from '../testing/samples.ts';
import { createTestServer } from '../testing/test-server.ts';

const names = ({ items }: { readonly items: readonly { readonly metadata: { readonly name: string } }[] }) =>
  items.map((item) => item.metadata.name);

async function fill(client: Client, count: number, namespace = 'default'): Promise<void> {
  for (let i = 0; i < count; i++) {
    const labels = { parity: i % 2 === 0 ? 'even' : 'odd' };
    await client.create(CONFIG_MAPS, configMap(`c${String(i).padStart(3, '0')}`, { namespace, labels }));
  }
}

async function pages(client: Client, options: ListOptions) {
  const all = [];
  let token: string | undefined;
  do {
    const page = await client.list(CONFIG_MAPS, { ...options, ...(token === undefined ? {} : { continue: token }) });
    all.push(page);
    token = page.continue;
  } while (token !== undefined);
  return all;
}

describe('paging', () => {
  it('shows every object once, in order, and says how many are left', async () => {
    const { client } = await createTestServer();
    await fill(client, 7);
    const all = await pages(client, { namespace: 'default', limit: 3 });
    expect(all.map(names)).toEqual([['c000', 'c001', 'c002'], ['c003', 'c004', 'c005'], ['c006']]);
    expect(all.map((page) => page.remainingItemCount)).toEqual([4, 1, undefined]);
    expect(new Set(all.map((page) => page.resourceVersion)).size).toBe(1);
  });

  it('ends exactly when a page is exactly full', async () => {
    const { client } = await createTestServer();
    await fill(client, 4);
    expect((await pages(client, { namespace: 'default', limit: 2 })).map(names)).toEqual([
      ['c000', 'c001'],
      ['c002', 'c003'],
    ]);
  });

  it('goes over namespaces, and counts nothing when it selects', async () => {
    const { client } = await createTestServer();
    await fill(client, 3);
    await fill(client, 3, 'kube-public');
    const all = await pages(client, { labelSelector: 'parity=even', limit: 1 });
    expect(all.flatMap((page) => page.items.map((item) => item.metadata.namespace))).toEqual([
      'default',
      'default',
      'kube-public',
      'kube-public',
    ]);
    expect(all.every((page) => page.remainingItemCount === undefined)).toBe(true);
  });

  it('shows one state while the world moves on', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.nat(9), { maxLength: 6 }),
        async (limit, touched) => {
          const { client } = await createTestServer();
          await fill(client, 8);
          const before = names(await client.list(CONFIG_MAPS, { namespace: 'default' }));
          const seen: string[] = [];
          let token: string | undefined;
          do {
            const page = await client.list(CONFIG_MAPS, {
              namespace: 'default',
              limit,
              ...(token === undefined ? {} : { continue: token }),
            });
            seen.push(...names(page));
            token = page.continue;
            const next = touched.shift();
            if (next === undefined) continue;
            const name = `c00${next}`;
            if (next < 8) await client.delete(CONFIG_MAPS, { namespace: 'default', name }).catch(() => undefined);
            else await client.create(CONFIG_MAPS, configMap(name)).catch(() => undefined);
          } while (token !== undefined);
          expect(seen).toEqual(before);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('offers to go on inconsistently when its state is forgotten', async () => {
    const { client } = await createTestServer({ history: { events: 5 } });
    await fill(client, 4);
    const first = await client.list(CONFIG_MAPS, { namespace: 'default', limit: 2 });
    await fill(client, 20, 'kube-public');
    await client.delete(CONFIG_MAPS, { namespace: 'default', name: 'c002' });
    const options = {
      namespace: 'default',
      limit: 2,
      ...(first.continue === undefined ? {} : { continue: first.continue }),
    };
    const error = await failure(client.list(CONFIG_MAPS, options));
    expect([error.code, error.reason]).toEqual([410, 'Expired']);
    const fresh = error.status.metadata.continue;
    expect(fresh).toBeDefined();
    const rest = await client.list(CONFIG_MAPS, { namespace: 'default', limit: 2, continue: fresh ?? '' });
    expect(names(rest)).toEqual(['c003']);
  });

  it('refuses a version beside a token', async () => {
    const { client } = await createTestServer();
    await fill(client, 3);
    const first = await client.list(CONFIG_MAPS, { namespace: 'default', limit: 1 });
    const options = { namespace: 'default', continue: first.continue ?? '', resourceVersion: first.resourceVersion };
    expect((await failure(client.list(CONFIG_MAPS, options))).message).toBe(
      'specifying resource version is not allowed when using continue',
    );
  });
});

describe('resource versions of lists and gets', () => {
  it('name a state of the past exactly', async () => {
    const { client } = await createTestServer();
    await fill(client, 2);
    const { resourceVersion } = await client.list(CONFIG_MAPS);
    await fill(client, 2, 'kube-public');
    const past = await client.list(CONFIG_MAPS, { resourceVersion, resourceVersionMatch: 'Exact' });
    expect(names(past)).toEqual(['c000', 'c001']);
    expect(past.resourceVersion).toBe(resourceVersion);
    const fresh = await client.list(CONFIG_MAPS, { resourceVersion, resourceVersionMatch: 'NotOlderThan' });
    expect(fresh.items).toHaveLength(4);
    const legacy = await client.list(CONFIG_MAPS, { resourceVersion, limit: 10 });
    expect(legacy.items).toHaveLength(2);
  });

  it('may be forgotten', async () => {
    const { client } = await createTestServer({ history: { events: 3 } });
    await fill(client, 1);
    const { resourceVersion } = await client.list(CONFIG_MAPS);
    await fill(client, 9, 'kube-public');
    const error = await failure(client.list(CONFIG_MAPS, { resourceVersion, resourceVersionMatch: 'Exact' }));
    expect(error.status).toMatchObject({
      code: 410,
      reason: 'Expired',
      message: 'The resourceVersion for the provided list is too old.',
    });
  });

  it('of the future cannot be served', async () => {
    const { client, store } = await createTestServer();
    await fill(client, 1);
    const future = String(store.revision + 100);
    const expected = {
      code: 504,
      reason: 'Timeout',
      message: `Timeout: Too large resource version: ${future}, current: ${store.revision}`,
      details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] },
    };
    expect((await failure(client.list(CONFIG_MAPS, { resourceVersion: future }))).status).toMatchObject(expected);
    const get = client.get(CONFIG_MAPS, { namespace: 'default', name: 'c000' }, { resourceVersion: future });
    expect((await failure(get)).status).toMatchObject(expected);
  });

  it.each(['-1', '1e3', ' 1', 'abc', '99999999999999999999999'])('are numbers, not %j', async (resourceVersion) => {
    const { client } = await createTestServer();
    const error = await failure(client.list(CONFIG_MAPS, { resourceVersion }));
    expect([error.code, error.reason]).toEqual([400, 'BadRequest']);
    expect(error.message).toContain('invalid resource version');
  });

  it.each<[ListOptions, string]>([
    [{ resourceVersionMatch: 'Exact' }, 'forbidden unless resourceVersion is provided'],
    [
      { resourceVersionMatch: 'Exact', resourceVersion: '0' },
      'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ],
    [
      { resourceVersionMatch: 'Nearly' as 'Exact', resourceVersion: '1' },
      'supported values: "Exact", "NotOlderThan", ""',
    ],
    [{ resourceVersionMatch: 'Exact', resourceVersion: '1', continue: 'x' }, 'forbidden when continue is provided'],
  ])('cannot be matched in just any way: %j', async (options, words) => {
    const { client } = await createTestServer();
    const error = await failure(client.list(CONFIG_MAPS, options));
    expect(error.status).toMatchObject({ code: 422, reason: 'Invalid', details: { kind: 'ListOptions' } });
    expect(error.message).toContain(words);
  });
});

describe('selections', () => {
  it('find one object without a walk, and only where it is', async () => {
    const { client } = await createTestServer();
    await fill(client, 3);
    await fill(client, 2, 'kube-public');
    expect(names(await client.list(CONFIG_MAPS, { fieldSelector: 'metadata.name=c001' }))).toEqual(['c001', 'c001']);
    const narrowed = { fieldSelector: 'metadata.name=c001,metadata.namespace=kube-public' };
    expect(names(await client.list(CONFIG_MAPS, narrowed))).toEqual(['c001']);
    const impossible = { namespace: 'default', fieldSelector: 'metadata.namespace=kube-public' };
    expect(names(await client.list(CONFIG_MAPS, impossible))).toEqual([]);
  });

  it('are refused when they cannot be read or name what cannot be selected', async () => {
    const { client } = await createTestServer();
    expect((await failure(client.list(CONFIG_MAPS, { labelSelector: 'a in' }))).code).toBe(400);
    const fields = await failure(client.list(CONFIG_MAPS, { fieldSelector: 'data.k=v' }));
    expect(fields.status).toMatchObject({ code: 400, reason: 'BadRequest' });
    expect(fields.message).toContain('data.k');
  });
});

describe('tenants', () => {
  it('do not see each other', async () => {
    const { client, server } = await createTestServer();
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec: {} });
    const target = {
      tenant: 'acme',
      group: '',
      version: 'v1',
      resource: 'nodes',
      namespace: '',
      name: '',
      subresource: '',
    };
    const response = await server.handle({ verb: 'list', target, user: LOOPBACK, options: {} });
    expect(response).toMatchObject({ type: 'list', list: { items: [] } });
    expect(server.clock).toBe(realClock);
  });
});
