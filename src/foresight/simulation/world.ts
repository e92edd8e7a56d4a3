/**
 * simulation/ — a whole cluster in virtual time, from one seed. A scenario says what happens to it, a plan of faults what
 * goes wrong, and the invariants what must hold all the same. `world.ts` is one run; `faults/` the client between an
 * actor and the server; `scenario/` files, playing and making up; `invariants/` one file a rule; `run-seed.ts` compares a
 * run with its unperturbed twin; `shrink.ts` makes a failure small; `command.ts` is `npm run simulate`.
 *
 * Everything runs on one virtual clock with seeded dice and no I/O, so the same seed gives the same log to the letter.
 */
import type { ActorFactory } from '../../assembly/simulated.ts';
import { createSimulatedServer } from '../../assembly/simulated.ts';
import { bootstrap } from '../../apiserver/bootstrap.ts';
import type { KubeObject, ObjectKey, Resource } from '../../core/kube/objects.ts';
import type { Client, WatchEvent, WatchOptions } from '../../machinery/client.ts';
import { createInformers } from '../../machinery/informers.ts';
import { loggerFrom, type Logger } from '../../machinery/logger.ts';
import { createSeededRandom } from '../../machinery/seeded-random.ts';
import { createVirtualClock } from '../../machinery/virtual-clock.ts';
import { canonicalState, type CanonicalState } from './canonical-state.ts';
import { startCaretaker } from './caretaker.ts';
import { createClusterView } from './cluster-view.ts';
import { observeStore, type Commit } from './commit.ts';
import { describeCommit } from './describe-commit.ts';
import { createEventLog } from './event-log.ts';
import type { ScheduledFault } from './faults/fault.ts';
import { createFaultyClient } from './faults/faulty-client.ts';
import { NO_FAULTS, type FaultPlan } from './faults/plan.ts';
import { INVARIANTS } from './invariants/all.ts';
import type { Invariant, InvariantFactory } from './invariants/invariant.ts';
import { createKnowledge } from './knowledge.ts';
import { createLife, type Life } from './life.ts';
import { createPlay } from './scenario/play-scenario.ts';
import type { Scenario } from './scenario/scenario.ts';

export interface WorldOptions {
  readonly seed: number | string;
  readonly scenario: Scenario;
  readonly actors: readonly ActorFactory[];
  readonly plan?: FaultPlan;
  readonly invariants?: readonly InvariantFactory[];
  /** These steps only, by their index in the scenario. */
  readonly steps?: ReadonlySet<number>;
}

export interface Violation {
  readonly invariant: string;
  readonly problem: string;
  readonly atMs: number;
}

export interface Outcome {
  readonly violation: Violation | undefined;
  /** Same digest, same run. */
  readonly digest: string;
  /** What it all came to; absent when it never came to rest. */
  readonly state: CanonicalState | undefined;
  readonly log: readonly string[];
  readonly struck: readonly ScheduledFault[];
  readonly virtualMs: number;
  readonly commits: number;
}

/** Nothing but heartbeats for so long is rest: longer than any retry or back-off of an actor. */
const QUIET_MS = 11 * 60_000;
/** Faults go on for so long after the last step. */
const TROUBLE_AFTER_MS = 60_000;
const CHUNK_MS = 30_000;
/** Requests or timers of one actor at one instant; more is a loop that never ends. */
const MOST_AT_ONCE = 20_000;
const MOST_COMMITS = 100_000;

interface Instance {
  readonly life: Life;
}

