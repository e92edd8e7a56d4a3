/** A watch that is late, breaks, expires or repeats itself, as watches over a network do. */
import type { KubeObject } from '../../../core/kube/objects.ts';
import { expired, serviceUnavailable } from '../../../core/kube/status-error.ts';
import type { WatchEvent, WatchStream } from '../../../machinery/client/client.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import type { Life } from '../life.ts';
import type { WatchFault } from './fault.ts';

export interface FaultyWatchOptions<T extends KubeObject> {
  /** Gets every batch as the server sent it, before a fault changes it. */
  readonly hear: (batch: readonly WatchEvent<T>[]) => void;
  /** Gets the version of each batch when it is handed on. */
  readonly shown: (version: string) => void;
  readonly life: Life;
  readonly clock: Clock;
  readonly fault: WatchFault | undefined;
  /** Milliseconds one way, for the next batch. */
  readonly latency: () => number;
}

export function faultyWatch<T extends KubeObject>(
  inner: WatchStream<T>,
  options: FaultyWatchOptions<T>,
): WatchStream<T> {
  return { [Symbol.asyncIterator]: () => read(inner, options) };
}

async function* read<T extends KubeObject>(
  inner: WatchStream<T>,
  { hear, shown, life, clock, fault, latency }: FaultyWatchOptions<T>,
): AsyncGenerator<readonly WatchEvent<T>[]> {
  const events = inner[Symbol.asyncIterator]();
  const close = (): void => void events.return?.();
  const release = life.onEnd(close);
  const lags = fault?.kind === 'lagging' ? fault.lags : [];
  let lag = 0;
  let untilLag = lags[0]?.afterEvents ?? Infinity;
  let untilEnd = fault?.kind === 'dropped' || fault?.kind === 'expired' ? fault.afterEvents : Infinity;
  try {
    for (;;) {
      if (untilEnd <= 0) {
        if (fault?.kind === 'expired') throw expired('too old resource version (simulated)');
        if (fault?.kind === 'dropped' && fault.broken) throw serviceUnavailable('the connection broke (simulated)');
        return;
      }
      const next = await life.guard(events.next());
      if (next.done === true) return;
      const batch = next.value;
      hear(batch);
      const wait = latency();
      if (wait > 0) await life.guard(clock.sleep(wait));
      untilLag -= batch.length;
      if (untilLag < 0) {
        await life.guard(clock.sleep(lags[lag]?.ms ?? 0));
        lag += 1;
        untilLag = lags[lag]?.afterEvents ?? Infinity;
      }
      if (batch.length <= untilEnd) {
        untilEnd -= batch.length;
        shown(versionOf(batch));
        yield batch;
      } else {
        // Events after the break are lost with the watch; the next watch brings them.
        const kept = batch.slice(0, untilEnd);
        untilEnd = 0;
        if (kept.length > 0) yield kept;
      }
    }
  } finally {
    release();
    close();
  }
}

function versionOf<T extends KubeObject>(batch: readonly WatchEvent<T>[]): string {
  const last = batch[batch.length - 1];
  if (last === undefined) return '0';
  return last.type === 'BOOKMARK' ? last.resourceVersion : last.object.metadata.resourceVersion;
}
