/**
 * Which faults strike. Whether one strikes at a point, and which, is a function of the seed and the point's name alone,
 * so that leaving out some of them moves none of the others: that is what makes a schedule shrink.
 */
import { createSeededRandom, type SeededRandom } from '../../../machinery/random/seeded-random.ts';
import type { CrashFault, Fault, ReadFault, ScheduledFault, WatchFault, WriteFault } from './fault.ts';
import { CALM, weatherOf, type Weather } from './weather.ts';

export type WriteVerb = 'create' | 'update' | 'patch' | 'apply' | 'delete' | 'deletecollection' | 'bind' | 'evict';

export interface FaultPlan {
  readonly weather: Weather;
  /** Most milliseconds one way; 0 when the network is instant. */
  readonly latencyMs: number;
  write(point: string, verb: WriteVerb): WriteFault | undefined;
  read(point: string): ReadFault | undefined;
  watch(point: string): WatchFault | undefined;
  /** When this actor ends by itself, within the given span. */
  crashes(actor: string, spanMs: number): readonly CrashFault[];
  /** Every fault that has struck so far, in that order. */
  readonly struck: readonly ScheduledFault[];
}

export const NO_FAULTS: FaultPlan = {
  weather: CALM,
  latencyMs: 0,
  write: () => undefined,
  read: () => undefined,
  watch: () => undefined,
  crashes: () => [],
  struck: [],
};

export const LATENCY = 'latency';

/** `only`: these points and no others, from an earlier run's `struck`. */
export function createFaultPlan(seed: number | string, only?: ReadonlySet<string>): FaultPlan {
  const random = createSeededRandom(`${seed}/faults`);
  const weather = weatherOf(random.fork('weather'));
  const struck: ScheduledFault[] = [];

  const strike = <F extends Fault>(at: string, fault: F): F => {
    struck.push({ at, fault });
    return fault;
  };
  const isAllowed = (at: string): boolean => only === undefined || only.has(at);
  const latencyMs = isAllowed(LATENCY) ? weather.latencyMs : 0;
  if (latencyMs > 0) strike(LATENCY, { kind: 'latency', mostMs: latencyMs });

  /** The kind of fault that the dice choose, each with its own chance. */
  const choose = <K>(dice: SeededRandom, chances: readonly (readonly [K, number])[]): K | undefined => {
    // Of several that come up at once the first drawn wins; drawing each keeps their chances apart.
    const hits = chances.filter(([, chance]) => chance > 0 && dice.next() < chance);
    return hits.length === 0 ? undefined : hits[dice.integer(hits.length)]?.[0];
  };

  return {
    weather,
    latencyMs,
    struck,
    write(point, verb) {
      if (!isAllowed(point)) return undefined;
      const dice = random.fork(point);
      const kind = choose(dice, [
        // A create has no earlier version that another writer could have changed.
        ['overtaken', verb === 'create' ? 0 : weather.overtaken],
        ['refused', weather.refused],
        ['answer-lost', weather.answerLost],
        ['delayed', weather.delayed],
        ['crash-before', weather.crash],
        ['crash-after', weather.crash],
      ] as const);
      return kind === undefined ? undefined : strike(point, writeFault(kind, dice));
    },
    read(point) {
      if (!isAllowed(point)) return undefined;
      const dice = random.fork(point);
      if (weather.readTrouble === 0 || dice.next() >= weather.readTrouble) return undefined;
      return strike(point, dice.integer(2) === 0 ? refused(dice) : delayed(dice));
    },
    watch(point) {
      if (!isAllowed(point)) return undefined;
      const dice = random.fork(point);
      const kind = choose(dice, [
        ['dropped', weather.dropped],
        ['expired', weather.expired],
        ['lagging', weather.lagging],
        ['replayed', weather.replayed],
      ] as const);
      return kind === undefined ? undefined : strike(point, watchFault(kind, dice));
    },
    crashes(actor, spanMs) {
      const crashes: CrashFault[] = [];
      for (let i = 1; i <= weather.crashes; i += 1) {
        const at = `${actor} crash #${i}`;
        if (!isAllowed(at)) continue;
        const dice = random.fork(at);
        crashes.push(strike(at, { kind: 'crash', atMs: dice.integer(spanMs), downMs: downMs(dice) }));
      }
      return crashes;
    },
  };
}

const downMs = (dice: SeededRandom): number => [1, 100, 2_000, 15_000][dice.integer(4)] ?? 1;

const REFUSALS = [429, 500, 503] as const;
const refused = (dice: SeededRandom): ReadFault => ({ kind: 'refused', code: REFUSALS[dice.integer(3)] ?? 503 });

/** Short against a reconcile, or long against everything. */
const span = (dice: SeededRandom): number => dice.integer([20, 500, 20_000][dice.integer(3)] ?? 20);
const delayed = (dice: SeededRandom): ReadFault => ({ kind: 'delayed', thereMs: span(dice), backMs: span(dice) });

function writeFault(kind: WriteFault['kind'], dice: SeededRandom): WriteFault {
  switch (kind) {
    case 'overtaken':
      return { kind };
    case 'refused':
      return refused(dice);
    case 'answer-lost':
      return { kind, code: dice.integer(2) === 0 ? 503 : 504 };
    case 'delayed':
      return delayed(dice);
    case 'crash-before':
    case 'crash-after':
      return { kind, downMs: downMs(dice) };
  }
}

const MOST_LAGS = 3;

function watchFault(kind: WatchFault['kind'], dice: SeededRandom): WatchFault {
  switch (kind) {
    case 'dropped':
      return { kind, afterEvents: dice.integer(30), broken: dice.integer(2) === 0 };
    case 'expired':
      return { kind, afterEvents: dice.integer(30) };
    case 'lagging': {
      const count = 1 + dice.integer(MOST_LAGS);
      const lags = Array.from({ length: count }, () => ({
        afterEvents: dice.integer(25),
        ms: [50, 1_000, 10_000, 30_000][dice.integer(4)] ?? 50,
      }));
      return { kind, lags };
    }
    case 'replayed':
      return { kind, revisions: 1 + dice.integer(40) };
  }
}
