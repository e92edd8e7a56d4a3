/**
 * The parts of a node that an eligibility depends on, so that an event on a node asks only the daemons it may concern: the label
 * keys a template mentions, and the labels (or names) without one of which no node can be eligible.
 */
import type { NodeSelectorTerm, PodSpec } from '../api/types/core-v1.ts';

/** The parts of a template that decide about nodes. */
export type PlacementSpec = Pick<PodSpec, 'nodeName' | 'nodeSelector' | 'affinity' | 'tolerations' | 'hostNetwork'>;

/** A label with its value, or the node's name where `key` is `metadata.name`. */
export interface NodeAnchor {
  readonly key: string;
  readonly value: string;
}

export const NAME_FIELD = 'metadata.name';

const termsOf = (spec: PlacementSpec): readonly NodeSelectorTerm[] | undefined =>
  spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;

export function labelKeysOf(spec: PlacementSpec): ReadonlySet<string> {
  const keys = new Set(Object.keys(spec.nodeSelector ?? {}));
  for (const term of termsOf(spec) ?? []) for (const { key } of term.matchExpressions ?? []) keys.add(key);
  return keys;
}

export function anchorsOf(spec: PlacementSpec): readonly NodeAnchor[] | undefined {
  if (spec.nodeName) return [{ key: NAME_FIELD, value: spec.nodeName }];
  const [pair] = Object.entries(spec.nodeSelector ?? {});
  if (pair !== undefined) return [{ key: pair[0], value: pair[1] }];
  const terms = termsOf(spec);
  if (terms === undefined) return undefined;
  const anchors: NodeAnchor[] = [];
  for (const term of terms) {
    const ofTerm = anchorsOfTerm(term);
    if (ofTerm === undefined) return undefined;
    anchors.push(...ofTerm);
  }
  return anchors;
}

/** All requirements of a term must hold, so any one of them that lists values will do. An empty term matches nothing. */
function anchorsOfTerm(term: NodeSelectorTerm): readonly NodeAnchor[] | undefined {
  const named = term.matchFields?.find(({ key, operator }) => key === NAME_FIELD && operator === 'In');
  if (named !== undefined) return (named.values ?? []).map((value) => ({ key: NAME_FIELD, value }));
  const listed = term.matchExpressions?.find(({ operator }) => operator === 'In');
  if (listed !== undefined) return (listed.values ?? []).map((value) => ({ key: listed.key, value }));
  return (term.matchFields ?? []).length === 0 && (term.matchExpressions ?? []).length === 0 ? [] : undefined;
}
