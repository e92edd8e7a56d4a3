/**
 * Events that people read in `kubectl describe`. Recording never throws and never waits; writing happens beside, in
 * order, one at a time, and what cannot be written is dropped: an event must not disturb the work it tells of.
 */
import type { ObjectReference } from '../../core/api/types/core-v1.ts';
import type { KubeObject } from '../../core/kube/objects.ts';
import { isStatus, StatusError } from '../../core/kube/status-error.ts';
import { abortAfter, aborted } from '../time/abort.ts';
import type { Actor } from '../actor.ts';
import { type Backoff, createBackoff } from '../time/backoff.ts';
import type { Client } from '../client/client.ts';
import type { Clock } from '../time/clock.ts';
import { createEventCorrelator, DEFAULT_EVENT_LIMITS, type EventLimits } from './event-correlator.ts';
import { eventShape, type EventApi, type EventFacts } from './event-shape.ts';
import { createMemory } from './memory.ts';
import { silentLogger, type Logger } from '../logging/logger.ts';
import { noMetrics, type Metrics } from '../metrics/metrics.ts';
import type { Random } from '../random/random.ts';

export interface EventNote {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase and stable: people search for it. */
  readonly reason: string;
  /** For people; details belong here. */
  readonly note: string;
  /** What was done or attempted; the reason when absent. */
  readonly action?: string;
  readonly related?: KubeObject | ObjectReference;
  /** Rare, and what people must not miss: it has a budget of its own, whatever else was said about the object. */
  readonly important?: boolean;
}

export interface EventRecorder {
  event(regarding: KubeObject | ObjectReference, note: EventNote): void;
}

export interface EventRecorderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** Who speaks: `everynode.dev/daemonset-controller`. */
  readonly controller: string;
  /** Which of several: the pod's or host's name. */
  readonly instance: string;
  readonly tenant?: string;
  readonly api?: EventApi;
  readonly limits?: Partial<EventLimits>;
  /** Events waiting to be written; more are dropped. */
  readonly queueLimit?: number;
  /** How long the last events may take on shutdown. */
  readonly flushMs?: number;
}

/** One event as it stands: created under `facts.name` once `written`, repeated `count` times so far. */
interface Series {
  facts: EventFacts;
  count: number;
  lastSeen: number;
  written: boolean;
}

const NOTE_LIMIT = 1024;
const TRIES = 5;
const PATIENCE = { initialMs: 500, maxMs: 10_000, factor: 2, jitter: 1, resetAfterMs: 60_000 };

