/** Nodes on which the daemons that want them do not fit together, and nodes that several Orders want. */
import type { Node } from '../api/types/core-v1.ts';
import { allocatableOf } from '../placement/node-state.ts';
import { requestsOfSpec } from '../placement/requests.ts';
import type { Daemon } from './classify.ts';
import { listed } from './ineligible-nodes.ts';
import type { OverheadLedger } from './overhead-ledger.ts';

/** Names that are told of any number of nodes. */
const MOST_NAMES = 10;

export interface NodesFound {
  readonly count: number;
  /** The first ten by name. */
  readonly names: readonly string[];
}

export interface Misfits extends NodesFound {
  /** The resources that are short, in order. */
  readonly resources: readonly string[];
}

export interface Overlaps extends NodesFound {
  /** `namespace/name` of the other Orders, in order. */
  readonly orders: readonly string[];
}

/**
 * Nodes that this daemon wants and that offer less than all daemons there ask for together, of a resource that this one asks for.
 * All nodes must be in the ledger.
 */
export function findMisfits(ledger: OverheadLedger, daemon: Daemon, nodes: Iterable<Node>): Misfits {
  const requests = requestsOfSpec(daemon.spec ?? { containers: [] });
  const found: string[] = [];
  const resources = new Set<string>();
  for (const node of nodes) {
    const { name } = node.metadata;
    if (!wants(ledger, daemon, name)) continue;
    const offered = allocatableOf(node);
    const asked = ledger.onNode(name);
    const short: string[] = [];
    if (asked.pods > offered.pods) short.push('pods');
    if (requests.cpu > 0 && asked.cpu > offered.cpu) short.push('cpu');
    if (requests.memory > 0 && asked.memory > offered.memory) short.push('memory');
    if (requests.ephemeralStorage > 0 && asked.ephemeralStorage > offered.ephemeralStorage)
      short.push('ephemeral-storage');
    for (const [scalar, wanted] of requests.scalars)
      if (wanted > 0 && (asked.scalars.get(scalar) ?? 0) > (offered.scalars.get(scalar) ?? 0)) short.push(scalar);
    if (short.length === 0) continue;
    found.push(name);
    for (const each of short) resources.add(each);
  }
  return { ...firstOf(found), resources: [...resources].sort() };
}

/** Nodes that another daemonSet Order wants too. Room is then reserved twice, which is right only if that is meant. */
export function findOverlaps(ledger: OverheadLedger, daemon: Daemon, nodes: Iterable<Node>): Overlaps {
  const found: string[] = [];
  const orders = new Set<string>();
  for (const node of nodes) {
    const { name } = node.metadata;
    if (!wants(ledger, daemon, name)) continue;
    const others = ledger.wanting(name).filter(({ sort, key }) => sort === 'Order' && key !== daemon.key);
    if (others.length === 0) continue;
    found.push(name);
    for (const { object } of others) orders.add(`${object.metadata.namespace ?? ''}/${object.metadata.name}`);
  }
  return { ...firstOf(found), orders: [...orders].sort() };
}

const wants = (ledger: OverheadLedger, daemon: Daemon, name: string): boolean =>
  ledger.wanting(name).some(({ key }) => key === daemon.key);

const firstOf = (found: readonly string[]): NodesFound => ({
  count: found.length,
  names: found.toSorted().slice(0, MOST_NAMES),
});

export const describeMisfits = ({ count, names, resources }: Misfits): string =>
  `${nodeCount(count)} too little ${resources.join(', ')} for all daemons that want ${count === 1 ? 'it' : 'them'}: ` +
  `${listed(names, MOST_NAMES, count)}; lower the requests of the Order or exclude the nodes by its node selector`;

const nodeCount = (count: number): string => (count === 1 ? '1 node has' : `${count} nodes have`);

export const describeOverlaps = ({ count, names, orders }: Overlaps): string =>
  `${count === 1 ? '1 node is' : `${count} nodes are`} wanted by other Orders too (${listed(orders, MOST_NAMES)}): ` +
  listed(names, MOST_NAMES, count);
