/**
 * JSON patches and merge patches on arbitrary documents against models written from the RFCs. The models work on
 * mutable copies and know nothing of sharing; where Kubernetes' library is more lenient than RFC 6902 they say so.
 */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepFreeze } from '../../src/core/kube/immutable.ts';
import { applyJsonPatch, JsonPatchError } from '../../src/core/kube/json-patch.ts';
import { encodeJson, parseJson, type Json } from '../../src/core/kube/json.ts';
import { applyMergePatch, createMergePatch } from '../../src/core/kube/merge-patch.ts';
import { cases, TIMEOUT } from './support/cases.ts';
import { expectUntouchedPrototypes } from './support/prototypes.ts';

const suite = cases('json-patch.test.ts');

const NAMES = ['a', 'b', '__proto__', 'constructor', '0', '1', '', 'x/y', 'm~n', '-'];
const name = fc.constantFrom(...NAMES);
const scalar: fc.Arbitrary<Json> = fc.constantFrom<Json>(1, 2, 'v', '', true, null, 2n ** 60n, 0.5);
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries) as Json),
  ),
}));
const document = fc
  .array(fc.tuple(name, value), { minLength: 1, maxLength: 5 })
  .map((entries) => Object.fromEntries(entries) as Json);

type Mutable = null | boolean | number | bigint | string | Mutable[] | Map<string, Mutable>;

/** Maps have no prototype to fall for. */
function thaw(json: Json | undefined): Mutable {
  if (Array.isArray(json)) return (json as readonly Json[]).map(thaw);
  if (typeof json !== 'object' || json === null) return json ?? null;
  return new Map(Object.entries(json).map(([key, each]) => [key, thaw(each)]));
}

/** Text that is the same for what is equal. */
function spell(each: Mutable): string {
  if (Array.isArray(each)) return `[${each.map(spell).join()}]`;
  if (!(each instanceof Map)) return typeof each === 'bigint' ? String(each) : JSON.stringify(each);
  const members = [...each].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${spell(member)}`).join()}}`;
}

const copyOf = (each: Mutable): Mutable =>
  Array.isArray(each)
    ? each.map(copyOf)
    : each instanceof Map
      ? new Map([...each].map(([key, member]) => [key, copyOf(member)]))
      : each;

class Refused extends Error {}
const refuse = (): never => {
  throw new Refused();
};

/** Counted from the end where it is negative. `extra` is 1 where one may point behind the last. */
function indexOf(list: readonly Mutable[], token: string, extra: number): number {
  if (!/^[+-]?\d+$/.test(token)) return refuse();
  const index = Number(token);
  const length = list.length + extra;
  if (index >= length || index < -length) return refuse();
  return index < 0 ? index + length : index;
}

const tokensOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));

function read(at: Mutable, token: string): Mutable {
  if (Array.isArray(at)) return at[indexOf(at, token, 0)] ?? null;
  // A member that is not there is null.
  return at instanceof Map ? (at.get(token) ?? null) : refuse();
}

function modelOf(root: Mutable, { from, op, path, value: given }: Operation): Mutable {
  const parentAt = (pointer: string): [Mutable[] | Map<string, Mutable>, string] => {
    const tokens = tokensOf(pointer);
    const last = tokens.pop() ?? refuse();
    const parent = tokens.reduce(read, root);
    return Array.isArray(parent) || parent instanceof Map ? [parent, last] : refuse();
  };
  const put = (pointer: string, made: Mutable): void => {
    const [parent, token] = parentAt(pointer);
    if (parent instanceof Map) parent.set(token, made);
    else parent.splice(token === '-' ? parent.length : indexOf(parent, token, 1), 0, made);
  };
  const take = (pointer: string): Mutable => {
    const [parent, token] = parentAt(pointer);
    if (Array.isArray(parent)) return parent.splice(indexOf(parent, token, 0), 1)[0] ?? null;
    if (!parent.has(token)) return refuse();
    const taken = parent.get(token) ?? null;
    parent.delete(token);
    return taken;
  };
  const [parent, token] = op === 'test' || op === 'replace' ? (path === '' ? [root, ''] : parentAt(path)) : [root, ''];
  switch (op) {
    case 'add':
      put(path, thaw(given));
      return root;
    case 'remove':
      take(path);
      return root;
    case 'replace': {
      const made = thaw(given);
      if (path === '') return Array.isArray(made) || made instanceof Map ? made : refuse();
      // Also where there is none yet.
      if (parent instanceof Map) parent.set(token, made);
      else (parent as Mutable[])[indexOf(parent as Mutable[], token, 0)] = made;
      return root;
    }
    case 'move':
      put(path, take(from));
      return root;
    case 'copy': {
      const [source, key] = parentAt(from);
      put(path, copyOf(read(source, key)));
      return root;
    }
    case 'test':
      if (spell(path === '' ? root : read(parent, token)) !== spell(thaw(given))) refuse();
      return root;
  }
}

