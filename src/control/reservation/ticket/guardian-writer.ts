/** Creates, passes on and deletes guardians. Answers and doubts are taken in at once, so that no guardian is made twice. */
import { GUARDIAN_PRIORITY_CLASS } from '../../../core/api/names.ts';
import { PODS, PRIORITY_CLASSES, TICKETS } from '../../../core/api/registry/resources.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import type { PriorityClass } from '../../../core/api/types/scheduling-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { controllerReference } from '../../../core/kube/owner-references.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import { keyOf, keyText } from '../../../machinery/cache/object-keys.ts';
import { type ChildOwner, createChildWriter } from '../../../machinery/children/child-writer.ts';
import { withType } from '../../../machinery/children/with-type.ts';
import type { WritesUnderWay } from '../../../machinery/children/writes-under-way.ts';
import { unlessGone } from '../../../machinery/children/write-outcomes.ts';
import type { Client } from '../../../machinery/client/client.ts';
import type { GuardianCache } from './guardian-cache.ts';
import { guardianLabels, guardianPod } from './guardian-pod.ts';

export type TicketOwner = ChildOwner<Ticket, Pod>;

export interface GuardianWriter {
  /**
   * Creates a guardian, or finds the one that an earlier attempt created. False: the namespace is being deleted.
   *
   * @param predecessor UID of the guardian that it follows; empty for the first.
   */
  make(owner: TicketOwner, predecessor: string): Promise<boolean>;
  /** Makes the Ticket the only controller of the pod. False: the pod has changed or is gone; what it is now is known. */
  take(ticket: Stored<Ticket>, guardian: Stored<Pod>): Promise<boolean>;
  /** Deletes the guardian unless it has changed meanwhile: it may have been passed on. False as of `take`. */
  remove(guardian: Stored<Pod>): Promise<boolean>;
  /** Finds out how creations without an answer ended. */
  settle(owner: TicketOwner, signal: AbortSignal): Promise<void>;
}

export interface GuardianWriterOptions {
  readonly client: Client;
  readonly guardians: GuardianCache;
  readonly image: string;
  /** Creations of guardians, by key of the pod. */
  readonly writes: WritesUnderWay;
  /** Called when a guardian has changed before the answer to its creation was there. */
  readonly onChanged: (ticket: Stored<Ticket>) => void;
  /** Called for every guardian created. */
  readonly onCreated: (guardian: Stored<Pod>) => void;
}

/** Names tried for one guardian before it counts as not created. */
const NAMES = 3;

const PRIORITY_CLASS: PriorityClass = {
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name: GUARDIAN_PRIORITY_CLASS },
  value: 1_000_000_000,
  preemptionPolicy: 'Never',
  description: 'Guardians of Tickets: they give way to system-critical pods only, and preempt nobody.',
};

const QUIET = {
  created: () => undefined,
  createFailed: () => undefined,
  deleted: () => undefined,
  deleteFailed: () => undefined,
};

export function createGuardianWriter(options: GuardianWriterOptions): GuardianWriter {
  const { client, guardians, image, writes, onCreated } = options;
  // The sync tells of failures: it knows whether they are new.
  const writer = createChildWriter<Ticket, Pod>({ client, resource: PODS, events: QUIET });
  let priorityClass: Promise<void> | undefined;

  async function createPriorityClass(): Promise<void> {
    try {
      await client.create(PRIORITY_CLASSES, PRIORITY_CLASS);
    } catch (error) {
      if (!isStatus(error, 'AlreadyExists')) throw error;
    }
  }

  async function make(owner: TicketOwner, predecessor: string, names: number): Promise<boolean> {
    const pod = guardianPod(owner.object, predecessor, image);
    const outcome = await writes.during(
      keyText(keyOf(pod)),
      () => writer.create(owner, pod),
      (made) => (made.type === 'created' ? made.child : undefined),
      () => options.onChanged(owner.object),
    );
    switch (outcome.type) {
      case 'created':
        onCreated(outcome.child);
        return true;
      case 'found':
        return true;
      case 'ending':
        return false;
      case 'taken':
        // Made by hand, or passed on to another Ticket: the own guardian is named after it.
        if (names > 1) return make(owner, outcome.by.metadata.uid, names - 1);
        throw outcome.error;
    }
  }

  /** Takes in the present state of a pod that a write has failed for. */
  async function ask(pod: Stored<Pod>): Promise<void> {
    const present = await unlessGone(client.get(PODS, keyOf(pod)));
    if (present?.metadata.uid !== pod.metadata.uid) guardians.gone(pod);
    if (present !== undefined) guardians.wrote(present);
  }

  return {
    settle: (owner, signal) => writer.settle(owner, signal),

    async make(owner, predecessor) {
      if (owner.object.spec.priorityClassName === undefined) {
        priorityClass ??= createPriorityClass();
        try {
          await priorityClass;
        } catch (error) {
          priorityClass = undefined;
          throw error;
        }
      }
      try {
        return await make(owner, predecessor, NAMES);
      } catch (error) {
        // Perhaps because somebody has deleted the class.
        if (isStatus(error, 'Forbidden')) priorityClass = undefined;
        throw error;
      }
    },

    async take(ticket, guardian) {
      const { uid, resourceVersion, ownerReferences = [] } = guardian.metadata;
      const others = ownerReferences.filter(({ controller }) => controller !== true).map((each) => ({ ...each }));
      const reference = { ...controllerReference(withType(TICKETS, ticket)) };
      const metadata = {
        uid,
        resourceVersion,
        ownerReferences: [...others, reference],
        labels: { ...guardianLabels(ticket) },
      };
      try {
        guardians.wrote(await client.patch(PODS, keyOf(guardian), { type: 'merge', body: { metadata } }));
        return true;
      } catch (error) {
        await ask(guardian);
        if (isStatus(error, 'Conflict') || isStatus(error, 'NotFound')) return false;
        throw error;
      }
    },

    async remove(guardian) {
      const { uid, resourceVersion } = guardian.metadata;
      try {
        const answer = await client.delete(PODS, keyOf(guardian), { preconditions: { uid, resourceVersion } });
        if (isPod(answer) && answer.metadata.deletionTimestamp !== undefined) guardians.wrote(answer);
        else guardians.gone(guardian);
        return true;
      } catch (error) {
        await ask(guardian);
        if (isStatus(error, 'Conflict') || isStatus(error, 'NotFound')) return false;
        throw error;
      }
    },
  };
}

/** A delete answers with the pod while it lingers, and with a Status when it is gone. */
const isPod = (answer: object): answer is Stored<Pod> => (answer as { readonly kind?: string }).kind === 'Pod';
