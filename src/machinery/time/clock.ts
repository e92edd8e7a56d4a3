/** Time as the rest of the house sees it. Only machinery/ may touch the platform's timers and clocks. */
export interface Clock {
  /** Milliseconds since the Unix epoch; may jump. For timestamps people read. */
  now(): number;
  /** Milliseconds that only grow, from an arbitrary start. For durations, timeouts and backoff. */
  monotonic(): number;
  /** Calls `run` once after `delayMs` (0: as soon as pending microtasks have drained). Cancelling is idempotent. */
  after(delayMs: number, run: () => void): Timer;
  /** Resolves after `delayMs`; rejects with the signal's reason when aborted. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

export interface Timer {
  cancel(): void;
}