export async function runWorld(options: WorldOptions): Promise<Outcome> {
  const { scenario, seed } = options;
  const plan = options.plan ?? NO_FAULTS;
  const random = createSeededRandom(seed);
  const clock = createVirtualClock();
  const epoch = clock.now();
  const log = createEventLog();
  const knowledge = createKnowledge();
  const { weather } = plan;
  const view = createClusterView({
    now: () => clock.monotonic(),
    epoch,
    knewAt: knowledge.knewAt,
    reactionMs: 1_000 + 6 * plan.latencyMs + (weather.delayed + weather.readTrouble > 0 ? 45_000 : 0),
  });
  const invariants: readonly Invariant[] = (options.invariants ?? INVARIANTS).map((make) => make());
  let violation: Violation | undefined;
  let commits = 0;
  let lastChangeAt = 0;
  let lastChange = '';
  let by = 'user';
  let troubleUntil = 0;

  const note = (text: string): void => log.add(clock.monotonic(), text);
  const violate = (invariant: string, problem: string | undefined): void => {
    if (problem === undefined || violation !== undefined) return;
    violation = { invariant, problem, atMs: clock.monotonic() };
    note(`VIOLATION ${invariant}: ${problem}`);
  };
  const attributeTo =
    (name: string) =>
    <T>(run: () => T): T => {
      const before = by;
      by = name;
      try {
        return run();
      } finally {
        by = before;
      }
    };

  function committed(change: Omit<Commit, 'at' | 'by'>): void {
    const commit: Commit = { ...change, at: clock.monotonic(), by };
    commits += 1;
    const isHeartbeat = commit.key.resource === 'leases';
    if (!isHeartbeat) {
      lastChangeAt = commit.at;
      lastChange = describeCommit(commit);
      note(lastChange);
    }
    view.apply(commit);
    for (const invariant of invariants) violate(invariant.name, invariant.committed?.(commit, view));
    if (commits > MOST_COMMITS) violate('no-hot-loop', `${commits} writes and no end; the last was ${lastChange}`);
  }

  const server = createSimulatedServer({
    clock,
    random: random.fork('server'),
    around: (store) => observeStore(store, committed),
  });
  const user = namedClient(server.client(), attributeTo('user'));

  // --- actors -------------------------------------------------------------------------------------------------------
  const points = new Map<string, number>();
  const lives = new Map<string, Instance>();
  let instances = 0;

  const nextPoint =
    (actor: string) =>
    (kind: string): string => {
      const key = `${actor} ${kind}`;
      const count = (points.get(key) ?? 0) + 1;
      points.set(key, count);
      return `${kind} #${count}`;
    };

  const latencies = random.fork('latency');
  const draw = (point: string, most: number): number => latencies.fork(point).integer(most + 1);

  async function touch(resource: Resource, key: ObjectKey, point: string): Promise<void> {
    const body = { metadata: { annotations: { 'simulation.everynode.dev/touched': point } } };
    await attributeTo('another')(() => server.client().patch(resource, key, { type: 'merge', body })).catch(
      () => undefined,
    );
  }

  function loggerOf(actor: string): Logger {
    return loggerFrom((level, message, { error, ...fields }) => {
      if (level === 'debug' || level === 'info') return;
      note(
        `${actor}: ${level}: ${message} ${describeFields(fields)}${error === undefined ? '' : ` (${messageOf(error)})`}`,
      );
      if (isBug(error)) violate('no-actor-breaks', `${actor}: ${message}: ${(error as Error).stack ?? String(error)}`);
    });
  }

  function begin(factory: ActorFactory): void {
    if (lives.has(factory.name)) return;
    const { name: actor } = factory;
    instances += 1;
    const attribute = attributeTo(actor);
    let instant = -1;
    let atOnce = 0;
    const count = (): void => {
      const now = clock.monotonic();
      atOnce = now === instant ? atOnce + 1 : 1;
      instant = now;
      if (atOnce > MOST_AT_ONCE) {
        violate('no-hot-loop', `${actor} did ${atOnce} things at one instant; the last change was ${lastChange}`);
        life.end();
      }
    };
    const life = createLife(clock, count);
    const client = createFaultyClient({
      inner: server.client(),
      actor,
      life,
      plan,
      isTroubled: () => clock.monotonic() < troubleUntil,
      nextPoint: nextPoint(actor),
      draw,
      attribute,
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
    lives.set(actor, { life });
    const actors = factory.create({ client, informers, clock: life.clock, random: dice, logger });
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
    const instance = lives.get(factory.name);
    if (instance === undefined) return;
    note(`${factory.name} crashes, back in ${downMs} ms`);
    instance.life.end();
    lives.delete(factory.name);
    knowledge.forget(factory.name);
    clock.after(downMs, () => begin(factory));
  }

  // --- the run ------------------------------------------------------------------------------------------------------
  const play = createPlay(scenario, {
    client: user,
    clock,
    view,
    registry: server.api.registry,
    random: random.fork('scenario'),
    note,
    crash(actor, downMs) {
      const factory = options.actors.find(({ name }) => name === actor);
      if (factory !== undefined) crash(factory, downMs);
    },
  });
  const isBroken = (): boolean => violation !== undefined;
  let failure: unknown;
  /** Steps under way: a flapping node takes its time. */
  let performing = 0;

  const prelude = (async () => {
    await bootstrap(user);
    await play.setUp();
  })();
  let isSetUp = false;
  prelude.then(
    () => (isSetUp = true),
    (error: unknown) => (failure = error),
  );
  await clock.runUntil(() => isSetUp || failure !== undefined);
  if (failure !== undefined) throw failure;

  const steps = scenario.steps
    .map((step, index) => ({ step, index, at: play.timeOf(step, index) }))
    .filter(({ index }) => options.steps?.has(index) ?? true)
    .toSorted((a, b) => a.at - b.at || a.index - b.index);
  // Measured over all steps, so that leaving some out moves nothing else.
  const lastStepAt = Math.max(0, ...scenario.steps.map(({ at }) => (typeof at === 'number' ? at : at[1])));
  troubleUntil = plan === NO_FAULTS ? 0 : lastStepAt + TROUBLE_AFTER_MS;
  for (const { step, index, at } of steps) {
    clock.after(at, () => {
      performing += 1;
      play
        .perform(step, index)
        .catch((error: unknown) => (failure ??= error))
        .finally(() => (performing -= 1));
    });
  }
  for (const factory of options.actors) {
    begin(factory);
    if (plan === NO_FAULTS) continue;
    for (const { atMs, downMs } of plan.crashes(factory.name, troubleUntil))
      clock.after(atMs, () => crash(factory, downMs));
  }
  startCaretaker(namedClient(server.client(), attributeTo('caretaker')), clock, view);

  const isOver = (): boolean => isBroken() || failure !== undefined;
  await advance(Math.max(troubleUntil, lastStepAt));
  const settleBy = clock.monotonic() + scenario.settleWithinMs;
  while (!isOver() && (performing > 0 || clock.monotonic() - lastChangeAt < QUIET_MS)) {
    if (clock.monotonic() > settleBy) {
      violate(
        'comes-to-rest',
        `still writing ${scenario.settleWithinMs / 60_000} minutes after the last fault: ${lastChange}`,
      );
      break;
    }
    await advance(CHUNK_MS);
  }
  if (failure !== undefined) throw failure;
  const isAtRest = !isBroken();
  if (isAtRest) {
    for (const invariant of invariants)
      for (const problem of invariant.settled?.(view, server.store) ?? []) violate(invariant.name, problem);
  }
  for (const { life } of lives.values()) life.end();
  return {
    violation,
    digest: log.digest(),
    state: isAtRest ? canonicalState(view, scenario) : undefined,
    log: log.lines,
    struck: plan.struck,
    virtualMs: clock.monotonic(),
    commits,
  };

  async function advance(ms: number): Promise<void> {
    const end = clock.monotonic() + ms;
    await clock.runUntil(isOver, ms);
    const rest = end - clock.monotonic();
    if (!isOver() && rest > 0) await clock.advance(rest);
  }
}

function witness<T extends KubeObject>(
  invariants: readonly Invariant[],
  violate: (invariant: string, problem: string | undefined) => void,
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

/** A client whose writes carry a name. */
function namedClient(inner: Client, attribute: <T>(run: () => T) => T): Client {
  return {
    get: (resource, key, options) => inner.get(resource, key, options),
    list: (resource, options) => inner.list(resource, options),
    watch: (resource, options) => inner.watch(resource, options),
    create: (resource, object, options) => attribute(() => inner.create(resource, object, options)),
    update: (resource, object, options) => attribute(() => inner.update(resource, object, options)),
    patch: (resource, key, patch, options) => attribute(() => inner.patch(resource, key, patch, options)),
    apply: (resource, object, options) => attribute(() => inner.apply(resource, object, options)),
    delete: (resource, key, options) => attribute(() => inner.delete(resource, key, options)),
    deleteCollection: (resource, options) => attribute(() => inner.deleteCollection(resource, options)),
    bind: (pod, nodeName, options) => attribute(() => inner.bind(pod, nodeName, options)),
    evict: (pod, options) => attribute(() => inner.evict(pod, options)),
  };
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

/** What a program throws when it is wrong, as opposed to when the world is. */
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
