/** Claimants that wait for the Ticket controller to bind them, and the end of each wait, seen in Tickets and pods. */
import { TICKET_PHASES } from '../../../core/api/names.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { claimantOf } from '../../../core/daemons/ticket-claim.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { newer } from '../../../core/kube/resource-version.ts';
import type { Binding } from '../../../core/placement/plugin.ts';
import { orAborted } from '../../../machinery/time/abort.ts';

interface Wait {
  readonly podUid: string;
  readonly nodeName: string;
  /** The Ticket as the claim left it; undefined until that is known. Older states of the Ticket say nothing. */
  claimed: Stored<Ticket> | undefined;
  end(binding: Binding): void;
}

const BOUND: Binding = { bound: true };
const SETTLED: Binding = { bound: false, settled: true };

export class ClaimWaits {
  /** The Ticket as the cache shows it. */
  readonly #seen: (ticket: Stored<Ticket>) => Stored<Ticket> | undefined;
  /** By UID of the pod. */
  readonly #byPod = new Map<string, Wait>();
  /** The same by UID of the Ticket. */
  readonly #byTicket = new Map<string, Wait>();

  constructor(seen: (ticket: Stored<Ticket>) => Stored<Ticket> | undefined) {
    this.#seen = seen;
  }

  get size(): number {
    return this.#byPod.size;
  }

  /**
   * Claims, and resolves when the pod is bound, gone, or the claim has come to nothing.
   *
   * @param claim answers with the Ticket as it is claimed, or with the end of the attempt. Begun after the wait, whose end it may bring.
   */
  async until(
    pod: Stored<Pod>,
    ticket: Stored<Ticket>,
    claim: () => Promise<Stored<Ticket> | Binding>,
    signal: AbortSignal,
  ): Promise<Binding> {
    const { promise, resolve } = Promise.withResolvers<Binding>();
    const nodeName = ticket.status?.nodeName ?? '';
    const wait: Wait = { podUid: pod.metadata.uid, nodeName, claimed: undefined, end: resolve };
    this.#byPod.set(wait.podUid, wait);
    this.#byTicket.set(ticket.metadata.uid, wait);
    try {
      const claimed = await claim();
      if ('bound' in claimed) return claimed;
      wait.claimed = claimed;
      const seen = this.#seen(ticket);
      if (seen !== undefined) this.sawTicket(seen);
      return await orAborted(promise, signal);
    } finally {
      this.#byPod.delete(wait.podUid);
      this.#byTicket.delete(ticket.metadata.uid);
    }
  }

  sawPod(pod: Stored<Pod>): void {
    const wait = this.#byPod.get(pod.metadata.uid);
    const nodeName = pod.spec.nodeName ?? '';
    if (wait !== undefined && nodeName !== '') wait.end(nodeName === wait.nodeName ? BOUND : SETTLED);
  }

  sawPodGo(pod: Stored<Pod>): void {
    this.#byPod.get(pod.metadata.uid)?.end(SETTLED);
  }

  sawTicket(ticket: Stored<Ticket>): void {
    const wait = this.#byTicket.get(ticket.metadata.uid);
    if (wait?.claimed === undefined || newer(ticket, wait.claimed) === wait.claimed) return;
    const { phase, message = '' } = ticket.status ?? {};
    if (claimantOf(ticket) === wait.podUid) {
      if (phase === TICKET_PHASES.claimed) wait.end(BOUND);
      if (phase === TICKET_PHASES.claimed || phase === TICKET_PHASES.claiming) return;
    }
    wait.end(failed(`the claim of Ticket ${ticket.metadata.name} came to nothing: ${message}`));
  }

  sawTicketGo(ticket: Stored<Ticket>): void {
    this.#byTicket.get(ticket.metadata.uid)?.end(failed(`Ticket ${ticket.metadata.name} was deleted`));
  }
}

export const failed = (message: string): Binding => ({ bound: false, settled: false, message });
