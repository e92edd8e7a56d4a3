/**
 * Creates and deletes pods for an owner and tells of it as upstream does. What a write answers is taken in at once; a write
 * without a clear outcome is remembered as a doubt and asked about before the next decision.
 */
import { PODS } from '../../core/api/registry/resources.ts';
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { KubeObject, Stored } from '../../core/kube/objects.ts';
import { isControlledBy } from '../../core/kube/owner-references.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import type { Client } from '../client/client.ts';
import { keyOf } from '../cache/object-keys.ts';
import { isNamespaceTerminating, isUnclear, textOf, unlessGone } from './write-outcomes.ts';
import type { PodOwner } from './owners.ts';
import type { Tell } from './tell.ts';

export type Created =
  | { readonly pod: Stored<Pod>; readonly isNew: boolean }
  /** Somebody else has a pod of that name. */
  | 'taken'
  /** The namespace ends, and all of this with it. */
  | 'ending';

export interface PodControl<O extends KubeObject> {
  create(owner: PodOwner<O>, pod: Pod): Promise<Created>;
  /** Deletes it. False: it was gone already. */
  remove(owner: PodOwner<O>, pod: Stored<Pod>): Promise<boolean>;
  /** Finds out how writes without a clear outcome ended. */
  settle(owner: PodOwner<O>): Promise<void>;
}

export interface PodControlOptions<O extends KubeObject> {
  readonly client: Client;
  readonly tell: Tell;
  /** The owner as events name it. */
  readonly named: (object: O) => O;
  /** How events put it; as ReplicaSets and Jobs do unless said. */
  readonly words?: PodWords<O>;
}

export interface PodWords<O extends KubeObject> {
  done(verb: 'create' | 'delete', pod: string, owner: O): string;
  failed(verb: 'create' | 'delete', pod: string, owner: O, error: string): string;
}

const WORDS: PodWords<KubeObject> = {
  done: (verb, pod) => `${verb === 'create' ? 'Created' : 'Deleted'} pod: ${pod}`,
  failed: (verb, _pod, _owner, error) => `Error ${verb === 'create' ? 'creating' : 'deleting'}: ${error}`,
};

export function createPodControl<O extends KubeObject>({
  client,
  tell,
  named,
  words = WORDS,
}: PodControlOptions<O>): PodControl<O> {
  async function meet(owner: PodOwner<O>, pod: Pod): Promise<Created> {
    const { namespace = '', name } = pod.metadata;
    const present = await client.get(PODS, { namespace, name });
    if (!isControlledBy(present, owner.object)) return 'taken';
    owner.pods.wrote(present);
    return { pod: present, isNew: false };
  }

  /** Takes in what the server has under this name now. */
  async function ask(owner: PodOwner<O>, name: string): Promise<void> {
    const { namespace = '' } = owner.object.metadata;
    const present = await unlessGone(client.get(PODS, { namespace, name }));
    if (present !== undefined) owner.pods.wrote(present);
  }

  /** Whether another pod, or none, has the name now. */
  async function isReplaced(pod: Stored<Pod>): Promise<boolean> {
    const present = await unlessGone(client.get(PODS, keyOf(pod)));
    return present?.metadata.uid !== pod.metadata.uid;
  }

  return {
    async create(owner, pod) {
      const object = named(owner.object);
      try {
        const created = await client.create(PODS, pod);
        owner.pods.wrote(created);
        tell(object, 'Normal', 'SuccessfulCreate', words.done('create', created.metadata.name, object));
        return { pod: created, isNew: true };
      } catch (error) {
        if (isNamespaceTerminating(error)) return 'ending';
        if (isStatus(error, 'AlreadyExists')) return meet(owner, pod);
        if (isUnclear(error)) owner.doubts.add(pod.metadata.name);
        tell(object, 'Warning', 'FailedCreate', words.failed('create', pod.metadata.name, object, textOf(error)));
        throw error;
      }
    },

    async remove(owner, pod) {
      const { uid, name } = pod.metadata;
      try {
        const answer = await client.delete(PODS, keyOf(pod), { preconditions: { uid } });
        // Pods that nothing runs are gone at once; the others linger until their node has stopped them.
        if (isPod(answer) && answer.metadata.deletionTimestamp !== undefined) owner.pods.wrote(answer);
        else owner.pods.gone(pod);
        tell(named(owner.object), 'Normal', 'SuccessfulDelete', words.done('delete', name, owner.object));
        return true;
      } catch (error) {
        if (isStatus(error, 'NotFound')) {
          owner.pods.gone(pod);
          return false;
        }
        if (isStatus(error, 'Conflict') && (await isReplaced(pod))) {
          owner.pods.gone(pod);
          return false;
        }
        if (isUnclear(error)) owner.doubts.add(name);
        tell(named(owner.object), 'Warning', 'FailedDelete', words.failed('delete', name, owner.object, textOf(error)));
        throw error;
      }
    },

    async settle(owner) {
      for (const name of owner.doubts) {
        await ask(owner, name);
        owner.doubts.delete(name);
      }
    },
  };
}

const isPod = (answer: object): answer is Stored<Pod> => (answer as { readonly kind?: string }).kind === 'Pod';
