/** What the expressions of match conditions and admission policies may refer to, and its value for a request. */
import {
  celEnvironment,
  celValueOf,
  type CelBindings,
  type CelEnvironment,
  type DeclType,
} from '../../core/api/cel/cel.ts';
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
} from '../../core/api/cel/decl-types.ts';
import { authorizerValue, requestResourceValue, type Authorize } from '../../core/api/cel/library/authorizer.ts';
import { AUTHORIZER_TYPE, RESOURCE_CHECK_TYPE } from '../../core/api/cel/opaque.ts';
import { structType } from '../../core/api/cel/types.ts';
import type { Json } from '../../core/kube/json.ts';
import type { KubeObject } from '../../core/kube/objects.ts';
import type { AdmissionRequest } from '../../machinery/admission.ts';

const UNBOUNDED = -1;
const fields = (of: { readonly [name: string]: DeclType }): ReadonlyMap<string, DeclType> =>
  new Map(Object.entries(of));

const KIND = objectDecl(
  'kubernetes.GroupVersionKind',
  fields({ group: STRING_DECL, version: STRING_DECL, kind: STRING_DECL }),
);
const RESOURCE = objectDecl(
  'kubernetes.GroupVersionResource',
  fields({ group: STRING_DECL, version: STRING_DECL, resource: STRING_DECL }),
);
const STRINGS = listDecl(STRING_DECL, UNBOUNDED);
const USER = objectDecl(
  'kubernetes.UserInfo',
  fields({
    username: STRING_DECL,
    uid: STRING_DECL,
    groups: STRINGS,
    extra: mapDecl(STRING_DECL, STRINGS, UNBOUNDED),
  }),
);
const REQUEST = objectDecl(
  'kubernetes.AdmissionRequest',
  fields({
    kind: KIND,
    resource: RESOURCE,
    subResource: STRING_DECL,
    requestKind: KIND,
    requestResource: RESOURCE,
    requestSubResource: STRING_DECL,
    name: STRING_DECL,
    namespace: STRING_DECL,
    operation: STRING_DECL,
    userInfo: USER,
    dryRun: BOOL_DECL,
    options: DYN_DECL,
  }),
);

const TEXTS = mapDecl(STRING_DECL, STRING_DECL, UNBOUNDED);
const NAMESPACE = objectDecl(
  'kubernetes.Namespace',
  fields({
    metadata: objectDecl(
      'kubernetes.NamespaceMetadata',
      fields({
        name: STRING_DECL,
        generateName: STRING_DECL,
        namespace: STRING_DECL,
        labels: TEXTS,
        annotations: TEXTS,
        UID: STRING_DECL,
        creationTimestamp: TIMESTAMP_DECL,
        deletionGracePeriodSeconds: INT_DECL,
        deletionTimestamp: TIMESTAMP_DECL,
        generation: INT_DECL,
        resourceVersion: STRING_DECL,
        finalizers: STRINGS,
      }),
    ),
    spec: objectDecl('kubernetes.NamespaceSpec', fields({ finalizers: STRINGS })),
    status: objectDecl(
      'kubernetes.NamespaceStatus',
      fields({
        conditions: listDecl(
          objectDecl(
            'kubernetes.NamespaceCondition',
            fields({
              status: STRING_DECL,
              type: STRING_DECL,
              lastTransitionTime: TIMESTAMP_DECL,
              message: STRING_DECL,
              reason: STRING_DECL,
            }),
          ),
          UNBOUNDED,
        ),
        phase: STRING_DECL,
      }),
    ),
  }),
);

const COMMON = {
  object: DYN_DECL,
  oldObject: DYN_DECL,
  namespaceObject: NAMESPACE,
  request: REQUEST,
  authorizer: opaqueDecl(structType(AUTHORIZER_TYPE)),
  'authorizer.requestResource': opaqueDecl(structType(RESOURCE_CHECK_TYPE)),
};

export interface ExpressionOptions {
  /** Policies with a paramKind have `params`. */
  readonly params?: boolean;
  /** Policies have `variables.x`, typed by the expressions that came before. */
  readonly variables?: ReadonlyMap<string, DeclType>;
}

export function admissionEnvironment({ params = false, variables }: ExpressionOptions = {}): CelEnvironment {
  return celEnvironment({
    ...COMMON,
    ...(params ? { params: DYN_DECL } : {}),
    ...(variables === undefined ? {} : { variables: objectDecl('kubernetes.variables', variables) }),
  });
}

export interface BoundRequest {
  readonly request: AdmissionRequest;
  /** The kind and resource in the form the rule matched; the request's own unless said. */
  readonly form?: {
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly kind: string;
  };
  readonly namespaceObject?: KubeObject | undefined;
  readonly authorize: Authorize;
}

const orNull = (object: KubeObject | undefined): Json => (object as unknown as Json | undefined) ?? null;

/** Values are made only for what an expression refers to. */
export function requestBindings({ request, form, namespaceObject, authorize }: BoundRequest): CelBindings {
  const { user, resource, subresource, namespace, name } = request;
  const own = { ...resource, kind: request.kind };
  const matched = form ?? own;
  return {
    object: () => celValueOf(orNull(request.object), DYN_DECL),
    oldObject: () => celValueOf(orNull(request.oldObject), DYN_DECL),
    namespaceObject: () => celValueOf(namespaceJson(namespaceObject), namespaceObject ? NAMESPACE : DYN_DECL),
    request: () =>
      celValueOf(
        {
          kind: { group: matched.group, version: matched.version, kind: matched.kind },
          resource: { group: matched.group, version: matched.version, resource: matched.resource },
          subResource: subresource,
          requestKind: { group: own.group, version: own.version, kind: own.kind },
          requestResource: { group: own.group, version: own.version, resource: own.resource },
          requestSubResource: subresource,
          name,
          namespace,
          operation: request.operation,
          userInfo: {
            username: user.name,
            uid: user.uid ?? '',
            groups: user.groups,
            extra: (user.extra ?? {}) as unknown as Json,
          },
          dryRun: request.dryRun,
          options: (request.options as unknown as Json | undefined) ?? null,
        },
        REQUEST,
      ),
    authorizer: () => authorizerValue(user, authorize),
    'authorizer.requestResource': () =>
      requestResourceValue(user, authorize, {
        group: resource.group,
        resource: resource.resource,
        subresource,
        namespace,
        name,
      }),
  };
}

/** A namespace as expressions see it: its UID goes by another name, and what is of no use to rules is left out. */
function namespaceJson(namespace: KubeObject | undefined): Json {
  if (namespace === undefined) return null;
  const {
    uid,
    managedFields: _,
    ownerReferences: __,
    ...meta
  } = namespace.metadata as unknown as {
    readonly [key: string]: Json;
  };
  const { spec, status } = namespace as unknown as { readonly spec?: Json; readonly status?: Json };
  return {
    metadata: { ...meta, ...(uid === undefined ? {} : { UID: uid }) },
    ...(spec === undefined ? {} : { spec }),
    ...(status === undefined ? {} : { status }),
  };
}
