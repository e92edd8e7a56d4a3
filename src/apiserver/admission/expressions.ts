/** The values that expressions of match conditions and admission policies see of a request. */
import { NAMESPACE_DECL, REQUEST_DECL } from '../../core/api/cel/admission.ts';
import { celValueOf, type CelBindings } from '../../core/api/cel/cel.ts';
import { DYN_DECL } from '../../core/api/cel/decl-types.ts';
import { authorizerValue, requestResourceValue, type Authorize } from '../../core/api/cel/library/authorizer.ts';
import type { Json } from '../../core/kube/json.ts';
import type { KubeObject } from '../../core/kube/objects.ts';
import type { AdmissionRequest } from '../../machinery/ports/admission.ts';

export interface BoundRequest {
  readonly request: AdmissionRequest;
  /** The kind and resource in the form the rule matched; the request's own unless given. */
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
    namespaceObject: () => celValueOf(namespaceJson(namespaceObject), namespaceObject ? NAMESPACE_DECL : DYN_DECL),
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
        REQUEST_DECL,
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
