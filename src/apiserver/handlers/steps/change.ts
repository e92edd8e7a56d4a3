/**
 * A change to an object that exists: what PUT, PATCH and subresources have in common once they know what the object
 * shall become.
 */
import { type Owners, withManaged } from '../../../core/api/apply/managed.ts';
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import { invalid } from '../../../core/kube/field-errors.ts';
import { parseUint64 } from '../../../core/kube/go-text.ts';
import { share } from '../../../core/kube/immutable.ts';
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';
import { badRequest, conflict, invalidObject, notFound, StatusError } from '../../../core/kube/status-error.ts';
import type { AdmissionRequest } from '../../../machinery/ports/admission.ts';
import type { WriteOptions } from '../../../machinery/client/client.ts';
import type { ApiResponse, RequestBase } from '../../contract/request.ts';
import type { Decision } from '../../store/store.ts';
import { asIfStored, type HandlerContext, storeKeyOf } from './context.ts';
import { createObject } from './create-object.ts';
import { isFinalized, preconditionText } from './deletion.ts';
import { hasSameOwners, ownersAfter } from './managed-fields.ts';
import { agreedNamespace, atRevision, buildMeta, withMeta, withoutDuplicateOwners } from './metadata.ts';
import { readRevision } from './resource-version.ts';
import { type Step, stagedDecision, stagedWrite } from './staged-write.ts';

const MODIFIED_MEANWHILE =
  'the object has been modified; please apply your changes to the latest version and try again';

/** A change to one object: what it becomes is a function of what it is, so it can be judged again. */
export interface Change extends RequestBase {
  readonly kind: KindDefinition;
  readonly options: WriteOptions;
  /** Decoded and defaulted. `current` is undefined when the object does not exist and may be created. */
  next(current: Stored | undefined): KubeObject;
  /**
   * The owners of the fields after the change; asked right after `next`, before admission. Without it, the writer owns
   * the fields it changed.
   */
  owners?(current: Stored | undefined, next: KubeObject): Owners | undefined;
  /** The object must still be this one (a PUT that names a UID). */
  readonly uid?: string;
  readonly mayCreate: boolean;
  /** Set where admission judges another view of the object than the one that is stored. */
  readonly view?: AdmissionView;
}

/** A subresource with a kind of its own, such as `scale`: shown to admission in place of the object, and put back. */
interface AdmissionView {
  readonly subresource: string;
  readonly kind: string;
  show(object: KubeObject): KubeObject;
  putBack(object: KubeObject, view: KubeObject): KubeObject;
}

export async function changeObject(context: HandlerContext, change: Change): Promise<ApiResponse> {
  const { kind, target } = change;
  const key = storeKeyOf(kind, target, target.name);
  if (change.mayCreate && context.store.accepted(key) === undefined) {
    // Permission to update does not include permission to create.
    context.authorize(change, 'create');
    // The object with this UID is gone; a new one of its name would be another object.
    if (change.uid !== undefined) throw conflict(kind, target.name, preconditionText(change.uid, ''));
    const object = unversioned(change.next(undefined));
    checkIdentity(kind, change, object);
    const managed = ownersOf(context, change, undefined, object);
    return createObject(context, { ...change, object, managed, byUpdate: true });
  }
  if (change.options.dryRun === true) {
    const object = await stagedDecision(context.store, key, (accepted, step) => {
      if (accepted === undefined) throw notFound(kind, target.name);
      return changed(context, change, accepted, step);
    });
    return { type: 'object', object: asIfStored(kind, object), created: false };
  }
  const object = await stagedWrite(context.store, key, (accepted, revision, step): Decision => {
    if (accepted === undefined) throw notFound(kind, target.name);
    const next = changed(context, change, accepted, step);
    if (isFinalized(next, accepted)) return { remove: atRevision(next, revision) };
    return next === accepted ? { keep: accepted } : { put: atRevision(next, revision) };
  });
  return { type: 'object', object, created: false };
}

/**
 * Whether a PUT creates an absent object. Where it does, a PUT of its status does too, as in Kubernetes: the object is
 * judged like any new one, and keeps nothing of that status.
 */
export const createsOnUpdate = ({ strategy }: KindDefinition, { subresource }: Change['target']): boolean =>
  strategy.allowCreateOnUpdate === true && (subresource === '' || subresource === 'status');

