import { describe, expect, it } from 'vitest';
import type { Json } from '../../kube/json.ts';
import { encodeFields } from './fields-v1.ts';
import { decodeManaged, encodeManaged, type ManagedEntry, type ManagedFields, sortManaged } from './managed.ts';
import { shareManaged, trackUpdate, type Write } from './managers.ts';
import { shapeOf } from './shape.ts';
import { EMPTY, pathSet } from './field-set.ts';
import { fieldElement } from './path-element.ts';

const shape = shapeOf('core/v1.ConfigMap');
const blank: Json = { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} };
const at = (seconds: number): string => `2026-01-01T00:00:${String(seconds).padStart(2, '0')}Z`;
const write = (manager: string, seconds = 0, more: Partial<Write> = {}): Write => ({
  shape,
  apiVersion: 'v1',
  manager,
  subresource: '',
  now: at(seconds),
  reset: undefined,
  convert: (value, version) => (version === 'v1' ? { shape, value } : undefined),
  ...more,
});
const map = (data: Json, metadata: Json = { name: 'a', uid: 'u', resourceVersion: '1' }): Json => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata,
  data,
});
const shown = (managed: ManagedFields): readonly string[] =>
  managed.map(({ manager, set, time }) => `${manager} ${time.slice(17, 19)} ${encodeFields(set)}`);

describe('owners of fields', () => {
  it('are whoever changed them last; what names the object is owned by nobody', () => {
    const first = trackUpdate([], write('ann', 1), blank, map({ a: '1', b: '1' }));
    expect(shown(first)).toEqual(['ann 01 {"f:data":{".":{},"f:a":{},"f:b":{}}}']);
    const second = trackUpdate(first, write('bob', 2), map({ a: '1', b: '1' }), map({ a: '1', b: '2', c: '1' }));
    expect(shown(second)).toEqual(['ann 01 {"f:data":{".":{},"f:a":{}}}', 'bob 02 {"f:data":{"f:b":{},"f:c":{}}}']);
    const third = trackUpdate(second, write('ann', 3), map({ a: '1', b: '2', c: '1' }), map({ b: '2' }));
    expect(shown(third)).toEqual(['ann 01 {"f:data":{".":{}}}', 'bob 02 {"f:data":{"f:b":{}}}'].map(fixed));
  });

  it('stay the very same where nothing changed', () => {
    const managed = trackUpdate([], write('ann'), blank, map({ a: '1' }));
    expect(trackUpdate(managed, write('bob', 9), map({ a: '1' }), map({ a: '1' }))).toBe(managed);
    const renamed = map({ a: '1' }, { name: 'a', uid: 'u', resourceVersion: '2' });
    expect(shown(trackUpdate(managed, write('bob', 9), map({ a: '1' }), renamed))).toEqual(shown(managed));
  });

  it('of fields that cannot be written here are not made', () => {
    const reset = pathSet(fieldElement('data'));
    expect(trackUpdate([], write('ann', 0, { reset }), blank, map({ a: '1' }))).toEqual([]);
  });

  it('without a name are unknown', () => {
    expect(trackUpdate([], write(''), blank, map({ a: '1' }))[0]?.manager).toBe('unknown');
  });

  it('in a version nobody serves are forgotten', () => {
    const old: ManagedEntry = {
      manager: 'old',
      operation: 'Update',
      apiVersion: 'v0',
      time: at(0),
      subresource: '',
      set: pathSet(fieldElement('data')),
    };
    const managed = trackUpdate([old], write('ann', 1), map({}), map({ a: '1' }));
    expect(managed.map(({ manager }) => manager)).toEqual(['ann']);
  });

  it('are at most ten updaters; the oldest become one', () => {
    let managed: ManagedFields = [];
    let data: { [key: string]: string } = {};
    for (let i = 0; i < 14; i++) {
      const next = { ...data, [`k${i}`]: 'x' };
      managed = trackUpdate(managed, write(`m${i}`, i), i === 0 ? blank : map(data), map(next));
      data = next;
    }
    expect(managed.length).toBe(10);
    expect(shown(managed)[0]).toBe(
      'ancient-changes 04 {"f:data":{".":{},"f:k0":{},"f:k1":{},"f:k2":{},"f:k3":{},"f:k4":{}}}',
    );
    expect(managed.at(-1)?.manager).toBe('m13');
  });

  it('are shown by operation, time and name', () => {
    const entry = (manager: string, operation: 'Apply' | 'Update', seconds: number): ManagedEntry => ({
      manager,
      operation,
      apiVersion: 'v1',
      time: at(seconds),
      subresource: '',
      set: EMPTY,
    });
    const entries = [entry('b', 'Update', 1), entry('a', 'Update', 1), entry('z', 'Update', 0), entry('q', 'Apply', 9)];
    expect(sortManaged(entries).map(({ manager }) => manager)).toEqual(['q', 'z', 'a', 'b']);
  });

  it('are written and read', () => {
    const managed = trackUpdate([], write('ann "x"', 1, { subresource: 'status' }), blank, map({ a: '1' }));
    expect(JSON.parse(encodeManaged(managed))).toEqual([
      {
        manager: 'ann "x"',
        operation: 'Update',
        apiVersion: 'v1',
        time: at(1),
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } },
        subresource: 'status',
      },
    ]);
    expect(decodeManaged(JSON.parse(encodeManaged(managed)) as never)).toEqual(managed);
  });

  it('that make no sense are refused in the words of Kubernetes', () => {
    const good = { operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' };
    const wrong: readonly (readonly [object, string])[] = [
      [{ ...good, operation: 'Other' }, 'operation must be `Apply` or `Update`'],
      [{ ...good, apiVersion: '' }, 'apiVersion must not be empty'],
      [{ ...good, fieldsType: undefined }, 'missing fieldsType in managed fields entry 0'],
      [{ ...good, fieldsType: 'x' }, 'invalid fieldsType "x" in managed fields entry 0'],
      [{ ...good, fieldsV1: { x: {} } }, 'key must be 2 characters long'],
    ];
    for (const [entry, message] of wrong) expect(() => decodeManaged([entry])).toThrow(message);
  });

  it('of alike objects are kept once', () => {
    const one = trackUpdate([], write('ann'), blank, map({ a: '1' }));
    const other = trackUpdate([], write('ann', 5), blank, map({ a: '2' }));
    expect(shareManaged(one, other)[0]?.set).toBe(one[0]?.set);
  });
});

/** A map that is left empty still belongs to the manager that made it. */
const fixed = (text: string): string => text.replace('{"f:data":{".":{}}}', '{"f:data":{}}');
