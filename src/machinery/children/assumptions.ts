/**
 * Objects as a controller has decided to write them, laid over its cache before the write and until the cache shows it: later
 * decisions reckon with earlier ones. Unlike an `Overlay`, which begins with the answer to a write, an assumption may be undone.
 */
import type { KubeObject, Stored } from '../../core/kube/objects.ts';
import { compareResourceVersions } from '../../core/kube/resource-version.ts';

export interface Assumption<T extends KubeObject> {
  /** As decided; as the server answered once it is written. */
  object: T;
  /** The resourceVersion of the write; undefined before it. */
  written: string | undefined;
}

export const newAssumption = <T extends KubeObject>(object: T): Assumption<T> => ({ object, written: undefined });

/** The answer to the write. */
export function fulfil<T extends KubeObject>(assumption: Assumption<T>, written: Stored<T>): void {
  assumption.object = written;
  assumption.written = written.metadata.resourceVersion;
}

/** Whether a cached state is as new as the write. True before the write, and for versions without an order. */
export const shows = (cached: KubeObject | undefined, { written }: Assumption<KubeObject>): boolean =>
  written === undefined || (compareResourceVersions(cached?.metadata.resourceVersion ?? '', written) ?? 1) >= 0;

export class Assumptions<T extends KubeObject> {
  /** By the key under which the cache has the object. */
  readonly #byKey = new Map<string, Assumption<T>>();

  /** For callers that would compute a key for nothing. */
  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  get(key: string): Assumption<T> | undefined {
    return this.#byKey.get(key);
  }

  objects(): Iterable<T> {
    return this.#byKey.values().map(({ object }) => object);
  }

  assume(key: string, assumption: Assumption<T>): void {
    this.#byKey.set(key, assumption);
  }

  /** Takes back a decision, unless it is written or another has taken its place. */
  undo(key: string, assumption: Assumption<T>): void {
    if (assumption.written === undefined && this.#byKey.get(key) === assumption) this.#byKey.delete(key);
  }

  /** The cache shows this state now: drops an assumption whose write it shows, or whose object is gone. */
  confirm(key: string, cached: T | undefined): void {
    const assumption = this.#byKey.get(key);
    if (assumption === undefined) return;
    if (cached === undefined || (assumption.written !== undefined && shows(cached, assumption)))
      this.#byKey.delete(key);
  }
}
