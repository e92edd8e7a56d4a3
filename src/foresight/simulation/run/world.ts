/**
 * simulation/ — a whole cluster in virtual time, from one seed. A scenario says what happens to it, a plan of faults what
 * goes wrong, and the invariants what must hold all the same. `world.ts` is one run; `faults/` the client between an
 * actor and the server; `scenario/` files, playing and making up; `invariants/` one file a rule; `run-seed.ts` compares a
 * run with its unperturbed twin; `shrink.ts` makes a failure small; `command.ts` is `npm run simulate`.
 *
 * Everything runs on one virtual clock with seeded dice and no I/O, so the same seed gives the same log to the letter.
 */
import type { ActorFactory } from '../../../assembly/simulated.ts';
import { createSimulatedServer } from '../../../assembly/simulated.ts';
import { bootstrap } from '../../../apiserver/bootstrap.ts';
import { createSeededRandom } from '../../../machinery/random/seeded-random.ts';
import { createVirtualClock } from '../../../machinery/time/virtual-clock.ts';
import { canonicalState, type CanonicalState } from './canonical-state.ts';
import { createCast } from './cast.ts';
import { type ClockJump, createClusterView } from '../cluster-view.ts';
import { observeStore, type Commit } from '../commit.ts';
import { describeCommit } from '../describe-commit.ts';
import { createEventLog } from './event-log.ts';
import type { ScheduledFault } from '../faults/fault.ts';
import { NO_FAULTS, type FaultPlan } from '../faults/plan.ts';
import { INVARIANTS } from '../invariants/all.ts';
import type { Invariant, InvariantFactory } from '../invariants/invariant.ts';
import { createKnowledge } from './knowledge.ts';
import { namedClient, type Attribute } from './named-client.ts';
import { createPlay } from '../scenario/play-scenario.ts';
import type { Scenario } from '../scenario/scenario.ts';

export interface WorldOptions {
  readonly seed: number | string;
  readonly scenario: Scenario;
  readonly actors: readonly ActorFactory[];
  readonly plan?: FaultPlan;
  readonly invariants?: readonly InvariantFactory[];
  /** Keeps only these steps, by their index in the scenario. */
  readonly steps?: ReadonlySet<number>;
}

export interface Violation {
  readonly invariant: string;
  readonly problem: string;
  readonly atMs: number;
}

export interface Outcome {
  readonly violation: Violation | undefined;
  /** Equal digests mean equal runs. */
  readonly digest: string;
  /** The final state; absent when the world never came to rest. */
  readonly state: CanonicalState | undefined;
  readonly log: readonly string[];
  readonly struck: readonly ScheduledFault[];
  readonly virtualMs: number;
  readonly commits: number;
}

/** Time with nothing but heartbeats that counts as rest: longer than any retry or back-off of an actor. */
const QUIET_MS = 11 * 60_000;
/** Time after the last step in which faults still strike. */
const TROUBLE_AFTER_MS = 60_000;
/** Time that refused and lost requests, with the delays between attempts, may cost an actor. */
const FAULTY_MS = 180_000;
const CHUNK_MS = 30_000;
const MOST_COMMITS = 100_000;

export async function runWorld(options: WorldOptions): Promise<Outcome> {
  const { scenario, seed } = options;
  const plan = options.plan ?? NO_FAULTS;
  const random = createSeededRandom(seed);
  const clock = createVirtualClock();
  const log = createEventLog();
  const knowledge = createKnowledge();
  const { weather } = plan;
  const jumps: ClockJump[] = [];
  const reactionMs = 1_000 + 6 * plan.latencyMs + (weather.delayed + weather.readTrouble > 0 ? 45_000 : 0);
  const view = createClusterView({
    now: () => clock.monotonic(),
    wall: () => clock.now(),
    jumps,
    knewAt: knowledge.knewAt,
    reactionMs,
    patienceMs: reactionMs + (plan === NO_FAULTS ? 0 : FAULTY_MS),
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
    (name: string): Attribute =>
    (run) => {
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
    kinds: [...new Set(options.actors.flatMap(({ kinds = [] }) => kinds))],
    around: (store) => observeStore(store, committed),
  });
  const user = namedClient(server.client(), attributeTo('user'));

  const cast = createCast({
    server,
    clock,
    random,
    plan,
    isTroubled: () => clock.monotonic() < troubleUntil,
    invariants,
    knowledge,
    attributeTo,
    note,
    violate,
  });
  const play = createPlay(scenario, {
    client: user,
    clock,
    view,
    registry: server.api.registry,
    random: random.fork('scenario'),
    note,
    crash(actor, downMs) {
      const factory = options.actors.find(({ name }) => name === actor);
      if (factory !== undefined) cast.crash(factory, downMs);
    },
    jump(byMs) {
      clock.jump(byMs);
      jumps.push({ at: clock.monotonic(), byMs });
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
  // Measured over all steps, so that leaving some out does not move the end of the faults.
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
    cast.begin(factory);
    if (plan === NO_FAULTS) continue;
    for (const { atMs, downMs } of plan.crashes(factory.name, troubleUntil))
      clock.after(atMs, () => cast.crash(factory, downMs));
  }

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
  cast.end();
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
