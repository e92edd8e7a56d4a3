/** The actors of a world: each a process of its own that begins, crashes and begins anew with nothing but the API. */
import type { ActorFactory, SimulatedServer } from '../../../assembly/simulated.ts';
import type { KubeObject, ObjectKey, Resource } from '../../../core/kube/objects.ts';
import type { WatchEvent, WatchOptions } from '../../../machinery/client/client.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import { createInformers } from '../../../machinery/cache/informers.ts';
import { loggerFrom, type Logger } from '../../../machinery/logging/logger.ts';
import type { SeededRandom } from '../../../machinery/random/seeded-random.ts';
import { createFaultyClient } from '../faults/faulty-client.ts';
import type { FaultPlan } from '../faults/plan.ts';
import type { Invariant } from '../invariants/invariant.ts';
import type { Knowledge } from './knowledge.ts';
import { createLife, type Life } from '../life.ts';
import type { Attribute } from './named-client.ts';

export interface Cast {
  begin(factory: ActorFactory): void;
  crash(factory: ActorFactory, downMs: number): void;
  /** Ends all actors. */
  end(): void;
}

export interface CastOptions {
  readonly server: SimulatedServer;
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly plan: FaultPlan;
  readonly isTroubled: () => boolean;
  readonly invariants: readonly Invariant[];
  readonly knowledge: Knowledge;
  readonly attributeTo: (name: string) => Attribute;
  readonly note: (text: string) => void;
  readonly violate: (invariant: string, problem: string | undefined) => void;
}

/** Requests or timers of one actor at one instant; more is a loop that never ends. */
const MOST_AT_ONCE = 20_000;

export function createCast(options: CastOptions): Cast {
  const { server, clock, random, plan, invariants, knowledge, attributeTo, note, violate } = options;
  const { weather } = plan;
  const points = new Map<string, number>();
  const lives = new Map<string, Life>();
  const latencies = random.fork('latency');
  let instances = 0;

  const nextPoint =
    (actor: string) =>
    (kind: string): string => {
      const key = `${actor} ${kind}`;
      const count = (points.get(key) ?? 0) + 1;
      points.set(key, count);
      return `${kind} #${count}`;
    };

  async function touch(resource: Resource, key: ObjectKey, point: string): Promise<void> {
    const body = { metadata: { annotations: { 'simulation.everynode.dev/touched': point } } };
    const patch = attributeTo('another')(() => server.client().patch(resource, key, { type: 'merge', body }));
    await patch.catch(() => undefined);
  }

  function loggerOf(actor: string): Logger {
    return loggerFrom((level, message, { error, ...fields }) => {
      if (level === 'debug' || level === 'info') return;
      const cause = error === undefined ? '' : ` (${messageOf(error)})`;
      note(`${actor}: ${level}: ${message} ${describeFields(fields)}${cause}`);
      if (isBug(error)) violate('no-actor-breaks', `${actor}: ${message}: ${(error as Error).stack ?? ''}`);
    });
  }

  /** Counts the requests and timers of an actor at one instant, and ends the actor where there are too many. */
  function createCounter(actor: string, end: () => void): () => void {
    let instant = -1;
    let atOnce = 0;
    return () => {
      const now = clock.monotonic();
      atOnce = now === instant ? atOnce + 1 : 1;
      instant = now;
      if (atOnce <= MOST_AT_ONCE) return;
      violate('no-hot-loop', `${actor} did ${atOnce} things at one instant`);
      end();
    };
  }

  function begin(factory: ActorFactory): void {
    const { name: actor } = factory;
    if (lives.has(actor)) return;
    instances += 1;
    const count = createCounter(actor, () => life.end());
    const life = createLife(clock, count);
    lives.set(actor, life);
    const client = createFaultyClient({
      inner: server.client(),
      actor,
      life,
      plan,
      isTroubled: options.isTroubled,
      nextPoint: nextPoint(actor),
      draw: (point, most) => latencies.fork(point).integer(most + 1),
      attribute: attributeTo(actor),
      touch,
      crash: (downMs) => crash(factory, downMs),
      note,
      count,
      acknowledged(resource, object) {
        for (const invariant of invariants) violate(invariant.name, invariant.acknowledged?.(resource, object));
      },
      shown: (resource, version) => knowledge.shown(actor, resource, version, clock.monotonic()),
      witness: (resource, watch) => witness(invariants, violate, resource, watch),
      oldest: () => server.store.compactedRevision,
    });
    const dice = random.fork(`${actor} ${instances}`);
    const logger = loggerOf(actor);
    const informers = createInformers(client, {
      clock: life.clock,
      random: dice.fork('informers'),
      logger,
      watchTimeoutMs: 0,
      pageSize: weather.pageSize,
      streamingList: weather.streamingList,
    });
    const { registry } = server.api;
    const actors = factory.create({ client, informers, clock: life.clock, random: dice, logger, registry });
    const never = new AbortController().signal;
    for (const each of [informers, ...actors]) {
      each.start(never).then(
        () => {
          if (!life.isOver) violate('no-actor-breaks', `${each.name} ended by itself`);
        },
        (error: unknown) => {
          if (!life.isOver) violate('no-actor-breaks', `${each.name} gave up: ${messageOf(error)}`);
        },
      );
    }
  }

  function crash(factory: ActorFactory, downMs: number): void {
    const life = lives.get(factory.name);
    if (life === undefined) return;
    note(`${factory.name} crashes, back in ${downMs} ms`);
    life.end();
    lives.delete(factory.name);
    knowledge.forget(factory.name);
    clock.after(downMs, () => begin(factory));
  }

  return {
    begin,
    crash,
    end() {
      for (const life of lives.values()) life.end();
    },
  };
}

function witness<T extends KubeObject>(
  invariants: readonly Invariant[],
  violate: CastOptions['violate'],
  resource: Resource<T>,
  options: WatchOptions,
): (batch: readonly WatchEvent<T>[]) => void {
  const ears = invariants.flatMap((invariant) => {
    const hear = invariant.watched?.(resource, options);
    return hear === undefined ? [] : [{ name: invariant.name, hear }];
  });
  return (batch) => {
    for (const { name, hear } of ears) violate(name, hear(batch));
  };
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

/** True for errors that a program throws because of a bug, as opposed to errors of its surroundings. */
const isBug = (error: unknown): boolean =>
  error instanceof TypeError ||
  error instanceof ReferenceError ||
  error instanceof RangeError ||
  error instanceof SyntaxError;

const describeFields = (fields: object): string =>
  Object.entries(fields)
    .filter(([key]) => key !== 'controller' && key !== 'reconcileID')
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
