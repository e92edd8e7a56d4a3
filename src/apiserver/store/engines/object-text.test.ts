import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeManaged, managedOf, withManaged } from '../../../core/api/apply/managed.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { createObjectEncoder, decodeObject } from './object-text.ts';

const stored = (value: unknown): Stored => value as Stored;
/** Subtrees drawn from a few, so that they come again by reference, as a template's do. */
const subtrees = Array.from({ length: 12 }, (_, i) => ({ list: Array.from({ length: i + 3 }, (_, j) => `item ${j}`) }));
const member = fc.oneof(fc.constantFrom(...subtrees), fc.jsonValue(), fc.constant(undefined));

describe('object text', () => {
  it('is what JSON.stringify writes, also for subtrees that come again', () => {
    const encode = createObjectEncoder();
    fc.assert(
      fc.property(fc.dictionary(fc.string(), member), fc.dictionary(fc.string(), member), (top, spec) => {
        const object = { apiVersion: 'v1', ...top, spec };
        expect(encode(stored(object))).toBe(JSON.stringify(object));
      }),
      { numRuns: 500 },
    );
  });

  it('never confuses two subtrees of one field', () => {
    const encode = createObjectEncoder();
    for (let round = 0; round < 50; round++) {
      for (const [at, subtree] of subtrees.entries()) {
        const object = { spec: { containers: subtree, at } };
        expect(encode(stored(object))).toBe(JSON.stringify(object));
      }
    }
  });

  it('keeps integers beyond 2^53, __proto__ keys and a spec that is no object', () => {
    const encode = createObjectEncoder();
    const text = '{"spec":{"big":12345678901234567890,"__proto__":{"x":1}},"n":-9007199254740993}';
    expect(encode(decodeObject(text))).toBe(text);
    for (const spec of ['null', '[]', '7', '{}'])
      expect(encode(decodeObject(`{"spec":${spec}}`))).toBe(`{"spec":${spec}}`);
  });

  it('carries the owners of fields, which alike objects share when they are read again', () => {
    const encode = createObjectEncoder();
    const managed = decodeManaged([
      {
        manager: 'ann',
        operation: 'Update',
        apiVersion: 'v1',
        fieldsType: 'FieldsV1',
        time: '2026-01-01T00:00:00Z',
        fieldsV1: { 'f:spec': { '.': {}, 'f:a': {} } },
      },
    ]);
    // A text that looks like the mark of owners does not pass for one.
    const object = (name: string): Stored =>
      withManaged(
        stored({ metadata: { name, note: ',"\\u0000owners":[]', other: ',"\u0000owners":' }, spec: {} }),
        managed,
      );
    const read = ['a', 'b'].map((name) => decodeObject(encode(object(name))));
    expect(read.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    for (const each of read) {
      expect(JSON.parse(JSON.stringify(each))).toEqual(JSON.parse(JSON.stringify(object(each.metadata.name))));
      expect(managedOf(each)).toEqual(managed);
      expect(managedOf(each)).toBe(managedOf(read[0] as Stored));
    }
  });
});
