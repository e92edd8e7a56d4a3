/**
 * Variables of admission policies and match conditions: object, oldObject, request, namespaceObject, params, authorizer,
 * and `variables.x`, which are evaluated when first asked for.
 */
import { celEnvironment, type CelBinding, type CelEnvironment, type CelType } from './cel.ts';
import {
  BOOL_DECL,
  DYN_DECL,
  INT_DECL,
  listDecl,
  mapDecl,
  objectDecl,
  opaqueDecl,
  STRING_DECL,
  TIMESTAMP_DECL,
  type DeclType,
} from './decl-types.ts';
import { AUTHORIZER_TYPE, RESOURCE_CHECK_TYPE } from './values/opaque.ts';
import { structType } from './types.ts';
import { CelMap, type CelValue, type Val } from './values/values.ts';

const UNBOUNDED = -1;
const STRINGS = listDecl(STRING_DECL, UNBOUNDED);
const STRING_MAP = mapDecl(STRING_DECL, STRING_DECL, UNBOUNDED);

const object = (name: string, fields: { readonly [field: string]: DeclType }): DeclType =>
  objectDecl(`kubernetes.${name}`, new Map(Object.entries(fields)));

const GROUP_VERSION_KIND = object('GroupVersionKind', { group: STRING_DECL, version: STRING_DECL, kind: STRING_DECL });
const GROUP_VERSION_RESOURCE = object('GroupVersionResource', {
  group: STRING_DECL,
  version: STRING_DECL,
  resource: STRING_DECL,
});

/** The request as a policy sees it: an AdmissionRequest without its objects. */
export const REQUEST_DECL: DeclType = object('AdmissionRequest', {
  kind: GROUP_VERSION_KIND,
  resource: GROUP_VERSION_RESOURCE,
  subResource: STRING_DECL,
  requestKind: GROUP_VERSION_KIND,
  requestResource: GROUP_VERSION_RESOURCE,
  requestSubResource: STRING_DECL,
  name: STRING_DECL,
  namespace: STRING_DECL,
  operation: STRING_DECL,
  userInfo: object('UserInfo', {
    username: STRING_DECL,
    uid: STRING_DECL,
    groups: STRINGS,
    extra: mapDecl(STRING_DECL, STRINGS, UNBOUNDED),
  }),
  dryRun: BOOL_DECL,
  options: DYN_DECL,
});

export const NAMESPACE_DECL: DeclType = object('Namespace', {
  metadata: object('NamespaceMetadata', {
    name: STRING_DECL,
    generateName: STRING_DECL,
    namespace: STRING_DECL,
    labels: STRING_MAP,
    annotations: STRING_MAP,
    UID: STRING_DECL,
    creationTimestamp: TIMESTAMP_DECL,
    deletionGracePeriodSeconds: INT_DECL,
    deletionTimestamp: TIMESTAMP_DECL,
    generation: INT_DECL,
    resourceVersion: STRING_DECL,
    finalizers: STRINGS,
  }),
  spec: object('NamespaceSpec', { finalizers: STRINGS }),
  status: object('NamespaceStatus', {
    conditions: listDecl(
      object('NamespaceCondition', {
        status: STRING_DECL,
        type: STRING_DECL,
        lastTransitionTime: TIMESTAMP_DECL,
        message: STRING_DECL,
        reason: STRING_DECL,
      }),
      UNBOUNDED,
    ),
    phase: STRING_DECL,
  }),
});

export interface AdmissionVariables {
  /** Whether the policy has parameters. */
  readonly params?: boolean;
  readonly authorizer?: boolean;
  /** Types of the policy's own variables, in the order they may refer to each other. */
  readonly variables?: ReadonlyMap<string, CelType>;
  /** The types of `object` and `oldObject`, and of `params`; dyn by default. */
  readonly object?: DeclType;
  readonly paramsType?: DeclType;
  /** Expressions of mutating policies build objects and JSON patches. */
  readonly jsonPatch?: boolean;
}

/** Bindings are given under the same names; the resource check under `authorizer.requestResource`. */
export function admissionEnvironment(options: AdmissionVariables = {}): CelEnvironment {
  const { params = false, authorizer = false, variables, jsonPatch = false } = options;
  const { object: subject = DYN_DECL, paramsType = DYN_DECL } = options;
  const fields = Array.from(variables ?? [], ([name, type]) => [name, opaqueDecl(type)] as const);
  return celEnvironment(
    {
      object: subject,
      oldObject: subject,
      request: REQUEST_DECL,
      namespaceObject: NAMESPACE_DECL,
      ...(params ? { params: paramsType } : {}),
      ...(authorizer
        ? {
            authorizer: opaqueDecl(structType(AUTHORIZER_TYPE)),
            'authorizer.requestResource': opaqueDecl(structType(RESOURCE_CHECK_TYPE)),
          }
        : {}),
      ...(variables ? { variables: objectDecl('kubernetes.variables', new Map(fields)) } : {}),
    },
    // With known types, fields keep their plain names: `object.metadata.namespace`.
    { jsonPatch, reservedFields: options.object !== undefined },
  );
}

class LazyMap extends CelMap {
  readonly #names: ReadonlySet<string>;
  readonly #resolve: (name: string) => CelBinding;
  readonly #known = new Map<string, Val>();

  constructor(names: ReadonlySet<string>, resolve: (name: string) => CelBinding) {
    super();
    this.#names = names;
    this.#resolve = resolve;
  }

  get size(): number {
    return this.#names.size;
  }

  find(key: CelValue): Val | undefined {
    if (typeof key !== 'string' || !this.#names.has(key)) return undefined;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const value = this.#resolve(key);
    this.#known.set(key, value);
    return value;
  }

  keys(): readonly CelValue[] {
    return [...this.#names];
  }
}

/** The value of `variables`: each is resolved once, when an expression first asks for it. */
export const lazyVariables = (names: Iterable<string>, resolve: (name: string) => CelBinding): CelValue =>
  new LazyMap(new Set(names), resolve);
