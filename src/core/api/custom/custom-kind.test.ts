import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../kube/objects.ts';
import { V2, V3 } from '../openapi/schemas.ts';
import type { CustomResourceDefinition, JSONSchemaProps } from '../types/apiextensions-v1.ts';
import { customKinds } from './custom-kind.ts';
import { customDefinitions } from '../openapi/custom-schemas.ts';

type Version = CustomResourceDefinition['spec']['versions'][number];

const schema: JSONSchemaProps = {
  type: 'object',
  description: 'A thing.',
  properties: {
    spec: {
      type: 'object',
      required: ['name', 'maybe'],
      properties: {
        name: { type: 'string', description: 'Its name.' },
        maybe: { type: 'array', nullable: true, items: { type: 'string' } },
        port: { 'x-kubernetes-int-or-string': true },
        any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } },
        list: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k', 'p'],
          items: { type: 'object', properties: { k: { type: 'string' }, p: { type: 'string', default: 'TCP' } } },
        },
      },
    },
  },
};
const version = (name: string, more: Partial<Version> = {}): Version => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: schema },
  ...more,
});
const definition = (versions: readonly Version[], conditions = ['Established']): CustomResourceDefinition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.stable.example.com' },
  spec: { group: 'stable.example.com', scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' }, versions },
  status: {
    acceptedNames: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList', shortNames: ['th'] },
    conditions: conditions.map((type) => ({ type, status: 'True' })),
  },
});
const only = (more: Partial<Version> = {}) => {
  const [kind] = customKinds(definition([version('v1', { storage: true, ...more })]));
  if (kind === undefined) throw new Error('no kind');
  return kind;
};

describe('kinds of a definition', () => {
  it('are there once it is established, one for each served version', () => {
    expect(customKinds(definition([version('v1', { storage: true })], []))).toEqual([]);
    const kinds = customKinds(
      definition([version('v1beta1'), version('v1', { storage: true }), version('v2', { served: false })]),
    );
    expect(kinds.map((kind) => [kind.version, kind.secondary ?? false, kind.storage.version])).toEqual([
      ['v1beta1', true, 'v1'],
      ['v1', false, 'v1'],
    ]);
  });

  it('have a principal even where the stored version is not served', () => {
    const kinds = customKinds(
      definition([version('v1alpha1'), version('v2', { storage: true, served: false }), version('v1')]),
    );
    expect(kinds.filter(({ secondary }) => secondary !== true).map((kind) => kind.version)).toEqual(['v1']);
  });

  it('can no longer be created when the definition goes', () => {
    const kinds = customKinds(definition([version('v1', { storage: true })], ['Established', 'Terminating']));
    expect(kinds[0]?.verbs).not.toContain('create');
    expect(kinds[0]?.verbs).toContain('update');
  });

  it('warn where a version is deprecated, and name a better one', () => {
    const kinds = customKinds(
      definition([
        version('v1', { storage: true }),
        version('v1beta1', { deprecated: true }),
        version('v1alpha1', { deprecated: true, deprecationWarning: 'leave it' }),
      ]),
    );
    expect(kinds.map((kind) => kind.deprecated)).toEqual([
      undefined,
      'stable.example.com/v1beta1 Thing is deprecated; use stable.example.com/v1 Thing',
      'leave it',
    ]);
  });

  it('tell apply how their lists are merged', () => {
    const spec = only().custom?.node.child('spec');
    const list = spec?.kind === 'object' ? spec.child('list') : undefined;
    expect(list).toMatchObject({ kind: 'list', listType: 'map', listMapKeys: ['k', 'p'], keyDefaults: { p: 'TCP' } });
  });

  it('warn of a finalizer without a domain when it is added, and not of one that was there', () => {
    const { warnings } = only().strategy;
    const thing = (...finalizers: readonly string[]): KubeObject => ({
      apiVersion: 'stable.example.com/v1',
      kind: 'Thing',
      metadata: { name: 'a', finalizers },
    });
    const told = (object: KubeObject, old?: KubeObject) => warnings?.(object, old).map((text) => text.split('"')[1]);
    expect(told(thing('web', 'example.com/guard', 'api', 'web'))).toEqual(['api', 'web']);
    expect(told(thing('web', 'api'), thing('web'))).toEqual(['api']);
    expect(told(thing('web'), thing('web'))).toEqual([]);
  });

  it('print the columns they were given', () => {
    const { columns, row } = only({
      additionalPrinterColumns: [
        { name: 'Text', type: 'string', jsonPath: '.spec.name' },
        { name: 'Count', type: 'integer', jsonPath: '.spec.count' },
        { name: 'Rate', type: 'number', jsonPath: '.spec.rate' },
        { name: 'On', type: 'boolean', jsonPath: '.spec.on' },
        { name: 'Since', type: 'date', jsonPath: '.spec.since' },
        { name: 'Data', type: 'string', jsonPath: '.spec.data', priority: 1 },
      ],
    }).printer;
    expect(columns.map(({ name, priority }) => `${name} ${priority}`)).toEqual([
      'Name 0',
      'Text 0',
      'Count 0',
      'Rate 0',
      'On 0',
      'Since 0',
      'Data 1',
    ]);
    const now = Date.parse('2026-01-01T01:00:00Z');
    const cells = (spec: object): unknown => row({ metadata: { name: 'x' }, spec } as unknown as KubeObject, now);
    expect(
      cells({ name: 'n', count: 2.7, rate: 1.5, on: true, since: '2026-01-01T00:00:00Z', data: { b: 1, a: [2] } }),
    ).toEqual(['x', 'n', 2, 1.5, true, '60m', '{"a":[2],"b":1}']);
    expect(cells({})).toEqual(['x', null, null, null, null, null, null]);
    expect(cells({ name: null, count: 'x', rate: 'x', on: 1, since: 'x' })).toEqual([
      'x',
      '<nil>',
      null,
      null,
      null,
      '<invalid>',
      null,
    ]);
  });
});

