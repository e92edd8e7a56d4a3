/** Nodes in groups that people think in: pools, machine types, zones. */
import { NODE_GROUP_LABEL } from '../../../core/api/names.ts';
import type { Node } from '../../../core/api/types/core-v1.ts';
import { labelOf } from '../../../core/kube/labels.ts';

/** The first of these that the nodes have, and that does not split them too far. */
const USUAL_LABELS: readonly string[] = [
  NODE_GROUP_LABEL,
  'karpenter.sh/nodepool',
  'eks.amazonaws.com/nodegroup',
  'cloud.google.com/gke-nodepool',
  'kubernetes.azure.com/agentpool',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/zone',
];
const MOST_GROUPS = 50;

export type Grouping = (node: Node | undefined) => string;

/** The group of nodes without the label, and of nodes that the user may not read. */
const NO_GROUP = '-';
const ALL_NODES = 'all';

export function groupingBy(labels: readonly string[] | undefined, nodes: Iterable<Node>): Grouping {
  const keys = labels ?? usualKeys(nodes);
  if (keys.length === 0) return () => ALL_NODES;
  return (node) => keys.map((key) => labelOf(node?.metadata.labels, key) ?? NO_GROUP).join(' ');
}

function usualKeys(nodes: Iterable<Node>): readonly string[] {
  const values = new Map(USUAL_LABELS.map((key) => [key, new Set<string>()]));
  for (const { metadata } of nodes)
    for (const [key, seen] of values) {
      const value = labelOf(metadata.labels, key);
      if (value !== undefined && seen.size <= MOST_GROUPS) seen.add(value);
    }
  for (const [key, seen] of values) if (seen.size > 0 && seen.size <= MOST_GROUPS) return [key];
  return [];
}
