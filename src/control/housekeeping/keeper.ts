/** Options and helpers common to the keepers of nodes, pods, budgets and quotas. */
import type { Actor } from '../../machinery/actor.ts';
import { createEventRecorder, type EventRecorder } from '../../machinery/events/event-recorder.ts';
import type { Surroundings } from '../../machinery/controller/surroundings.ts';

export interface KeeperOptions extends Surroundings {
  /** Recorder of the keeper's events; by default they go to the API. */
  readonly events?: EventRecorder;
}

/** The keeper's event recorder: the given one, or one of its own that lives and ends with it. */
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

/** Several actors as one: they begin and end together. */
export function together(name: string, actors: readonly Actor[]): Actor {
  return {
    name,
    ready: () => actors.every((actor) => actor.ready?.() ?? true),
    async start(signal) {
      await Promise.all(actors.map((actor) => actor.start(signal)));
    },
  };
}
