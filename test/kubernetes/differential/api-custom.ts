/** Custom kinds that cases write objects of: made once, before the first case. */
import type { Json } from '../../../src/core/kube/json.ts';
import type { KindOfCase, Manifest } from './api-manifests.ts';

const GROUP = 'differential.example.com';

const definition = (
  plural: string,
  kind: string,
  schema: Json,
  more: Manifest = {},
  scope = 'Namespaced',
): Manifest => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${GROUP}` },
  spec: {
    group: GROUP,
    scope,
    names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more }],
  },
});

const string = { type: 'string' };
const integer = { type: 'integer' };

export const DEFINITIONS: readonly Manifest[] = [
  definition(
    'widgets',
    'Widget',
    {
      type: 'object',
      required: ['spec'],
      properties: {
        spec: {
          type: 'object',
          required: ['size'],
          properties: {
            size: { ...integer, minimum: 1, maximum: 100, default: 3 },
            color: { ...string, enum: ['red', 'green'], default: 'red' },
            code: { ...string, pattern: '^[a-z]+$', maxLength: 5 },
            when: { ...string, format: 'date-time' },
            port: { 'x-kubernetes-int-or-string': true },
            parts: {
              type: 'array',
              maxItems: 4,
              'x-kubernetes-list-type': 'map',
              'x-kubernetes-list-map-keys': ['name'],
              items: {
                type: 'object',
                required: ['name'],
                properties: { name: string, count: { ...integer, default: 1 } },
              },
            },
            tags: { type: 'array', items: string, 'x-kubernetes-list-type': 'set' },
            labels: { type: 'object', additionalProperties: string },
            free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            maybe: { ...integer, nullable: true },
            fixed: { ...string, 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'is fixed' }] },
          },
          'x-kubernetes-validations': [
            { rule: '!has(self.code) || self.size > 1', message: 'too small for a code', fieldPath: '.size' },
          ],
        },
        status: { type: 'object', properties: { size: integer, phase: string } },
      },
    },
    {
      subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
      additionalPrinterColumns: [
        { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
        { name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1 },
      ],
    },
  ),
  definition('blobs', 'Blob', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, {}, 'Cluster'),
];

export const CUSTOM_KINDS: readonly KindOfCase[] = [
  {
    group: GROUP,
    version: 'v1',
    kind: 'Widget',
    weight: 10,
    bodies: [
      { spec: { size: 5 } },
      { spec: {} },
      {
        spec: {
          size: 7,
          color: 'green',
          code: 'abc',
          when: '2021-01-01T00:00:00Z',
          port: 'http',
          parts: [{ name: 'a' }, { name: 'b', count: 2 }],
          tags: ['x', 'y'],
          labels: { a: 'b' },
          free: { a: { b: [1, null] } },
          maybe: null,
          fixed: 'f',
        },
      },
    ],
  },
  { group: GROUP, version: 'v1', kind: 'Blob', weight: 2, bodies: [{ a: 1, b: { c: ['x', 1.5, null] } }] },
];

/** How requests find them; ours knows them only while it runs. */
export const CUSTOM_RESOURCES = [
  { kind: 'Widget', resource: 'widgets', namespaced: true, subresources: ['status', 'scale'] },
  { kind: 'Blob', resource: 'blobs', namespaced: false, subresources: [] },
] as const;
