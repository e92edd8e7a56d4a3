/**
 * Owners that are computed on first read. Most writes inside the process are never asked for their owners, and
 * computing them costs more than anything else about a status: so a write keeps its inputs, and the first reader has
 * the owners computed. The next write to the object reads them, so the inputs never grow beyond one step.
 */
import type { ManagedFields } from './managed.ts';

export class PendingOwners {
  /** Undefined once the owners are computed, which releases the two states of the object. */
  #workOut: (() => ManagedFields) | undefined;
  #managed: ManagedFields = [];

  /** `workOut` depends on nothing that changes: its result is the same whenever it is called. */
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
