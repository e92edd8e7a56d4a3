/** The way of a new object from its decoded form into the store; shared by POST and by whatever else may create. */
import type { Owners } from '../../../core/api/apply/managed.ts';
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import type { KubeObject, Stored, StoredMeta } from '../../../core/kube/objects.ts';
import { StatusError, alreadyExists, badRequest, invalidObject, isStatus } from '../../../core/kube/status-error.ts';
import type { AdmissionRequest } from '../../../machinery/ports/admission.ts';
import type { WriteOptions } from '../../../machinery/client/client.ts';
import { requireLivingNamespace } from '../../admission/namespace-lifecycle.ts';
import type { ApiResponse, RequestBase } from '../../contract/request.ts';
import { asIfStored, type HandlerContext, storeKeyOf } from './context.ts';
import { agreedNamespace, buildMeta, generatedName } from './metadata.ts';

/** With a million names under one prefix, eight tries fail once in a thousand. */
const NAME_ATTEMPTS = 8;

/** A create after decoding; `admit` is all that stands between it and the store. */
export interface Creation extends RequestBase {
  readonly kind: KindDefinition;
  readonly object: KubeObject;
  readonly options: WriteOptions;
  /** The owners of the object's fields, as decided before admission. */
  readonly managed: Owners | undefined;
  /** By way of a PUT or an apply, which may say that the object is being deleted; a POST may not. */
  readonly byUpdate?: boolean;
}

export function createObject(context: HandlerContext, creation: Creation): ApiResponse | Promise<ApiResponse> {
  const { kind, options, target, user, warn } = creation;
  const meta = creation.object.metadata;
  const namespace = agreedNamespace(meta, kind.namespaced, target.namespace);
  if (kind.namespaced && namespace === '') throw badRequest('an empty namespace may not be set during creation');
  if (meta.resourceVersion !== undefined && meta.resourceVersion !== '' && meta.resourceVersion !== '0') {
    throw badRequest('resourceVersion should not be set on objects to be created');
  }
  const admission: AdmissionRequest = {
    operation: 'CREATE',
    resource: kind,
    kind: kind.kind,
    subresource: '',
    tenant: target.tenant,
    namespace: kind.namespaced ? namespace : kind.resource === 'namespaces' && kind.group === '' ? meta.name : '',
    name: meta.name ?? '',
    object: creation.object,
    options,
    dryRun: options.dryRun === true,
    user,
  };
  const admitted = context.admission.mutate(kind, admission, warn);
  return admitted instanceof Promise
    ? admitted.then((object) => store(context, creation, admission, object ?? creation.object, NAME_ATTEMPTS))
    : store(context, creation, admission, admitted ?? creation.object, NAME_ATTEMPTS);
}

/** From the admitted object to the store; again with another name when a generated one is taken. */
function store(
  context: HandlerContext,
  creation: Creation,
  admission: AdmissionRequest,
  admitted: KubeObject,
  attempts: number,
): ApiResponse | Promise<ApiResponse> {
  const { kind, options, target, warn } = creation;
  // A webhook may not move the object to another namespace.
  if (admitted !== creation.object) agreedNamespace(admitted.metadata, kind.namespaced, target.namespace);
  const generated = (admitted.metadata.name ?? '') === '' && (admitted.metadata.generateName ?? '') !== '';
  const object = prepare(context, creation, admitted, generated);
  const { name } = object.metadata;
  const key = storeKeyOf(kind, target, name);
  const final: AdmissionRequest = { ...admission, name, object };

  const commit = (): ApiResponse | Promise<ApiResponse> => {
    if (options.dryRun === true) {
      const taken = context.store.accepted(key);
      if (taken !== undefined) throw alreadyTaken(kind, taken);
      return { type: 'object', object: asIfStored(kind, withoutVersion(object)), created: true };
    }
    return context.store
      .write(key, (accepted, revision) => {
        if (accepted !== undefined) throw alreadyTaken(kind, accepted);
        if (kind.namespaced) requireLivingNamespace(context.store, kind, target.tenant, target.namespace, name);
        return { put: publish(object, revision) };
      })
      .then((stored) => ({ type: 'object', object: stored, created: true }) as const);
  };
  const retry = (error: unknown): ApiResponse | Promise<ApiResponse> => {
    if (!generated || attempts <= 1 || !isStatus(error, 'AlreadyExists')) throw error;
    return store(context, creation, admission, admitted, attempts - 1);
  };

  const checked = context.admission.validate(kind, final, warn);
  if (checked instanceof Promise) return checked.then(commit).catch(retry);
  try {
    const outcome = commit();
    return outcome instanceof Promise ? outcome.catch(retry) : outcome;
  } catch (error) {
    return retry(error);
  }
}

/** Server-owned metadata filled in, the kind's own preparation done, everything validated. */
function prepare(context: HandlerContext, creation: Creation, admitted: KubeObject, generated: boolean): Stored {
  const { kind, target, warn } = creation;
  const meta = admitted.metadata;
  const metadata = buildMeta(
    meta,
    {
      name: generated ? generatedName(meta.generateName ?? '', context.random.suffix) : (meta.name ?? ''),
      namespace: kind.namespaced ? target.namespace : '',
      uid: context.random.uuid(),
      resourceVersion: '',
      generation: kind.hasGeneration ? 1 : meta.generation,
      creationTimestamp: context.timestamps.now(),
      deletionTimestamp: creation.byUpdate === true ? meta.deletionTimestamp : undefined,
      deletionGracePeriodSeconds: creation.byUpdate === true ? meta.deletionGracePeriodSeconds : undefined,
    },
    creation.managed,
  );
  const { strategy } = kind;
  const named = { ...admitted, metadata } as KubeObject;
  const check = (object: KubeObject): void => {
    const errors = creation.form?.conversion?.validate?.(object) ?? strategy.validate(object);
    if (errors.length > 0) throw invalidObject(kind, metadata.name, errors);
  };
  // Kubernetes completes nothing in an object that comes by way of its status: it must be right as it is.
  if (target.subresource !== '') check(named);
  const ready = strategy.prepareForCreate(named);
  const allocator = context.hooks.allocators.get(kind.resource);
  const prepared =
    allocator === undefined ? ready : allocator.onCreate(ready, target, creation.options.dryRun === true);
  check(prepared);
  if (warn !== undefined) for (const text of strategy.warnings?.(prepared) ?? []) warn(text);
  return prepared as Stored;
}

/** The object as it is stored. Its metadata was made for this write alone, so it is completed rather than copied. */
function publish(object: Stored, revision: number): Stored {
  const { metadata } = object;
  if (Object.isFrozen(metadata)) {
    return Object.freeze({ ...object, metadata: Object.freeze({ ...metadata, resourceVersion: String(revision) }) });
  }
  (metadata as { resourceVersion: string }).resourceVersion = String(revision);
  Object.freeze(metadata);
  return Object.freeze(object);
}

/** A dry run has no version: nothing was written. */
function withoutVersion(object: Stored): Stored {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata: metadata as StoredMeta };
}

function alreadyTaken(kind: KindDefinition, taken: Stored): StatusError {
  const error = alreadyExists(kind, taken.metadata.name);
  if (taken.metadata.deletionTimestamp === undefined) return error;
  return new StatusError(409, 'AlreadyExists', `object is being deleted: ${error.message}`, error.status.details);
}
