/** One history: clients that fight over a few objects while watchers follow, until all has been said and seen. */
import type { Client } from '../../../src/machinery/client/client.ts';
import { realClock } from '../../../src/machinery/time/real-clock.ts';
import { createSeededRandom } from '../../../src/machinery/random/seeded-random.ts';
import { act, emptyWatch, follow, type Watched } from './clients.ts';
import { Recorder, type Recorded } from './recorder.ts';
import { problemsIn } from './verdict.ts';

const CLIENTS = 8;
export const WATCHERS = 4;
/** What the servers keep for watches: few enough that a watcher which sleeps finds its history gone. */
export const HELD_EVENTS = 60;
const PATIENCE_MS = 20_000;

export interface History {
  readonly calls: readonly Recorded[];
  /** Everything that cannot have come from a server that does one thing at a time. */
  readonly problems: readonly string[];
  readonly watchers: readonly Watched[];
}

/** Values follow from the seed, the order of things does not: that is the server's and the machine's. */
export async function recordHistory(client: Client, seed: string, callsEach: number): Promise<History> {
  const recorder = new Recorder();
  const random = createSeededRandom(seed);
  const stop = new AbortController();
  const steady = emptyWatch();
  const restless = Array.from({ length: WATCHERS }, emptyWatch);
  const following = [
    follow(client, steady, undefined, stop.signal),
    ...restless.map((watched, i) => follow(client, watched, random.fork(`watcher ${i}`), stop.signal)),
  ];
  await Promise.all(
    Array.from({ length: CLIENTS }, (_, i) =>
      act(client, recorder, { random: random.fork(`client ${i}`), id: `c${i}`, calls: callsEach }),
    ),
  );
  const { calls } = recorder;
  const isUpToDate = await sawAll([steady, ...restless], newestIn(calls));
  stop.abort();
  await Promise.all(following);
  const problems = problemsIn(calls, [steady, ...restless]);
  if (!isUpToDate) problems.push('a watcher does not come to see the last change');
  return { calls, problems, watchers: restless };
}

const newestIn = (calls: readonly Recorded[]): number =>
  Math.max(0, ...calls.map(({ answer }) => (answer.type === 'ok' ? (answer.seen?.revision ?? 0) : 0)));

async function sawAll(watchers: readonly Watched[], revision: number): Promise<boolean> {
  const isBehind = ({ stretches }: Watched): boolean => (stretches.at(-1)?.reached ?? 0) < revision;
  const deadline = realClock.monotonic() + PATIENCE_MS;
  while (watchers.some(isBehind)) {
    if (realClock.monotonic() > deadline) return false;
    await realClock.sleep(5);
  }
  return true;
}
