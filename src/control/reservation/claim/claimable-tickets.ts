/**
 * Tickets whose room can be claimed, found by name, Order, group, namespace and node, and Tickets that a pod is claiming, by the UID
 * of the pod. Kept up with every change of a Ticket, so that an attempt to schedule a claimant costs as much as there are Tickets to
 * choose from.
 */
import type { ClaimRequest } from '../../../core/api/kinds/reservation/claim-request.ts';
import { RESERVATION_ANNOTATIONS, TICKET_PHASES } from '../../../core/api/names.ts';
import type { Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { claimantOf, isClaimable } from '../../../core/daemons/ticket-claim.ts';
import { labelOf } from '../../../core/kube/labels.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';

const NONE: ReadonlyMap<string, Stored<Ticket>> = new Map();

export class ClaimableTickets {
  /** Grows with every change of the answers. */
  version = 0;
  /** By key (see `keysOf`): Tickets by UID. Never an empty map. */
  readonly #found = new Map<string, Map<string, Stored<Ticket>>>();
  /** By UID: all Tickets in `#found`. */
  readonly #claimable = new Map<string, Stored<Ticket>>();
  /** Tickets in phase Claiming, by UID of their claimant. */
  readonly #claiming = new Map<string, Stored<Ticket>>();
  /** UIDs of those claimants, by UID of the Ticket. */
  readonly #claimants = new Map<string, string>();
  /** UIDs of Tickets that this process has promised to a pod. They are in no answer. */
  readonly #promised = new Set<string>();
  /** By UID: the newest state of Tickets that would be claimable but are promised. */
  readonly #heldBack = new Map<string, Stored<Ticket>>();

  set(ticket: Stored<Ticket>): void {
    const { uid } = ticket.metadata;
    this.remove(ticket);
    if (ticket.status?.phase === TICKET_PHASES.claiming) {
      this.#claiming.set(claimantOf(ticket), ticket);
      this.#claimants.set(uid, claimantOf(ticket));
    } else if (!isClaimable(ticket)) return;
    else if (this.#promised.has(uid)) this.#heldBack.set(uid, ticket);
    else this.#add(ticket);
    this.version += 1;
  }

  remove({ metadata: { uid } }: Stored<Ticket>): void {
    this.#heldBack.delete(uid);
    const claimant = this.#claimants.get(uid);
    if (claimant !== undefined) {
      this.#claimants.delete(uid);
      this.#claiming.delete(claimant);
      this.version += 1;
    }
    const known = this.#claimable.get(uid);
    if (known === undefined) return;
    this.#claimable.delete(uid);
    for (const key of keysOf(known)) {
      const tickets = this.#found.get(key);
      if (tickets?.delete(uid) === true && tickets.size === 0) this.#found.delete(key);
    }
    this.version += 1;
  }

  /** Takes the Ticket out of all answers until `release`. */
  promise(ticket: Stored<Ticket>): void {
    const { uid } = ticket.metadata;
    const known = this.#claimable.get(uid);
    this.remove(ticket);
    this.#promised.add(uid);
    if (known !== undefined) this.#heldBack.set(uid, known);
    this.version += 1;
  }

  release({ metadata: { uid } }: Stored<Ticket>): void {
    if (!this.#promised.delete(uid)) return;
    const ticket = this.#heldBack.get(uid);
    this.#heldBack.delete(uid);
    if (ticket !== undefined) this.#add(ticket);
    this.version += 1;
  }

  claimedBy(podUid: string): Stored<Ticket> | undefined {
    return this.#claiming.get(podUid);
  }

  /** Tickets that the request means, by UID. @param node only Tickets on this one. */
  matching({ namespace, target }: ClaimRequest, node?: string): Iterable<Stored<Ticket>> {
    const on = node === undefined ? '' : `@${node}`;
    switch (target.type) {
      case 'ticket':
        return (this.#found.get(`ticket ${namespace}/${target.name}${on}`) ?? NONE).values();
      case 'order':
        return (this.#found.get(`order ${namespace}/${target.name}${on}`) ?? NONE).values();
      case 'group':
        return (this.#found.get(`group ${namespace}/${target.group}${on}`) ?? NONE).values();
      case 'selector': {
        const all = (this.#found.get(`any ${namespace}${on}`) ?? NONE).values();
        return all.filter((ticket) => target.selector.matches(ticket.metadata.labels));
      }
    }
  }

  #add(ticket: Stored<Ticket>): void {
    const { uid } = ticket.metadata;
    this.#claimable.set(uid, ticket);
    for (const key of keysOf(ticket)) {
      const tickets = this.#found.get(key);
      if (tickets === undefined) this.#found.set(key, new Map([[uid, ticket]]));
      else tickets.set(uid, ticket);
    }
  }
}

function keysOf(ticket: Stored<Ticket>): readonly string[] {
  const { name, namespace = '', annotations, labels } = ticket.metadata;
  const order = controllerOf(ticket);
  const group =
    labelOf(annotations, RESERVATION_ANNOTATIONS.ticketGroup) ?? labelOf(labels, RESERVATION_ANNOTATIONS.ticketGroup);
  const keys = [`ticket ${namespace}/${name}`, `any ${namespace}`];
  if (order?.kind === 'Order') keys.push(`order ${namespace}/${order.name}`);
  if (group !== undefined) keys.push(`group ${namespace}/${group}`);
  const node = ticket.status?.nodeName ?? '';
  return [...keys, ...keys.map((key) => `${key}@${node}`)];
}
