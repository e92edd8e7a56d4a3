/** Ctrl-C and `kill`: the first stops in good order, the second at once; and an order that takes too long is given up. */
import type { Clock } from '../../machinery/time/clock.ts';

export interface StopSignals {
  /** Fires with the first signal. */
  readonly signal: AbortSignal;
  /** Resolves with the first signal. */
  readonly received: Promise<void>;
  /** 130 after Ctrl-C, 0 after `kill`, which asked for nothing but the end. */
  exitCode(): number;
  release(): void;
}

interface SignalSource {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
}

const PATIENCE_MS = 15_000;
const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export function onStopSignals(options: {
  readonly clock: Clock;
  readonly source: SignalSource;
  readonly say: (text: string) => void;
  readonly exit: (code: number) => void;
}): StopSignals {
  const controller = new AbortController();
  const { promise, resolve } = Promise.withResolvers<void>();
  let first: NodeJS.Signals | undefined;
  let timer: { cancel(): void } | undefined;
  const handle = (signal: NodeJS.Signals): void => {
    if (first !== undefined) {
      options.exit(signal === 'SIGINT' ? 130 : 143);
      return;
    }
    first = signal;
    options.say('\nStopping… (once more to stop at once)\n');
    timer = options.clock.after(PATIENCE_MS, () => {
      options.say(`error: not everything stopped within ${PATIENCE_MS / 1000} s\n`);
      options.exit(124);
    });
    controller.abort();
    resolve();
  };
  for (const signal of SIGNALS) options.source.on(signal, handle);
  return {
    signal: controller.signal,
    received: promise,
    exitCode: () => (first === 'SIGINT' ? 130 : 0),
    release() {
      timer?.cancel();
      for (const signal of SIGNALS) options.source.off(signal, handle);
    },
  };
}
