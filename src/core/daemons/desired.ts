/**
 * The judgements that the engine should hold, computed from nothing: every node of the daemon is judged anew. Slow and plain
 * on purpose; the engine is a cache of this, and tests compare the two after every step. `plan` uses it for snapshots.
 */
import type { Node } from '../api/types/core-v1.ts';
import type { NodePin } from '../placement/node-affinity.ts';
import { isDown, NODE_DOWN, NODE_KNOWN } from './verdict.ts';
import type { DaemonDefinition, Rules } from './engine-types.ts';
import { HOSTNAME_LABEL } from './node-table.ts';

export interface DesiredNode<C> {
  readonly name: string;
  /** Undefined where children are left of a node that does not exist. */
  readonly node: Node | undefined;
  readonly verdict: number;
  readonly judgement: number;
  /** Best first; children that are over are left out. */
  readonly children: readonly C[];
}

export function desired<C, D extends DaemonDefinition>(
  rules: Rules<C, D>,
  nodes: Iterable<Node>,
  daemon: D,
  children: Iterable<C>,
  now: number,
): ReadonlyMap<string, DesiredNode<C>> {
  const byName = new Map<string, Node>();
  for (const node of nodes) byName.set(node.metadata.name, node);
  const here = new Map<string, C[]>();
  for (const child of children) {
    const pin = rules.child.pin(child);
    if (pin === undefined || rules.child.isOver(child)) continue;
    const name = nodeOf(pin, byName);
    here.set(name, [...(here.get(name) ?? []), child]);
  }
  const result = new Map<string, DesiredNode<C>>();
  for (const name of new Set([...byName.keys(), ...here.keys()])) {
    const node = byName.get(name);
    const childrenHere = (here.get(name) ?? []).sort((a, b) => rules.child.compare(a, b));
    const verdict =
      node === undefined ? 0 : daemon.eligibility.judge(node) | NODE_KNOWN | (isDown(node) ? NODE_DOWN : 0);
    const judgement = rules.judge(daemon, verdict, node, childrenHere, now);
    result.set(name, { name, node, verdict, judgement, children: childrenHere });
  }
  return result;
}

/** A hostname means the node that carries it as a label, else the node of that name. */
function nodeOf(pin: NodePin, nodes: ReadonlyMap<string, Node>): string {
  if (pin.by === 'name') return pin.value;
  for (const { metadata } of nodes.values())
    if (metadata.labels?.[HOSTNAME_LABEL] === pin.value && metadata.name !== pin.value) return metadata.name;
  return pin.value;
}
