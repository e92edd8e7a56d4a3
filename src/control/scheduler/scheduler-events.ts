/** The scheduler's events: a recorder of its own unless one is given, and a rate limit for Scheduled events. */
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import { createEventRecorder, type EventRecorder } from '../../machinery/events/event-recorder.ts';
import type { Logger } from '../../machinery/logging/logger.ts';
import type { Metrics } from '../../machinery/metrics/metrics.ts';
import type { Random } from '../../machinery/random/random.ts';
import { createTokenBucket } from '../../machinery/controller/workqueue/rate-limiter.ts';

export interface SchedulerEventOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics?: Metrics;
  readonly schedulerName: string;
  readonly instance?: string;
  readonly events?: EventRecorder;
}

export interface SchedulerEvents {
  readonly events: EventRecorder;
  scheduled(pod: Stored<Pod>, nodeName: string): void;
  /** Writes the recorded events until the signal fires and a little longer. */
  record(signal: AbortSignal): Promise<void>;
}

const MAX_EVENTS = 100_000;
/** In a burst of tens of thousands of pods most Scheduled events are dropped: the pods show it. Failures never are. */
const SUCCESSES_PER_SECOND = 500;
const SUCCESS_BURST = 5000;

export function createSchedulerEvents(options: SchedulerEventOptions): SchedulerEvents {
  const { client, clock, random, logger, metrics, schedulerName } = options;
  const successes = createTokenBucket(clock, SUCCESSES_PER_SECOND, SUCCESS_BURST);
  const own = createEventRecorder({
    client,
    clock,
    random,
    logger,
    ...(metrics === undefined ? {} : { metrics }),
    controller: schedulerName,
    instance: options.instance ?? schedulerName,
    queueLimit: MAX_EVENTS,
  });
  const events = options.events ?? own;
  return {
    events,
    scheduled(pod, nodeName) {
      if (!successes.tryTake()) return;
      const { namespace = '', name } = pod.metadata;
      const note = `Successfully assigned ${namespace}/${name} to ${nodeName}`;
      events.event(pod, { type: 'Normal', reason: 'Scheduled', action: 'Binding', note });
    },
    record: (signal) => (events === own ? own.start(signal) : Promise.resolve()),
  };
}
