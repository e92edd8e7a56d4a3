/**
 * The walk: what people do with kubectl, in chapters, as they would type it. `walk.test.ts` runs it with old and new releases
 * and holds what they print to the transcripts beside it (docs/kubectl-walk.md).
 */

export interface Step {
  /** A line for the shell, with `kubectl` as the release under test and `files/` as the working directory. */
  readonly run: string;
  /** Minor releases of kubectl that know the command: from `since` (inclusive) to `until` (exclusive). */
  readonly since?: number;
  readonly until?: number;
  /** For what becomes true after a moment: run again until the output looks like this. Only the last try is written down. */
  readonly settles?: RegExp;
  /** Another line for the shell, run once the first has printed something like `once`. */
  readonly meanwhile?: { readonly once: RegExp; readonly run: string };
  /** For what would go on: interrupted as soon as the output looks like this. */
  readonly interruptedAt?: RegExp;
  /** Why, for the reader. */
  readonly say?: string;
}

/**
 * The chapters lean on nothing but fresh nodes `node-0` to `node-4`, and not on each other; each has a namespace of its own,
 * named like its key.
 */
export interface Chapter {
  readonly key: string;
  readonly title: string;
  readonly about: string;
  readonly steps: readonly (string | Step)[];
}

export const stepsOf = ({ steps }: Chapter, minor: number): readonly Step[] =>
  steps
    .map((step) => (typeof step === 'string' ? { run: step } : step))
    .filter(({ since = 0, until = Infinity }) => minor >= since && minor < until);
