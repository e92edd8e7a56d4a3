/** A thread that reads YAML texts, one at a time. It is started when it is needed and ends when it has been idle. */
import { Worker } from 'node:worker_threads';
import { parseJson } from '../../core/kube/json.ts';
import type { Clock, Timer } from '../../machinery/time/clock.ts';
import type { ParsedYaml } from './parse-yaml.ts';
import type { YamlAnswer } from './yaml-worker.ts';

export interface YamlReader {
  /** Rejects with a `SyntaxError` for what is no YAML, and when the time is up; an abort ends the thread. */
  read(text: string, signal: AbortSignal): Promise<ReadYaml>;
  close(): void;
}

/** Answer of the thread to a text that is YAML. `parsedYaml` makes a value of it, which takes the main thread's time when the caller chooses. */
export type ReadYaml = Exclude<YamlAnswer, { readonly error: string }>;

export interface YamlReaderLimits {
  readonly heapMb: number;
  readonly timeMs: number;
  /** Parsing leaves garbage in the heap of the thread; an idle thread ends, and its heap is freed. */
  readonly idleMs: number;
}

export function createYamlReader(limits: YamlReaderLimits, clock: Clock): YamlReader {
  let worker: Worker | undefined;
  let idle: Timer | undefined;

  function start(): Worker {
    const file = import.meta.url.endsWith('.ts') ? './yaml-worker.ts' : './yaml-worker.js';
    const started = new Worker(new URL(file, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMb },
    });
    // A waiting thread keeps no process alive, and its failure concerns only a read under way, which has its own
    // listeners.
    started.unref();
    started.on('error', () => {});
    started.on('exit', () => {
      if (worker === started) worker = undefined;
    });
    return started;
  }

  function end(): void {
    idle?.cancel();
    void worker?.terminate();
    worker = undefined;
  }

  return {
    close: end,
    read(text, signal) {
      idle?.cancel();
      const reader = (worker ??= start());
      return new Promise((resolve, reject) => {
        const finish = (settle: () => void, isBroken: boolean): void => {
          timer.cancel();
          signal.removeEventListener('abort', abort);
          reader.off('error', fail).off('exit', died).off('message', heard);
          if (isBroken) end();
          else idle = clock.after(limits.idleMs, end);
          settle();
        };
        const fail = (error: unknown): void => finish(() => reject(error), true);
        const abort = (): void => fail(signal.reason);
        const timer = clock.after(limits.timeMs, () => fail(new SyntaxError('the YAML took too long to read')));
        signal.addEventListener('abort', abort);
        const died = (): void => fail(new Error('the thread that reads YAML has ended'));
        const heard = (answer: YamlAnswer): void =>
          finish(() => ('error' in answer ? reject(new SyntaxError(answer.error)) : resolve(answer)), false);
        reader.on('error', fail).on('exit', died).on('message', heard);
        reader.postMessage(text);
      });
    },
  };
}

export const parsedYaml = (read: ReadYaml): ParsedYaml =>
  'json' in read
    ? { value: parseJson(read.json, { maxDepth: Number.POSITIVE_INFINITY }), duplicates: read.duplicates }
    : read;