describe('OpenAPI of a custom kind', () => {
  const document = (dialect: typeof V2): JSONSchemaProps => {
    const [first] = customDefinitions(only(), dialect);
    expect(first?.[0]).toBe('com.example.stable.v1.Thing');
    return first?.[1] as JSONSchemaProps;
  };

  it('says all there is in version 3', () => {
    const { properties } = document(V3);
    expect(properties?.['spec']?.properties?.['name']).toEqual({ type: 'string', description: 'Its name.' });
    expect(properties?.['spec']?.properties?.['port']).toMatchObject({
      anyOf: [{ type: 'integer' }, { type: 'string' }],
    });
    expect(properties?.['metadata']).toMatchObject({ allOf: [{ $ref: expect.stringContaining('ObjectMeta') }] });
  });

  it('leaves out in version 2 what kubectl cannot read', () => {
    const spec = document(V2).properties?.['spec'];
    expect(spec?.required).toEqual(['name']);
    expect(spec?.properties?.['maybe']).toEqual({});
    expect(spec?.properties?.['any']).toEqual({ 'x-kubernetes-preserve-unknown-fields': true });
  });

  it('says nothing of fields where everything is kept', () => {
    const open = { ...schema, 'x-kubernetes-preserve-unknown-fields': true };
    const [first] = customDefinitions(only({ schema: { openAPIV3Schema: open } }), V2);
    expect(first?.[1]).toMatchObject({ type: 'object' });
    expect(first?.[1]).not.toHaveProperty('properties');
  });
});

describe('rules that came after an object', () => {
  const good = [{ rule: "self == 'good'", message: 'must be good' }];
  const part: JSONSchemaProps = {
    type: 'object',
    properties: { a: { type: 'string', 'x-kubernetes-validations': good } },
  };
  const whole: JSONSchemaProps = {
    type: 'object',
    'x-kubernetes-validations': [{ rule: "!has(self.a) || self.a == 'good'" }],
    properties: { a: { type: 'string' }, part, free: { type: 'string' } },
  };
  const objects: JSONSchemaProps = { type: 'object', properties: { spec: whole, status: part } };
  const { strategy } = only({ schema: { openAPIV3Schema: objects }, subresources: { status: {} } });
  const of = (spec: object, labels?: { readonly [key: string]: string }): KubeObject =>
    ({
      apiVersion: 'stable.example.com/v1',
      kind: 'Thing',
      metadata: { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '1', ...(labels ? { labels } : {}) },
      spec,
      status: { a: 'bad' },
    }) as unknown as KubeObject;
  const judged = (object: KubeObject, old: KubeObject, subresource = ''): readonly unknown[] => {
    const errors = strategy.validateUpdate(object, old, subresource);
    return [errors.map(({ field, message }) => `${field}: ${message}`), strategy.ratcheted?.(object) ?? []];
  };
  const SPEC = "spec: Invalid value: failed rule: !has(self.a) || self.a == 'good'";
  const PART = 'spec.part.a: Invalid value: "bad": must be good';
  const STATUS = 'status.a: Invalid value: "bad": must be good';

  it('warn of what did not change, whether it is the same value or an equal one', () => {
    const spec = { a: 'bad', part: { a: 'bad' } };
    const old = of(spec);
    expect(judged(of(spec, { x: 'y' }), old)).toEqual([[], [SPEC, PART, STATUS]]);
    expect(judged(of(structuredClone(spec), { x: 'z' }), old)).toEqual([[], [SPEC, PART, STATUS]]);
    expect(judged(of(spec, { x: 'z' }), old, 'status')).toEqual([[], [SPEC, PART, STATUS]]);
  });

  it('refuse what changed, and warn of the rest all the same', () => {
    const spec = { a: 'bad', part: { a: 'bad' } };
    expect(judged(of({ ...spec, free: 'x' }), of(spec))).toEqual([[SPEC], [PART, STATUS]]);
  });

  it('have nothing to say about what is fine, however often it is asked', () => {
    const spec = { a: 'good', part: { a: 'good' } };
    const old = { ...of(spec), status: { a: 'good' } } as KubeObject;
    for (const x of ['y', 'z']) {
      const next = { ...of(spec, { x }), status: (old as unknown as { readonly status: object }).status } as KubeObject;
      expect(judged(next, old)).toEqual([[], []]);
    }
  });
});
