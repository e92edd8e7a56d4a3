/**
 * The dependencies of every handler: one set per API server, built in api-server.ts. Handlers see stored forms only; a
 * request in another form of a kind is converted before it reaches them (converted.ts).
 */
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import type { Registry } from '../../../core/api/registry/registry.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';
import { StatusError, methodNotAllowed } from '../../../core/kube/status-error.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import type { Random } from '../../../machinery/random/random.ts';
import type { Reviews } from '../../access/reviews.ts';
import type { AdmissionChain } from '../../admission/chain.ts';
import type { RequestBase, RequestTarget } from '../../contract/request.ts';
import type { Store, StoreKey } from '../../store/store.ts';
import type { ApiHooks } from '../../contract/hooks.ts';
import type { Decoder } from './decode.ts';
import type { FieldOwners } from './managed-fields.ts';
import type { PatchEngine } from './patchers.ts';
import type { NewObjectSharing } from './share-new.ts';
import type { Selections } from './selection.ts';
import type { Timestamps } from './timestamps.ts';

export interface HandlerContext {
  /** Throws a 403 where the user may not; for permissions whose need only shows while the request is carried out. */
  authorize(request: RequestBase, verb: string): void;
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: Random;
  readonly admission: AdmissionChain;
  readonly hooks: ApiHooks;
  readonly decoder: Decoder;
  readonly patches: PatchEngine;
  readonly selections: Selections;
  readonly timestamps: Timestamps;
  readonly sharing: NewObjectSharing;
  readonly owners: FieldOwners;
  readonly reviews: Reviews;
}

/** The kind behind a path, or the plain 404 that Kubernetes gives for an unknown path. */
export function kindOf(context: HandlerContext, target: RequestTarget): KindDefinition {
  const kind = context.registry.byResource(target.group, target.version, target.resource);
  if (kind === undefined) throw unknownPath();
  return kind;
}

export const unknownPath = (): StatusError =>
  new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});

/** Refuses verbs the kind, or its subresource, does not offer. */
export function requireVerb(kind: KindDefinition, subresource: string, verb: string): void {
  if (subresource === '') {
    if (!kind.verbs.includes(verb)) throw methodNotAllowed(kind, verb);
    return;
  }
  const found = kind.subresources.find((candidate) => candidate.name === subresource);
  if (found === undefined) throw unknownPath();
  // An operation on a stream must not fall through to the object behind it.
  if (STREAMS.has(subresource)) throw methodNotAllowed(kind, `${verb} ${subresource}`);
  if (!found.verbs.includes(verb)) throw methodNotAllowed(kind, verb);
}

/** Subresources that are streams behind an object, not objects; they are asked for by `connect`. */
const STREAMS: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

export function storeKeyOf(kind: KindDefinition, target: RequestTarget, name: string): StoreKey {
  return {
    tenant: target.tenant,
    group: kind.group,
    resource: kind.resource,
    namespace: kind.namespaced ? target.namespace : '',
    name,
  };
}

/**
 * The answer to a dry run: the object as it would come back from the store. A conversion webhook is not called for it.
 */
export function asIfStored<T extends KubeObject>({ custom }: KindDefinition, object: T): T {
  return custom === undefined || custom.conversion !== 'None'
    ? object
    : (custom.fromStored(custom.toStored(object)) as T);
}
