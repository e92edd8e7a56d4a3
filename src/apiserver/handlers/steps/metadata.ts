/**
 * Metadata that belongs to the server. Objects are built field by field in one order, so that all of a kind share a
 * shape and nothing a client smuggled into metadata survives.
 */
import { type Owners, setManaged } from '../../../core/api/apply/managed.ts';
import type { ObjectMeta, OwnerReference } from '../../../core/kube/meta-v1.ts';
import type { KubeObject, Stored, StoredMeta } from '../../../core/kube/objects.ts';
import { badRequest } from '../../../core/kube/status-error.ts';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The fields that only the server writes. */
export interface ServerFields {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number | undefined;
  readonly creationTimestamp: string;
  readonly deletionTimestamp: string | undefined;
  readonly deletionGracePeriodSeconds: number | undefined;
}

/**
 * Client's part from `meta`, server's part from `server`. Not frozen: its maker completes it with the revision. Owners of
 * fields are not taken from what a client wrote; they were worked out from it.
 */
export function buildMeta(meta: ObjectMeta, server: ServerFields, managed: Owners | undefined): StoredMeta {
  const built: Writable<StoredMeta> = { name: server.name } as Writable<StoredMeta>;
  if (meta.generateName) built.generateName = meta.generateName;
  if (server.namespace !== '') built.namespace = server.namespace;
  built.uid = server.uid;
  built.resourceVersion = server.resourceVersion;
  if (server.generation !== undefined && server.generation !== 0) built.generation = server.generation;
  built.creationTimestamp = server.creationTimestamp;
  if (server.deletionTimestamp !== undefined) built.deletionTimestamp = server.deletionTimestamp;
  if (server.deletionGracePeriodSeconds !== undefined) {
    built.deletionGracePeriodSeconds = server.deletionGracePeriodSeconds;
  }
  const { labels, annotations, ownerReferences, finalizers } = meta;
  if (hasKeys(labels)) built.labels = labels;
  if (hasKeys(annotations)) built.annotations = annotations;
  if (ownerReferences !== undefined && ownerReferences.length > 0) built.ownerReferences = ownerReferences;
  if (finalizers !== undefined && finalizers.length > 0) built.finalizers = finalizers;
  setManaged(built, managed);
  return built;
}

function hasKeys<T extends object>(map: T | undefined): map is T {
  // A loop that returns at the first key: Object.keys would allocate on the hottest path there is.
  if (map === undefined || map === null) return false;
  for (const key in map) if (Object.hasOwn(map, key)) return true;
  return false;
}

/** The same object with other metadata. */
export function withMeta<T extends KubeObject>(object: T, metadata: ObjectMeta): T {
  return Object.freeze({ ...object, metadata });
}

/** The stored object as the revision that is being written. */
export function atRevision(object: Stored, revision: number): Stored {
  return withMeta(object, Object.freeze({ ...object.metadata, resourceVersion: String(revision) }));
}

const NAME_LIMIT = 63;
const SUFFIX_LENGTH = 5;

/** Kubernetes keeps generated names within a label's length. */
export function generatedName(base: string, suffix: (length: number) => string): string {
  const limit = NAME_LIMIT - SUFFIX_LENGTH;
  return (base.length > limit ? base.slice(0, limit) : base) + suffix(SUFFIX_LENGTH);
}

/** The namespace an object will have, or 400 where body and path disagree. */
export function agreedNamespace(meta: ObjectMeta, namespaced: boolean, requested: string): string {
  if (!namespaced) return '';
  const own = meta.namespace ?? '';
  if (own === '' || own === requested) return requested;
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

/** Owners that are named twice are kept once, with a warning. */
export function withoutDuplicateOwners<T extends KubeObject>(
  object: T,
  warn: ((message: string) => void) | undefined,
  afterAdmission: boolean,
): T {
  const refs = object.metadata.ownerReferences;
  if (refs === undefined || refs.length < 2) return object;
  const kept = new Map<string, OwnerReference>();
  const duplicates = new Set<string>();
  for (const ref of refs) {
    const identity = ownerIdentity(ref);
    if (kept.has(identity)) duplicates.add(ref.uid);
    else kept.set(identity, ref);
  }
  if (duplicates.size === 0) return object;
  const when = afterAdmission ? ' after mutating admission happens' : '';
  warn?.(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; ` +
      `duplicate UID(s) observed: ${[...duplicates].join(', ')}`,
  );
  return withMeta(object, { ...object.metadata, ownerReferences: [...kept.values()] });
}

const ownerIdentity = (ref: OwnerReference): string =>
  [ref.uid, ref.name, ref.kind, ref.apiVersion, ref.controller ?? '', ref.blockOwnerDeletion ?? ''].join('\0');
