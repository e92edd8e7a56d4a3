/**
 * Events that people read in `kubectl describe`. Recording never throws and never waits; writing happens beside, in
 * order, one at a time, and an event that cannot be written is dropped: events must not disturb the work they tell of.
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
import { createEventNames } from './event-names.ts';
import { createMemory, type Memory } from './memory.ts';
import { silentLogger, type Logger } from '../logging/logger.ts';
import { noMetrics, type Counter, type Family, type Metrics } from '../metrics/metrics.ts';
import type { Random } from '../random/random.ts';

export interface EventNote {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase and stable: people search for it. */
  readonly reason: string;
  /** For people; details belong here. */
  readonly note: string;
  /** The action that was taken or attempted; the reason when absent. */
  readonly action?: string;
  readonly related?: KubeObject | ObjectReference;
  /** For a rare event that people must not miss: its budget is apart from that of the object's other events. */
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
  /** The reporting controller: `everynode.dev/daemonset-controller`. */
  readonly controller: string;
  /** The reporting instance of it: the pod's or host's name. */
  readonly instance: string;
  readonly tenant?: string;
  readonly api?: EventApi;
  readonly limits?: Partial<EventLimits>;
  /** Events waiting to be written; more are dropped. */
  readonly queueLimit?: number;
  /** How long the last events may take on shutdown. */
  readonly flushMs?: number;
}

/** One event and its repetitions. */
interface Series {
  /** Named anew when the written event has expired. */
  facts: EventFacts;
  /** Repetitions so far, the first included. */
  count: number;
  lastSeen: number;
  /** Whether an event named `facts.name` was created: repetitions patch it. */
  written: boolean;
}

const NOTE_LIMIT = 1024;
const TRIES = 5;
const PATIENCE = { initialMs: 500, maxMs: 10_000, factor: 2, jitter: 1, resetAfterMs: 60_000 };

export const createEventRecorder = (options: EventRecorderOptions): EventRecorder & Actor => new Recorder(options);

class Recorder implements EventRecorder, Actor {
  readonly name: string;
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #limits: EventLimits;
  readonly #queueLimit: number;
  readonly #shape: ReturnType<typeof eventShape>;
  readonly #correlate: ReturnType<typeof createEventCorrelator>;
  readonly #nameOf: (regarding: ObjectReference, now: number) => string;
  readonly #discarded: Family<Counter>;
  /** Series that may still repeat, by the correlator's key; the longest silent one is forgotten first. */
  readonly #known: Memory<Series>;
  /** Series that changed since they were last written, oldest first, at most `queueLimit`; a repetition of a queued one costs nothing. */
  readonly #pending = new Set<Series>();
  /** Ends the writer's wait for the next series; undefined before the first wait. */
  #wake: (() => void) | undefined = undefined;

