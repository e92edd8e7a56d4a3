/** Plays every case of a kind; what differs is made as small as it gets, told, and answered with. */
import { type Difference, differenceText } from './difference.ts';
import { shrink } from './shrink.ts';

export interface Judged<T> {
  readonly seeds: readonly string[];
  readonly generate: (seed: string) => T;
  /** Quicker when it looks for a smaller form of what differs already. */
  readonly play: (world: T, isAgain: boolean) => Promise<Difference | undefined>;
}

/** Enough to see what is wrong; the rest is likely the same. */
const MOST_DIFFERENCES = 3;
const SHRINK_MS = 60_000;
const SHRINK_TRIES = 300;

/** For the limit of a test: a busy machine, and all that can be made smaller. */
export const limitMs = (cases: number): number => 120_000 + cases * 20_000 + MOST_DIFFERENCES * SHRINK_MS * 1.5;

export async function judge<T>({ seeds, generate, play }: Judged<T>): Promise<{ played: number; failures: string[] }> {
  const failures: string[] = [];
  let played = 0;
  for (const seed of seeds) {
    const world = generate(seed);
    const found = await play(world, false);
    played += 1;
    if (found === undefined) continue;
    // What depends on the moment may become something else in a smaller form.
    process.stderr.write(`${differenceText(seed, 'not looked for yet', found)}\n`);
    const until = { tries: SHRINK_TRIES, untilMs: Date.now() + SHRINK_MS };
    const { smallest, difference } = await shrink(world, found, (form) => play(form, true), until);
    const text = differenceText(seed, smallest, difference);
    process.stderr.write(`${text}\n`);
    failures.push(text);
    if (failures.length >= MOST_DIFFERENCES) break;
  }
  return { played, failures };
}
