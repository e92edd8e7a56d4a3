/**
 * Definitions of the size and shape that operators bring: some kinds, several versions, hundreds of nested fields with
 * descriptions, pod templates, label selectors, lists by key, int-or-string, rules, columns, subresources, a service that
 * converts. Made here, so that the size can be told.
 */
import type { CustomResourceDefinition, JSONSchemaProps } from '../../src/core/api/types/apiextensions-v1.ts';

const text = (description: string, more: JSONSchemaProps = {}): JSONSchemaProps => ({
  type: 'string',
  description,
  ...more,
});
const object = (properties: { [name: string]: JSONSchemaProps }, more: JSONSchemaProps = {}): JSONSchemaProps => ({
  type: 'object',
  properties,
  ...more,
});
const WORDS =
  'Says how this part behaves when the request is made, when it is renewed and when it is taken back; empty means what the controller was told.';

const quantity: JSONSchemaProps = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
  pattern: String.raw`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`,
};

const selector = object({
  matchLabels: { type: 'object', additionalProperties: { type: 'string' } },
  matchExpressions: {
    type: 'array',
    'x-kubernetes-list-type': 'atomic',
    items: object(
      { key: text(WORDS), operator: text(WORDS), values: { type: 'array', items: { type: 'string' } } },
      { required: ['key', 'operator'] },
    ),
  },
});

const container = object(
  {
    name: text(WORDS, { maxLength: 63 }),
    image: text(WORDS),
    args: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: { type: 'string' } },
    env: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: object({ name: text(WORDS), value: text(WORDS) }, { required: ['name'] }),
    },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
      items: object(
        {
          containerPort: { type: 'integer', format: 'int32' },
          protocol: { type: 'string', default: 'TCP' },
          name: { type: 'string' },
        },
        { required: ['containerPort'] },
      ),
    },
    resources: object({
      limits: { type: 'object', additionalProperties: quantity },
      requests: { type: 'object', additionalProperties: quantity },
    }),
  },
  { required: ['name'] },
);

const template = object({
  metadata: object({
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    annotations: { type: 'object', additionalProperties: { type: 'string' } },
  }),
  spec: object({
    containers: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: container,
    },
    nodeSelector: { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' },
    tolerations: {
      type: 'array',
      items: object({
        key: text(WORDS),
        operator: text(WORDS),
        effect: text(WORDS),
        tolerationSeconds: { type: 'integer', format: 'int64' },
      }),
    },
    affinity: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  }),
});

const solver = (name: string): JSONSchemaProps =>
  object(
    {
      name: text(WORDS, { default: name }),
      server: text(WORDS, { format: 'uri' }),
      timeout: text(WORDS, { format: 'duration' }),
      secretRef: object({ name: text(WORDS), key: text(WORDS) }, { required: ['name'] }),
      selector,
      weight: { type: 'integer', minimum: 0, maximum: 100 },
      config: { 'x-kubernetes-preserve-unknown-fields': true },
      port: { 'x-kubernetes-int-or-string': true },
      template,
    },
    { description: WORDS },
  );

const conditions: JSONSchemaProps = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: object(
    {
      type: text(WORDS),
      status: text(WORDS, { enum: ['True', 'False', 'Unknown'] }),
      lastTransitionTime: text(WORDS, { format: 'date-time' }),
      reason: text(WORDS),
      message: text(WORDS),
      observedGeneration: { type: 'integer', format: 'int64' },
    },
    { required: ['type', 'status'] },
  ),
};

function schemaOf(solvers: number): JSONSchemaProps {
  const names = Array.from({ length: solvers }, (_, i) => `solver${i}`);
  const spec = object(
    {
      secretName: text(WORDS, { minLength: 1 }),
      dnsNames: {
        type: 'array',
        'x-kubernetes-list-type': 'set',
        maxItems: 100,
        items: { type: 'string', maxLength: 253 },
      },
      duration: text(WORDS),
      renewBefore: text(WORDS),
      isCA: { type: 'boolean' },
      issuerRef: object({ name: text(WORDS), kind: text(WORDS), group: text(WORDS) }, { required: ['name'] }),
      usages: { type: 'array', items: { type: 'string', enum: ['signing', 'server auth', 'client auth', 'any'] } },
      privateKey: object({
        algorithm: text(WORDS, { enum: ['RSA', 'ECDSA', 'Ed25519'], default: 'RSA' }),
        size: { type: 'integer' },
        rotationPolicy: text(WORDS, { enum: ['Never', 'Always'] }),
      }),
      ...Object.fromEntries(names.map((name) => [name, solver(name)])),
    },
    {
      required: ['secretName', 'issuerRef'],
      'x-kubernetes-validations': [
        {
          rule: '!has(self.duration) || !has(self.renewBefore) || duration(self.renewBefore) < duration(self.duration)',
          message: 'renewBefore must be shorter than duration',
        },
        {
          rule: 'has(self.dnsNames) ? self.dnsNames.all(n, !n.startsWith("-")) : true',
          message: 'names must not begin with a dash',
        },
      ],
      oneOf: [{ required: ['dnsNames'] }, { required: ['isCA'] }],
    },
  );
  return object(
    {
      apiVersion: text(WORDS),
      kind: text(WORDS),
      metadata: { type: 'object' },
      spec,
      status: object({ conditions, notAfter: text(WORDS, { format: 'date-time' }), revision: { type: 'integer' } }),
    },
    { description: WORDS, required: ['spec'] },
  );
}

const KINDS = ['Certificate', 'Request', 'Issuer', 'ClusterIssuer', 'Order', 'Challenge'];

export const operatorSet = (group: string, solvers = 12): readonly CustomResourceDefinition[] =>
  KINDS.map((kind, i) => {
    const plural = `${kind.toLowerCase()}s`;
    const version = (
      name: string,
      storage: boolean,
      count: number,
    ): CustomResourceDefinition['spec']['versions'][number] => ({
      name,
      served: true,
      storage,
      ...(storage ? {} : { deprecated: true }),
      schema: { openAPIV3Schema: schemaOf(count) },
      subresources: { status: {} },
      additionalPrinterColumns: [
        { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
        { name: 'Secret', type: 'string', jsonPath: '.spec.secretName' },
        { name: 'Issuer', type: 'string', jsonPath: '.spec.issuerRef.name', priority: 1 },
        { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', description: WORDS },
      ],
    });
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}`, labels: { app: 'operator' }, annotations: { made: 'by hand' } },
      spec: {
        group,
        scope: kind.startsWith('Cluster') ? 'Cluster' : 'Namespaced',
        names: { plural, kind, listKind: `${kind}List`, singular: kind.toLowerCase(), categories: ['operator'] },
        versions: [version('v1', true, solvers), ...(i < 2 ? [version('v1beta1', false, solvers - 1)] : [])],
        conversion: { strategy: 'None' },
      },
    };
  });
