import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readGolden } from './golden/read.ts';
import { deepFreeze } from './immutable.ts';
import { applyJsonPatch, decodeJsonPatch, JsonPatchError, jsonPatchFailure } from './json-patch.ts';
import { encodeJson, parseJson, type Json, type JsonObject } from './json.ts';
import { StatusError } from './status-error.ts';

interface Table {
  readonly patches: readonly (readonly [document: string, patch: string, result: string, error: string])[];
}

function attempt(document: Json, patch: Json): unknown {
  try {
    return applyJsonPatch(document, decodeJsonPatch(patch));
  } catch (error) {
    if (error instanceof JsonPatchError || error instanceof StatusError) return error.message;
    throw error;
  }
}

const frozen = (text: string): Json => deepFreeze(parseJson(text));

describe('JSON patch against the library Kubernetes uses', () => {
  it('applies and refuses the same patches in the same words', () => {
    for (const [document, patch, result, error] of (readGolden('patches') as Table).patches) {
      const actual = attempt(frozen(document), frozen(patch));
      expect({ document, patch, actual }).toEqual({
        document,
        patch,
        actual: error === '' ? parseJson(result) : error,
      });
    }
  });
});

describe('JSON patch', () => {
  const document = frozen('{"a":{"b":[1,2]},"c":{"d":1},"e":"x"}') as JsonObject;
  it('shares what it does not touch', () => {
    const next = attempt(document, [{ op: 'replace', path: '/c/d', value: 2 }]) as { a: unknown };
    expect(next).toEqual({ a: { b: [1, 2] }, c: { d: 2 }, e: 'x' });
    expect(next.a).toBe(document['a']);
  });
  it('gives the document back when nothing changes', () => {
    expect(attempt(document, [])).toBe(document);
    expect(attempt(document, [{ op: 'test', path: '/e', value: 'x' }])).toBe(document);
    expect(attempt(document, [{ op: 'replace', path: '/a', value: { b: [1, 2] } }])).toBe(document);
    expect(attempt(document, [{ op: 'add', path: '/a/b', value: [1, 2] }])).toBe(document);
    expect(attempt(document, [{ op: 'replace', path: '', value: document }])).toBe(document);
  });
  it('never writes to the values of the patch', () => {
    const patch = frozen('[{"op":"add","path":"/n","value":{"x":[]}},{"op":"add","path":"/n/x/-","value":1}]');
    expect(attempt(document, patch)).toMatchObject({ n: { x: [1] } });
    expect(encodeJson(patch)).toContain('"value":{"x":[]}');
  });
  it('keeps copies apart', () => {
    expect(
      attempt(frozen('{"a":{"b":{}}}'), [
        { op: 'add', path: '/a/b/x', value: 1 },
        { op: 'copy', from: '/a', path: '/z' },
        { op: 'add', path: '/z/b/y', value: 2 },
        { op: 'add', path: '/a/b/w', value: 3 },
      ]),
    ).toEqual({ a: { b: { x: 1, w: 3 } }, z: { b: { x: 1, y: 2 } } });
  });
  it('treats __proto__ and constructor as plain members', () => {
    const next = attempt({}, [
      { op: 'add', path: '/__proto__', value: { polluted: true } },
      { op: 'add', path: '/__proto__/more', value: 1 },
    ]) as object;
    expect(encodeJson(next as Json)).toBe('{"__proto__":{"polluted":true,"more":1}}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(attempt({}, [{ op: 'add', path: '/constructor/prototype/x', value: 1 }])).toContain('missing path');
    expect(attempt({}, [{ op: 'add', path: '/__proto__/x', value: 1 }])).toContain('missing path');
  });
  it('bounds the number of operations and what copies may add', () => {
    const many = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/e', value: 'x' }));
    expect(attempt(document, many)).toBe(
      'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    );
    const bomb = Array.from({ length: 64 }, (_, i) => ({ op: 'copy', from: '/a', path: `/a/k${i}` }));
    expect(attempt(document, bomb)).toMatch(
      /^Unable to complete the copy, the accumulated size increase of copy is \d+/,
    );
  });
  it('stays linear in operations on one large map and one large list', () => {
    const keys = Array.from({ length: 10_000 }, (_, i) => ({ op: 'add', path: `/a/k${i}`, value: i }));
    expect(Object.keys((attempt(document, keys) as { a: object }).a)).toHaveLength(10_001);
    const items = Array.from({ length: 10_000 }, (_, i) => ({ op: 'add', path: '/a/b/0', value: i }));
    expect((attempt(document, items) as { a: { b: unknown[] } }).a.b).toHaveLength(10_002);
  });
  it('does not shift a huge list again and again', () => {
    const list = Array.from({ length: 300_000 }, () => 1);
    const removals = Array.from({ length: 5000 }, () => ({ op: 'remove', path: '/l/1' }));
    expect(attempt({ l: list }, removals)).toContain('moves too many list elements');
    expect((attempt({ l: list }, removals.slice(0, 100)) as { l: unknown[] }).l).toHaveLength(299_900);
  });
  it('reports a patch that does not apply as Kubernetes does, and keeps the reason', () => {
    const cause = new JsonPatchError('testing value /a failed: test failed');
    const error = jsonPatchFailure(cause);
    expect(error.status).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(error.message).toBe('the server rejected our request due to an error in our request');
    expect(error.cause).toBe(cause);
  });
  it('undoes itself', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.jsonValue(), (object, key, value) => {
        fc.pre(!Object.hasOwn(object, key));
        const path = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        const operations = [
          { op: 'add', path, value: value as Json },
          { op: 'test', path, value: value as Json },
          { op: 'remove', path },
        ];
        expect(attempt(deepFreeze(object) as Json, operations)).toEqual(object);
      }),
    );
  });
});
