/** Colours for stderr, where all messages go; stdout is data. */
import pc from 'picocolors';

/** Asked of the stream that is written to, not of the other one; `NO_COLOR` and dumb terminals are respected. */
export function colorsFor(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): typeof pc {
  const isWanted = stream.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  return pc.createColors(isWanted) as typeof pc;
}

/** The reader of our output may go away at any moment (EPIPE); that is no error of ours. */
export function surviveClosedPipes(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  process.stderr.on('error', () => undefined);
}
