/** While the disk is full: asks the engine now and then whether there is room again. */
import type { Clock, Timer } from '../../machinery/time/clock.ts';
import type { StoreEngine } from './engine.ts';
import { FULL_DISK } from './errors.ts';

/** How often a full disk is asked whether there is room. */
const ROOM_EVERY_MS = 5_000;

export interface RoomWatchParts {
  readonly clock: Clock;
  readonly engine: StoreEngine;
  /** Receives a message when the disk is found full, and one when there is room again. */
  readonly notice: ((message: string) => void) | undefined;
  /** The store is closing: no timer is started any more. */
  readonly isClosing: () => boolean;
}

export class RoomWatch {
  readonly #parts: RoomWatchParts;
  /** Runs from when the disk was found full until there is room; undefined otherwise. */
  #timer: Timer | undefined = undefined;

  constructor(parts: RoomWatchParts) {
    this.#parts = parts;
  }

  /** May be called for every write that finds the disk full: only the first call starts the timer and is told. */
  start(): void {
    if (this.#timer !== undefined || this.#parts.isClosing()) return;
    this.#parts.notice?.(`Only deletions are taken: ${FULL_DISK}`);
    this.#timer = this.#askLater();
  }

  cancel(): void {
    this.#timer?.cancel();
  }

  #askLater(): Timer {
    return this.#parts.clock.after(ROOM_EVERY_MS, () => void this.#ask());
  }

  async #ask(): Promise<void> {
    const { engine, notice, isClosing } = this.#parts;
    const hasRoom = await engine.regainRoom?.().catch(() => false);
    if (isClosing()) return;
    this.#timer = hasRoom === true ? undefined : this.#askLater();
    if (hasRoom === true) notice?.('There is room on the disk again; writes are taken again');
  }
}
