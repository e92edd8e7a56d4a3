/**
 * Creates and deletes the children of an owner, where the answer to a request may be lost. Answers are taken in at once. A write
 * without a clear outcome is remembered as a doubt, by name, and asked about before the next decision (`settle`). Children
 * have deterministic names, so a create that is repeated meets its own earlier child and takes it for created.
 */
import type { KubeObject, ObjectKey, Resource, Stored } from '../../core/kube/objects.ts';
import { isControlledBy } from '../../core/kube/owner-references.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import { keyOf } from '../cache/object-keys.ts';
import type { Client } from '../client/client.ts';
import type { ChildSink } from './overlay.ts';
import { isNamespaceTerminating, isUnclear, unlessGone } from './write-outcomes.ts';

/** Names of children for which a write had no clear outcome; with the child as last known where that was a delete. */
export type Doubts<T extends KubeObject> = Map<string, Stored<T> | undefined>;

/** An owner of children of one resource, as its controller knows it. */
export interface ChildOwner<O extends KubeObject, T extends KubeObject> {
  /** The newest state seen, by watch or as the answer to a write. */
  readonly object: Stored<O>;
  readonly children: ChildSink<T>;
  /** Changed by the child writer alone. */
  readonly doubts: Doubts<T>;
}

type Created<T extends KubeObject> =
  | { readonly type: 'created'; readonly child: Stored<T> }
  /** An own child has the name: it was made by an earlier attempt whose answer was lost. */
  | { readonly type: 'found'; readonly child: Stored<T> }
  /** An object that the owner does not control has the name. `error`: AlreadyExists, as the server put it. */
  | { readonly type: 'taken'; readonly by: Stored<T>; readonly error: unknown }
  /** The namespace is being deleted and lets nothing in. */
  | { readonly type: 'ending'; readonly error: unknown };

/** Emits the events of the owner's kind. Not called for `found`, `taken` and `ending`. */
export interface ChildEvents<O extends KubeObject> {
  created(owner: O, child: string): void;
  createFailed(owner: O, error: unknown, child: string): void;
  deleted(owner: O, child: string): void;
  deleteFailed(owner: O, error: unknown, child: string): void;
}

export interface ChildWriter<O extends KubeObject, T extends KubeObject> {
  create(owner: ChildOwner<O, T>, child: T): Promise<Created<T>>;
  /**
   * Deletes the child by UID. False: it was gone already.
   *
   * @param exactly only if the child is still as given; otherwise a Conflict is thrown, with the new state taken in.
   */
  remove(owner: ChildOwner<O, T>, child: Stored<T>, exactly?: boolean): Promise<boolean>;
  /** Reads the children that are in doubt, and takes in what the server has under their names. */
  settle(owner: ChildOwner<O, T>, signal: AbortSignal): Promise<void>;
}

export interface ChildWriterOptions<O extends KubeObject, T extends KubeObject> {
  readonly client: Client;
  /** The children's. */
  readonly resource: Resource<T>;
  readonly events: ChildEvents<O>;
}

export function createChildWriter<O extends KubeObject, T extends KubeObject>({
  client,
  resource,
  events,
}: ChildWriterOptions<O, T>): ChildWriter<O, T> {
  async function meet(owner: ChildOwner<O, T>, child: T, error: unknown): Promise<Created<T>> {
    const present = await client.get(resource, keyOf(child));
    if (!isControlledBy(present, owner.object)) return { type: 'taken', by: present, error };
    owner.children.wrote(present);
    return { type: 'found', child: present };
  }

  /** Takes in the object that has the name now. Returns it; undefined for none. */
  async function ask(
    { children }: ChildOwner<O, T>,
    key: ObjectKey,
    last: Stored<T> | undefined,
  ): Promise<Stored<T> | undefined> {
    const present = await unlessGone(client.get(resource, key));
    if (last !== undefined && last.metadata.uid !== present?.metadata.uid) children.gone(last);
    if (present !== undefined) children.wrote(present);
    return present;
  }

  return {
    async create(owner, child) {
      const { name } = child.metadata;
      try {
        const created = await client.create(resource, child);
        owner.children.wrote(created);
        events.created(owner.object, created.metadata.name);
        return { type: 'created', child: created };
      } catch (error) {
        if (isNamespaceTerminating(error)) return { type: 'ending', error };
        if (isStatus(error, 'AlreadyExists')) return meet(owner, child, error);
        if (isUnclear(error) && !owner.doubts.has(name)) owner.doubts.set(name, undefined);
        events.createFailed(owner.object, error, name);
        throw error;
      }
    },

    async remove(owner, child, exactly = false) {
      const { uid, name, resourceVersion } = child.metadata;
      try {
        const answer = await client.delete(resource, keyOf(child), {
          preconditions: exactly ? { uid, resourceVersion } : { uid },
        });
        // Unscheduled pods, say, are gone at once; others linger until a kubelet or a finalizer has let them go.
        if (isObject(answer) && answer.metadata.deletionTimestamp !== undefined) owner.children.wrote(answer);
        else owner.children.gone(child);
        events.deleted(owner.object, name);
        return true;
      } catch (error) {
        if (isStatus(error, 'NotFound')) {
          owner.children.gone(child);
          return false;
        }
        // Most likely another object of that name has come since.
        if (isStatus(error, 'Conflict') && (await ask(owner, keyOf(child), child))?.metadata.uid !== uid) return false;
        if (isUnclear(error)) owner.doubts.set(name, child);
        events.deleteFailed(owner.object, error, name);
        throw error;
      }
    },

    async settle(owner, signal) {
      const { namespace } = owner.object.metadata;
      for (const [name, last] of owner.doubts) {
        await ask(owner, namespace === undefined ? { name } : { namespace, name }, last);
        owner.doubts.delete(name);
        signal.throwIfAborted();
      }
    },
  };

  /** A delete answers with the object while it lingers, and with a Status when it is gone. */
  function isObject(answer: object): answer is Stored<T> {
    return (answer as { readonly kind?: string }).kind === resource.kind;
  }
}
