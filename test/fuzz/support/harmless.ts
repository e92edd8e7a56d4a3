/** Judges one request to the handlers: it is answered as it should be, and touches nothing but what it was for. */
import { expect } from 'vitest';
import { withPlainManaged } from '../../../src/core/api/apply/managed.ts';
import type { ApiRequest, ApiResponse } from '../../../src/apiserver/contract/request.ts';
import type { TestServer } from '../../../src/apiserver/testing/test-server.ts';
import type { KindDefinition } from '../../../src/core/api/kind/kind-definition.ts';
import { encodeJson, parseJson } from '../../../src/core/kube/json.ts';
import type { Stored } from '../../../src/core/kube/objects.ts';
import { StatusError } from '../../../src/core/kube/status-error.ts';
import { canaryOf } from './manifests.ts';
import { expectUntouchedPrototypes } from './prototypes.ts';

/** Names that requests are about. */
export const OBJECT_NAMES = ['a', 'b', 'c'];

type Snapshot = ReadonlyMap<string, Stored>;

function snapshot({ store }: TestServer): Snapshot {
  const all = new Map<string, Stored>();
  for (const collection of store.collections()) {
    const prefix = `${collection.group}/${collection.resource}`;
    for (const object of store.list(collection)) {
      all.set(`${prefix}/${object.metadata.namespace ?? ''}/${object.metadata.name}`, object);
    }
  }
  return all;
}

/** Stored objects never change, so those that are not the very same were written. */
const differences = (before: Snapshot, after: Snapshot): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));

/** Kinds whose writes rightly touch another object. */
const TOUCHES_OTHERS = new Set(['bindings', 'binding', 'eviction']);

export async function expectHarmless(server: TestServer, kind: KindDefinition, request: ApiRequest): Promise<boolean> {
  const before = snapshot(server);
  const { revision } = server.store;
  const outcome = await server.server.handle(request).catch((error: unknown) => error as Error);
  const after = snapshot(server);
  const changed = differences(before, after);
  const nothing = [[], revision];
  if (outcome instanceof Error) {
    expectStatus(outcome);
    if (request.verb !== 'deletecollection') expect([changed, server.store.revision]).toEqual(nothing);
  } else {
    expectAnswer(kind, request, outcome);
    const isRead = request.verb === 'get' || request.verb === 'list';
    if (isRead || request.options.dryRun === true) expect([changed, server.store.revision]).toEqual(nothing);
    else expectOneChange(kind, request, changed);
  }
  for (const key of changed) {
    const object = after.get(key);
    if (object === undefined) continue;
    // With the owners of its fields written out, as clients see them.
    const plain = withPlainManaged(object);
    expect(parseJson(encodeJson(plain as never))).toEqual(plain);
  }
  expectUntouchedPrototypes();
  return !(outcome instanceof Error);
}

/** Faults that Kubernetes takes upon itself though they are the client's, and so do we. */
export const OWN_FAULTS =
  /^(?:failed to create typed (?:patch|live) object|failed to convert new object|strconv\.ParseUint: parsing |\[?target\.(?:kind|name): |Internal error occurred: the spec replicas field ".*" does not|expected a \S|no elements in any of|The order in patch list|map: map\[|value for key \d+ is not a map|unknown patch type: |list element types are|merging lists cannot|cannot merge lists without|unable to find api field)/;

function expectStatus(error: Error): void {
  if (!(error instanceof StatusError)) throw error;
  const { status } = error;
  const isFine = status.code < 500 || OWN_FAULTS.test(status.message ?? '');
  expect([isFine ? 'fine' : status, status.message]).toEqual(['fine', expect.any(String)]);
  expect(parseJson(encodeJson(status as never))).toEqual(status);
}

function expectAnswer(kind: KindDefinition, request: ApiRequest, answer: ApiResponse): void {
  if (answer.type !== 'object') return;
  const { object } = answer;
  const { name, subresource } = request.target;
  const special = kind.subresources.find((each) => each.name === subresource)?.kind;
  expect(object.kind).toBe(special?.kind ?? kind.kind);
  if (name !== '' && object.metadata?.name !== undefined) expect(object.metadata.name).toBe(name);
  if (!('object' in request) && request.verb !== 'patch') return;
  const text = encodeJson(withPlainManaged(object) as never);
  const own = object.metadata?.name ?? '';
  for (const other of OBJECT_NAMES) if (other !== own && name !== '') expect(text).not.toContain(canaryOf(other));
}

function expectOneChange(kind: KindDefinition, request: ApiRequest, changed: readonly string[]): void {
  const { resource, subresource } = request.target;
  if (request.verb === 'deletecollection' || TOUCHES_OTHERS.has(subresource) || TOUCHES_OTHERS.has(resource)) return;
  expect([changed, changed.length <= 1]).toEqual([changed, true]);
  for (const key of changed) {
    const [, collection, , name] = key.split('/');
    expect(collection).toBe(kind.storage.resource);
    if (request.target.name !== '') expect(name).toBe(request.target.name);
  }
}
