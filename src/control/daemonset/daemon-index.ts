/** The registered DaemonSets by UID, by name and by namespace. */
import { keyText } from '../../machinery/cache/object-keys.ts';
import type { KnownDaemon } from './known-daemon.ts';

const NONE: readonly never[] = Object.freeze([]);

export class DaemonIndex {
  /** All three maps hold the same DaemonSets; two of one name never at the same time. */
  readonly #byUid = new Map<string, KnownDaemon>();
  readonly #byName = new Map<string, KnownDaemon>();
  readonly #byNamespace = new Map<string, Set<KnownDaemon>>();

  byUid(uid: string): KnownDaemon | undefined {
    return this.#byUid.get(uid);
  }

  byName(key: string): KnownDaemon | undefined {
    return this.#byName.get(key);
  }

  inNamespace(namespace: string): Iterable<KnownDaemon> {
    return this.#byNamespace.get(namespace) ?? NONE;
  }

  add(daemon: KnownDaemon): void {
    const { namespace = '' } = daemon.key;
    this.#byUid.set(daemon.uid, daemon);
    this.#byName.set(keyText(daemon.key), daemon);
    const neighbours = this.#byNamespace.get(namespace);
    if (neighbours === undefined) this.#byNamespace.set(namespace, new Set([daemon]));
    else neighbours.add(daemon);
  }

  delete(daemon: KnownDaemon): void {
    const { namespace = '' } = daemon.key;
    this.#byUid.delete(daemon.uid);
    this.#byName.delete(keyText(daemon.key));
    const neighbours = this.#byNamespace.get(namespace);
    if (neighbours?.delete(daemon) === true && neighbours.size === 0) this.#byNamespace.delete(namespace);
  }
}
