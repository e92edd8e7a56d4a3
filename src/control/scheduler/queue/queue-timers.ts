/** The queue's two timers. Neither is set while no pod waits: a quiet cluster has no ticking queue. */
import type { Clock, Timer } from '../../../machinery/time/clock.ts';

export interface QueueAlarms {
  /** When the first backoff after an error ends (monotonic ms). */
  nextBackoffEnd(): number | undefined;
  /** When the pod that waits longest is due to be requeued (monotonic ms). */
  oldestWait(): number | undefined;
  onBackoffEnd(): void;
  onWaitedLong(): void;
}

/** Pods that have waited too long are requeued at multiples of this time. */
const CHECK_MS = 30_000;

export interface QueueTimers {
  /** Sets timers that are needed and not set; called whenever a pod begins to wait. */
  arrange(): void;
  stop(): void;
}

export function createQueueTimers(clock: Clock, alarms: QueueAlarms): QueueTimers {
  /** The timer of `onBackoffEnd`, set for the earliest end. */
  let backoff: { readonly timer: Timer; readonly at: number } | undefined;
  /** The timer of `onWaitedLong`. */
  let wait: Timer | undefined;
  let stopped = false;

  function arrangeBackoff(): void {
    const at = alarms.nextBackoffEnd();
    if (at === undefined || (backoff !== undefined && backoff.at <= at)) return;
    backoff?.timer.cancel();
    const timer = clock.after(Math.max(0, at - clock.monotonic()), () => {
      backoff = undefined;
      alarms.onBackoffEnd();
      arrange();
    });
    backoff = { timer, at };
  }

  function arrangeWait(): void {
    if (wait !== undefined) return;
    const at = alarms.oldestWait();
    if (at === undefined) return;
    const checked = Math.ceil(at / CHECK_MS) * CHECK_MS;
    wait = clock.after(Math.max(1, checked - clock.monotonic()), () => {
      wait = undefined;
      alarms.onWaitedLong();
      arrange();
    });
  }

  function arrange(): void {
    if (stopped) return;
    arrangeBackoff();
    arrangeWait();
  }

  return {
    arrange,
    stop() {
      stopped = true;
      backoff?.timer.cancel();
      wait?.cancel();
    },
  };
}
