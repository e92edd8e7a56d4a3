/**
 * housekeeping/ — what a cluster needs so that it does not fill up or fall apart by itself; each keeper is one actor
 * that can be left out where Kubernetes' own does its work.
 *
 * Events are news: an hour after they were last told they go, as on any Kubernetes.
 */
import { EVENTS } from '../../core/api/registry/resources.ts';
import type { Event } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import { parseTime } from '../../core/kube/time.ts';
import type { Actor } from '../../machinery/actor.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import { silentLogger, type Logger } from '../../machinery/logging/logger.ts';
import { keyOf } from '../../machinery/cache/object-keys.ts';

export interface EventExpiryOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger?: Logger;
  /** How long an event is kept after it was last recorded. */
  readonly keepMs?: number;
  readonly everyMs?: number;
}

const KEEP_MS = 3_600_000;
const EVERY_MS = 60_000;
/** Longest time between two rounds: an event that was restored or written by hand may be older than all others. */
const MOST_MS = 600_000;
const PAGE = 500;

export function createEventExpiry(options: EventExpiryOptions): Actor {
  const { client, clock } = options;
  const logger = (options.logger ?? silentLogger).with({ controller: 'event-expiry' });
  const keepMs = options.keepMs ?? KEEP_MS;

  /** Deletes what is old enough. Returns when the oldest of the others was last told; Infinity where there is none. */
  async function sweep(signal: AbortSignal): Promise<number> {
    const before = clock.now() - keepMs;
    let oldest = Infinity;
    let from: string | undefined;
    do {
      const page = await client.list(EVENTS, {
        limit: PAGE,
        ...(from === undefined ? {} : { continue: from }),
        signal,
      });
      for (const event of page.items) {
        const told = lastTold(event);
        if (told < before) await expire(event);
        else oldest = Math.min(oldest, told);
      }
      from = page.continue;
      await clock.sleep(0, signal);
    } while (from !== undefined && from !== '');
    return oldest;
  }

  /** A round reads all events, so the next one waits until one of them can have expired. */
  function pause(oldest: number): number {
    const everyMs = options.everyMs ?? EVERY_MS;
    return Math.max(everyMs, Math.min(oldest + keepMs - clock.now(), MOST_MS));
  }

  /** Deletes the event only at the version seen: an event recorded again in this moment stays. */
  async function expire(event: Stored<Event>): Promise<void> {
    const { uid, resourceVersion } = event.metadata;
    try {
      await client.delete(EVENTS, keyOf(event), { preconditions: { uid, resourceVersion } });
    } catch (error) {
      if (!isStatus(error, 'NotFound') && !isStatus(error, 'Conflict')) throw error;
    }
  }

  return {
    name: 'event-expiry',
    async start(signal) {
      let waitMs = options.everyMs ?? EVERY_MS;
      while (!signal.aborted) {
        try {
          await clock.sleep(waitMs, signal);
          waitMs = options.everyMs ?? EVERY_MS;
          waitMs = pause(await sweep(signal));
        } catch (error) {
          // Failed deletions are retried in the next round.
          if (!signal.aborted) logger.warn('Could not expire events', { error });
        }
      }
    },
  };
}

/** The time the event was last recorded, in whichever of the two APIs. */
function lastTold({ lastTimestamp, series, eventTime, metadata }: Stored<Event>): number {
  let last = 0;
  for (const time of [lastTimestamp, series?.lastObservedTime, eventTime, metadata.creationTimestamp]) {
    if (time !== undefined) last = Math.max(last, parseTime(time) ?? 0);
  }
  return last;
}
