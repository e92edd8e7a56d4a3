import { describe, expect, it } from 'vitest';
import { KUBERNETES_TYPES } from '../facts/kubernetes-types.ts';
import { OWN_TYPES } from '../facts/own-types.ts';
import { type FieldFact, parseFacts, type TypeExpression } from './parse-facts.ts';

const only = (line: string): FieldFact => {
  const field = parseFacts(`x/v1.T\n ${line}\n`).get('x/v1.T')?.fields[0];
  if (field === undefined) throw new Error('no field');
  return field;
};

describe('parseFacts', () => {
  it('reads a type and its markers', () => {
    const types = parseFacts('\na/v1.A atomic typed\n name 1 string\nb/v1.B open\n');
    expect([...types.keys()]).toEqual(['a/v1.A', 'b/v1.B']);
    expect(types.get('a/v1.A')).toMatchObject({ atomic: true, typed: true, open: false });
    expect(types.get('b/v1.B')).toMatchObject({ atomic: false, typed: false, open: true, fields: [] });
  });

  it('reads a plain field', () => {
    expect(only('replicas 3 *int32')).toEqual({
      name: 'replicas',
      number: 3,
      type: { kind: 'scalar', scalar: 'int32' },
      pointer: true,
      always: false,
      omitZero: false,
      required: false,
      atomicMap: false,
      patchStrategies: [],
    });
  });

  it('reads markers for patches and apply', () => {
    expect(
      only('ports 6 []core/v1.ContainerPort list=map(containerPort+protocol) patch=merge+retainKeys mergekey=name'),
    ).toMatchObject({
      listType: 'map',
      listMapKeys: ['containerPort', 'protocol'],
      patchStrategies: ['merge', 'retainKeys'],
      patchMergeKey: 'name',
    });
    expect(only('x 1 []string always required list=set')).toMatchObject({
      always: true,
      required: true,
      listType: 'set',
    });
    expect(only('x 1 {}string map=atomic')).toMatchObject({ atomicMap: true });
    expect(only('protocol 1 string as=v1.Protocol')).toMatchObject({ goType: 'v1.Protocol' });
  });

  it.each<[string, TypeExpression]>([
    ['[]string', { kind: 'list', element: { kind: 'scalar', scalar: 'string' }, wrapped: false }],
    ['{}quantity', { kind: 'map', value: { kind: 'scalar', scalar: 'quantity' } }],
    ['items<string>', { kind: 'list', element: { kind: 'scalar', scalar: 'string' }, wrapped: true }],
    [
      '{}[]core/v1.Pod',
      { kind: 'map', value: { kind: 'list', element: { kind: 'object', name: 'core/v1.Pod' }, wrapped: false } },
    ],
  ])('reads the type %s', (text, type) => {
    expect(only(`x 1 ${text}`).type).toEqual(type);
  });

  it('marks fields that JSON writes inline and those that protobuf does not have', () => {
    expect(only('~ 2 core/v1.VolumeSource')).toMatchObject({ name: '', number: 2 });
    expect(only('status - *raw')).toMatchObject({ number: 0 });
  });
});

describe('the facts', () => {
  const types = new Map([...parseFacts(KUBERNETES_TYPES), ...parseFacts(OWN_TYPES)]);
  const namesIn = (type: TypeExpression): string[] => {
    if (type.kind === 'object') return [type.name];
    if (type.kind === 'list') return namesIn(type.element);
    return type.kind === 'map' ? namesIn(type.value) : [];
  };

  it('name no type that is not there', () => {
    const named = [...types.values()].flatMap((type) => type.fields.flatMap((field) => namesIn(field.type)));
    expect(named.filter((name) => !types.has(name))).toEqual([]);
  });

  it('give every field of a message a number of its own', () => {
    const clashing = [...types.values()].filter(({ fields }) => {
      const numbers = fields.map((field) => field.number).filter((number) => number > 0);
      return new Set(numbers).size !== numbers.length;
    });
    expect(clashing.map((type) => type.name)).toEqual([]);
  });
});
