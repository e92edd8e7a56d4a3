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
const PAGE = 500;

export function createEventExpiry(options: EventExpiryOptions): Actor {
  const { client, clock } = options;
  const logger = (options.logger ?? silentLogger).with({ controller: 'event-expiry' });
  const keepMs = options.keepMs ?? KEEP_MS;

  async function sweep(signal: AbortSignal): Promise<void> {
    const before = clock.now() - keepMs;
    let from: string | undefined;
    do {
      const page = await client.list(EVENTS, {
        limit: PAGE,
        ...(from === undefined ? {} : { continue: from }),
        signal,
      });
      for (const event of page.items) if (lastTold(event) < before) await expire(event);
      from = page.continue;
      await clock.sleep(0, signal);
    } while (from !== undefined && from !== '');
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
      while (!signal.aborted) {
        try {
          await clock.sleep(options.everyMs ?? EVERY_MS, signal);
          await sweep(signal);
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
  const times = [lastTimestamp, series?.lastObservedTime, eventTime, metadata.creationTimestamp];
  return Math.max(...times.map((time) => parseTime(time ?? '') ?? 0));
}
