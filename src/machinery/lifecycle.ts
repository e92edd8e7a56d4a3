/** Starting and stopping many actors as one: in order, in time, and whatever fails. */
import { aborted, abortError, linkAbort, wasAborted } from './time/abort.ts';
import type { Actor } from './actor.ts';
import type { Clock } from './time/clock.ts';
import { MachineryError } from './errors.ts';
import { silentLogger, type Logger } from './logging/logger.ts';

export interface LifecycleOptions {
  readonly clock: Clock;
  readonly logger?: Logger;
  /** How long one stage may take to stop before the next is stopped all the same. */
  readonly stopTimeoutMs?: number;
}

/**
 * Actors in stages: the actors of one stage run together, a later stage is started after the earlier and stopped
 * before it. Servers and caches first, controllers after: so a controller never outlives the caches and servers it uses.
 * If any actor fails, all are stopped and the group fails with its error.
 */
export function createLifecycle(name: string, stages: readonly (readonly Actor[])[], options: LifecycleOptions): Actor {
  const { clock } = options;
  const logger = options.logger ?? silentLogger;
  const stopTimeoutMs = options.stopTimeoutMs ?? 10_000;
  const actors = stages.flat();

  return {
    name,
    ready: () => actors.every((actor) => actor.ready?.() ?? true),

    async start(signal) {
      using group = linkAbort(signal);
      const failures: unknown[] = [];
      const fail = (actor: Actor, error: unknown): void => {
        failures.push(error);
        logger.error('An actor failed', { actor: actor.name, error });
        group.abort(error);
      };
      const running = stages.map((stage) => {
        const stop = new AbortController();
        const runs = stage.map((actor) => run(actor, stop.signal, fail));
        return { stop, ended: Promise.all(runs), names: stage.map((actor) => actor.name) };
      });
      await Promise.race([aborted(group.signal), Promise.all(running.map(({ ended }) => ended))]);

      const late: string[] = [];
      for (const { stop, ended, names } of running.toReversed()) {
        stop.abort(abortError(`${name} is stopping`));
        const inTime = await within(clock, stopTimeoutMs, ended);
        if (inTime) continue;
        late.push(...names);
        logger.error('Actors did not stop in time', { actors: names, timeoutMs: stopTimeoutMs });
      }
      if (failures.length > 0) throw failures[0];
      if (late.length > 0) {
        throw new MachineryError(
          'EN_MACHINERY_SHUTDOWN_TIMEOUT',
          `did not stop within ${stopTimeoutMs} ms: ${late.join(', ')}`,
        );
      }
    },
  };
}

/** Never rejects. An actor that ends without having been stopped has simply done its work. */
async function run(actor: Actor, signal: AbortSignal, fail: (actor: Actor, error: unknown) => void): Promise<void> {
  try {
    await actor.start(signal);
  } catch (error) {
    if (!wasAborted(error, signal)) fail(actor, error);
  }
}

async function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  const { promise: timeout, resolve } = Promise.withResolvers<boolean>();
  const timer = clock.after(ms, () => resolve(false));
  try {
    return await Promise.race([work.then(() => true), timeout]);
  } finally {
    timer.cancel();
  }
}

export interface SignalSource {
  on(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  off(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
}

/**
 * Turns the operating system's signals into an `AbortSignal`: the first asks for an orderly stop, the second, or the
 * timeout after the first, gives up on that and calls `force` with the exit code people expect (130 after SIGINT, 143
 * after SIGTERM, 124 after the timeout).
 */
export function stopOnSignals(options: {
  readonly clock: Clock;
  readonly process: SignalSource;
  readonly force: (exitCode: number) => void;
  readonly timeoutMs?: number;
}): { readonly signal: AbortSignal; readonly exitCode: () => number; release(): void } {
  const controller = new AbortController();
  let exitCode = 0;
  let timer: { cancel(): void } | undefined;
  const on = (code: number) => (): void => {
    if (controller.signal.aborted) {
      options.force(code);
      return;
    }
    exitCode = code;
    if (options.timeoutMs !== undefined) timer = options.clock.after(options.timeoutMs, () => options.force(124));
    controller.abort(abortError('the process was asked to stop'));
  };
  const onInterrupt = on(130);
  const onTerminate = on(143);
  options.process.on('SIGINT', onInterrupt);
  options.process.on('SIGTERM', onTerminate);
  return {
    signal: controller.signal,
    exitCode: () => exitCode,
    release() {
      timer?.cancel();
      options.process.off('SIGINT', onInterrupt);
      options.process.off('SIGTERM', onTerminate);
    },
  };
}
