/** What the controller remembers of Tickets beside the caches. All of it can be lost and found again. */
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import type { Doubts } from '../../../machinery/children/child-writer.ts';
import type { GuardianCache } from './guardian-cache.ts';
import { type GuardianBackoff, isOver, newBackoff } from './guardian-backoff.ts';
import type { TicketOwner } from './guardian-writer.ts';

/** What answers of the API server said about a handover. Of one claim; forgotten with it. */
export interface HandoverMemory {
  /** UID of the claimant, where it is known to be gone. */
  gone?: string | undefined;
  /** Why the pod that was to be bound was refused. */
  refused?: string | undefined;
}

/** A Ticket with something to remember; a Ticket that is Reserved at the first attempt has none afterwards. */
export interface TicketRun extends TicketOwner {
  /** The newest state known. Set by the sync at the beginning of a reconcile and after each write. */
  object: Stored<Ticket>;
  readonly children: GuardianCache;
  readonly doubts: Doubts<Pod>;
  readonly backoff: GuardianBackoff;
  /** UID of the guardian that was last seen alive; undefined: none, or its loss is reckoned with. */
  current: string | undefined;
  /** UID of the last guardian that is no more; the next one is named after it. */
  predecessor: string;
  /** When a refusal of the scheduler was last written (epoch ms). */
  toldAt: number | undefined;
  handover: HandoverMemory | undefined;
}

export class TicketMemory {
  readonly #guardians: GuardianCache;
  /** By the UID of the Ticket. */
  readonly #runs = new Map<string, TicketRun>();

  constructor(guardians: GuardianCache) {
    this.#guardians = guardians;
  }

  find(uid: string): TicketRun | undefined {
    return this.#runs.get(uid);
  }

  of(ticket: Stored<Ticket>): TicketRun {
    const { uid } = ticket.metadata;
    let run = this.#runs.get(uid);
    if (run === undefined) {
      run = {
        object: ticket,
        children: this.#guardians,
        doubts: new Map(),
        backoff: newBackoff(),
        current: undefined,
        predecessor: '',
        toldAt: undefined,
        handover: undefined,
      };
      this.#runs.set(uid, run);
    }
    return run;
  }

  forget(uid: string): void {
    this.#runs.delete(uid);
  }

  /** Forgets a Ticket of which there is nothing to remember, because all went well. */
  forgetIfWell({ object, doubts, backoff }: TicketRun, now: number): void {
    if (doubts.size === 0 && isOver(backoff, now)) this.#runs.delete(object.metadata.uid);
  }
}

/** Keys of Tickets that wait for a change of another object, by that object; each change wakes all that wait for it. */
export class Waiters {
  readonly #waiting = new Map<string, Set<string>>();

  add(object: string, key: string): void {
    const keys = this.#waiting.get(object);
    if (keys === undefined) this.#waiting.set(object, new Set([key]));
    else keys.add(key);
  }

  /** Takes out the keys that wait for the object. */
  take(object: string): Iterable<string> {
    if (this.#waiting.size === 0) return NONE;
    const keys = this.#waiting.get(object);
    if (keys === undefined) return NONE;
    this.#waiting.delete(object);
    return keys;
  }
}

const NONE: readonly never[] = Object.freeze([]);
