/** The Orders in daemonSet mode, with their compiled eligibility. */
import { ORDERS } from '../../../core/api/registry/resources.ts';
import type { Node } from '../../../core/api/types/core-v1.ts';
import type { Order } from '../../../core/api/types/korder-v1alpha1.ts';
import { createDaemonClassifier } from '../../../core/daemons/classify.ts';
import type { Eligibility } from '../../../core/daemons/eligibility.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import type { Change } from '../../../machinery/cache/object-store.ts';
import { withType } from '../../../machinery/children/with-type.ts';

interface DaemonOrder {
  readonly order: Stored<Order>;
  readonly eligibility: Eligibility;
}

export class DaemonOrders {
  readonly #classifier = createDaemonClassifier();
  /** By UID. */
  readonly #orders = new Map<string, DaemonOrder>();

  get size(): number {
    return this.#orders.size;
  }

  /** True where the answer for a node may be another now. */
  see({ type, object, old }: Change<Order>): boolean {
    const { uid } = object.metadata;
    if (type === 'delete') return this.#orders.delete(uid);
    if (old !== undefined && old.metadata.uid !== uid) this.#orders.delete(old.metadata.uid);
    const daemon = this.#classifier.classify(withType(ORDERS, object));
    if (daemon === undefined) return this.#orders.delete(uid);
    this.#orders.set(uid, { order: object, eligibility: daemon.eligibility });
    return true;
  }

  *on(node: Node): Generator<{ readonly order: Stored<Order>; readonly verdict: number }> {
    for (const { order, eligibility } of this.#orders.values()) yield { order, verdict: eligibility.judge(node) };
  }
}
