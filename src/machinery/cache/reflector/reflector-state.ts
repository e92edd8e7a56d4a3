/**
 * Where a reflector stands. Every variant says what is known and what comes next; a step takes one to another and
 * there is no state beside it, so what can happen after an error is read off here.
 */
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';

export type ReflectorState<T extends KubeObject> =
  /** Nothing is known, or what was known is too old to go on from. Next: the whole state is read. */
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
  /** Everything up to the reflector's version has been handed on, and a watch from there, strictly after it, is open. */
  | { readonly phase: 'watching' }
  /** The last attempt failed; the cache keeps what it has. After the delay: `next`. */
  | {
      readonly phase: 'waiting';
      readonly delayMs: number;
      readonly error: unknown;
      readonly next: ReflectorState<T>;
    };

/**
 * How the whole state is read. `stream`: as the first events of a watch. `pages`: in pages. `restarted`: in fewer
 * pages because they expired midway. `whole`: in one piece, which cannot expire, so there is always progress.
 */
export type Paging = 'stream' | 'pages' | 'restarted' | 'whole';

export const afterExpiredPage = (paging: Paging): Paging => (paging === 'restarted' ? 'whole' : 'restarted');
