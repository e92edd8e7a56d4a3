/**
 * Server-side apply against a model of ownership: several managers apply, force and update one object of a kind with
 * a map, a set and a list of items with keys. The model knows leaves and who owns them, and nothing of field sets.
 */
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTestServer, type TestServer } from '../../src/apiserver/testing/test-server.ts';
import { withPlainManaged } from '../../src/core/api/apply/managed.ts';
import { StatusError } from '../../src/core/kube/status-error.ts';
import { definitionOf, resourceOf, specOf, type Thing, thingOf, versionOf } from '../custom/definitions.ts';
import { cases, TIMEOUT } from './support/cases.ts';
import { serveKind } from './support/serve-kind.ts';

const suite = cases('apply.test.ts');

const text = { type: 'string' };
const definition = definitionOf(
  versionOf(
    specOf({
      map: { type: 'object', additionalProperties: text },
      tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
      items: {
        type: 'array',
        items: { type: 'object', required: ['name'], properties: { name: text, value: text } },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      },
    }),
  ),
);
const THINGS = resourceOf(definition);

/** Leaves by their path in the words of field sets: `f:map/f:a`, `f:tags/v:"x"`, `f:items/k:{"name":"x"}/f:value`. */
type Leaves = ReadonlyMap<string, string>;

interface Spec {
  readonly map?: { readonly [key: string]: string };
  readonly tags?: readonly string[];
  readonly items?: readonly { readonly name: string; readonly value?: string }[];
}

const key = fc.constantFrom('a', 'b', '__proto__', 'constructor');
const value = fc.constantFrom('1', '2');
/** Everybody wants one thing in each place: a map or list that holds nothing would be a leaf of its own. */
const spec: fc.Arbitrary<Spec> = fc
  .record({
    map: fc.dictionary(key, value, { maxKeys: 3, noNullPrototype: true }),
    tags: fc.uniqueArray(key, { maxLength: 2 }),
    items: fc.uniqueArray(fc.record({ name: key, value }, { requiredKeys: ['name'] }), {
      maxLength: 3,
      selector: ({ name }) => name,
    }),
  })
  .map(({ items, map, tags }) => ({
    map: { anchor: '0', ...map },
    tags: ['anchor', ...tags],
    items: [{ name: 'anchor' }, ...items],
  }));

const itemPath = (name: string): string => `f:items/k:${JSON.stringify({ name })}`;

function leavesOf({ items = [], map = {}, tags = [] }: Spec): Leaves {
  const leaves = new Map<string, string>();
  for (const [name, each] of Object.entries(map)) leaves.set(`f:map/f:${name}`, each);
  for (const tag of tags) leaves.set(`f:tags/v:${JSON.stringify(tag)}`, '');
  for (const { name, value: each } of items) {
    leaves.set(`${itemPath(name)}/.`, '');
    leaves.set(`${itemPath(name)}/f:name`, name);
    if (each !== undefined) leaves.set(`${itemPath(name)}/f:value`, each);
  }
  return leaves;
}

interface State {
  readonly leaves: Map<string, string>;
  /** By `manager Operation`. */
  readonly owners: Map<string, Set<string>>;
}

interface Step {
  readonly manager: string;
  readonly how: 'apply' | 'force' | 'update';
  readonly spec: Spec;
}

const step: fc.Arbitrary<Step> = fc.record({
  manager: fc.constantFrom('ann', 'bob', 'eve'),
  how: fc.constantFrom('apply', 'apply', 'force', 'update'),
  spec,
});

/** Paths that another manager owns and this configuration would change. */
function conflictsOf(state: State, self: string, wanted: Leaves): string[] {
  const found: string[] = [];
  for (const [owner, paths] of state.owners) {
    if (owner === self) continue;
    for (const path of paths) {
      if (wanted.has(path) && state.leaves.get(path) !== wanted.get(path)) found.push(`${owner} ${path}`);
    }
  }
  return found.toSorted();
}

function applyModel(state: State, self: string, wanted: Leaves): void {
  const before = state.owners.get(self) ?? new Set<string>();
  const others = [...state.owners].filter(([owner]) => owner !== self);
  for (const [path, each] of wanted) {
    if (state.leaves.has(path) && state.leaves.get(path) !== each) for (const [, paths] of others) paths.delete(path);
    state.leaves.set(path, each);
  }
  const isHeld = (path: string): boolean => wanted.has(path) || others.some(([, paths]) => paths.has(path));
  for (const path of before) {
    const item = /^(f:items\/k:\{.*\})\//.exec(path)?.[1];
    // An item goes as a whole with whatever is in it, unless somebody else owns the item itself; so does its key.
    if (item === undefined ? isHeld(path) : isHeld(`${item}/.`) && (isHeld(path) || path.endsWith('/f:name'))) continue;
    const goes = (each: string): boolean =>
      each === path || (item !== undefined && !isHeld(`${item}/.`) && each.startsWith(`${item}/`));
    for (const each of [...state.leaves.keys()].filter(goes)) state.leaves.delete(each);
    for (const [, paths] of others) for (const each of [...paths].filter(goes)) paths.delete(each);
  }
  state.owners.set(self, new Set(wanted.keys()));
}

