import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { clusterKeys } from '../../src/assembly/pki.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../src/core/api/registry/resources.ts';
import type { CustomResourceDefinition } from '../../src/core/api/types/apiextensions-v1.ts';
import { StatusError } from '../../src/core/kube/status-error.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import {
  definitionOf,
  establish,
  eventually,
  resourceOf,
  specOf,
  type Thing,
  thingOf,
  versionOf,
} from './definitions.ts';

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly Thing[] };
}

type Answer = (review: Review) => unknown;

/** v1 has host and port in one text, v2 in two fields. */
const convert = (object: Thing, apiVersion: string): Thing => {
  const { spec = {} } = object;
  if (apiVersion.endsWith('/v2')) {
    const [host = '', port = ''] = String(spec['hostPort']).split(':');
    return { ...object, apiVersion, spec: { host, port } };
  }
  return { ...object, apiVersion, spec: { hostPort: `${String(spec['host'])}:${String(spec['port'])}` } };
};

const answerWith =
  (change: (object: Thing, apiVersion: string) => unknown): Answer =>
  ({ apiVersion, kind, request }) => ({
    apiVersion,
    kind,
    response: {
      uid: request.uid,
      result: { status: 'Success' },
      convertedObjects: request.objects.map((object) => change(object, request.desiredAPIVersion)),
    },
  });

let cluster: TestCluster;
let server: Server;
let url = '';
let authority = '';
let answer: Answer = answerWith(convert);
const calls: Review[] = [];

