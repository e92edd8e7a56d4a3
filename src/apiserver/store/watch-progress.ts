/** Tells quiet watchers now and then how far the store has come. */
import type { Clock, Timer } from '../../machinery/time/clock.ts';
import type { CollectionMap } from './collection-map.ts';

export class WatchProgress {
  readonly #clock: Clock;
  readonly #collections: CollectionMap;
  readonly #intervalMs: number;
  /** The committed revision at the time the timer fires. */
  readonly #revision: () => number;
  /** Set while progress is due. A store that does not move, or that has no watchers, needs no timer. */
  #timer: Timer | undefined = undefined;

  constructor(clock: Clock, collections: CollectionMap, intervalMs: number, revision: () => number) {
    this.#clock = clock;
    this.#collections = collections;
    this.#intervalMs = intervalMs;
    this.#revision = revision;
  }

  /** Called after every commit. */
  arm(): void {
    if (this.#timer !== undefined || !this.#hasWatchers()) return;
    this.#timer = this.#clock.after(this.#intervalMs, () => {
      this.#timer = undefined;
      for (const state of this.#collections) state.hub.progress(this.#revision());
    });
  }

  cancel(): void {
    this.#timer?.cancel();
  }

  #hasWatchers(): boolean {
    for (const state of this.#collections) if (!state.hub.isEmpty) return true;
    return false;
  }
}
