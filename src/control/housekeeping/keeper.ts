/** What the keepers of nodes, pods, budgets and quotas have in common. */
import type { Actor } from '../../machinery/actor.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import { createEventRecorder, type EventRecorder } from '../../machinery/events/event-recorder.ts';
import type { Informers } from '../../machinery/cache/informers.ts';
import type { Logger } from '../../machinery/logging/logger.ts';
import type { Metrics } from '../../machinery/metrics/metrics.ts';
import type { Random } from '../../machinery/random/random.ts';

export interface KeeperOptions {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** Where its events go; by default to the API. */
  readonly events?: EventRecorder;
}

/** The keeper's voice: the one it was given, or one of its own that lives and ends with it. */
export function eventsFor(
  options: KeeperOptions,
  component: string,
): { readonly recorder: EventRecorder; readonly actors: readonly Actor[] } {
  if (options.events !== undefined) return { recorder: options.events, actors: [] };
  const { client, clock, random, logger, metrics } = options;
  const recorder = createEventRecorder({
    client,
    clock,
    random,
    ...(logger === undefined ? {} : { logger }),
    ...(metrics === undefined ? {} : { metrics }),
    controller: component,
    instance: 'everynode',
    api: 'core',
  });
  return { recorder, actors: [recorder] };
}

/** Several as one: they begin and end together. */
export function together(name: string, actors: readonly Actor[]): Actor {
  return {
    name,
    ready: () => actors.every((actor) => actor.ready?.() ?? true),
    async start(signal) {
      await Promise.all(actors.map((actor) => actor.start(signal)));
    },
  };
}
