/** Differences that are there on purpose, each with its reason. An entry that is no longer needed fails the suite. */
import { isDeepStrictEqual } from 'node:util';
import { encodeJson, type Json } from '../../../src/core/kube/json.ts';
import type { Difference } from './api-normal.ts';
import {
  causesOf,
  codeOf,
  isBeyondIntegers,
  isOfPatch,
  messageOf,
  ownershipAt,
  textOf,
  withoutQuoted,
} from './api-answers.ts';
import { applied, workload } from './api-operations.ts';
import type { Example, Operation, Sequence } from './api-sequences.ts';

export interface Asked {
  readonly difference: Difference;
  readonly operation: Operation;
  readonly sequence: Sequence;
  readonly real: Json;
  readonly ours: Json;
  /** What was excused before in the same sequence: from then on the servers need not have the same objects. */
  readonly known: ReadonlySet<string>;
}

export interface KnownDifference {
  readonly name: string;
  readonly reason: string;
  /** Requests that show it. */
  readonly example: Example;
  matches(asked: Asked): boolean;
}

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const CONFIG_MAP = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: '$name', namespace: '$ns', labels: { a: 'b' } },
};
const made: Operation = { method: 'POST', on: 'collection', body: CONFIG_MAP };
const ofConfigMap = (...operations: readonly Operation[]): Example => ({
  kind: 'ConfigMap',
  operations: [made, ...operations],
});