beforeAll(async () => {
  const keys = await clusterKeys(undefined, '127.0.0.1', Date.now());
  authority = keys.authority.certificate;
  server = createServer({ cert: keys.server.certificate, key: keys.server.key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const review = JSON.parse(Buffer.concat(chunks).toString()) as Review;
      calls.push(review);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answer(review)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/convert`;
  cluster = await startTestCluster({ groups: [] });
});
afterAll(async () => {
  await cluster.stop();
  server.closeAllConnections();
  server.close();
});
afterEach(() => {
  answer = answerWith(convert);
});

const endpoints = (plural: string, kind: string, caBundle = authority): CustomResourceDefinition =>
  definitionOf(
    [
      versionOf(specOf({ hostPort: { type: 'string', pattern: ':' } })),
      versionOf(specOf({ host: { type: 'string', minLength: 1 }, port: { type: 'string' } }), {
        name: 'v2',
        storage: false,
      }),
    ],
    {
      plural,
      kind,
      spec: {
        conversion: {
          strategy: 'Webhook',
          webhook: {
            clientConfig: { url, caBundle: Buffer.from(caBundle).toString('base64') },
            conversionReviewVersions: ['v1'],
          },
        },
      },
    },
  );

const failure = async (request: Promise<unknown>): Promise<string> => {
  try {
    await request;
  } catch (error) {
    if (error instanceof StatusError) return error.message;
    throw error;
  }
  throw new Error('should have failed');
};

describe('conversion by webhook', () => {
  it('reads and writes each version in its own form, and judges it by its own schema', async () => {
    const definition = endpoints('addresses', 'Address');
    await establish(cluster.client, definition);
    const [first, second] = [resourceOf(definition), resourceOf(definition, 'v2')];
    const made = await cluster.client.create(second, thingOf(definition, 'a', { host: 'x', port: '1' }, 'v2'));
    expect(made).toMatchObject({ apiVersion: 'test.example.com/v2', spec: { host: 'x', port: '1' } });
    const key = { namespace: 'default', name: 'a' };
    const before = calls.length;
    expect((await cluster.client.get(first, key)).spec).toEqual({ hostPort: 'x:1' });
    expect(calls.length).toBe(before);
    expect((await cluster.client.get(second, key)).spec).toEqual({ host: 'x', port: '1' });
    const changed = await cluster.client.update(second, { ...made, spec: { host: 'y', port: '2' } });
    expect([changed.metadata.generation, changed.spec]).toEqual([2, { host: 'y', port: '2' }]);
    const patched = await cluster.client.patch(second, key, { type: 'merge', body: { spec: { port: '3' } } });
    expect(patched.spec).toEqual({ host: 'y', port: '3' });
    expect((await cluster.client.get(first, key)).spec).toEqual({ hostPort: 'y:3' });
    const wrong = thingOf(definition, 'b', { host: '', port: '1' }, 'v2');
    expect(await failure(cluster.client.create(second, wrong))).toContain(
      'spec.host: Invalid value: "": spec.host in body should be at least 1 chars long',
    );
    await cluster.client.delete(second, key);
    expect(await failure(cluster.client.get(first, key))).toContain('not found');
  });

  it('fills in defaults before the webhook is asked, and none of the other version after', async () => {
    const filled = (value: string) => ({ type: 'string', default: value }) as const;
    const definition = endpoints('ports', 'Port');
    const versions = [
      versionOf(specOf({ hostPort: filled('from-first:1') })),
      versionOf(specOf({ host: { type: 'string' }, more: filled('from-second') }), { name: 'v2', storage: false }),
    ];
    await establish(cluster.client, { ...definition, spec: { ...definition.spec, versions } });
    const [first, second] = [resourceOf(definition), resourceOf(definition, 'v2')];
    await cluster.client.create(first, thingOf(definition, 'p', {}));
    const shown = await cluster.client.get(second, { namespace: 'default', name: 'p' });
    expect(shown.spec).toEqual({ host: 'from-first' });
  });

  it('converts a list in one call and asks for each object once', async () => {
    const definition = endpoints('routes', 'Route');
    await establish(cluster.client, definition);
    const [first, second] = [resourceOf(definition), resourceOf(definition, 'v2')];
    for (let i = 0; i < 20; i++) {
      await cluster.client.create(first, thingOf(definition, `r${i}`, { hostPort: `h${i}:1` }));
    }
    const before = calls.length;
    const { items } = await cluster.client.list(second);
    expect(items.map(({ spec }) => spec?.['host'])).toContain('h7');
    expect(calls.length - before).toBe(1);
    expect(calls.at(-1)?.request.objects).toHaveLength(20);
    await cluster.client.list(second);
    expect(calls.length - before).toBe(1);
  });

  it('keeps the order of a watch while it waits', async () => {
    const definition = endpoints('gates', 'Gate');
    const found = await establish(cluster.client, definition);
    const [first, second] = [resourceOf(definition), resourceOf(definition, 'v2')];
    await cluster.client.create(first, thingOf(definition, 'old', { hostPort: 'o:0' }));
    const seen: string[] = [];
    const stop = new AbortController();
    const watching = (async () => {
      const options = { sendInitialEvents: true, allowWatchBookmarks: true, signal: stop.signal };
      for await (const batch of cluster.client.watch(second, options)) {
        for (const event of batch) {
          if (event.type !== 'BOOKMARK') seen.push(`${event.type} ${String(event.object.spec?.['host'])}`);
        }
      }
    })().catch(() => undefined);
    await eventually(async () => expect(seen).toEqual(['ADDED o']));
    for (const name of ['a', 'b', 'c']) {
      await cluster.client.create(first, thingOf(definition, name, { hostPort: `${name}:1` }));
    }
    await cluster.client.delete(first, { namespace: 'default', name: 'b' });
    await eventually(async () => expect(seen).toEqual(['ADDED o', 'ADDED a', 'ADDED b', 'ADDED c', 'DELETED b']));
    stop.abort();
    await watching;
    expect(found.status?.storedVersions).toEqual(['v1']);
  });

  it('says what is wrong with an answer', async () => {
    const definition = endpoints('doors', 'Door');
    await establish(cluster.client, definition);
    const [first, second] = [resourceOf(definition), resourceOf(definition, 'v2')];
    const key = { namespace: 'default', name: 'd' };
    await cluster.client.create(first, thingOf(definition, 'd', { hostPort: 'x:1' }));
    const what = 'conversion webhook for test.example.com/v1, Kind=Door';
    const says = async (reply: Answer): Promise<string> => {
      answer = reply;
      return failure(cluster.client.get(second, key));
    };
    const invalid = `${what} returned invalid converted object at index 0`;
    expect(await says(answerWith((object) => object))).toBe(
      `${invalid}: invalid groupVersion (expected test.example.com/v2, received test.example.com/v1)`,
    );
    const renamed = answerWith((object, version) => ({
      ...convert(object, version),
      metadata: { ...object.metadata, name: 'other' },
    }));
    expect(await says(renamed)).toBe(`${invalid}: must have the same name: d != other`);
    expect(await says(answerWith(() => 1))).toBe(`${invalid}: not an object`);
    const refused: Answer = ({ apiVersion, kind, request }) => ({
      apiVersion,
      kind,
      response: { uid: request.uid, result: { status: 'Failure', message: 'will not' } },
    });
    expect(await says(refused)).toBe(`${what} failed: will not`);
    const empty: Answer = ({ apiVersion, kind, request }) => ({
      apiVersion,
      kind,
      response: { uid: request.uid, result: { status: 'Success' }, convertedObjects: [] },
    });
    expect(await says(empty)).toBe(`${what} returned 0 objects, expected 1`);
    expect(await says(() => ({}))).toContain('expected webhook response of apiextensions.k8s.io/v1');
    answer = answerWith(convert);
    expect((await cluster.client.get(second, key)).spec).toEqual({ host: 'x', port: '1' });
  });

  it('lets a webhook change labels and annotations, and no other metadata', async () => {
    const definition = endpoints('windows', 'Window');
    await establish(cluster.client, definition);
    const [first, second] = [resourceOf(definition), resourceOf(definition, 'v2')];
    const made = await cluster.client.create(first, thingOf(definition, 'w', { hostPort: 'x:1' }));
    answer = answerWith((object, version) => ({
      ...convert(object, version),
      metadata: { ...object.metadata, labels: { by: 'webhook' }, finalizers: ['no/no'], resourceVersion: '1' },
    }));
    const shown = await cluster.client.get(second, { namespace: 'default', name: 'w' });
    expect(shown.metadata).toEqual({ ...made.metadata, labels: { by: 'webhook' } });
  });

  it('does not trust an authority the definition does not name', async () => {
    const other = await clusterKeys(undefined, '127.0.0.1', Date.now());
    const definition = endpoints('walls', 'Wall', other.authority.certificate);
    await establish(cluster.client, definition);
    await cluster.client.create(resourceOf(definition), thingOf(definition, 'w', { hostPort: 'x:1' }));
    expect(await failure(cluster.client.list(resourceOf(definition, 'v2')))).toContain('certificate signed by unknown');
    // The stored version needs nobody, and the definition can go.
    expect((await cluster.client.list(resourceOf(definition))).items).toHaveLength(1);
    await cluster.client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: definition.metadata.name });
    await eventually(async () =>
      expect(
        await failure(cluster.client.get(CUSTOM_RESOURCE_DEFINITIONS, { name: definition.metadata.name })),
      ).toContain('not found'),
    );
  });
});
