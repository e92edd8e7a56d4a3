/** Requests that were answered differently once, found by seeds that are not asked every day. They are asked every time. */
import type { JsonObject } from '../../../src/core/kube/json.ts';
import { applied, workload } from './api-operations.ts';
import type { Example, Operation } from './api-sequences.ts';

const SERVICE = { apiVersion: 'v1', kind: 'Service', metadata: { name: '$name' } };
const statusOf = (object: JsonObject, status: JsonObject = {}): Operation => ({
  method: 'PUT',
  on: 'object',
  subresource: 'status',
  body: { ...object, status },
});
const appliedStatus = (object: JsonObject): Operation => ({
  method: 'PATCH',
  on: 'object',
  subresource: 'status',
  contentType: 'application/apply-patch+yaml',
  query: { fieldManager: 'alpha' },
  body: { ...object, status: { loadBalancer: { ingress: [{ ip: '10.1.1.1' }] } } },
});

const merged = (body: JsonObject, query: { readonly [name: string]: string } = {}): Operation => ({
  method: 'PATCH',
  on: 'object',
  contentType: 'application/merge-patch+json',
  body,
  query,
});

const REVISION = {
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { name: '$name' },
  data: { spec: { template: { x: [1] } } },
  revision: 7,
};
const definition = (schema: JsonObject): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.$name.example.com' },
  spec: {
    group: '$name.example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});
const STRICT = { fieldValidation: 'Strict' };
const strictly = (body: JsonObject, twice?: string): Operation => ({
  method: 'POST',
  on: 'collection',
  query: STRICT,
  body,
  ...(twice === undefined ? {} : { twice }),
});

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '$name' } };
const WIDGET = {
  apiVersion: 'differential.example.com/v1',
  kind: 'Widget',
  metadata: { name: '$name' },
  spec: { size: 5 },
};
const POLICY = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: '$name' },
};
const REPLICA_SET = workload('ReplicaSet');
const SCALE = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: '$name' }, spec: { replicas: '3' } };

