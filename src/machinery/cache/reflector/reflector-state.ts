/**
 * All that a reflector knows: one record. Its `position` is a union whose every variant says what is known and what comes
 * next; a step exchanges one for another. The other fields outlast a position: the version that was handed on, and the
 * server's failures that decide how the next list is made. Nothing else in the reflector changes but its two backoffs.
 */
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';
import type { StatusError } from '../../../core/kube/status-error.ts';

export interface ReflectorState<T extends KubeObject> {
  /** Assigned by the loop of `run`, and by a streaming watch when its initial state is complete. */
  position: Position<T>;
  /** The version up to which everything has been handed to the sink; empty before the first list. Never goes back, except with a list. */
  lastVersion: string;
  /** How the next full read is made. `stream` falls back to lists for good when the server does not support it. */
  paging: Paging;
  /** The server has lost `lastVersion`, or has not reached it yet: the next list asks for the newest state, which may read etcd. */
  mustBeLatest: boolean;
  /** Streaming lists in a row that broke off before the initial state was complete. */
  brokenStreams: number;
  /** Watches in a row that the server refused as expired before the first event. */
  expiredAtOnce: number;
  /** The refusal (401, 403) of the attempt before the one that began at `at`, in the clock's monotonic milliseconds. */
  refused: { readonly error: StatusError; readonly at: number } | undefined;
}

export type Position<T extends KubeObject> =
  /** Nothing is known, or the known version is too old to go on from. Next: the whole state is read. */
  | { readonly phase: 'empty'; readonly paging: Paging }
  /**
   * Pages of one list are being gathered aside; the cache still shows what it showed. All pages are of one revision,
   * so a page that expires spoils those before it.
   */
  | { readonly phase: 'listing'; readonly paging: Paging; readonly gathered: Stored<T>[]; readonly continue: string }
  /** The whole state at `resourceVersion` is gathered. Next: it replaces the cache in one step. */
  | { readonly phase: 'listed'; readonly items: readonly Stored<T>[]; readonly resourceVersion: string }
  /**
   * The whole state arrives as the first events of a watch and is gathered aside. When the bookmark that ends it comes,
   * it replaces the cache in one step, and the same watch goes on.
   */
  | { readonly phase: 'streaming'; readonly gathered: Map<string, Stored<T>> }
  /** Everything up to `lastVersion` has been handed on, and a watch from there, strictly after it, is open. */
  | { readonly phase: 'watching' }
  /** The last attempt failed; the cache keeps its objects. After the delay: `next`. */
  | {
      readonly phase: 'waiting';
      readonly delayMs: number;
      readonly error: unknown;
      readonly next: Position<T>;
    };

/**
 * How the whole state is read. `stream`: as the first events of a watch. `pages`: in pages. `restarted`: in fewer
 * pages because they expired midway. `whole`: in one piece, which cannot expire, so there is always progress.
 */
export type Paging = 'stream' | 'pages' | 'restarted' | 'whole';

export const newReflectorState = <T extends KubeObject>(paging: Paging, mustBeLatest: boolean): ReflectorState<T> => ({
  position: { phase: 'empty', paging },
  lastVersion: '',
  paging,
  mustBeLatest,
  brokenStreams: 0,
  expiredAtOnce: 0,
  refused: undefined,
});

export const afterExpiredPage = (paging: Paging): Paging => (paging === 'restarted' ? 'whole' : 'restarted');
