/** Former states of Orders and nodes: an actor is judged by the newest of them that it should know. */
import type { Node } from '../../../core/api/types/core-v1.ts';
import type { Order } from '../../../core/api/types/korder-v1alpha1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isGoing, ORDERS, type ClusterView } from '../cluster-view.ts';
import { resourceName, type Commit } from '../commit.ts';
import { shouldKnow } from './invariant.ts';
import { graceOf, RESERVATION } from './order-facts.ts';

interface Moment {
  readonly revision: number;
  /** As `ClusterView.now` tells it. */
  readonly at: number;
  /** Epoch ms. */
  readonly wall: number;
}

export interface OrderState extends Moment {
  /** Undefined: the Order is gone. */
  readonly order: Stored<Order> | undefined;
}

/** The states of each Order that differ in what it asks for. */
export interface OrderHistory {
  note(commit: Commit, view: ClusterView): void;
  /** The Order as it stands; undefined once it is gone. */
  latest(orderUid: string): Stored<Order> | undefined;
  /** The last change of what the Order asks for; undefined for an Order that never was. */
  changed(orderUid: string): Moment | undefined;
  /** States that the controller may still go by: the newest it should know, and all that came later. */
  current(view: ClusterView, orderUid: string): readonly OrderState[];
  /** The Order as it stands, if it exists and the controller should know what it asks for. */
  settled(view: ClusterView, orderUid: string): Stored<Order> | undefined;
}

export function createOrderHistory(): OrderHistory {
  const states = new Map<string, OrderState[]>();
  const latest = new Map<string, Stored<Order>>();
  const current = (view: ClusterView, uid: string): readonly OrderState[] =>
    newestKnown(view, ORDERS, states.get(uid) ?? []);
  return {
    note(commit, view) {
      if (resourceName(commit.key) !== ORDERS) return;
      const order = commit.type === 'DELETED' ? undefined : (commit.object as Stored<Order>);
      const { uid } = commit.object.metadata;
      if (order === undefined) latest.delete(uid);
      else latest.set(uid, order);
      const known = states.get(uid);
      const before = known?.at(-1)?.order;
      const state = { order, ...momentOf(commit, view) };
      if (known === undefined) states.set(uid, [state]);
      else if (before === undefined || order === undefined || !asksTheSame(before, order)) known.push(state);
    },
    latest: (uid) => latest.get(uid),
    changed: (uid) => states.get(uid)?.at(-1),
    current,
    settled(view, uid) {
      const [state, ...later] = current(view, uid);
      return state !== undefined && later.length === 0 && isKnown(view, ORDERS, state) ? state.order : undefined;
    },
  };
}

const asksTheSame = (a: Stored<Order>, b: Stored<Order>): boolean =>
  a.metadata.generation === b.metadata.generation && isGoing(a) === isGoing(b) && graceOf(a) === graceOf(b);

const isKnown = (view: ClusterView, resource: string, { revision }: Moment): boolean =>
  shouldKnow(view, RESERVATION, resource, revision);

/** The newest state that the controller should know, and all that came later; all, where it need not know any. */
function newestKnown<S extends Moment>(view: ClusterView, resource: string, all: readonly S[]): readonly S[] {
  const newest = all.findLastIndex((state) => isKnown(view, resource, state));
  return newest <= 0 ? all : all.slice(newest);
}

export interface NodeState extends Moment {
  /** Undefined: the node is gone. */
  readonly node: Stored<Node> | undefined;
}

/** The states of each node that differ in what Orders look at. */
export interface NodeHistory {
  note(commit: Commit, view: ClusterView): void;
  /** Oldest first. */
  of(name: string): readonly NodeState[];
  /** States that the controller may still go by: the newest it should know, and all that came later. */
  current(view: ClusterView, name: string): readonly NodeState[];
}

export function createNodeHistory(): NodeHistory {
  const states = new Map<string, NodeState[]>();
  const of = (name: string): readonly NodeState[] => states.get(name) ?? [];
  return {
    note(commit, view) {
      if (resourceName(commit.key) !== 'nodes') return;
      const node = commit.type === 'DELETED' ? undefined : (commit.object as Stored<Node>);
      const known = states.get(commit.key.name);
      if (known === undefined) states.set(commit.key.name, [{ node, ...momentOf(commit, view) }]);
      else if (!isAlike(known.at(-1)?.node, node)) known.push({ node, ...momentOf(commit, view) });
    },
    of,
    current: (view, name) => newestKnown(view, 'nodes', of(name)),
  };
}

const momentOf = ({ revision, at }: Commit, view: ClusterView): Moment => ({ revision, at, wall: view.wall() });

const readinessOf = (node: Stored<Node>): string | undefined =>
  node.status?.conditions?.find(({ type }) => type === 'Ready')?.status;

const isAlike = (a: Stored<Node> | undefined, b: Stored<Node> | undefined): boolean =>
  a === b ||
  (a !== undefined &&
    b !== undefined &&
    a.metadata.uid === b.metadata.uid &&
    (a.spec === b.spec || JSON.stringify(a.spec) === JSON.stringify(b.spec)) &&
    (a.metadata.labels === b.metadata.labels ||
      JSON.stringify(a.metadata.labels) === JSON.stringify(b.metadata.labels)) &&
    readinessOf(a) === readinessOf(b));
