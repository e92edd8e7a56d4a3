/** Progress on stderr: one line that is rewritten on a terminal, a few plain lines elsewhere. */
import pc from 'picocolors';

export interface Progress {
  /** A step that may take long has reached `done` of `total`. */
  step(label: string, done: number, total: number): void;
  /** Something is finished and worth a line. */
  done(text: string): void;
}

const REDRAW_MS = 100;
const PLAIN_MS = 2000;

/** `now` is monotonic milliseconds. */
export function createProgress(stream: NodeJS.WriteStream, now: () => number): Progress {
  const isTerminal = stream.isTTY && process.env['TERM'] !== 'dumb';
  const interval = isTerminal ? REDRAW_MS : PLAIN_MS;
  let last = now();
  let dirty = false;
  const clear = (): void => {
    if (dirty) stream.write('\r\u001b[K');
    dirty = false;
  };
  return {
    step(label, done, total) {
      if (now() - last < interval) return;
      last = now();
      const text = `${label} ${done}/${total}`;
      if (isTerminal) {
        stream.write(`\r\u001b[K${pc.dim('…')} ${text}`);
        dirty = true;
      } else {
        stream.write(`${text}\n`);
      }
    },
    done(text) {
      clear();
      stream.write(`${pc.green('✓')} ${text}\n`);
    },
  };
}
