/** YAML request bodies. Small ones are parsed at once; large ones in a worker with a time limit, a few at a time. */
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../machinery/clock.ts';
import { parseYaml, type ParsedYaml } from './parse-yaml.ts';

/** About 30 ms of parsing: more would be felt by everyone else. */
const INLINE_BYTES = 8 * 1024;
const TIME_LIMIT_MS = 20_000;
/** A worker may take 256 MiB; without a bound, so might any number of them. */
const MAX_WORKERS = 2;

let running = 0;
const waiting: (() => void)[] = [];

export async function decodeYaml(text: string, clock: Clock): Promise<ParsedYaml> {
  if (text.length <= INLINE_BYTES) return parseYaml(text);
  if (running < MAX_WORKERS) running += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await parseInWorker(text, clock);
  } finally {
    // The next in line takes this place over.
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

function parseInWorker(text: string, clock: Clock): Promise<ParsedYaml> {
  return new Promise((resolve, reject) => {
    const file = import.meta.url.endsWith('.ts') ? './yaml-worker.ts' : './yaml-worker.js';
    const worker = new Worker(new URL(file, import.meta.url), {
      workerData: text,
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    const timer = clock.after(TIME_LIMIT_MS, () =>
      finish(() => reject(new SyntaxError('the YAML took too long to read'))),
    );
    const finish = (settle: () => void): void => {
      timer.cancel();
      settle();
      void worker.terminate();
    };
    worker.once('message', (message: ParsedYaml | { error: string }) =>
      finish(() => ('error' in message ? reject(new SyntaxError(message.error)) : resolve(message))),
    );
    worker.once('error', (error) => finish(() => reject(error)));
  });
}
