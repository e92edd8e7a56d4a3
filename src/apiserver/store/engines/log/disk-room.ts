/**
 * The log's room on the disk: keeps the reserve at the size that the log needs, and gives it up when a write finds the disk
 * full. `state.isFull` is changed here alone.
 */
import { isFullDisk } from './reserve.ts';
import { bytesOnDisk } from './log-state.ts';
import type { LogState } from './log-state.ts';
import type { Reserve } from './reserve.ts';

export class DiskRoom {
  readonly #state: LogState;
  readonly #reserve: Reserve;
  /** Sizings of the reserve, one after another; never rejects. */
  #sizing: Promise<void> = Promise.resolve();

  constructor(state: LogState, reserve: Reserve) {
    this.#state = state;
    this.#reserve = reserve;
  }

  /** Fits the reserve to the log, in the background, since only a full disk needs it. */
  keepReserve(): void {
    if (this.#state.isFull) return;
    this.#sizing = this.#sizing
      .then(() => this.#reserve.fit(bytesOnDisk(this.#state)))
      .catch((cause: unknown) => this.releaseIfFull(cause));
  }

  /** Gives up the reserve when `cause` is the error of a full disk. */
  async releaseIfFull(cause: unknown): Promise<void> {
    if (!isFullDisk(cause) || this.#state.isFull) return;
    this.#state.isFull = true;
    await this.#reserve.release().catch(() => undefined);
  }

  /** On a full disk: takes the reserve back when there is room for it and some more. */
  async regain(): Promise<void> {
    if (this.#state.isFull && (await this.#reserve.refill(bytesOnDisk(this.#state)))) this.#state.isFull = false;
  }

  /** Runs `act`, a second time on the reserve's room when the disk is full. Without this a full store could not be opened, and nothing be deleted. */
  async evenIfFull(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (cause) {
      await this.releaseIfFull(cause);
      if (!this.#state.isFull) throw cause;
      await act();
    }
  }

  /** Resolves when no sizing is under way. */
  settled(): Promise<void> {
    return this.#sizing;
  }
}
