/** Why a daemon selects no node at all. It is rolled out then, and nothing runs, which is never intended. Pure. */
import type { Node, PodSpec } from '../../../core/api/types/core-v1.ts';
import { compileEligibility } from '../../../core/daemons/eligibility.ts';
import type { PlacementSpec } from '../../../core/daemons/node-anchors.ts';

const TOLERATES_ALL = Object.freeze([{ operator: 'Exists' }]);

/** `nodes`: undefined where they may not be read. */
export function whyNowhere(spec: PodSpec, nodes: readonly Node[] | undefined): string {
  const { nodeSelector = {}, affinity: _affinity, ...anywhere } = spec;
  const labels = Object.entries(nodeSelector).map(([key, value]) => `${key}=${value}`);
  const selected = `nodeSelector ${labels.join(',')}`;
  if (nodes === undefined) return labels.length === 0 ? 'no node matches it' : `no node matches it (${selected})`;
  if (nodes.length === 0) return 'the cluster has no nodes';
  // The node constraints of the pod are added one by one: the first that leaves no node is the reason.
  const of = nodes.length === 1 ? 'the only node does not match' : `none of ${nodes.length} nodes matches`;
  const matching = eligible(nodes, { nodeSelector, tolerations: TOLERATES_ALL });
  if (matching.length === 0) return `${of} its ${selected}`;
  if (eligible(matching, anywhere).length > 0) return `${of} its required node affinity`;
  const { explain } = compileEligibility(anywhere);
  const fixes = new Set(matching.flatMap((node) => explain(node).map(({ fix }) => fix)));
  return `it does not tolerate the taints of ${labels.length === 0 ? 'any node' : 'the nodes it selects'}: ${[...fixes].toSorted().join('; ')}`;
}

const eligible = (nodes: readonly Node[], spec: PlacementSpec): readonly Node[] => {
  const { explain } = compileEligibility(spec);
  return nodes.filter((node) => explain(node).length === 0);
};
