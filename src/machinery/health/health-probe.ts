/** Whether an API server answers, asked every few seconds. Any answer will do, also a refusal. */
import { StatusError } from '../../core/kube/status-error.ts';
import { abortAfter, wasAborted } from '../time/abort.ts';
import type { Actor } from '../actor.ts';
import type { Clock } from '../time/clock.ts';
import type { HealthCheck } from './health.ts';

export interface ServerProbe extends Actor, HealthCheck {
  readonly name: 'api-server';
}

const EVERY_MS = 5_000;
const PATIENCE_MS = 4_000;

export function createServerProbe(clock: Clock, ask: (signal: AbortSignal) => Promise<unknown>): ServerProbe {
  let answeredAt: number | undefined;
  let isAnswering = false;

  async function probe(stop: AbortSignal): Promise<void> {
    using limit = abortAfter(clock, PATIENCE_MS, stop);
    try {
      await ask(limit.signal);
      isAnswering = true;
    } catch (error) {
      isAnswering = error instanceof StatusError && error.code < 500;
    }
    if (isAnswering) answeredAt = clock.monotonic();
  }

  return {
    name: 'api-server',
    check() {
      if (isAnswering) return { ok: true };
      if (answeredAt === undefined) return { ok: false, says: 'it has not answered yet' };
      return { ok: false, says: `no answer for ${Math.round((clock.monotonic() - answeredAt) / 1000)} s` };
    },
    async start(signal) {
      try {
        for (;;) {
          await probe(signal);
          await clock.sleep(EVERY_MS, signal);
        }
      } catch (error) {
        if (!wasAborted(error, signal)) throw error;
      }
    },
  };
}