function updateModel(state: State, self: string, wanted: Leaves): void {
  const mine = state.owners.get(self) ?? new Set<string>();
  const all = new Set([...state.leaves.keys(), ...wanted.keys()]);
  for (const path of all) {
    if (state.leaves.get(path) === wanted.get(path)) continue;
    for (const [, paths] of state.owners) paths.delete(path);
    if (wanted.has(path)) mine.add(path);
    else mine.delete(path);
  }
  state.leaves.clear();
  for (const [path, each] of wanted) state.leaves.set(path, each);
  state.owners.set(self, mine);
}

type Fields = { readonly [element: string]: Fields };

/** Leaves of a set of fields. */
function pathsOf(fields: Fields, prefix = ''): string[] {
  return Object.entries(fields).flatMap(([element, inner]) => {
    const path = prefix === '' ? element : `${prefix}/${element}`;
    return Object.keys(inner).length === 0 ? [path] : pathsOf(inner, path);
  });
}

const isSpoken = (path: string): boolean =>
  /^f:(?:map|tags|items)\//.test(path) && !/^f:(?:map|tags|items)\/\.$/.test(path);

function ownersIn({ metadata }: Thing): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { fieldsV1, manager, operation } of metadata.managedFields ?? []) {
    const own = ((fieldsV1 ?? {}) as Fields)['f:spec'] ?? {};
    found.set(`${manager} ${operation}`, pathsOf(own).filter(isSpoken).toSorted());
  }
  return found;
}

const causesOf = (error: StatusError): string[] =>
  (error.status.details?.causes ?? [])
    .map(({ field, message }) => `${/conflict with "(.*?)"/.exec(message ?? '')?.[1]} ${field}`)
    .toSorted();

/** A path of fields as conflicts print it. */
const printed = (conflict: string): string => {
  const [manager = '', operation = '', ...path] = conflict.split(' ');
  const steps = path
    .join(' ')
    .split('/')
    .filter((each) => each !== '.')
    .map((each) =>
      each.startsWith('f:')
        ? `.${each.slice(2)}`
        : each.startsWith('k:')
          ? `[${each
              .slice(3, -1)
              .replace(':', '=')
              .replaceAll(/^"(.*?)"=/g, '$1=')}]`
          : `[=${each.slice(2)}]`,
    );
  return `${manager} ${operation} .spec${steps.join('')}`.replace(` ${operation}`, '');
};

const sorted = (map: ReadonlyMap<string, string>): string[] =>
  [...map].map(([path, each]) => `${path}=${each}`).toSorted();

let server: TestServer;
beforeAll(async () => {
  server = await createTestServer();
  if ((await serveKind(server, definition)) === undefined) throw new Error('the kind is not served');
});

describe('server-side apply', () => {
  it('owns, shares, takes, gives up and refuses as the model does', { timeout: TIMEOUT }, async () => {
    let objects = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10, size: 'max' }), async (steps) => {
        const name = `thing-${(objects += 1)}`;
        const { client } = server;
        const state: State = { leaves: new Map(), owners: new Map() };
        let live: Thing | undefined;
        for (const { how, manager, spec: wanted } of steps) {
          suite.count();
          const leaves = leavesOf(wanted);
          const thing = thingOf(definition, name, wanted as never);
          if (how === 'update') {
            if (live === undefined) live = await client.create(THINGS, thing, { fieldManager: manager });
            else live = await client.update(THINGS, { ...live, spec: wanted as never }, { fieldManager: manager });
            updateModel(state, `${manager} Update`, leaves);
          } else {
            const self = `${manager} Apply`;
            const conflicts = how === 'force' ? [] : conflictsOf(state, self, leaves);
            const outcome: Thing | StatusError = await client
              .apply(THINGS, thing, { fieldManager: manager, force: how === 'force' })
              .catch((error: unknown) => error as StatusError);
            if (conflicts.length > 0) {
              refused += 1;
              expect(outcome).toBeInstanceOf(StatusError);
              expect((outcome as StatusError).code).toBe(409);
              expect(causesOf(outcome as StatusError)).toEqual(conflicts.map(printed).toSorted());
              continue;
            }
            if (outcome instanceof StatusError) throw outcome;
            live = outcome;
            applyModel(state, self, leaves);
          }
          expect(sorted(leavesOf((live.spec ?? {}) as Spec))).toEqual(sorted(state.leaves));
          const owners = ownersIn(withPlainManaged(live));
          for (const [owner, paths] of state.owners)
            expect([owner, owners.get(owner) ?? []]).toEqual([owner, [...paths].toSorted()]);
        }
        if (live !== undefined) await client.delete(THINGS, { namespace: 'default', name });
      }),
      suite.settings(1, 4.5),
    );
    expect(refused).toBeGreaterThan(0);
  });
});
