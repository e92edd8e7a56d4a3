/** What every controller of this house gets, and what it makes of it. */
import type { KubeObject, Resource } from '../../../../core/kube/objects.ts';
import { apiVersionOf } from '../../../../core/kube/objects.ts';
import type { Client } from '../../../../machinery/client.ts';
import type { Clock } from '../../../../machinery/clock.ts';
import { createEventRecorder, type EventRecorder } from '../../../../machinery/event-recorder.ts';
import type { Actor } from '../../../../machinery/actor.ts';
import type { Informers } from '../../../../machinery/informers.ts';
import { silentLogger, type Logger } from '../../../../machinery/logger.ts';
import type { Metrics } from '../../../../machinery/metrics.ts';
import type { Random } from '../../../../machinery/random.ts';

export interface WorkloadOptions {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** Objects worked on at a time. */
  readonly concurrency?: number;
  /** Which of several controllers speaks in events. */
  readonly instance?: string;
}

export const CONCURRENCY = 8;

export type Severity = 'Normal' | 'Warning';
export type Tell = (object: KubeObject, type: Severity, reason: string, note: string) => void;

/** A recorder that speaks as this component of kube-controller-manager. */
export function createTeller(
  options: WorkloadOptions,
  component: string,
): { readonly recorder: EventRecorder & Actor; readonly tell: Tell } {
  const { client, clock, random, metrics } = options;
  const recorder = createEventRecorder({
    client,
    clock,
    random,
    logger: options.logger ?? silentLogger,
    ...(metrics === undefined ? {} : { metrics }),
    controller: component,
    instance: options.instance ?? 'everynode',
    api: 'core',
  });
  return { recorder, tell: (object, type, reason, note) => recorder.event(object, { type, reason, note }) };
}

/** Lists answer with items that do not say what they are; children and events must name it. */
export function withType<T extends KubeObject>(resource: Resource<T>, object: T): T {
  const apiVersion = apiVersionOf(resource);
  if (object.apiVersion === apiVersion && object.kind === resource.kind) return object;
  return { ...object, apiVersion, kind: resource.kind };
}

/** Runs both until the signal fires. */
export const together = (name: string, main: Actor, ...others: readonly Actor[]): Actor => ({
  name,
  ready: () => main.ready?.() ?? true,
  async start(signal) {
    await Promise.all([main, ...others].map((actor) => actor.start(signal)));
  },
});
