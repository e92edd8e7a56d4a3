/** Progress on stderr: one line that is rewritten on a terminal, a few plain lines elsewhere. */
import type { Clock } from '../machinery/time/clock.ts';
import { colorsFor } from './support/terminal.ts';

export interface Progress {
  /** A step that may take long has reached `done` of `total`. */
  step(label: string, done: number, total: number): void;
  /** A step without progress of its own has begun; it is shown if it takes more than a second. */
  begin(label: string): void;
  /** A step is finished and worth a line. */
  done(text: string): void;
  /** Leaves the line clean; nothing more is printed. */
  stop(): void;
}

type Stream = Pick<NodeJS.WriteStream, 'write'> & { readonly isTTY?: boolean };

const REDRAW_MS = 100;
const PLAIN_MS = 2000;
const PATIENCE_MS = 1000;

export function createProgress(stream: Stream, clock: Pick<Clock, 'monotonic' | 'after'>, env = process.env): Progress {
  const colors = colorsFor(stream, env);
  const isTerminal = stream.isTTY === true && env['TERM'] !== 'dumb';
  const interval = isTerminal ? REDRAW_MS : PLAIN_MS;
  let last = clock.monotonic();
  let isDirty = false;
  let waiting: { cancel(): void } | undefined;

  const clear = (): void => {
    if (isDirty) stream.write('\r\u001b[K');
    isDirty = false;
  };
  const show = (text: string): void => {
    if (isTerminal) {
      stream.write(`\r\u001b[K${colors.dim('…')} ${text}`);
      isDirty = true;
    } else stream.write(`${text}\n`);
  };
  const stopWaiting = (): void => {
    waiting?.cancel();
    waiting = undefined;
  };

  return {
    step(label, done, total) {
      stopWaiting();
      const now = clock.monotonic();
      if (now - last < interval) return;
      last = now;
      show(`${label} ${done}/${total}`);
    },
    begin(label) {
      stopWaiting();
      last = clock.monotonic();
      waiting = clock.after(PATIENCE_MS, () => show(label));
    },
    done(text) {
      stopWaiting();
      clear();
      stream.write(`${colors.green('✓')} ${text}\n`);
    },
    stop() {
      stopWaiting();
      clear();
    },
  };
}
