/** `npm run simulate -- --help` */
import { join } from 'node:path';
import { simulate } from '../src/foresight/simulation/run/command.ts';
import { realClock } from '../src/machinery/time/real-clock.ts';

process.exitCode = await simulate(process.argv.slice(2), {
  folder: join(import.meta.dirname, '..', 'examples', 'scenarios'),
  clock: realClock,
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (text) => void process.stderr.write(text),
  isTerminal: process.stderr.isTTY === true,
});