const DEFINED: Operation = {
  method: 'POST',
  on: 'collection',
  body: {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.$name.example.com' },
    spec: {
      group: '$name.example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  },
};
const DAEMON_SET: Operation = { method: 'POST', on: 'collection', body: workload('DaemonSet') };

const DEPLOYMENT = workload('Deployment', { replicas: 3 });
const BEYOND_INTEGERS = 'numbers beyond what their field can hold';

export const KNOWN: readonly KnownDifference[] = [
  {
    name: 'descriptions of columns',
    reason: 'the sentences of the documentation are our own; no client does anything with them',
    example: ofConfigMap({ method: 'GET', on: 'object', accept: TABLE }),
    matches: ({ difference: { path } }) => /^body\.columnDefinitions\.\d+\.description$/.test(path),
  },
  {
    name: 'availability of an APIService',
    reason: 'a controller of the aggregator writes it, some time after; here no server stands behind another',
    example: {
      kind: 'APIService',
      operations: [
        {
          method: 'POST',
          on: 'collection',
          body: {
            apiVersion: 'apiregistration.k8s.io/v1',
            kind: 'APIService',
            metadata: { name: 'v1.$name.example.com' },
            spec: {
              group: '$name.example.com',
              version: 'v1',
              groupPriorityMinimum: 100,
              versionPriority: 10,
              insecureSkipTLSVerify: true,
              service: { namespace: 'default', name: 's' },
            },
          },
        },
        ...Array.from({ length: 50 }, (): Operation => ({ method: 'GET', on: 'object' })),
      ],
    },
    matches: ({ difference: { path }, operation, sequence }) =>
      sequence.target.kind === 'APIService' &&
      (operation.subresource === 'status' ||
        /^body(\.items\.\d+|\.rows\.\d+)?(\.object)?\.(status|metadata\.(managedFields|resourceVersion)|cells)/.test(
          path,
        )),
  },
  {
    name: 'what a useless patch made',
    reason:
      'the error repeats the patched object: Go in the order of its structs, or as it prints a map, ours as it is kept',
    example: ofConfigMap({
      method: 'PATCH',
      on: 'object',
      contentType: 'application/merge-patch+json',
      body: { data: 5 },
    }),
    matches: ({ difference: { ours, path, real } }) =>
      /^body\.(message|details\.causes\.0\.message)$/.test(path) && isOfPatch(real) && isOfPatch(ours),
  },
  {
    name: 'the place of an object in etcd',
    reason: 'an error names the key under which etcd has the object; there is no etcd',
    example: ofConfigMap({
      method: 'PUT',
      on: 'object',
      body: { ...CONFIG_MAP, metadata: { ...CONFIG_MAP.metadata, uid: 'b9f7d6f2-54d1-4ac4-9a0e-4f2b1b9d7a11' } },
    }),
    matches: ({ difference: { ours, path, real } }) =>
      path === 'body.message' &&
      textOf(real).replace(
        /StorageError: invalid object, Code: 4, Key: \S+, ResourceVersion: 0, AdditionalErrorMsg: /,
        '',
      ) === ours,
  },
  {
    name: 'findings told again',
    reason:
      'Go judges metadata in several layers and repeats what each of them found among the causes; ours says it once',
    example: ofConfigMap({
      method: 'PATCH',
      on: 'object',
      contentType: 'application/merge-patch+json',
      body: { metadata: { labels: { a: 'not a label' } } },
    }),
    matches: ({ difference: { path }, ours, real }) =>
      path.startsWith('body.details.causes') && isDeepStrictEqual(causesOf(real), causesOf(ours)),
  },
  {
    name: 'owners in the rows of a table',
    reason: 'nobody shows them, and they would be most of what a long table has to carry',
    example: ofConfigMap({ method: 'GET', on: 'object', accept: TABLE }),
    matches: ({ difference: { ours, path } }) =>
      ours === undefined && /^body\.rows\.\d+\.object\.metadata\.managedFields$/.test(path),
  },
  {
    name: 'conditions of a definition',
    reason: 'controllers of the server write them, some time after it was made, under the name of the server',
    example: { kind: 'CustomResourceDefinition', operations: [DEFINED, { method: 'GET', on: 'object' }] },
    matches: ({ difference: { ours, path, real }, sequence }) =>
      sequence.target.kind === 'CustomResourceDefinition' &&
      (/^body(\.items\.\d+|\.rows\.\d+\.object)?\.(status\.(conditions|acceptedNames)|metadata\.managedFields)/.test(
        path,
      ) ||
        (/^body\.(message|details\.causes\.\d+\.message)$/.test(path) &&
          textOf(real).replace(' with "kube-apiserver"', ' with "everynode"') === ours)),
  },
  {
    name: BEYOND_INTEGERS,
    reason:
      'Go cuts a number to the bits of its field where it converts maps to structs, so that 1e100 replicas are none; ours refuses the number',
    example: {
      kind: 'Deployment',
      operations: [applied(DEPLOYMENT), applied({ ...DEPLOYMENT, spec: { ...DEPLOYMENT.spec, replicas: 1e100 } })],
    },
    matches: ({ known, operation, ours }) =>
      known.has(BEYOND_INTEGERS) ||
      (/apply-patch|strategic-merge/.test(operation.contentType ?? '') &&
        isBeyondIntegers(operation.body) &&
        messageOf(ours).includes('cannot unmarshal number')),
  },
  {
    name: 'a server that hangs up',
    reason: 'Kubernetes panics where a version with selectable fields has a schema without a content; ours refuses it',
    example: {
      kind: 'CustomResourceDefinition',
      operations: [
        DEFINED,
        {
          method: 'PUT',
          on: 'object',
          edits: [
            {
              path: ['spec', 'versions'],
              value: [{ name: 'v1', served: true, storage: true, schema: {}, selectableFields: [{ jsonPath: '.x' }] }],
            },
          ],
        },
      ],
    },
    matches: ({ ours, real, sequence }) =>
      sequence.target.kind === 'CustomResourceDefinition' && codeOf(real) === 0 && codeOf(ours) === 422,
  },
  {
    name: 'owners of replicas that a scale left as they were',
    reason:
      'Kubernetes makes two entries of one owner, one of them without a time, though nothing changed; ours leaves them alone',
    example: {
      kind: 'Deployment',
      operations: [
        { method: 'POST', on: 'collection', body: DEPLOYMENT },
        {
          method: 'PATCH',
          on: 'object',
          subresource: 'scale',
          contentType: 'application/merge-patch+json',
          body: { spec: { replicas: 3 } },
        },
      ],
    },
    matches: ({ difference: { path }, ours, real, sequence }) =>
      sequence.operations.some(({ subresource }) => subresource === 'scale') &&
      /^body(\.items\.\d+)?\.metadata\.managedFields/.test(path) &&
      isDeepStrictEqual(ownershipAt(real, path), ownershipAt(ours, path)),
  },
  {
    name: 'a Scale of a custom resource that cannot be read',
    reason:
      'Kubernetes fails to say what is wrong, because its server of custom resources does not know the kind Scale',
    example: {
      kind: 'Widget',
      operations: [
        {
          method: 'PUT',
          on: 'object',
          subresource: 'scale',
          body: { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: '$name' }, spec: { replicas: '3' } },
        },
      ],
    },
    matches: ({ difference: { ours, path, real } }) =>
      path === 'body.message' &&
      textOf(real).startsWith('no kind is registered for the type v1.Scale') &&
      textOf(ours).startsWith('Scale in version "v1" cannot be handled as a Scale: '),
  },
  {
    name: 'owners of a token request',
    reason: 'it is answered and never kept: there is nothing that anybody could own later',
    example: {
      kind: 'ServiceAccount',
      operations: [
        {
          method: 'POST',
          on: 'collection',
          body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: '$name' } },
        },
        {
          method: 'POST',
          on: 'object',
          subresource: 'token',
          body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
        },
      ],
    },
    matches: ({ difference: { path }, operation }) =>
      operation.subresource === 'token' && path === 'body.metadata.managedFields',
  },
  {
    name: 'an annotation that a conversion adds',
    reason:
      'Go writes the template generation of a DaemonSet only when it converts the whole object, not where it shows metadata alone',
    example: {
      kind: 'DaemonSet',
      operations: [
        DAEMON_SET,
        { method: 'GET', on: 'object', accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' },
      ],
    },
    matches: ({ difference: { path }, sequence }) =>
      path.endsWith('metadata.annotations.deprecated.daemonset.template.generation') ||
      (/DaemonSet/.test(sequence.target.kind) && path.endsWith('.metadata.annotations')),
  },
  {
    name: 'an empty list that is always written',
    reason: 'it is kept like one that was left out, so that who gives it owns nothing',
    example: {
      kind: 'Role',
      operations: [
        {
          method: 'POST',
          on: 'collection',
          body: {
            apiVersion: 'rbac.authorization.k8s.io/v1',
            kind: 'Role',
            metadata: { name: '$name', labels: { a: 'b' } },
            rules: [],
          },
        },
      ],
    },
    matches: ({ difference: { path, real } }) =>
      /managedFields\.\d+\.fieldsV1\.f:(rules|endpoints|ports)$/.test(path) && encodeJson(real ?? null) === '{}',
  },
  {
    name: 'a Service that is made by way of its status',
    reason: 'Kubernetes keeps it without an address; ours is made whole, like any other',
    example: {
      kind: 'Service',
      operations: [
        {
          method: 'PUT',
          on: 'object',
          subresource: 'status',
          body: { apiVersion: 'v1', kind: 'Service', metadata: { name: '$name' }, spec: { ports: [{ port: 80 }] } },
        },
      ],
    },
    matches: ({ difference: { path }, sequence }) =>
      sequence.target.kind === 'Service' &&
      sequence.operations.some(({ subresource }) => subresource === 'status') &&
      /^body\.spec\.(clusterIPs?|ipFamil(ies|yPolicy))$/.test(path),
  },
  {
    name: 'lists whose items have no names',
    reason: 'nothing can be applied to them; ours says so in its own words, and later',
    example: {
      kind: 'ServiceAccount',
      operations: [
        {
          method: 'POST',
          on: 'collection',
          body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: '$name' }, secrets: [{}] },
        },
        {
          method: 'PATCH',
          on: 'object',
          contentType: 'application/apply-patch+yaml',
          query: { fieldManager: 'alpha' },
          body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: '$name' }, secrets: [{ name: 'a' }] },
        },
      ],
    },
    matches: ({ difference: { ours, path, real } }) =>
      path === 'body.message' &&
      /omits all key fields|to smd typed: .*: expected any scalar/.test(textOf(real)) &&
      textOf(ours).startsWith('failed to create typed'),
  },
  {
    name: 'quoted objects',
    reason:
      'an error quotes the whole of an object as Go has it in memory; of ours not every default is in it, and a list that was left out is empty',
    example: {
      kind: 'CSINode',
      operations: [
        {
          method: 'POST',
          on: 'collection',
          body: {
            apiVersion: 'storage.k8s.io/v1',
            kind: 'CSINode',
            metadata: { name: '$name' },
            spec: { drivers: [{ name: 'd', nodeID: 'n', topologyKeys: ['k'] }] },
          },
        },
        {
          method: 'PUT',
          on: 'object',
          edits: [{ path: ['spec', 'drivers', 0, 'topologyKeys'] }],
        },
      ],
    },
    matches: ({ difference: { ours: mine, path, real: theirs }, ours, real }) =>
      path.startsWith('body.details.causes')
        ? isDeepStrictEqual(causesOf(real, withoutQuoted), causesOf(ours, withoutQuoted))
        : path === 'body.message' && withoutQuoted(textOf(theirs)) === withoutQuoted(textOf(mine)),
  },
  {
    name: 'readings of an autoscaler in its older version',
    reason: 'they are carried in an annotation between the two versions, in the words of the newer one',
    example: {
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
          subresource: 'status',
          contentType: 'application/apply-patch+yaml',
          query: { fieldManager: 'alpha' },
          body: {
            apiVersion: 'autoscaling/v1',
            kind: 'HorizontalPodAutoscaler',
            metadata: { name: '$name' },
            status: { currentCPUUtilizationPercentage: 50, currentReplicas: 1, desiredReplicas: 1 },
          },
        },
      ],
    },
    matches: ({ difference: { path } }) => path.includes('annotations.autoscaling.alpha.kubernetes.io/'),
  },
];

/** The name of the entry that tells of a difference. */
export const excused = (asked: Asked): string | undefined => KNOWN.find((entry) => entry.matches(asked))?.name;
