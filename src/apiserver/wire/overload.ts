/**
 * Limits on concurrent requests and on their duration. A request beyond the limit is told to come back (429); a request
 * that takes too long is given up. Watches and other streams are not counted, they have limits of their own.
 */
import { StatusError, tooManyRequests } from '../../core/kube/status-error.ts';
import type { Clock, Timer } from '../../machinery/time/clock.ts';
import { sendError } from './answer.ts';
import type { Exchange } from './exchange.ts';

export interface RequestLimits {
  /** Requests that change nothing, at the same time. */
  readonly reads: number;
  readonly writes: number;
  /** From the first byte of the request to the last of its answer. */
  readonly timeoutMs: number;
}

/** The defaults of a kube-apiserver. */
export const DEFAULT_LIMITS: RequestLimits = { reads: 400, writes: 200, timeoutMs: 60_000 };

const RETRY_AFTER_SECONDS = 1;
const SWEEP_MS = 1000;

export interface InFlight {
  /** Counts a request until the answer is called; throws a 429 when there are too many. */
  enter(exchange: Exchange): () => void;
  readonly reads: number;
  readonly writes: number;
  close(): void;
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

export function createInFlight(limits: RequestLimits, clock: Clock): InFlight {
  let reads = 0;
  let writes = 0;
  /** Requests under way, each with the moment it is given up at; in order, because all get the same time. */
  const deadlines = new Map<Exchange, number>();

  /** Runs once for each exchange, whether it has ended or was given up: its place is free then. */
  function leave(exchange: Exchange, isRead: boolean): void {
    if (!deadlines.delete(exchange)) return;
    if (isRead) reads -= 1;
    else writes -= 1;
  }
  let sweeping: Timer | undefined;

  function sweep(): void {
    sweeping = undefined;
    const now = clock.monotonic();
    for (const [exchange, deadline] of deadlines) {
      if (deadline > now) break;
      leave(exchange, READS.has(exchange.method));
      giveUp(exchange);
    }
    arm();
  }

  /** One timer for all: most requests are gone long before it looks. */
  function arm(): void {
    if (sweeping === undefined && deadlines.size > 0) sweeping = clock.after(SWEEP_MS, sweep);
  }

  return {
    get reads() {
      return reads;
    },
    get writes() {
      return writes;
    },
    enter(exchange) {
      const isRead = READS.has(exchange.method);
      if (isRead ? reads >= limits.reads : writes >= limits.writes) {
        throw tooManyRequests('too many requests, please try again later', RETRY_AFTER_SECONDS);
      }
      if (isRead) reads += 1;
      else writes += 1;
      deadlines.set(exchange, clock.monotonic() + limits.timeoutMs);
      arm();
      return () => leave(exchange, isRead);
    },
    close() {
      sweeping?.cancel();
      deadlines.clear();
    },
  };
}

/**
 * A client without an answer gets a 504; an answer under way is broken off, so that it cannot be taken for complete.
 */
function giveUp(exchange: Exchange): void {
  if (exchange.answered) exchange.breakOff();
  else sendError(exchange, new StatusError(504, 'Timeout', TIMED_OUT));
}

const TIMED_OUT = 'Timeout: request did not complete within the allotted timeout';
