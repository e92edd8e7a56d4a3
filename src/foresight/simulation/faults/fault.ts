/** Faults between an actor and the API server, one value each, with the words a report uses. */

export type WriteFault =
  /** Another writer changes the object just before: a write made on the old version is answered with 409. */
  | { readonly kind: 'overtaken' }
  /** The request is refused before it had any effect. */
  | { readonly kind: 'refused'; readonly code: 429 | 500 | 503 }
  /** The request is carried out, but the answer is lost: the actor sees a timeout or a broken connection. */
  | { readonly kind: 'answer-lost'; readonly code: 503 | 504 }
  /** The request is delayed, there and back. */
  | { readonly kind: 'delayed'; readonly thereMs: number; readonly backMs: number }
  /** The actor ends before its request is sent, and comes back after a while with nothing but the API to go by. */
  | { readonly kind: 'crash-before'; readonly downMs: number }
  /** The request takes effect, and the actor ends before it gets the answer. */
  | { readonly kind: 'crash-after'; readonly downMs: number };

export type ReadFault = Extract<WriteFault, { readonly kind: 'refused' | 'delayed' }>;

export type WatchFault =
  /** The watch ends after a number of events: in good order, or broken. */
  | { readonly kind: 'dropped'; readonly afterEvents: number; readonly broken: boolean }
  /**
   * The watch gets a 410 after a number of events: everything has to be listed again, and changes in between are never
   * seen.
   */
  | { readonly kind: 'expired'; readonly afterEvents: number }
  /** Events are held up, in order: the cache behind the watch is stale for as long. */
  | { readonly kind: 'lagging'; readonly lags: readonly { readonly afterEvents: number; readonly ms: number }[] }
  /** The watch begins earlier than asked for, so that events come a second time. */
  | { readonly kind: 'replayed'; readonly revisions: number };

/** An actor ends at a moment of its own, whatever it is doing. */
export interface CrashFault {
  readonly kind: 'crash';
  readonly atMs: number;
  readonly downMs: number;
}

/** Every request and every event of every actor takes up to `mostMs`. */
interface LatencyFault {
  readonly kind: 'latency';
  readonly mostMs: number;
}

export type Fault = WriteFault | ReadFault | WatchFault | CrashFault | LatencyFault;

/** A fault and where it strikes: `scheduler bind pods #3`. */
export interface ScheduledFault {
  readonly at: string;
  readonly fault: Fault;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(ms % 1000 === 0 ? 0 : 3)}s`;

export function describeFault(fault: Fault): string {
  switch (fault.kind) {
    case 'overtaken':
      return 'overtaken by another writer';
    case 'refused':
      return `refused with ${fault.code}`;
    case 'answer-lost':
      return `carried out, answered ${fault.code}`;
    case 'delayed':
      return `delayed ${seconds(fault.thereMs)} there, ${seconds(fault.backMs)} back`;
    case 'crash-before':
      return `crash before it, down ${seconds(fault.downMs)}`;
    case 'crash-after':
      return `crash after it, down ${seconds(fault.downMs)}`;
    case 'dropped':
      return `${fault.broken ? 'broken' : 'ended'} after ${fault.afterEvents} events`;
    case 'expired':
      return `410 after ${fault.afterEvents} events`;
    case 'lagging':
      return fault.lags.map(({ afterEvents, ms }) => `held ${seconds(ms)} after ${afterEvents} events`).join(', ');
    case 'replayed':
      return `replayed from ${fault.revisions} revisions earlier`;
    case 'crash':
      return `crash at ${seconds(fault.atMs)}, down ${seconds(fault.downMs)}`;
    case 'latency':
      return `up to ${seconds(fault.mostMs)} for everything`;
  }
}
