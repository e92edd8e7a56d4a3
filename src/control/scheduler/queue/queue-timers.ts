/** The queue's two alarms. Nothing is set while nobody waits: a quiet cluster has no ticking queue. */
import type { Clock, Timer } from '../../../machinery/time/clock.ts';

export interface QueueAlarms {
  /** When the first pause after an error ends. */
  nextBackoffEnd(): number | undefined;
  /** When whoever waits longest has waited too long. */
  oldestWait(): number | undefined;
  onBackoffEnd(): void;
  onWaitedLong(): void;
}

/** Those who have waited too long are looked for this often. */
const CHECK_MS = 30_000;

export interface QueueTimers {
  /** Sets what is not set; called whenever somebody begins to wait. */
  arrange(): void;
  stop(): void;
}

export function createQueueTimers(clock: Clock, alarms: QueueAlarms): QueueTimers {
  let backoff: { readonly timer: Timer; readonly at: number } | undefined;
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
