/**
 * Pods pinned to their nodes that wait for pods elsewhere: a pod that comes or goes concerns only those whose node is in
 * a domain with its node. With `kubernetes.io/hostname`, the usual key, that is the node itself.
 */
import { labelOf } from '../../../core/kube/labels.ts';
import type { AffinityTerm } from '../../../core/placement/affinity-terms.ts';
import type { PlacementChange } from './cluster-change.ts';
import type { QueuedPod } from './queued-pod.ts';
import { REJECTOR } from './rejectors.ts';
import { type Kind, NO_PINS, type WaitingState } from './waiting-state.ts';

/** The pods of a kind in `pinnedAcross` whose nodes share a domain with the node of the change. */
export function sharesDomain(
  { cluster, members }: WaitingState,
  change: PlacementChange,
  { example, rejectors, entries }: Kind,
  /** Pods pinned to the node of the change. */
  here: ReadonlySet<QueuedPod> | undefined,
): Iterable<QueuedPod> {
  // Spreading compares all domains with each other; and where a group may begin anew, that may be anywhere.
  if (rejectors & REJECTOR.PodTopologySpread || (example.record.affinity?.requiredAffinity.length ?? 0) > 0)
    return entries;
  if (change.kind !== 'room' && change.kind !== 'pod-changed') return entries;
  const state = cluster.nodes.get(change.nodeName);
  if (state === undefined) return entries;
  const { labels } = state.node.metadata;
  const keys = new Set<string>();
  const note = ({ topologyKey }: AffinityTerm): void => void keys.add(topologyKey);
  example.record.affinity?.requiredAntiAffinity.forEach(note);
  change.record?.affinity?.requiredAntiAffinity.forEach(note);
  if (change.kind === 'pod-changed') change.old.affinity?.requiredAntiAffinity.forEach(note);
  let alone = true;
  for (const key of keys) {
    const column = cluster.columns.topology(key);
    const domain = column.ids[state.slot] ?? -1;
    if (domain >= 0 && (column.sizes[domain] ?? 0) > 1) alone = false;
  }
  if (alone) return here === undefined ? [] : here.intersection(entries);
  const near = (name: string): boolean => {
    const theirs = cluster.nodes.get(name)?.node.metadata.labels;
    for (const key of keys) {
      const value = labelOf(labels, key);
      if (value !== undefined && labelOf(theirs, key) === value) return true;
    }
    return false;
  };
  return [...entries].filter((entry) => (members.get(entry)?.pinned ?? NO_PINS).values().some(near));
}