  constructor(options: EventRecorderOptions) {
    const { clock, random, controller, logger = silentLogger, metrics = noMetrics, queueLimit = 1000 } = options;
    this.name = `event-recorder ${controller}`;
    this.#options = options;
    this.#clock = clock;
    this.#logger = logger.with({ controller });
    this.#limits = { ...DEFAULT_EVENT_LIMITS, ...options.limits };
    this.#queueLimit = queueLimit;
    this.#shape = eventShape(options.api ?? 'events.k8s.io');
    this.#correlate = createEventCorrelator(clock, this.#limits);
    this.#nameOf = createEventNames(random);
    this.#known = createMemory<Series>(this.#limits.memory);
    this.#discarded = metrics.counter({
      name: 'events_discarded_total',
      help: 'Events that were not written, by why',
      labels: ['controller', 'why'],
    });
  }

  event(regarding: KubeObject | ObjectReference, note: EventNote): void {
    try {
      this.#record(referenceTo(regarding), note);
    } catch (error) {
      this.#logger.error('An event could not be recorded', { error });
    }
  }

  /** Writes pending series until stopped, then flushes the rest for a limited time. */
  async start(signal: AbortSignal): Promise<void> {
    const pending = this.#pending;
    const flush = new AbortController();
    let deadline: ReturnType<typeof abortAfter> | undefined;
    void aborted(signal).then(() => {
      deadline = abortAfter(this.#clock, this.#options.flushMs ?? 5_000);
      deadline.signal.addEventListener('abort', () => flush.abort(), { once: true });
      this.#wake?.();
      return deadline;
    });
    while (!flush.signal.aborted) {
      // One iteration serves series added meanwhile as well; a new iterator each time would walk over the gaps of deleted ones.
      for (const next of pending) {
        pending.delete(next);
        try {
          await this.#write(next, flush.signal);
        } catch (error) {
          if (!flush.signal.aborted) this.#logger.error('An event could not be written', { error });
        }
        if (flush.signal.aborted) break;
      }
      if (signal.aborted && pending.size === 0) break;
      // Not a race with the signal's promise: each race would leave a reaction on a promise that lives as long as the process.
      if (pending.size === 0) await new Promise<void>((resolve) => void (this.#wake = resolve));
    }
    for (const _left of pending) this.#drop('shutdown');
    pending.clear();
    deadline?.release();
  }

  #record(regarding: ObjectReference, note: EventNote): void {
    const action = note.action ?? note.reason;
    const object = [regarding.kind, regarding.namespace, regarding.name, regarding.uid].join('\0');
    const group = [object, note.type, note.reason, action].join('\0');
    const budget = note.important === true ? `${object}\0important` : object;
    const verdict = this.#correlate({ object: budget, group, note: note.note });
    if (!verdict.keep) {
      this.#drop('spam');
      return;
    }
    const now = this.#clock.now();
    const known = this.#known;
    const old = known.get(verdict.key);
    if (old !== undefined && now - old.lastSeen > this.#limits.windowMs) known.forget(verdict.key);
    const series = known.recall(verdict.key, () => this.#newSeries(regarding, note, verdict.note, now));
    series.count += 1;
    series.lastSeen = now;
    this.#enqueue(series);
  }

  #newSeries(regarding: ObjectReference, note: EventNote, text: string, now: number): Series {
    const { namespace = '' } = regarding;
    const facts: EventFacts = {
      namespace: namespace === '' ? 'default' : namespace,
      name: this.#nameOf(regarding, now),
      regarding,
      related: note.related === undefined ? undefined : referenceTo(note.related),
      type: note.type,
      reason: note.reason,
      action: note.action ?? note.reason,
      note: truncate(text),
      controller: this.#options.controller,
      instance: this.#options.instance,
      firstSeen: now,
    };
    return { facts, count: 0, lastSeen: now, written: false };
  }

  #enqueue(series: Series): void {
    const pending = this.#pending;
    if (pending.has(series)) return;
    if (pending.size >= this.#queueLimit) {
      this.#drop('queue-full');
      return;
    }
    pending.add(series);
    this.#wake?.();
  }

  async #write(series: Series, signal: AbortSignal): Promise<void> {
    let backoff: Backoff | undefined;
    for (let tries = 1; ; tries += 1) {
      const { facts } = series;
      try {
        await this.#send(series, signal);
        series.written = true;
        return;
      } catch (error) {
        if (series.written && isStatus(error, 'NotFound')) {
          // Events expire after an hour; the series goes on under a new name.
          series.facts = { ...facts, name: this.#nameOf(facts.regarding, this.#clock.now()) };
          series.written = false;
        } else if (!series.written && isStatus(error, 'AlreadyExists')) {
          // An earlier attempt whose answer was lost.
          series.written = true;
          return;
        } else if (!isTemporary(error) || tries >= TRIES) {
          this.#drop('rejected');
          const { namespace, name } = facts;
          this.#logger.debug('An event could not be written', { namespace, name, error });
          return;
        } else {
          backoff ??= createBackoff(this.#clock, this.#options.random, PATIENCE);
          await this.#clock.sleep(backoff.next(), signal);
        }
      }
    }
  }

  #send({ facts, count, lastSeen, written }: Series, signal: AbortSignal): Promise<unknown> {
    const { client, tenant } = this.#options;
    const { resource, repeat, create } = this.#shape;
    const { namespace, name } = facts;
    const where = { ...(tenant === undefined ? {} : { tenant }), namespace };
    // Read before the request: repetitions recorded meanwhile are written next time.
    const seen = { count, lastSeen };
    return written
      ? client.patch(resource, { ...where, name }, repeat(seen), { signal })
      : client.create(resource, create(facts, seen), { ...where, signal });
  }

  #drop(why: string): void {
    this.#discarded.with({ controller: this.#options.controller, why }).inc();
  }
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
