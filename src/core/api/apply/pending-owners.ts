/**
 * Owners that nobody has asked for yet. Most writes inside the process are never looked at for who owns what, and working
 * it out costs more than anything else about a status: so a write keeps what is needed to tell, and the first reader
 * has it worked out. The next write to the object reads it, so what is kept never grows beyond one step.
 */
import type { ManagedFields } from './managed.ts';

export class PendingOwners {
  /** Undefined once the owners are computed, which releases the two states of the object. */
  #workOut: (() => ManagedFields) | undefined;
  #managed: ManagedFields = [];

  /** `workOut` depends on nothing that changes: the answer is the same whenever it is asked for. */
  constructor(workOut: () => ManagedFields) {
    this.#workOut = workOut;
  }

  read(): ManagedFields {
    if (this.#workOut !== undefined) {
      this.#managed = this.#workOut();
      this.#workOut = undefined;
    }
    return this.#managed;
  }
}
