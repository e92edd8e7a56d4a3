/**
 * Which domain of a topology key each node is in, as small numbers in one array a key: two array reads instead of asking
 * a node object for a label and a map for that domain. In a profile of 50,000 nodes that map was among the largest costs.
 */
import type { Node } from '../api/types/core-v1.ts';
import { labelOf } from '../kube/labels.ts';
import type { Labels } from './label-match.ts';

/** The node has no such label. */
export const NO_DOMAIN = -1;
/** The node has the label, with a value no node of the cluster has: a domain without pods. */
const UNKNOWN_DOMAIN = -2;

export interface TopologyColumn {
  readonly key: string;
  /** Domain number by node slot. Replaced when it grows, so read it through the column. */
  ids: Int32Array;
  readonly byValue: Map<string, number>;
  /** Nodes in each domain; a number whose domain has emptied is given to the next new one. */
  readonly sizes: number[];
  readonly freeIds: number[];
  /** Given up in favour of other keys; what was counted by it is no longer kept. */
  dead: boolean;
}

export const createTopologyColumn = (key: string, capacity: number): TopologyColumn => ({
  key,
  ids: new Int32Array(capacity).fill(NO_DOMAIN),
  byValue: new Map(),
  sizes: [],
  freeIds: [],
  dead: false,
});

/** How many domain numbers are in use or were: the length of a table by domain. */
export const domainsOf = (column: TopologyColumn): number => column.sizes.length;

/** For nodes outside the cluster (imagined ones), by their labels. */
function lookUpDomain(column: TopologyColumn, labels: Labels): number {
  const value = labelOf(labels, column.key);
  return value === undefined ? NO_DOMAIN : (column.byValue.get(value) ?? UNKNOWN_DOMAIN);
}

/** The node's domain; NO_DOMAIN when it lacks the label. */
export function domainOf(column: TopologyColumn, state: { readonly slot: number; readonly node: Node }): number {
  return state.slot >= 0 ? (column.ids[state.slot] ?? NO_DOMAIN) : lookUpDomain(column, state.node.metadata.labels);
}

function enter(column: TopologyColumn, value: string): number {
  let id = column.byValue.get(value);
  if (id === undefined) {
    id = column.freeIds.pop() ?? column.sizes.length;
    column.byValue.set(value, id);
    column.sizes[id] = 0;
  }
  column.sizes[id] = (column.sizes[id] ?? 0) + 1;
  return id;
}

function leave(column: TopologyColumn, value: string): void {
  const id = column.byValue.get(value);
  if (id === undefined) return;
  const size = (column.sizes[id] ?? 0) - 1;
  column.sizes[id] = size;
  if (size > 0) return;
  column.byValue.delete(value);
  column.freeIds.push(id);
}

/**
 * The node in this slot now has these labels (`undefined` when it is gone). The new domain is entered before the old
 * one is left, so that a number never changes its meaning while pods are still to be moved from one to the other.
 */
export function placeInColumn(column: TopologyColumn, slot: number, before: Labels, after: Labels): void {
  if (slot >= column.ids.length) column.ids = grown(column.ids, slot);
  const from = labelOf(before, column.key);
  const to = labelOf(after, column.key);
  if (from === to) return;
  column.ids[slot] = to === undefined ? NO_DOMAIN : enter(column, to);
  if (from !== undefined) leave(column, from);
}

function grown(ids: Int32Array, slot: number): Int32Array {
  const larger = new Int32Array(Math.max(slot + 1, ids.length * 2, 64)).fill(NO_DOMAIN);
  larger.set(ids);
  return larger;
}