/** The resourceVersion of an absent object says nothing: unlike a POST, a PUT or an apply that creates ignores it. */
function unversioned(object: KubeObject): KubeObject {
  const version = object.metadata?.resourceVersion;
  if (version === undefined) return object;
  checkNumber(version);
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** The object after the change, still at the old version; the very same object when nothing changes. */
function changed(context: HandlerContext, change: Change, old: Stored, step: Step): Stored {
  const { kind, options, target, user, view, warn } = change;
  const { name } = target;
  const show = (object: KubeObject): KubeObject => (view === undefined ? object : view.show(object));
  if (change.uid !== undefined && change.uid !== old.metadata.uid) {
    throw conflict(kind, name, preconditionText(change.uid, old.metadata.uid));
  }
  const proposed = change.next(old);
  checkIdentity(kind, change, proposed);
  checkVersion(kind, name, proposed, old);
  const managed = ownersOf(context, change, old, proposed);
  const admission: AdmissionRequest = {
    operation: 'UPDATE',
    resource: kind,
    kind: view?.kind ?? kind.kind,
    subresource: view?.subresource ?? target.subresource,
    tenant: target.tenant,
    namespace: kind.namespaced ? target.namespace : '',
    name,
    object: show(proposed),
    oldObject: show(old),
    options,
    dryRun: options.dryRun === true,
    user,
  };
  const judged = step('mutate', () => context.admission.mutate(kind, admission, warn)) ?? admission.object ?? proposed;
  const admitted =
    view === undefined ? judged : judged === admission.object ? proposed : view.putBack(proposed, judged);
  if (admitted !== proposed) agreedNamespace(admitted.metadata, kind.namespaced, target.namespace);
  const object = prepareUpdate(context, change, withoutDuplicateOwners(admitted, warn, true), old, managed);
  step('validate', () => context.admission.validate(kind, { ...admission, object: show(object) }, warn));
  return object;
}

const ownersOf = (
  context: HandlerContext,
  change: Change,
  live: Stored | undefined,
  next: KubeObject,
): Owners | undefined =>
  change.owners === undefined
    ? ownersAfter(context, change.kind, change, live, next, undefined)
    : change.owners(live, next);

function prepareUpdate(
  context: HandlerContext,
  change: Change,
  admitted: KubeObject,
  old: Stored,
  managed: Owners | undefined,
): Stored {
  const { kind, target, warn } = change;
  const { strategy } = kind;
  const { subresource } = target;
  const proposed = withMeta(admitted, updatedMeta(admitted, old, managed));
  const own = strategy.prepareForUpdate(proposed, old, subresource);
  const prepared = share(old, strategy.stamp?.(own, old, context.timestamps.now()) ?? own) as Stored;
  const counted =
    prepared !== old && strategy.generationChanged(prepared, old)
      ? withMeta(prepared, { ...prepared.metadata, generation: (old.metadata.generation ?? 0) + 1 })
      : prepared;
  // An object that stays as it is was valid when it came; its fields may still have changed hands.
  if (counted === old) {
    if (warn !== undefined && subresource === '') for (const text of strategy.warnings?.(old, old) ?? []) warn(text);
    return hasSameOwners(old, managed) ? old : withManaged(old, managed);
  }
  const allocator = subresource === '' ? context.hooks.allocators.get(kind.resource) : undefined;
  allocator?.checkUpdate?.(counted, old, change.options.dryRun === true);
  const errors =
    change.form?.conversion?.validateUpdate?.(counted, old) ?? strategy.validateUpdate(counted, old, subresource);
  if (warn !== undefined) for (const text of strategy.ratcheted?.(counted) ?? []) warn(text);
  if (errors.length > 0) throw invalidObject(kind, target.name, errors);
  if (warn !== undefined && subresource === '') for (const text of strategy.warnings?.(counted, old) ?? []) warn(text);
  // Validation comes before allocation, so that an invalid object takes no address or port.
  const allocated =
    allocator === undefined
      ? counted
      : (allocator.onUpdate(counted, old, target, change.options.dryRun === true) as Stored);
  // Equal metadata may have been taken from the old object, and its owners with it.
  return withManaged(allocated, managed);
}

/** The client's metadata with all server-owned fields as before; changes of immutable fields are left to validation. */
function updatedMeta(object: KubeObject, old: Stored, managed: Owners | undefined) {
  const meta = object.metadata;
  const before = old.metadata;
  return buildMeta(
    meta,
    {
      name: meta.name,
      namespace: before.namespace ?? '',
      uid: meta.uid || before.uid,
      resourceVersion: before.resourceVersion,
      generation: before.generation,
      creationTimestamp: before.creationTimestamp,
      deletionTimestamp: before.deletionTimestamp ?? meta.deletionTimestamp,
      deletionGracePeriodSeconds: meta.deletionGracePeriodSeconds ?? before.deletionGracePeriodSeconds,
    },
    managed,
  );
}

export function checkIdentity(kind: KindDefinition, change: Pick<Change, 'target'>, object: KubeObject): void {
  const { name, namespace } = change.target;
  agreedNamespace(object.metadata, kind.namespaced, namespace);
  checkName(object, name);
}

/** A body must say which object it is about, even though the path does. */
export function checkName({ metadata }: Pick<KubeObject, 'metadata'>, name: string): void {
  const own = (metadata as KubeObject['metadata'] | undefined)?.name ?? '';
  if (own === name) return;
  throw badRequest(
    own === ''
      ? `the name of the object (${name} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${own}) does not match the name on the URL (${name})`,
  );
}

function checkVersion(kind: KindDefinition, name: string, object: KubeObject, old: Stored): void {
  const version = object.metadata.resourceVersion ?? '';
  if (version === old.metadata.resourceVersion) return;
  if (version === '' || version === '0') {
    if (kind.strategy.allowUnconditionalUpdate) return;
    const errors = [invalid('metadata.resourceVersion', 0, 'must be specified for an update')];
    throw invalidObject({ group: kind.group, kind: kind.resource }, name, errors);
  }
  checkNumber(version);
  throw conflict(kind, name, MODIFIED_MEANWHILE);
}

/** Kubernetes answers 500 to a resourceVersion that is no number. */
function checkNumber(version: string): void {
  const parsed = version === '' || readRevision(version) !== undefined ? undefined : parseUint64(version);
  if (parsed?.ok === false) throw new StatusError(500, '', parsed.error);
}
