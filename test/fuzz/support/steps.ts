/** Requests to the handlers, drawn so that they can be shrunk, read and replayed. */
import * as fc from 'fast-check';
import { LOOPBACK } from '../../../src/apiserver/contract/users.ts';
import type { ApiRequest, RequestTarget } from '../../../src/apiserver/contract/request.ts';
import type { KindDefinition } from '../../../src/core/api/kind/kind-definition.ts';
import { encodeJson, parseJson, type Json } from '../../../src/core/kube/json.ts';
import { apiVersionOf, type KubeObject } from '../../../src/core/kube/objects.ts';
import { OBJECT_NAMES } from './harmless.ts';
import { mutate, mutations, type Mutation } from './mutations.ts';

const VERBS = [
  ...([
    'create',
    'create',
    'create',
    'create',
    'update',
    'update',
    'merge',
    'strategic',
    'json',
    'apply',
    'apply',
  ] as const),
  ...(['force', 'delete', 'get', 'list', 'deletecollection'] as const),
];

export interface Step {
  readonly name: string;
  readonly verb: (typeof VERBS)[number];
  readonly subresource: string;
  readonly mutations: readonly Mutation[];
  readonly dryRun: boolean;
  readonly validation: 'Strict' | 'Warn' | 'Ignore';
  readonly manager: string;
}

export const stepFor = (kind: KindDefinition): fc.Arbitrary<Step> =>
  fc.record({
    name: fc.constantFrom(...OBJECT_NAMES),
    verb: fc.constantFrom(...VERBS),
    subresource: fc.constantFrom('', '', '', '', ...kind.subresources.map(({ name }) => name)),
    mutations: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 5, arbitrary: mutations }),
    dryRun: fc.constantFrom(false, false, true),
    validation: fc.constantFrom('Strict', 'Warn', 'Ignore', 'Ignore'),
    manager: fc.constantFrom('first', 'second'),
  });

/** Through text, as everything that comes over a wire. */
const throughText = (value: Json): Json => parseJson(encodeJson(value));
const isObject = (value: Json): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

export function requestOf(kind: KindDefinition, step: Step, manifest: Json): ApiRequest {
  const { group, version, resource, namespaced } = kind;
  const { dryRun, manager, verb } = step;
  const ofCollection = verb === 'create' || verb === 'list' || verb === 'deletecollection';
  const target: RequestTarget = {
    ...{ tenant: 'system', group, version, resource, subresource: step.subresource },
    namespace: namespaced ? 'default' : '',
    name: ofCollection && step.subresource === '' ? '' : step.name,
  };
  const options = { dryRun, fieldValidation: step.validation, fieldManager: manager };
  const base = { target, user: LOOPBACK, unshared: true, warn: () => {} };
  const body = throughText(mutate(manifest, step.mutations));
  // The wire lets nothing else through.
  const object = (isObject(body) ? body : {}) as unknown as KubeObject;
  switch (verb) {
    case 'create':
    case 'update':
      return { ...base, verb, object, options };
    case 'merge':
    case 'strategic':
      return { ...base, verb: 'patch', patch: { type: verb, body }, options };
    case 'apply':
    case 'force': {
      const typed = { ...object, apiVersion: apiVersionOf(kind), kind: kind.kind };
      return { ...base, verb: 'patch', patch: { type: 'apply', body: typed, force: verb === 'force' }, options };
    }
    case 'json':
      return { ...base, verb: 'patch', patch: { type: 'json', body: step.mutations.map(operationOf) }, options };
    case 'list':
      return { ...base, verb, options: {} };
    case 'get':
      return { ...base, verb };
    case 'delete':
    case 'deletecollection':
      return { ...base, verb, options: { dryRun } };
  }
}

const PLACES = ['/metadata', '/metadata/labels', '/spec', '/status', '/data', '/spec/template', ''];

const operationOf = ({ how, key, value, where }: Mutation): Json => ({
  op: how === 'replace' || how === 'add' ? how : how === 'duplicate' ? 'copy' : how === 'rename' ? 'move' : 'remove',
  path: `${PLACES[where % PLACES.length]}/${key}`,
  from: PLACES[(where >> 3) % PLACES.length] ?? '',
  value: throughText(value),
});