interface Operation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from: string;
  readonly value: Json;
}

const escape = (token: string): string => token.replaceAll('~', '~0').replaceAll('/', '~1');
const token = fc.oneof({ weight: 6, arbitrary: name.map(escape) }, fc.constantFrom('-1', '2', '-', '+0', '00', '9'));
const pointer = fc
  .array(token, { minLength: 1, maxLength: 4 })
  .map((tokens) => tokens.map((each) => `/${each}`).join(''));
const operation: fc.Arbitrary<Operation> = fc.record({
  op: fc.constantFrom('add', 'add', 'remove', 'replace', 'move', 'copy', 'copy', 'test'),
  path: fc.oneof({ weight: 20, arbitrary: pointer }, fc.constant('')),
  from: pointer,
  value,
});

describe('a JSON patch', () => {
  it('does what the model says, all of it or nothing', { timeout: TIMEOUT }, () => {
    let applied = 0;
    fc.assert(
      fc.property(document, fc.array(operation, { minLength: 1, maxLength: 4 }), (before, operations) => {
        suite.count();
        deepFreeze(before as object);
        deepFreeze(operations);
        const spelt = spell(thaw(before));
        let expected: string;
        try {
          expected = spell(operations.reduce<Mutable>(modelOf, thaw(before)));
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          expected = 'refused';
        }
        let found: string;
        try {
          found = spell(thaw(applyJsonPatch(before, operations)));
          applied += 1;
        } catch (error) {
          if (!(error instanceof JsonPatchError)) throw error;
          found = 'refused';
        }
        expect(found).toBe(expected);
        expect(spell(thaw(before))).toBe(spelt);
      }),
      suite.settings(0.6),
    );
    expect(applied).toBeGreaterThan(0);
    expectUntouchedPrototypes();
  });
});

/**
 * RFC 7396, section 2, as it stands there, but for one thing: where a list takes the place of anything but an object,
 * Kubernetes' library also drops the null members of the objects in the list.
 */
function mergeModel(target: Mutable, patch: Mutable): Mutable {
  if (!(patch instanceof Map)) return target instanceof Map ? patch : withoutNullMembers(patch);
  const result = target instanceof Map ? target : new Map<string, Mutable>();
  for (const [key, member] of patch) {
    if (member === null) result.delete(key);
    else result.set(key, mergeModel(result.get(key) ?? null, member));
  }
  return result;
}

function withoutNullMembers(each: Mutable): Mutable {
  if (Array.isArray(each)) return each.map(withoutNullMembers);
  return each instanceof Map ? mergeModel(null, each) : each;
}

describe('a merge patch', () => {
  it('does what RFC 7396 says, as Kubernetes reads it', { timeout: TIMEOUT }, () => {
    fc.assert(
      fc.property(document, document, (before, patch) => {
        suite.count();
        const spelt = spell(thaw(before));
        const found = applyMergePatch(deepFreeze(before as object) as Json, deepFreeze(patch as object) as Json);
        expect(spell(thaw(found))).toBe(spell(mergeModel(thaw(before), thaw(patch))));
        expect(spell(thaw(before))).toBe(spelt);
        const again = spell(mergeModel(thaw(found), thaw(patch)));
        if (again === spell(thaw(found))) expect(applyMergePatch(found, patch)).toBe(found);
      }),
      suite.settings(0.25),
    );
    expectUntouchedPrototypes();
  });

  it('can be made from two documents without nulls, and turns one into the other', { timeout: TIMEOUT }, () => {
    const withoutNulls = (json: Json): Json => applyMergePatch({}, json);
    fc.assert(
      fc.property(document, document, (a, b) => {
        suite.count();
        // A list keeps the nulls in it.
        const [from, to] = [withoutNulls(a), withoutNulls(b)];
        const patch = createMergePatch(from as never, to as never);
        expect(spell(thaw(patch === undefined ? from : applyMergePatch(from, parseJson(encodeJson(patch)))))).toBe(
          spell(thaw(to)),
        );
      }),
      suite.settings(0.15),
    );
  });
});
