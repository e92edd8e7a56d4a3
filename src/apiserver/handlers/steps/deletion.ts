/**
 * Effect of a delete request on an object: remove it, mark it (finalizers or grace still stand in the way), or nothing,
 * because it is being deleted already. Pure, so that every combination can be tested.
 */
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import { type FieldError, invalid, notSupported } from '../../../core/kube/field-errors.ts';
import { FOREGROUND_FINALIZER as FOREGROUND, ORPHAN_FINALIZER as ORPHAN } from '../../../core/kube/finalizers.ts';
import type { ObjectMeta } from '../../../core/kube/meta-v1.ts';
import type { KubeObject, Stored, StoredMeta } from '../../../core/kube/objects.ts';
import { formatTime } from '../../../core/kube/time.ts';
import { conflict, invalidObject } from '../../../core/kube/status-error.ts';
import type { DeleteRequest } from '../../contract/request.ts';
import { withMeta } from './metadata.ts';
import type { Timestamps } from './timestamps.ts';

type Options = DeleteRequest['options'];

export type Deletion =
  | { readonly outcome: 'remove' | 'mark'; readonly object: Stored }
  /** Deletion goes on as it was asked for before. */
  | { readonly outcome: 'pending'; readonly object: Stored };

export function checkDeleteOptions(options: Options): void {
  const errors: FieldError[] = [];
  const policy = options.propagationPolicy as string | undefined;
  if (options.orphanDependents !== undefined && policy !== undefined) {
    const text = 'orphanDependents and deletionPropagation cannot be both set';
    errors.push(invalid('propagationPolicy', policy, text));
  }
  if (policy !== undefined && policy !== 'Foreground' && policy !== 'Background' && policy !== 'Orphan') {
    errors.push(notSupported('propagationPolicy', policy, ['Foreground', 'Background', 'Orphan', 'nil']));
  }
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
}

export const preconditionText = (wanted: string, found: string): string =>
  `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`;
export const versionPreconditionText = (wanted: string, found: string): string =>
  `Precondition failed: ResourceVersion in precondition: ${wanted}, ResourceVersion in object meta: ${found}`;

export function checkPreconditions(kind: KindDefinition, old: Stored, options: Options): void {
  const { preconditions } = options;
  if (preconditions === undefined) return;
  const { name, resourceVersion, uid } = old.metadata;
  if (kind.strategy.marksDeletionOnly === true || isNamespace(kind)) {
    checkMarkPreconditions(kind, old, preconditions);
    return;
  }
  const what = { group: kind.group, resource: kind.kind };
  if (preconditions.uid !== undefined && preconditions.uid !== uid) {
    const text = `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw conflict(what, name, text);
  }
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    const text = `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
    throw conflict(what, name, text);
  }
}

/** The precondition check in the words of a kind that does the marking itself. */
function checkMarkPreconditions(
  kind: KindDefinition,
  { metadata: { name, resourceVersion, uid } }: Stored,
  wanted: NonNullable<Options['preconditions']>,
): void {
  if (wanted.uid !== undefined && wanted.uid !== uid) throw conflict(kind, name, preconditionText(wanted.uid, uid));
  if (wanted.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion) {
    throw conflict(kind, name, versionPreconditionText(wanted.resourceVersion, resourceVersion));
  }
}

export function decideDeletion(kind: KindDefinition, old: Stored, options: Options, times: Timestamps): Deletion {
  if (isNamespace(kind)) return deleteNamespace(old, options, times);
  const graceful = kind.strategy.gracePeriod === undefined ? undefined : gracefully(kind, old, options, times);
  if (graceful === 'pending') return { outcome: 'pending', object: old };
  const current = old.metadata.finalizers ?? [];
  const finalizers = kind.strategy.marksDeletionOnly === true ? current : deletionFinalizers(kind, current, options);
  const held = finalizers.length > 0;
  if (graceful !== undefined) {
    const object = withFinalizers(graceful.object, finalizers);
    return { outcome: held || graceful.grace > 0 ? 'mark' : 'remove', object };
  }
  if (!held) return { outcome: 'remove', object: old };
  const object = markDeleting(withFinalizers(old, finalizers), times, kind.strategy.marksDeletionOnly === true);
  return { outcome: object === old ? 'pending' : 'mark', object };
}

/** Update has taken the last finalizer off an object that was only waiting for that. */
export function isFinalized(object: KubeObject, old: Stored): boolean {
  const { deletionGracePeriodSeconds: grace, deletionTimestamp } = old.metadata;
  if (deletionTimestamp === undefined || (grace !== undefined && grace !== 0)) return false;
  if ((object.metadata.finalizers?.length ?? 0) > 0) return false;
  return object.kind !== 'Namespace' || object.apiVersion !== 'v1' || namespaceFinalizers(object).length === 0;
}

