/**
 * Progress for people: a line for each object on stdout; on stderr notes, and the rollout as a block that is redrawn on
 * a terminal, or as plain lines when something has changed, but not too often.
 */
import type { Progress } from '../../control/component/apply/progress.ts';
import type { RolloutSnapshot } from '../../control/component/rollout/snapshot.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import { colorsFor } from '../support/terminal.ts';
import { rolloutBlock, rolloutLine } from './rollout-text.ts';
import { kubectlName, printable } from './text.ts';

type Stream = Pick<NodeJS.WriteStream, 'write'> & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

export interface ProgressView {
  readonly onProgress: (progress: Progress) => void;
  /** A line for people, above the block that is being redrawn. */
  note(text: string): void;
  /** A condition that works against the command, though nothing failed. */
  warn(text: string): void;
  /** Leaves the terminal clean. */
  finish(): void;
}

export interface ProgressViewOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly tellSteps: boolean;
  readonly stdout?: Stream;
  readonly stderr?: Stream;
  readonly env?: NodeJS.ProcessEnv;
}

const PLAIN_EVERY_MS = 2000;
const REDRAW_EVERY_MS = 100;
const DEFAULT_ROWS = 24;
const DEFAULT_COLUMNS = 80;

export function createProgressView(options: ProgressViewOptions): ProgressView {
  const { clock, stdout = process.stdout, stderr = process.stderr, env = process.env } = options;
  const colors = colorsFor(stderr, env);
  const isTerminal = stderr.isTTY === true && env['TERM'] !== 'dumb';
  let drawn = 0;
  let lastAt = Number.NEGATIVE_INFINITY;
  let lastLine = '';

  const clear = (): void => {
    // Up to the first line of the block, and away with all below.
    if (drawn > 0) stderr.write(`\u001b[${drawn}A\r\u001b[J`);
    drawn = 0;
  };
  const note = (text: string): void => {
    clear();
    stderr.write(`${text}\n`);
  };
  const rollout = (snapshot: RolloutSnapshot): void => {
    const now = clock.monotonic();
    const isOver = snapshot.state === 'complete' || snapshot.state === 'on-delete';
    if (!isOver && now - lastAt < (isTerminal ? REDRAW_EVERY_MS : PLAIN_EVERY_MS)) return;
    lastAt = isOver ? Number.NEGATIVE_INFINITY : now;
    if (snapshot.nowhere !== undefined) {
      note(`${colors.yellow('warning')}: ${rolloutLine(snapshot)}`);
      return;
    }
    if (!isTerminal) {
      const line = rolloutLine(snapshot);
      if (line !== lastLine) stderr.write(`${line}\n`);
      lastLine = line;
      return;
    }
    clear();
    if (isOver) {
      stderr.write(`${colors.green('✓')} ${rolloutLine(snapshot)}\n`);
      return;
    }
    // A terminal without a set size reports 0.
    const [rows, columns] = [stderr.rows || DEFAULT_ROWS, stderr.columns || DEFAULT_COLUMNS];
    const lines = rolloutBlock(snapshot, { rows: rows - 1, columns, colors });
    stderr.write(`${lines.join('\n')}\n`);
    drawn = lines.length;
  };

  return {
    note,
    warn: (text) => note(`${colors.yellow('warning')}: ${printable(text)}`),
    finish: clear,
    onProgress(progress) {
      switch (progress.type) {
        case 'step':
          if (!options.tellSteps) return;
          clear();
          stdout.write(`${kubectlName(progress.object)} ${progress.outcome}${whyText(progress.why)}\n`);
          return;
        case 'waiting':
          note(`waiting for ${kubectlName(progress.object)} ${printable(progress.what)}`);
          return;
        case 'retry':
          note(`${progress.what}: ${printable(progress.reason)}; again in ${(progress.delayMs / 1000).toFixed(1)} s`);
          return;
        case 'note':
          note(`${colors.yellow('note')}: ${printable(progress.message)}`);
          return;
        case 'rollout':
          rollout(progress.snapshot);
          return;
        case 'planned':
      }
    },
  };
}

const whyText = (why: string | undefined): string => (why === undefined ? '' : ` (${printable(why)})`);