export function createEventRecorder(options: EventRecorderOptions): EventRecorder & Actor {
  const { client, clock, random, controller, instance } = options;
  const logger = (options.logger ?? silentLogger).with({ controller });
  const limits = { ...DEFAULT_EVENT_LIMITS, ...options.limits };
  const queueLimit = options.queueLimit ?? 1000;
  const shape = eventShape(options.api ?? 'events.k8s.io');
  const correlate = createEventCorrelator(clock, limits);
  /** Events that may still repeat, by key; the longest silent one is forgotten first. */
  const known = createMemory<Series>(limits.memory);
  /** What has changed since it was last written, oldest first; a repetition of one that waits costs nothing. */
  const pending = new Set<Series>();
  let wake: (() => void) | undefined;
  /** The time in the last name given. */
  let nanoseconds = 0n;
  const discarded = (options.metrics ?? noMetrics).counter({
    name: 'events_discarded_total',
    help: 'Events that were not written, by why',
    labels: ['controller', 'why'],
  });
  const drop = (why: string): void => discarded.with({ controller, why }).inc();

  function record(target: KubeObject | ObjectReference, note: EventNote): void {
    const regarding = referenceTo(target);
    const action = note.action ?? note.reason;
    const object = [regarding.kind, regarding.namespace, regarding.name, regarding.uid].join('\0');
    const group = [object, note.type, note.reason, action].join('\0');
    const budget = note.important === true ? `${object}\0important` : object;
    const verdict = correlate({ object: budget, group, note: note.note });
    if (!verdict.keep) {
      drop('spam');
      return;
    }
    const now = clock.now();
    const old = known.get(verdict.key);
    if (old !== undefined && now - old.lastSeen > limits.windowMs) known.forget(verdict.key);
    const series = known.recall(verdict.key, (): Series => {
      const namespace =
        regarding.namespace === undefined || regarding.namespace === '' ? 'default' : regarding.namespace;
      const facts: EventFacts = {
        namespace,
        name: eventName(regarding.name ?? '', now),
        regarding,
        related: note.related === undefined ? undefined : referenceTo(note.related),
        type: note.type,
        reason: note.reason,
        action,
        note: truncate(verdict.note),
        controller,
        instance,
        firstSeen: now,
      };
      return { facts, count: 0, lastSeen: now, written: false };
    });
    series.count += 1;
    series.lastSeen = now;
    if (pending.has(series)) return;
    if (pending.size >= queueLimit) {
      drop('queue-full');
      return;
    }
    pending.add(series);
    wake?.();
  }

  /** In the order they were told, also within a millisecond: lists come by name. */
  const eventName = (name: string, now: number): string => {
    const current = BigInt(Math.floor(now)) * 1_000_000n + BigInt(random.integer(500_000));
    nanoseconds = current > nanoseconds ? current : nanoseconds + BigInt(1 + random.integer(100));
    const base = name
      .toLowerCase()
      .replaceAll(/[^a-z0-9.-]/g, '-')
      .replaceAll(/^[-.]+/g, '')
      .slice(0, 200);
    return `${base === '' ? 'event' : base}.${nanoseconds.toString(16)}`;
  };

  async function write(series: Series, signal: AbortSignal): Promise<void> {
    let backoff: Backoff | undefined;
    const tenant = options.tenant === undefined ? {} : { tenant: options.tenant };
    for (let tries = 1; ; tries += 1) {
      const { facts } = series;
      const { namespace, name } = facts;
      // Read before the request: what is recorded meanwhile is written next time.
      const seen = { count: series.count, lastSeen: series.lastSeen };
      try {
        if (series.written)
          await client.patch(shape.resource, { ...tenant, namespace, name }, shape.repeat(seen), { signal });
        else await client.create(shape.resource, shape.create(facts, seen), { ...tenant, namespace, signal });
        series.written = true;
        return;
      } catch (error) {
        if (series.written && isStatus(error, 'NotFound')) {
          // Events expire after an hour; it goes on under a new name.
          series.facts = { ...facts, name: eventName(facts.regarding.name ?? '', clock.now()) };
          series.written = false;
        } else if (!series.written && isStatus(error, 'AlreadyExists')) {
          // An earlier attempt whose answer was lost.
          series.written = true;
          return;
        } else if (!isTemporary(error) || tries >= TRIES) {
          drop('rejected');
          logger.debug('An event could not be written', { namespace, name, error });
          return;
        } else {
          backoff ??= createBackoff(clock, random, PATIENCE);
          await clock.sleep(backoff.next(), signal);
        }
      }
    }
  }

  return {
    name: `event-recorder ${controller}`,
    event(regarding, note) {
      try {
        record(regarding, note);
      } catch (error) {
        logger.error('An event could not be recorded', { error });
      }
    },

    async start(signal) {
      const stopping = aborted(signal);
      const flush = new AbortController();
      let deadline: ReturnType<typeof abortAfter> | undefined;
      void stopping.then(() => {
        deadline = abortAfter(clock, options.flushMs ?? 5_000);
        deadline.signal.addEventListener('abort', () => flush.abort(), { once: true });
        wake?.();
        return deadline;
      });
      while (!flush.signal.aborted) {
        // What comes while this goes on is gone through as well; beginning anew each time would walk over what has gone.
        for (const next of pending) {
          pending.delete(next);
          try {
            await write(next, flush.signal);
          } catch (error) {
            if (!flush.signal.aborted) logger.error('An event could not be written', { error });
          }
          if (flush.signal.aborted) break;
        }
        if (signal.aborted && pending.size === 0) break;
        // Not a race with `stopping`: each would leave something behind on a promise that lives as long as we do.
        if (pending.size === 0) await new Promise<void>((resolve) => void (wake = resolve));
      }
      for (const _left of pending) drop('shutdown');
      pending.clear();
      deadline?.release();
    },
  };
}

/** A reference to the object; a reference is one already. */
function referenceTo(target: KubeObject | ObjectReference): ObjectReference {
  if (!('metadata' in target)) return target;
  const { apiVersion, kind, metadata } = target;
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

/** The API takes a kilobyte. Cut by code points, so that no character is halved. */
function truncate(note: string): string {
  if (Buffer.byteLength(note) <= NOTE_LIMIT) return note;
  let kept = '';
  let size = 3;
  for (const character of note) {
    size += Buffer.byteLength(character);
    if (size > NOTE_LIMIT) break;
    kept += character;
  }
  return `${kept}…`;
}

const isTemporary = (error: unknown): boolean =>
  error instanceof StatusError && (error.code >= 500 || error.code === 429);
