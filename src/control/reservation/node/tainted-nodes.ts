/** The nodes that have the taint `everynode.dev/unreserved`, and the time that each of them has left to wait. */
import type { Node } from '../../../core/api/types/core-v1.ts';
import { timeOf } from '../../../core/daemons/ticket-phase.ts';
import { findCondition } from '../../../core/kube/conditions.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import type { Change } from '../../../machinery/cache/object-store.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import { isOpen, PATIENCE_MS, taintIndex } from './unreserved-node.ts';

interface TaintedNode {
  readonly uid: string;
  /** The node was seen without the taint, not Ready or cordoned: its time begins when that ends, not with its Ready condition. */
  wasClosed: boolean;
  /** Monotonic end of the node's time; undefined while the node is not Ready or cordoned. */
  until: number | undefined;
}

export class TaintedNodes {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #nodes = new Map<string, TaintedNode>();

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#nodes.size;
  }

  has(name: string): boolean {
    return this.#nodes.has(name);
  }

  names(): Iterable<string> {
    return this.#nodes.keys();
  }

  /** True where the node has to be looked at: heartbeats change nothing. */
  see({ type, object, old }: Change<Node>): boolean {
    const { name, uid } = object.metadata;
    if (type === 'delete' || taintIndex(object) < 0) {
      this.#nodes.delete(name);
      return false;
    }
    const isSame = old !== undefined && old.metadata.uid === uid;
    if (this.#nodes.get(name)?.uid !== uid) {
      const wasClosed = isSame && (taintIndex(old) < 0 || !isOpen(old));
      this.#nodes.set(name, { uid, wasClosed, until: undefined });
    }
    return !isSame || old.spec !== object.spec || isOpen(old) !== isOpen(object);
  }

  /** Milliseconds that the node has left, at most 0 when its time is up; undefined: its time does not run. */
  timeLeft(node: Stored<Node>): number | undefined {
    const entry = this.#nodes.get(node.metadata.name);
    if (entry === undefined || entry.uid !== node.metadata.uid) return undefined;
    if (!isOpen(node)) {
      entry.wasClosed = true;
      entry.until = undefined;
      return undefined;
    }
    entry.until ??= this.#clock.monotonic() + Math.max(0, PATIENCE_MS - (entry.wasClosed ? 0 : this.#passed(node)));
    return entry.until - this.#clock.monotonic();
  }

  /** Since the node became Ready by its own account, so that a restart of the controller costs the node no time. */
  #passed(node: Stored<Node>): number {
    const now = this.#clock.now();
    const since = timeOf(findCondition(node.status?.conditions, 'Ready')?.lastTransitionTime) ?? now;
    return Math.max(0, now - since);
  }
}
