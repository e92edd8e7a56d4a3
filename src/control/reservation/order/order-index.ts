/** The registered Orders by UID, by name and by namespace. */
import { keyText } from '../../../machinery/cache/object-keys.ts';
import type { KnownOrder } from './known-order.ts';

const NONE: readonly never[] = Object.freeze([]);

export class OrderIndex {
  /** All three maps hold the same Orders; two of one name never at the same time. */
  readonly #byUid = new Map<string, KnownOrder>();
  readonly #byName = new Map<string, KnownOrder>();
  readonly #byNamespace = new Map<string, Set<KnownOrder>>();

  byUid(uid: string): KnownOrder | undefined {
    return this.#byUid.get(uid);
  }

  byName(key: string): KnownOrder | undefined {
    return this.#byName.get(key);
  }

  inNamespace(namespace: string): Iterable<KnownOrder> {
    return this.#byNamespace.get(namespace) ?? NONE;
  }

  all(): Iterable<KnownOrder> {
    return this.#byUid.values();
  }

  add(order: KnownOrder): void {
    const { namespace = '' } = order.key;
    this.#byUid.set(order.uid, order);
    this.#byName.set(keyText(order.key), order);
    const neighbours = this.#byNamespace.get(namespace);
    if (neighbours === undefined) this.#byNamespace.set(namespace, new Set([order]));
    else neighbours.add(order);
  }

  delete(order: KnownOrder): void {
    const { namespace = '' } = order.key;
    this.#byUid.delete(order.uid);
    this.#byName.delete(keyText(order.key));
    const neighbours = this.#byNamespace.get(namespace);
    if (neighbours?.delete(order) === true && neighbours.size === 0) this.#byNamespace.delete(namespace);
  }
}
