/**
 * Nodes by place: a small number, so that the state of a daemon's nodes fits in arrays. A place belongs to a node name
 * from the first node or child of that name until the last of them is gone.
 */
import type { Node } from '../api/types/core-v1.ts';
import { labelOf } from '../kube/labels.ts';
import type { NodePin } from '../placement/node-affinity.ts';
import { isDown, NODE_DOWN, NODE_KNOWN } from './verdict.ts';

export const HOSTNAME_LABEL = 'kubernetes.io/hostname';

export interface NodeTable {
  /** Number of nodes that exist. */
  readonly size: number;
  /** No place is as large as this. */
  readonly capacity: number;
  find(name: string): Node | undefined;
  place(name: string): number | undefined;
  node(place: number): Node | undefined;
  nodeName(place: number): string;
  /** NODE_KNOWN and NODE_DOWN. */
  flags(place: number): number;
  /** Places in use. */
  places(): Iterable<number>;
  entries(): Iterable<readonly [place: number, node: Node]>;
  /** Adds or replaces the node; returns its place. */
  set(node: Node): number;
  forgetNode(place: number): void;
  /** Frees the place if neither node nor child has it. */
  leaveIfEmpty(place: number): void;
  /** Counts one more child at the node's place, which is taken if need be; returns the place. */
  enter(name: string): number;
  /** Counts one child less; frees the place with the last one if no node has it. */
  leave(place: number): void;
  /** The name of the node that a pin means. */
  resolve(pin: NodePin): string;
}

export function createNodeTable(): NodeTable {
  /** Places in use by node name. */
  const places = new Map<string, number>();
  /** By place: the node name; kept, outdated, for free places. */
  const names: string[] = [];
  /** By place: the node; undefined where only children are left. */
  const nodes: (Node | undefined)[] = [];
  /** By place: NODE_KNOWN and NODE_DOWN of the node, 0 without one. */
  const flags: number[] = [];
  /** By place: number of children, of all daemons. */
  const children: number[] = [];
  /** Places not in use, to be taken again first. */
  const free: number[] = [];
  /** Node names by hostname label, where the two differ. */
  const hostnames = new Map<string, string>();
  /** Number of nodes that are defined. */
  let size = 0;

  function placeFor(name: string): number {
    const known = places.get(name);
    if (known !== undefined) return known;
    const place = free.pop() ?? names.length;
    places.set(name, place);
    names[place] = name;
    nodes[place] = undefined;
    flags[place] = 0;
    children[place] = 0;
    return place;
  }

  function leaveIfEmpty(place: number): void {
    if (nodes[place] !== undefined || (children[place] ?? 0) > 0) return;
    const name = names[place] ?? '';
    if (places.get(name) !== place) return;
    places.delete(name);
    free.push(place);
  }

  function noteHostname(old: Node | undefined, node: Node | undefined): void {
    const before = labelOf(old?.metadata.labels, HOSTNAME_LABEL);
    const after = labelOf(node?.metadata.labels, HOSTNAME_LABEL);
    const name = (node ?? old)?.metadata.name ?? '';
    if (before !== undefined && before !== after && hostnames.get(before) === name) hostnames.delete(before);
    if (after !== undefined && after !== name) hostnames.set(after, name);
  }

  return {
    get size() {
      return size;
    },
    get capacity() {
      // Rounded up, so that arrays of this length grow seldom.
      return names.length === 0 ? 0 : 2 ** Math.ceil(Math.log2(names.length + 1));
    },
    find(name) {
      const place = places.get(name);
      return place === undefined ? undefined : nodes[place];
    },
    place: (name) => places.get(name),
    node: (place) => nodes[place],
    nodeName: (place) => names[place] ?? '',
    flags: (place) => flags[place] ?? 0,
    places: () => places.values(),
    *entries() {
      for (const place of places.values()) {
        const node = nodes[place];
        if (node !== undefined) yield [place, node];
      }
    },
    set(node) {
      const place = placeFor(node.metadata.name);
      if (nodes[place] === undefined) size += 1;
      noteHostname(nodes[place], node);
      nodes[place] = node;
      flags[place] = isDown(node) ? NODE_KNOWN | NODE_DOWN : NODE_KNOWN;
      return place;
    },
    forgetNode(place) {
      if (nodes[place] === undefined) return;
      size -= 1;
      noteHostname(nodes[place], undefined);
      nodes[place] = undefined;
      flags[place] = 0;
    },
    leaveIfEmpty,
    enter(name) {
      const place = placeFor(name);
      children[place] = (children[place] ?? 0) + 1;
      return place;
    },
    leave(place) {
      children[place] = (children[place] ?? 0) - 1;
      leaveIfEmpty(place);
    },
    resolve: (pin) => (pin.by === 'name' ? pin.value : (hostnames.get(pin.value) ?? pin.value)),
  };
}