function gracefully(
  kind: KindDefinition,
  old: Stored,
  options: Options,
  times: Timestamps,
): { readonly object: Stored; readonly grace: number } | 'pending' | undefined {
  // Kubernetes reads a negative grace as one second.
  const requested = options.gracePeriodSeconds === undefined ? undefined : positive(options.gracePeriodSeconds);
  const { deletionTimestamp, generation } = old.metadata;
  if (deletionTimestamp === undefined) {
    const grace = positive(kind.strategy.gracePeriod?.(old, requested) ?? 0);
    const metadata: StoredMeta = {
      ...old.metadata,
      deletionTimestamp: times.inSeconds(grace),
      deletionGracePeriodSeconds: grace,
      ...(generation === undefined ? {} : { generation: generation + 1 }),
    };
    return { object: withMeta(old, metadata), grace };
  }
  const current = old.metadata.deletionGracePeriodSeconds;
  if (current === undefined || current === 0) return undefined;
  if (requested === undefined || requested >= positive(current)) return 'pending';
  return shortened(old, deletionTimestamp, positive(current), requested, times);
}

const positive = (seconds: number): number => (seconds < 0 ? 1 : seconds);

/** A second delete may only bring the end nearer, and never into the past. */
function shortened(old: Stored, until: string, current: number, requested: number, times: Timestamps) {
  let grace = requested;
  let deletionTimestamp = formatTime(Date.parse(until) - (current - requested) * 1000);
  if (deletionTimestamp < times.now()) {
    deletionTimestamp = times.now();
    if (grace !== 0) grace = 1;
  }
  const metadata: StoredMeta = { ...old.metadata, deletionTimestamp, deletionGracePeriodSeconds: grace };
  return { object: withMeta(old, metadata), grace };
}

function markDeleting(object: Stored, times: Timestamps, only: boolean): Stored {
  const { deletionTimestamp, generation } = object.metadata;
  const now = times.now();
  const first = deletionTimestamp === undefined;
  if (!first && deletionTimestamp <= now && object.metadata.deletionGracePeriodSeconds === 0) return object;
  if (only) return first ? withMeta(object, { ...object.metadata, deletionTimestamp: now }) : object;
  const metadata: StoredMeta = {
    ...object.metadata,
    deletionTimestamp: first || deletionTimestamp > now ? now : deletionTimestamp,
    deletionGracePeriodSeconds: 0,
    ...(first && generation !== undefined ? { generation: generation + 1 } : {}),
  };
  return withMeta(object, metadata);
}

function deletionFinalizers(kind: KindDefinition, current: readonly string[], options: Options): readonly string[] {
  const keepsByDefault = KEEPS_DEPENDENTS.has(`${kind.group}/${kind.resource}`) && !current.includes(FOREGROUND);
  const orphan = wants(options, 'Orphan', current.includes(ORPHAN) || keepsByDefault) && !isEvent(kind);
  const foreground = wants(options, 'Foreground', current.includes(FOREGROUND)) && !isEvent(kind);
  if (orphan === current.includes(ORPHAN) && foreground === current.includes(FOREGROUND)) return current;
  const kept = current.filter((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND);
  return [...kept, ...(orphan ? [ORPHAN] : []), ...(foreground ? [FOREGROUND] : [])];
}

/** Kinds older than garbage collection, whose pods stay unless the request says otherwise. */
const KEEPS_DEPENDENTS: ReadonlySet<string> = new Set(['/replicationcontrollers', 'batch/jobs']);

/** The propagation policy of the request, else the one that the object's finalizers say. */
function wants(options: Options, policy: 'Orphan' | 'Foreground', already: boolean): boolean {
  if (options.orphanDependents !== undefined) return policy === 'Orphan' && options.orphanDependents;
  return options.propagationPolicy === undefined ? already : options.propagationPolicy === policy;
}

function withFinalizers(object: Stored, finalizers: readonly string[]): Stored {
  if (object.metadata.finalizers === finalizers) return object;
  if (finalizers.length === 0 && object.metadata.finalizers === undefined) return object;
  const { finalizers: _, ...rest } = object.metadata;
  const metadata: ObjectMeta = finalizers.length === 0 ? rest : { ...rest, finalizers };
  return withMeta(object, metadata);
}

const isEvent = (kind: KindDefinition): boolean => kind.resource === 'events';
const isNamespace = (kind: KindDefinition): boolean => kind.resource === 'namespaces' && kind.group === '';

interface NamespaceLike extends KubeObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: string };
}

const namespaceFinalizers = (namespace: NamespaceLike): readonly string[] => namespace.spec?.finalizers ?? [];

/** A namespace first terminates: its content goes, then its finalizers, then itself. */
function deleteNamespace(old: Stored, options: Options, times: Timestamps): Deletion {
  const namespace: Stored<NamespaceLike> = old;
  if (old.metadata.deletionTimestamp !== undefined) {
    const done = namespaceFinalizers(namespace).length === 0 && (old.metadata.finalizers?.length ?? 0) === 0;
    return { outcome: done ? 'remove' : 'pending', object: old };
  }
  const orphan = wants(options, 'Orphan', false);
  const foreground = wants(options, 'Foreground', false);
  const finalizers = [
    ...(old.metadata.finalizers ?? []),
    ...(orphan ? [ORPHAN] : []),
    ...(foreground ? [FOREGROUND] : []),
  ];
  const marked: Stored<NamespaceLike> = {
    ...namespace,
    metadata: { ...old.metadata, deletionTimestamp: times.now() },
    status: { ...namespace.status, phase: 'Terminating' },
  };
  return { outcome: 'mark', object: withFinalizers(marked, finalizers) };
}
