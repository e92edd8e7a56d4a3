/** Random requests over HTTP/2: any verb, path, query, header and body. */
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRegistry } from '../../src/core/api/registry/registry.ts';
import { encodeProtobufObject, hasProtobuf } from '../../src/core/api/schema/protobuf/envelope.ts';
import { encodeJson, type Json } from '../../src/core/kube/json.ts';
import { apiVersionOf } from '../../src/core/kube/objects.ts';
import { get, useHouse } from '../hostile/support/house.ts';
import type { WireAnswer, WireRequest } from '../hostile/support/wire-client.ts';
import { OWN_FAULTS } from './support/harmless.ts';
import { manifestOf } from './support/manifests.ts';
import { mutate, mutations } from './support/mutations.ts';
import { cases, TIMEOUT } from './support/cases.ts';
import { expectUntouchedPrototypes } from './support/prototypes.ts';

const suite = cases('wire.test.ts');
const house = useHouse();
const kinds = createRegistry().all();

const METHODS = ['GET', 'GET', 'POST', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const TYPES = [
  ...[
    'application/json',
    'application/json',
    'application/yaml',
    'application/vnd.kubernetes.protobuf',
    'text/plain',
    '',
  ],
  ...[
    'application/merge-patch+json',
    'application/json-patch+json',
    'application/strategic-merge-patch+json',
    'application/apply-patch+yaml',
  ],
];
const ACCEPTS = [
  ...[
    'application/json',
    '*/*',
    'application/yaml',
    'application/vnd.kubernetes.protobuf',
    'application/json;as=Table;g=meta.k8s.io;v=v1',
  ],
  ...[
    'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    'x/y',
    '',
  ],
];
const PARAMETERS = [
  ...[
    'dryRun',
    'fieldValidation',
    'fieldManager',
    'force',
    'limit',
    'continue',
    'resourceVersion',
    'resourceVersionMatch',
    'labelSelector',
  ],
  ...[
    'fieldSelector',
    'timeoutSeconds',
    'gracePeriodSeconds',
    'propagationPolicy',
    'orphanDependents',
    'pretty',
    'includeObject',
  ],
];
const VALUES = [
  '',
  'All',
  'Strict',
  'Warn',
  '0',
  '1',
  '-1',
  '5',
  '999999999999',
  'true',
  'a=b',
  'a in (b',
  'metadata.name=cm',
  '!x',
  'Exact',
  'NotOlderThan',
  'None',
  '__proto__',
  '\u0000',
];

const segment = fc.oneof(
  fc.constantFrom(
    'default',
    'cm',
    'a',
    'b',
    'status',
    'scale',
    'log',
    'pods',
    'configmaps',
    'watch',
    'namespaces',
    '..',
    '.',
    '',
    '%2e%2e',
    '%00',
    '%ff',
    '%2f',
  ),
  fc.string({ maxLength: 6 }).map(encodeURIComponent),
);
const kindPath = fc
  .tuple(
    fc.constantFrom(...kinds),
    fc.boolean(),
    fc.constantFrom('', '/a', '/b', '/cm', '/web', '/pod', '/a/status', '/web/scale', '/pod/log', '/pod/binding'),
  )
  .map(([kind, tenant, rest]) => {
    const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
    return `${tenant ? '/tenants/red' : ''}${root}${kind.namespaced ? '/namespaces/default' : ''}/${kind.resource}${rest}`;
  });
const path = fc.oneof(
  { weight: 6, arbitrary: kindPath },
  { weight: 1, arbitrary: fc.array(segment, { maxLength: 7 }).map((parts) => `/${parts.join('/')}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '/',
      '/version',
      '/livez',
      '/readyz?verbose',
      '/api',
      '/apis',
      '/openapi/v2',
      '/openapi/v3',
      '/metrics',
    ),
  },
);
const query = fc
  .array(fc.tuple(fc.constantFrom(...PARAMETERS), fc.oneof(fc.constantFrom(...VALUES), fc.string({ maxLength: 8 }))), {
    maxLength: 3,
  })
  .map((pairs) => pairs.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&'));

const manifest = fc
  .tuple(fc.constantFrom(...kinds), fc.constantFrom('a', 'b', 'cm'), fc.oneof(fc.constant([]), mutations))
  .map(([kind, name, list]) => ({ kind, value: mutate(manifestOf(kind, name), list) }));
const body: fc.Arbitrary<string | Buffer> = fc.oneof(
  manifest.map(({ value }) => encodeJson(value)),
  manifest.map(({ kind, value }) => protobufOf(kind.kind, apiVersionOf(kind), value)),
  fc
    .tuple(manifest, fc.nat(5000), fc.nat(255))
    .map(([{ value }, at, byte]) => spoiltBytes(Buffer.from(encodeJson(value)), at, byte)),
  fc
    .array(mutations, { maxLength: 3 })
    .map((list) =>
      encodeJson(list.flat().map((each) => ({ op: 'replace', path: `/data/${each.key}`, value: each.value })) as Json),
    ),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ unit: 'binary', maxLength: 200 }),
);

function protobufOf(kind: string, apiVersion: string, value: Json): Buffer {
  try {
    if (hasProtobuf(apiVersion, kind)) return encodeProtobufObject(value as never);
  } catch {
    // Spoilt beyond what can be written; the text will do.
  }
  return Buffer.from(encodeJson(value));
}

function spoiltBytes(bytes: Buffer, at: number, byte: number): Buffer {
  const spoilt = Buffer.from(bytes);
  if (spoilt.length > 0) spoilt[at % spoilt.length] = byte;
  return byte % 5 === 0 ? spoilt.subarray(0, at % (spoilt.length + 1)) : spoilt;
}

const request: fc.Arbitrary<WireRequest> = fc
  .record({
    method: fc.constantFrom(...METHODS),
    path,
    query,
    type: fc.constantFrom(...TYPES),
    accept: fc.constantFrom(...ACCEPTS),
    body,
  })
  .map((each) => ({
    method: each.method,
    path: `${each.path}${each.query === '' ? '' : `${each.path.includes('?') ? '&' : '?'}${each.query}`}`,
    headers: {
      ...(each.type === '' ? {} : { 'content-type': each.type }),
      ...(each.accept === '' ? {} : { accept: each.accept }),
    },
    ...(each.method === 'GET' || each.method === 'HEAD' ? {} : { body: each.body }),
  }));

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

const messageOf = ({ text }: WireAnswer): string => (JSON.parse(text) as { message?: string }).message ?? '';

function expectAnswer(asked: WireRequest, answer: WireAnswer): void {
  const told = [asked.method, asked.path, answer.status, answer.text.slice(0, 500)];
  // Versions from the future are answered with a 504, and what Kubernetes makes no proper answer of with a 500 that says so.
  const isOwnFault = answer.status === 500 && OWN_FAULTS.test(messageOf(answer));
  expect([...told, answer.status < 500 || answer.status === 504 || isOwnFault]).toEqual([...told, true]);
  if (asked.method === 'HEAD') return;
  const type = String(answer.headers['content-type']);
  // Where nobody knows the path.
  if (answer.status === 404 && answer.text === '404 page not found\n') return;
  if (answer.status >= 400) expect([told, type]).toEqual([told, 'application/json']);
  if (!type.startsWith('application/json')) return;
  const parsed = JSON.parse(answer.text) as { kind?: string; code?: number };
  if (answer.status >= 400) expect([told, parsed.kind, parsed.code]).toEqual([told, 'Status', answer.status]);
}

describe('the server under random requests', () => {
  it(
    'answers every one, changes nothing it refused, and agrees with itself afterwards',
    { timeout: TIMEOUT },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 10 }), async (requests) => {
          for (const asked of requests) {
            suite.count();
            const before = WRITES.has(asked.method) ? still() : '';
            const answer = await house.ask(asked);
            expectAnswer(asked, answer);
            if (before !== '' && answer.status >= 300) expect([asked, still()]).toEqual([asked, before]);
          }
          expectUntouchedPrototypes();
        }),
        suite.settings(1, 4.6),
      );
      await expectAgreement();
    },
  );
});

/** What only requests change; the rest of the world moves by itself once a pod was accepted. */
const RESTLESS = new Set(['pods', 'events', 'nodes', 'leases']);
function still(): string {
  const hash = createHash('sha256');
  const { store } = house.cluster.api;
  for (const collection of store.collections()) {
    if (RESTLESS.has(collection.resource)) continue;
    for (const object of store.list(collection)) hash.update(encodeJson(object as never));
  }
  return hash.digest('hex');
}

/** List, get and watch tell of the same objects. */
async function expectAgreement(): Promise<void> {
  const served = kinds.filter((kind) => kind.verbs.includes('watch') && !RESTLESS.has(kind.resource));
  await Promise.all(
    served.map(async (kind) => {
      const root = `${kind.group === '' ? '/api' : `/apis/${kind.group}`}/${kind.version}`;
      const collection = `${root}/${kind.resource}`;
      const list = JSON.parse((await house.ask(get(collection))).text) as { kind: string; items: Item[] };
      expect(list.kind).toBe(kind.listKind);
      const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      const watched = await house.ask(get(`${collection}?watch=1&timeoutSeconds=1&${initial}`));
      const frames = watched.text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Frame]));
      const added = frames.filter(({ type }) => type === 'ADDED').map(({ object }) => object);
      // A list says once what all of Kubernetes' own kinds in it are.
      const type = { kind: kind.kind, apiVersion: apiVersionOf(kind) };
      expect(added).toEqual(list.items.map((item) => ({ ...type, ...item })));
      for (const item of list.items.slice(0, 5)) {
        const { name, namespace } = item.metadata;
        const within = namespace === undefined ? root : `${root}/namespaces/${namespace}`;
        const one = await house.ask(get(`${within}/${kind.resource}/${encodeURIComponent(name)}`));
        expect(JSON.parse(one.text)).toEqual({ ...type, ...item });
      }
    }),
  );
}

interface Frame {
  readonly type: string;
  readonly object: Item;
}

interface Item {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly resourceVersion: string };
}
