import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepEqual, deepFreeze, ownMember, setOwn, share, withMember, withMetadata } from './immutable.ts';
import { assertJson, isJson, NotJsonError } from './json-check.ts';
import { parseJson, type Json } from './json.ts';

const { value: anyJson } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, 1, '', 'a', 10n ** 20n),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'), tie('value'), { maxKeys: 4 }),
  ),
}));

/** Members sorted, so that equal values have equal texts. */
function canonical(value: Json | undefined): string {
  if (typeof value !== 'object' || value === null) return `${typeof value} ${String(value)}`;
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${entries
    .map(([key, member]) => `${key}:${canonical(member)}`)
    .toSorted()
    .join()}}`;
}

const copyOf = (value: Json): Json => structuredClone(value);

describe('deepEqual', () => {
  it('agrees with canonical texts', () => {
    fc.assert(
      fc.property(anyJson, anyJson, (a, b) => {
        expect(deepEqual(a, b)).toBe(canonical(a) === canonical(b));
        expect(deepEqual(a, copyOf(a))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
  it('takes an undefined member for an absent one', () => {
    expect(deepEqual({ a: 1, b: undefined }, { a: 1 })).toBe(true);
    expect(deepEqual({ a: 1 }, { a: 1, b: undefined })).toBe(true);
    expect(deepEqual({ a: undefined }, { b: undefined })).toBe(true);
    expect(deepEqual({ a: 1, b: undefined }, { a: 1, c: 1 })).toBe(false);
  });
  it('does not take what is inherited for data', () => {
    expect(deepEqual(parseJson('{"__proto__":{}}'), {})).toBe(false);
    expect(deepEqual({}, parseJson('{"__proto__":{}}'))).toBe(false);
    expect(deepEqual(parseJson('{"__proto__":{}}'), { a: 1 })).toBe(false);
    expect(deepEqual({ constructor: 'x' }, {})).toBe(false);
  });
  it('tells arrays from objects', () => {
    expect(deepEqual([], {})).toBe(false);
    expect(deepEqual({}, [])).toBe(false);
    expect(deepEqual(null, {})).toBe(false);
  });
});

describe('share', () => {
  it('returns a value equal to next, old itself when equal, and mutates neither', () => {
    fc.assert(
      fc.property(anyJson, anyJson, (old, next) => {
        deepFreeze(old);
        deepFreeze(next);
        const shared = share(old, next);
        expect(deepEqual(shared, next)).toBe(true);
        expect(canonical(shared)).toBe(canonical(next));
        expect(shared === old).toBe(deepEqual(old, next) && (typeof old === 'object' || old === next));
      }),
      { numRuns: 500 },
    );
  });
  it('keeps the unchanged parts of the old value', () => {
    const old = { spec: { containers: [{ name: 'a' }, { name: 'b' }] }, status: { phase: 'Pending' } };
    const shared = share(old, { spec: { containers: [{ name: 'a' }, { name: 'b' }] }, status: { phase: 'Running' } });
    expect(shared).not.toBe(old);
    expect(shared.spec).toBe(old.spec);
    expect(shared.status).toEqual({ phase: 'Running' });
  });
  it('keeps items on both sides of an insertion and of a removal', () => {
    const old = { list: [{ n: 1 }, { n: 2 }, { n: 3 }] };
    const longer = share(old, { list: [{ n: 1 }, { n: 9 }, { n: 2 }, { n: 3 }] });
    expect(longer.list.map((item) => old.list.indexOf(item))).toEqual([0, -1, 1, 2]);
    const shorter = share(old, { list: [{ n: 1 }, { n: 3 }] });
    expect(shorter.list.map((item) => old.list.indexOf(item))).toEqual([0, 2]);
  });
  it('returns next itself when nothing is common', () => {
    const next = { a: { b: 1 } };
    expect(share({ c: 1 }, next)).toBe(next);
    expect(share(undefined, next)).toBe(next);
  });
});

describe('deepFreeze', () => {
  it('freezes all the way down', () => {
    const value = deepFreeze({ a: [{ b: 1 }] });
    expect(Object.isFrozen(value.a[0])).toBe(true);
  });
});

describe('members', () => {
  it('are set as plain data', () => {
    const object = {};
    setOwn(object, '__proto__', { admin: true });
    expect(Object.keys(object)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    expect(ownMember({}, '__proto__')).toBeUndefined();
  });
  it('leave the object as it is when nothing changes', () => {
    const object = { kind: 'Pod', metadata: { name: 'a', labels: { x: '1' } } };
    expect(withMember(object, 'kind', 'Pod')).toBe(object);
    expect(withMetadata(object, 'labels', { x: '1' })).toBe(object);
    expect(withMetadata(object, 'name', 'b')).toEqual({ kind: 'Pod', metadata: { name: 'b', labels: { x: '1' } } });
    expect(withMetadata(object, 'labels', undefined)).toEqual({ kind: 'Pod', metadata: { name: 'a' } });
    expect(object.metadata.name).toBe('a');
  });
});

describe('assertJson', () => {
  const refusal = (value: unknown): string => {
    try {
      assertJson(value);
    } catch (error) {
      if (error instanceof NotJsonError) return error.message;
      throw error;
    }
    return '';
  };
  it('accepts JSON, and members without a value', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(isJson(value)).toBe(true);
      }),
    );
    expect(refusal({ a: undefined, b: Object.create(null) })).toBe('');
  });
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  it.each([
    [undefined, 'the value is undefined'],
    [{ a: [1, undefined] }, '.a[1] is undefined'],
    [{ a: { b: Number.NaN } }, '.a.b is NaN'],
    [[Infinity], '[0] is Infinity'],
    [{ at: new Date(0) }, '.at is an instance of Date'],
    [{ m: new Map() }, '.m is an instance of Map'],
    [{ f: () => 1 }, '.f is a function'],
    [{ s: Symbol('x') }, '.s is a symbol'],
    [cycle, 'nested too deep or contains itself'],
    // eslint-disable-next-line no-sparse-arrays
    [{ holes: [1, , 2] }, '.holes[1] is undefined'],
  ])('refuses %o', (value, message) => {
    expect(refusal(value)).toContain(message);
    expect(refusal(deepFreezeShallow(value))).toContain(message);
  });
  it('looks at a large frozen value once, and again at what is not frozen', () => {
    const template = deepFreeze({ list: Array.from({ length: 50 }, (_, i) => ({ i })) });
    expect(isJson({ template })).toBe(true);
    expect(isJson({ template, bad: Number.NaN })).toBe(false);
    const open: { list: unknown[] } = { list: Array.from({ length: 50 }, (_, i) => i) };
    expect(isJson(open)).toBe(true);
    open.list.push(undefined);
    expect(isJson(open)).toBe(false);
  });
});

const deepFreezeShallow = (value: unknown): unknown => (typeof value === 'object' ? Object.freeze(value) : value);
