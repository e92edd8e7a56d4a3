/** Spoilt manifests and patches against the handlers themselves, where thousands a second can be tried. */
import { withPlainManaged } from '../../../src/core/api/apply/managed.ts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOOPBACK } from '../../../src/apiserver/access/users.ts';
import type { ApiRequest, RequestTarget } from '../../../src/apiserver/request.ts';
import { createTestServer, type TestServer } from '../../../src/apiserver/testing/test-server.ts';
import type { KindDefinition } from '../../../src/core/api/kind-definition.ts';
import { createRegistry } from '../../../src/core/api/registry/registry.ts';
import { encodeJson, parseJson, type Json } from '../../../src/core/kube/json.ts';
import type { Stored } from '../../../src/core/kube/objects.ts';
import { StatusError } from '../../../src/core/kube/status-error.ts';
import { manifestOf } from './manifests.ts';
import { mutate, mutations, type Mutation } from './mutations.ts';
import { settings, TIMEOUT } from './settings.ts';

const kinds = createRegistry().all();
const NAMES = ['a', 'b', 'c'];

interface Step {
  readonly kind: KindDefinition;
  readonly name: string;
  readonly verb: 'create' | 'update' | 'merge' | 'strategic' | 'json' | 'delete' | 'get' | 'list' | 'deletecollection';
  readonly subresource: string;
  readonly mutations: readonly Mutation[];
  readonly dryRun: boolean;
  readonly strict: boolean;
}

const step: fc.Arbitrary<Step> = fc.constantFrom(...kinds).chain((kind) =>
  fc.record({
    kind: fc.constant(kind),
    name: fc.constantFrom(...NAMES),
    verb: fc.constantFrom(
      'create',
      'create',
      'create',
      'update',
      'merge',
      'strategic',
      'json',
      'delete',
      'get',
      'list',
      'deletecollection',
    ),
    subresource: fc.constantFrom('', '', '', '', ...kind.subresources.map(({ name }) => name)),
    mutations: fc.oneof({ weight: 1, arbitrary: fc.constant([]) }, { weight: 6, arbitrary: mutations }),
    dryRun: fc.boolean(),
    strict: fc.boolean(),
  }),
);

/** Through text, as everything that comes over a wire. */
const throughText = (value: Json): Json => parseJson(encodeJson(value));

function requestOf(each: Step): ApiRequest {
  const { group, version, resource, namespaced } = each.kind;
  const named = each.verb !== 'create' && each.verb !== 'list' && each.verb !== 'deletecollection';
  const target: RequestTarget = {
    ...{ tenant: 'system', group, version, resource, subresource: each.subresource },
    namespace: namespaced ? 'default' : '',
    name: named || each.subresource !== '' ? each.name : '',
  };
  const options = { dryRun: each.dryRun, ...(each.strict ? { fieldValidation: 'Strict' as const } : {}) };
  const base = { target, user: LOOPBACK, unshared: true, warn: () => {} };
  const body = throughText(mutate(manifestOf(each.kind, each.name), each.mutations));
  const object = (typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {}) as never;
  switch (each.verb) {
    case 'create':
    case 'update':
      return { ...base, verb: each.verb, object, options };
    case 'merge':
    case 'strategic':
      return { ...base, verb: 'patch', patch: { type: each.verb, body: object }, options };
    case 'json': {
      const operations = each.mutations.map(({ how, key, value }) => ({
        op: how === 'replace' || how === 'add' ? how : 'remove',
        path: `/${key}/${typeof value === 'string' ? value : 'x'}`,
        value: throughText(value),
      }));
      return { ...base, verb: 'patch', patch: { type: 'json', body: operations }, options };
    }
    case 'list':
      return { ...base, verb: 'list', options: {} };
    case 'get':
      return { ...base, verb: 'get' };
    case 'delete':
    case 'deletecollection':
      return { ...base, verb: each.verb, options: { dryRun: each.dryRun } };
  }
}

type Snapshot = ReadonlyMap<string, Stored>;

function snapshot({ store }: TestServer): Snapshot {
  const all = new Map<string, Stored>();
  for (const collection of store.collections()) {
    for (const object of store.list(collection)) {
      all.set(
        `${collection.group}/${collection.resource}/${object.metadata.namespace ?? ''}/${object.metadata.name}`,
        object,
      );
    }
  }
  return all;
}

/** Names of objects that are not the very same as before. */
const differences = (before: Snapshot, after: Snapshot): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));

/** Kinds whose writes rightly touch another object. */
const TOUCHES_OTHERS = new Set(['bindings', 'binding', 'eviction']);

async function expectHarmless(server: TestServer, each: Step): Promise<void> {
  const request = requestOf(each);
  const before = snapshot(server);
  const revision = server.store.revision;
  const outcome = await server.server.handle(request).then(
    (response) => response,
    (error: unknown) => error,
  );
  const changed = differences(before, snapshot(server));
  if (outcome instanceof Error) {
    expect(outcome).toBeInstanceOf(StatusError);
    const { status } = outcome as StatusError;
    expect([status.code < 500 ? 'fine' : status, status.message]).toEqual(['fine', expect.any(String)]);
    expect(parseJson(encodeJson(status as never))).toEqual(status);
    if (request.verb !== 'deletecollection') expect([changed, server.store.revision]).toEqual([[], revision]);
  } else if (each.dryRun || request.verb === 'get' || request.verb === 'list') {
    expect([changed, server.store.revision]).toEqual([[], revision]);
  } else if (
    request.verb !== 'deletecollection' &&
    !TOUCHES_OTHERS.has(each.subresource) &&
    !TOUCHES_OTHERS.has(each.kind.resource)
  ) {
    expect(changed.length).toBeLessThanOrEqual(1);
    const { resource } = each.kind.storage;
    for (const key of changed) expect(key.split('/')[1]).toBe(resource);
  }
  for (const key of changed) {
    const object = snapshot(server).get(key);
    if (object === undefined) continue;
    // With the owners of its fields written out, as clients see them.
    const plain = withPlainManaged(object);
    expect(throughText(plain as never)).toEqual(plain);
  }
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
}

describe('handlers under spoilt requests', () => {
  it('never fail but by a Status, and change nothing but what they answered for', { timeout: TIMEOUT }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const server = await createTestServer();
        for (const each of steps) await expectHarmless(server, each);
      }),
      settings('handlers', 400, 6000),
    );
  });

  it('accept every manifest before it is spoilt, or say what is missing', async () => {
    const server = await createTestServer();
    const refused: string[] = [];
    for (const kind of kinds.filter(({ verbs }) => verbs.includes('create'))) {
      const each: Step = {
        kind,
        name: 'a',
        verb: 'create',
        subresource: '',
        mutations: [],
        dryRun: true,
        strict: false,
      };
      await server.server.handle(requestOf(each)).catch((error: unknown) => {
        expect(error).toBeInstanceOf(StatusError);
        refused.push(`${kind.kind}: ${(error as StatusError).message}`);
      });
    }
    // Spoiling what is refused anyway teaches little; most must pass.
    expect([refused.length < kinds.length / 3, refused]).toEqual([true, expect.any(Array)]);
  });
});
