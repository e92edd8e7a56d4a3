/** Why a daemon is for no node at all. It is rolled out then, and nothing runs: nobody meant that. Pure. */
import type { Node, PodSpec } from '../../../../core/api/types/core-v1.ts';
import { compileEligibility } from '../../../../core/daemons/eligibility.ts';
import { labelOf } from '../../../../core/kube/labels.ts';

/** `nodes`: undefined where they may not be read. */
export function whyNowhere(spec: PodSpec, nodes: readonly Node[] | undefined): string {
  const selector = Object.entries(spec.nodeSelector ?? {});
  const selected = `nodeSelector ${selector.map(([key, value]) => `${key}=${value}`).join(',')}`;
  if (nodes === undefined) return selector.length === 0 ? 'no node matches it' : `no node matches it (${selected})`;
  if (nodes.length === 0) return 'the cluster has no nodes';
  const matching = nodes.filter(({ metadata }) =>
    selector.every(([key, value]) => labelOf(metadata.labels, key) === value),
  );
  const of = nodes.length === 1 ? 'the only node does not match' : `none of ${nodes.length} nodes matches`;
  if (matching.length === 0) return `${of} its ${selected}`;
  const { affinity: _affinity, ...anywhere } = spec;
  const { explain } = compileEligibility(anywhere);
  const open = matching.filter((node) => explain(node).length === 0);
  if (open.length > 0) return `${of} its required node affinity`;
  const keys = new Set(matching.flatMap(({ spec: its }) => (its?.taints ?? []).map(({ key }) => key)));
  return `it does not tolerate the taints of ${selector.length === 0 ? 'any node' : 'the nodes it selects'} (${[...keys].toSorted().join(', ')})`;
}
