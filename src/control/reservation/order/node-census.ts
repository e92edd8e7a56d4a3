/**
 * Which nodes several Orders want, and which are too small for all that the Orders there ask for. Nodes that the same Orders want form
 * one class, so that an event on a node costs what that node changes, and a question as much as there are classes.
 */
import type { Node } from '../../../core/api/types/core-v1.ts';
import type { Order } from '../../../core/api/types/korder-v1alpha1.ts';
import { createDaemonClassifier, type Daemon } from '../../../core/daemons/classify.ts';
import type { Misfits, Overlaps } from '../../../core/daemons/overhead-fit.ts';
import { createOverheadLedger, type Overhead } from '../../../core/daemons/overhead-ledger.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import type { Amount } from '../../../core/placement/amounts.ts';
import { type Allocatable, allocatableOf } from '../../../core/placement/node-state.ts';
import { requestsOfSpec } from '../../../core/placement/requests.ts';

/** Nodes that are wanted by the same Orders. */
interface NodeClass {
  /** As the ledger has them: the same list for all nodes of the class. Never empty. */
  readonly orders: readonly Daemon[];
  /** Names. Never empty. */
  readonly nodes: Set<string>;
  /** Resources of which a node offers less than these Orders ask for together, by its name; only nodes with some. */
  readonly short: Map<string, readonly string[]>;
}

export interface NodeCensus {
  setNode(node: Stored<Node>): void;
  removeNode(name: string): void;
  /** In daemonSet mode; others are not counted. */
  setOrder(order: Stored<Order>): void;
  removeOrder(uid: string): void;
  /** Nodes that other Orders want too. */
  overlapsOf(uid: string): Overlaps;
  /** Nodes that offer less than the Orders there ask for together, of a resource that this one asks for. */
  misfitsOf(uid: string): Misfits;
}

const MOST_NAMES = 10;
const NO_CLASSES: ReadonlySet<never> = new Set();