export const FOUND: readonly (Example & { readonly name: string })[] = [
  {
    name: 'the status of a Service that is not there',
    kind: 'Service',
    operations: [
      statusOf(SERVICE),
      statusOf({ ...SERVICE, metadata: { name: '$name', uid: 'b9f7d6f2-54d1-4ac4-9a0e-4f2b1b9d7a11' } }),
      statusOf({ ...SERVICE, metadata: { name: 'other' } }),
      appliedStatus(SERVICE),
      statusOf({ ...SERVICE, spec: { clusterIP: 'None', selector: { a: 'b' } } }),
    ],
  },
  {
    name: 'the status of an autoscaler that is not there',
    kind: 'HorizontalPodAutoscaler',
    version: 'v2',
    operations: [
      statusOf(
        { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: '$name' } },
        { currentReplicas: 1, desiredReplicas: 1 },
      ),
    ],
  },
  {
    name: 'keys twice in the data of a ControllerRevision',
    kind: 'ControllerRevision',
    operations: [strictly(REVISION, 'template'), { method: 'GET', on: 'object' }, strictly(REVISION, 'data')],
  },
  {
    name: 'keys twice, and unknown ones, in alternatives of a schema',
    kind: 'CustomResourceDefinition',
    operations: [
      strictly(
        definition({ type: 'object', properties: { l: { type: 'array', items: { type: 'string', bogus: 1 } } } }),
        'bogus',
      ),
      { method: 'GET', on: 'object' },
      { method: 'DELETE', on: 'object' },
      strictly(definition({ type: 'object', properties: { l: { type: 'string', bogus: 1 } } })),
      strictly(definition({ type: 'object', properties: { l: { type: 'string' } } }), 'l'),
      strictly(definition({ type: 'object', bogus: { a: { b: 1 } } }), 'b'),
    ],
  },
  {
    name: 'a patch that leaves nothing of an autoscaler in its older version',
    kind: 'HorizontalPodAutoscaler',
    version: 'v1',
    operations: [
      {
        method: 'POST',
        on: 'collection',
        body: {
          apiVersion: 'autoscaling/v1',
          kind: 'HorizontalPodAutoscaler',
          metadata: { name: '$name' },
          spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, maxReplicas: 3 },
        },
      },
      {
        method: 'PATCH',
        on: 'object',
        contentType: 'application/json-patch+json',
        body: [{ op: 'replace', path: '/spec', value: null }],
      },
    ],
  },
  {
    name: 'a pod that names no account that could be',
    kind: 'Pod',
    operations: [
      {
        method: 'POST',
        on: 'collection',
        body: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { generateName: '$name-' },
          spec: { serviceAccountName: 'example.com/y', containers: [{ name: 'c', image: 'i' }] },
        },
      },
    ],
  },
  {
    name: 'a body about another object, with owners twice',
    kind: 'ConfigMap',
    operations: [
      {
        method: 'PUT',
        on: 'object',
        body: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: {
            name: 'other',
            ownerReferences: [
              { apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'u' },
              { apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'u' },
            ],
          },
        },
      },
    ],
  },
  {
    name: 'a change of a Service that asks for what cannot be had',
    kind: 'Service',
    operations: [
      {
        method: 'POST',
        on: 'collection',
        body: { ...SERVICE, spec: { type: 'NodePort', ports: [{ port: 80 }] } },
      },
      merged({ spec: { ipFamilies: ['IPv4', 'IPv6'], trafficDistribution: 'x' } }),
      merged({ spec: { ports: [{ port: 0, nodePort: 2 }] } }),
      merged({ spec: { ports: [{ port: 0, nodePort: 2 }] } }, { dryRun: 'All' }),
    ],
  },
  {
    name: 'YAML with two mistakes, told in the order of its keys',
    kind: 'ConfigMap',
    operations: [
      {
        method: 'POST',
        on: 'collection',
        contentType: 'application/yaml',
        body: { ...CONFIG_MAP, data: { a: {} }, binaryData: { b: '!!!' } },
      },
      {
        method: 'POST',
        on: 'collection',
        contentType: 'application/yaml',
        query: STRICT,
        body: { ...CONFIG_MAP, zebra: 1, ant: 2 },
      },
    ],
  },
  {
    name: 'metadata of a custom resource that are not of their type, applied',
    kind: 'Widget',
    operations: [
      applied({ ...WIDGET, metadata: { name: '$name', labels: { a: true } } }),
      applied({ ...WIDGET, metadata: { name: '$name', generation: 'x' } }),
    ],
  },
  {
    name: 'a list where a custom resource has a text with a format',
    kind: 'Widget',
    operations: [
      { method: 'POST', on: 'collection', body: { ...WIDGET, spec: { size: 5, when: [1] } } },
      { method: 'PUT', on: 'object', edits: [{ path: ['spec', 'size'], value: 6 }] },
    ],
  },
  {
    name: 'the status of a ValidatingAdmissionPolicy that is not there, applied',
    kind: 'ValidatingAdmissionPolicy',
    operations: [
      { ...applied({ ...POLICY, status: {} }), subresource: 'status' },
      statusOf(POLICY),
      {
        ...applied({
          ...POLICY,
          spec: {
            matchConstraints: {
              resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
            },
            validations: [{ expression: 'true' }],
          },
          status: { observedGeneration: 1 },
        }),
        subresource: 'status',
      },
    ],
  },
  {
    name: 'objects that an apply makes while they are being deleted',
    kind: 'ConfigMap',
    operations: [
      applied({ ...CONFIG_MAP, metadata: { name: '$name', deletionTimestamp: '2021-01-01T00:00:00.5+02:00' } }),
      { method: 'PUT', on: 'object', edits: [{ path: ['data'], value: { a: 'b' } }] },
      { method: 'DELETE', on: 'object' },
      applied({ ...CONFIG_MAP, metadata: { name: '$name', deletionGracePeriodSeconds: 30 } }),
    ],
  },
  {
    name: 'a selector that is replaced, with a null in it',
    kind: 'PodDisruptionBudget',
    operations: [
      {
        method: 'POST',
        on: 'collection',
        body: {
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
          metadata: { name: '$name' },
          spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } },
        },
      },
      {
        method: 'PATCH',
        on: 'object',
        contentType: 'application/strategic-merge-patch+json',
        body: { spec: { selector: { matchLabels: { a: null } } } },
      },
    ],
  },
  {
    name: 'Scales that cannot be read',
    kind: 'ReplicaSet',
    operations: [
      { method: 'PUT', on: 'object', subresource: 'scale', body: SCALE },
      { method: 'POST', on: 'collection', body: REPLICA_SET },
      { method: 'PUT', on: 'object', subresource: 'scale', body: SCALE },
      { ...merged({ spec: { replicas: '3' } }), subresource: 'scale' },
      { ...merged({ spec: { replicas: 2, more: 1 } }, STRICT), subresource: 'scale' },
      {
        ...merged({ spec: { replicas: '3' } }),
        contentType: 'application/strategic-merge-patch+json',
        subresource: 'scale',
      },
    ],
  },
  {
    name: 'items of an applied list whose key is no scalar',
    kind: 'ServiceAccount',
    operations: [{}, { a: 'b' }, ['x', 1]].map((name) =>
      applied({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: '$name' }, secrets: [{ name }] }),
    ),
  },
  {
    name: 'numbers with a fraction, applied to integers',
    kind: 'ReplicaSet',
    operations: [
      applied({ ...REPLICA_SET, spec: { ...REPLICA_SET.spec, replicas: 1.5 } }),
      applied({ ...REPLICA_SET, metadata: { name: '$name', generation: 1.5 } }),
    ],
  },
  {
    name: 'node ports of a Service that cannot have any',
    kind: 'Service',
    operations: [
      { method: 'PUT', on: 'object', body: { ...SERVICE, spec: { ports: [{ port: 30, nodePort: 10 }] } } },
      { method: 'POST', on: 'collection', body: { ...SERVICE, spec: { ports: [{ port: 30 }] } } },
      merged({ spec: { ports: [{ port: 30, nodePort: 10 }] } }),
    ],
  },
  {
    name: 'a change of an EndpointSlice that is dropped',
    kind: 'EndpointSlice',
    operations: [
      {
        method: 'POST',
        on: 'collection',
        body: {
          apiVersion: 'discovery.k8s.io/v1',
          kind: 'EndpointSlice',
          metadata: { name: '$name' },
          addressType: 'IPv4',
          endpoints: [{ addresses: ['10.0.0.1'] }],
          ports: [],
        },
      },
      { method: 'PUT', on: 'object', edits: [{ path: ['endpoints', 0, 'deprecatedTopology'], value: { a: 'b' } }] },
    ],
  },
  {
    name: 'amounts beyond 64 bits',
    kind: 'PersistentVolumeClaim',
    operations: [
      {
        method: 'POST',
        on: 'collection',
        body: {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name: '$name' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      },
      ...['123456789012345678901234567890', '12E', '-1'].map((cpu): Operation => ({
        method: 'PUT',
        on: 'object',
        subresource: 'status',
        edits: [{ path: ['status', 'capacity'], value: { cpu } }],
      })),
    ],
  },
];
