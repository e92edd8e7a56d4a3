/** Pods that claim, or have claimed, a Ticket: which changes of pods concern which Ticket. */
import type { Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import { claimantOf } from '../../../core/daemons/ticket-claim.ts';
import { isHanded } from '../../../core/daemons/ticket-phase.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isTerminal } from '../../../core/placement/pod-record.ts';
import type { Change } from '../../../machinery/cache/object-store.ts';
import { keyOf, keyText } from '../../../machinery/cache/object-keys.ts';

export class Claimants {
  /** Key of the Ticket by UID of the claimant. */
  readonly #tickets = new Map<string, string>();
  /** UID of the claimant by UID of the Ticket. */
  readonly #pods = new Map<string, string>();

  sawTicket(ticket: Stored<Ticket>): void {
    const { uid } = ticket.metadata;
    const pod = isHanded(ticket) ? claimantOf(ticket) : undefined;
    const known = this.#pods.get(uid);
    if (known === pod) return;
    if (known !== undefined) this.forget(ticket);
    if (pod === undefined) return;
    this.#pods.set(uid, pod);
    this.#tickets.set(pod, keyText(keyOf(ticket)));
  }

  forget({ metadata: { uid } }: Stored<Ticket>): void {
    const pod = this.#pods.get(uid);
    if (pod === undefined) return;
    this.#pods.delete(uid);
    this.#tickets.delete(pod);
  }

  /** Every change of every pod passes here. */
  follow(changes: readonly Change<Pod>[], enqueue: (key: string) => void): void {
    if (this.#tickets.size === 0) return;
    for (const { type, object, old } of changes) {
      const ticket = this.#tickets.get((old ?? object).metadata.uid) ?? this.#tickets.get(object.metadata.uid);
      if (ticket !== undefined && (type !== 'update' || matters(old, object))) enqueue(ticket);
    }
  }
}

const matters = (old: Stored<Pod>, pod: Stored<Pod>): boolean =>
  old.metadata.uid !== pod.metadata.uid ||
  old.spec.nodeName !== pod.spec.nodeName ||
  old.metadata.deletionTimestamp !== pod.metadata.deletionTimestamp ||
  isTerminal(old) !== isTerminal(pod);