/** @param onChange the answers for this Order may have changed. */
export function createNodeCensus(onChange: (uid: string) => void): NodeCensus {
  const classifier = createDaemonClassifier();
  const ledger = createOverheadLedger();
  const nodes = new Map<string, Stored<Node>>();
  const classes = new Map<readonly Daemon[], NodeClass>();
  /** The class of each node that some Order wants. Outdated while `isStale`. */
  const classOf = new Map<string, NodeClass>();
  /** By UID of the Order. */
  const ofOrder = new Map<string, Set<NodeClass>>();
  /** Orders have changed since nodes were last classified. */
  let isStale = false;

  /** A node that only one Order wants matters to that Order's own counts alone. */
  function tell({ orders }: NodeClass): void {
    if (orders.length > 1) for (const { key } of orders) onChange(key);
  }

  function leave(name: string): void {
    const found = classOf.get(name);
    if (found === undefined) return;
    classOf.delete(name);
    found.nodes.delete(name);
    found.short.delete(name);
    if (found.nodes.size === 0) {
      classes.delete(found.orders);
      for (const { key } of found.orders) ofOrder.get(key)?.delete(found);
    }
    tell(found);
  }

  function enter(name: string, orders: readonly Daemon[]): NodeClass {
    let found = classes.get(orders);
    if (found === undefined) {
      classes.set(orders, (found = { orders, nodes: new Set(), short: new Map() }));
      for (const { key } of orders) {
        const own = ofOrder.get(key);
        if (own === undefined) ofOrder.set(key, new Set([found]));
        else own.add(found);
      }
    }
    found.nodes.add(name);
    classOf.set(name, found);
    tell(found);
    return found;
  }

  function classify(node: Stored<Node>): void {
    const { name } = node.metadata;
    const orders = ledger.wanting(name);
    let found = classOf.get(name);
    if (found?.orders !== orders) {
      leave(name);
      found = orders.length === 0 ? undefined : enter(name, orders);
    }
    if (found === undefined) return;
    const short = shortages(ledger.onNode(name), allocatableOf(node));
    if (short.length === 0 && !found.short.has(name)) return;
    if (short.length === 0) found.short.delete(name);
    else found.short.set(name, short);
    for (const { key } of orders) onChange(key);
  }

  /** Orders change seldom, and many at a time: nodes are classified again when the next question comes. */
  function classesOf(uid: string): readonly NodeClass[] {
    if (isStale) {
      isStale = false;
      for (const node of nodes.values()) classify(node);
    }
    return [...(ofOrder.get(uid) ?? NO_CLASSES)];
  }

  return {
    setNode(node) {
      nodes.set(node.metadata.name, node);
      const { version } = ledger;
      ledger.setNode(node);
      if (ledger.version !== version && !isStale) classify(node);
    },
    removeNode(name) {
      nodes.delete(name);
      ledger.removeNode(name);
      leave(name);
    },
    setOrder(order) {
      const daemon = classifier.classify(order);
      if (daemon === undefined) return;
      const { version } = ledger;
      ledger.setDaemon(daemon);
      isStale ||= ledger.version !== version;
    },
    removeOrder(uid) {
      const { version } = ledger;
      ledger.removeDaemon(uid);
      isStale ||= ledger.version !== version;
      for (const each of ofOrder.get(uid) ?? NO_CLASSES) tell(each);
      ofOrder.delete(uid);
    },
    overlapsOf(uid) {
      const shared = classesOf(uid).filter(({ orders }) => orders.length > 1);
      const others = new Set(shared.flatMap(({ orders }) => orders));
      const orders = [...others].filter(({ key }) => key !== uid).map(({ object }) => nameOf(object));
      return { ...firstOf(shared.map((each) => each.nodes)), orders: orders.sort() };
    },
    misfitsOf(uid) {
      const names = new Set<string>();
      const resources = new Set<string>();
      for (const { orders, short } of classesOf(uid)) {
        if (short.size === 0) continue;
        const asks = asksFor(orders.find(({ key }) => key === uid));
        for (const [name, lacking] of short)
          for (const resource of lacking)
            if (asks(resource)) {
              names.add(name);
              resources.add(resource);
            }
      }
      return { ...firstOf([names]), resources: [...resources].sort() };
    },
  };
}

/** Whether the Order asks for the resource; every guardian is a pod. */
function asksFor(daemon: Daemon | undefined): (resource: string) => boolean {
  const { cpu, memory, ephemeralStorage, scalars } = requestsOfSpec(daemon?.spec ?? { containers: [] });
  const amounts = new Map<string, Amount>([
    ...scalars,
    ['pods', 1],
    ['cpu', cpu],
    ['memory', memory],
    ['ephemeral-storage', ephemeralStorage],
  ]);
  return (resource) => (amounts.get(resource) ?? 0) > 0;
}

const nameOf = ({ metadata: { namespace = '', name } }: Daemon['object']): string => `${namespace}/${name}`;

function firstOf(groups: readonly ReadonlySet<string>[]): Omit<Overlaps, 'orders'> {
  let count = 0;
  const names: string[] = [];
  for (const group of groups) {
    count += group.size;
    for (const name of group) {
      if (names.length >= MOST_NAMES) break;
      names.push(name);
    }
  }
  return { count, names: names.sort() };
}

const NO_SHORTAGE: readonly string[] = Object.freeze([]);

function shortages(wanted: Overhead, offered: Allocatable): readonly string[] {
  let short: string[] | undefined;
  const check = (name: string, isShort: boolean): void => void (isShort && (short ??= []).push(name));
  check('pods', wanted.pods > offered.pods);
  check('cpu', wanted.cpu > offered.cpu);
  check('memory', wanted.memory > offered.memory);
  check('ephemeral-storage', wanted.ephemeralStorage > offered.ephemeralStorage);
  for (const [name, amount] of wanted.scalars) check(name, amount > (offered.scalars.get(name) ?? 0));
  return short ?? NO_SHORTAGE;
}
