/**
 * What a run came to, without what chance and time put into it (names, UIDs, versions, timestamps): equal for every run
 * of a scenario that ended as it should.
 */
import type { DaemonSet } from '../../core/api/types/apps-v1.ts';
import type { Node, Pod } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { controllerOf } from '../../core/kube/owner-references.ts';
import { isGoing, isReadyPod, type ClusterView } from './cluster-view.ts';

/** One line a fact, in a fixed order. */
export type CanonicalState = readonly string[];

export function canonicalState(view: ClusterView, contended: boolean): CanonicalState {
  const lines: string[] = [];
  for (const node of view.nodes.values()) lines.push(nodeLine(node));
  for (const daemon of view.daemonSets.values()) {
    lines.push(daemonLine(daemon, contended));
    for (const [node, pods] of view.daemonPods(daemon.metadata.uid)) {
      for (const pod of pods.values()) lines.push(podLine(daemon, node, pod, contended));
    }
  }
  const workloads = new Map<string, number>();
  for (const pod of view.pods.values()) {
    if (controllerOf(pod)?.kind === 'DaemonSet') continue;
    const state = contended ? 'there' : `${pod.status?.phase ?? 'Pending'}${isReadyPod(pod) ? ' ready' : ''}`;
    const line = `workload ${pod.metadata.labels?.['workload'] ?? pod.metadata.name}: ${state}${isGoing(pod) ? ' going' : ''}`;
    workloads.set(line, (workloads.get(line) ?? 0) + 1);
  }
  // Who is preempted is a matter of timing where pods compete, so not even their number is compared there.
  if (!contended) for (const [line, count] of workloads) lines.push(`${line} × ${count}`);
  return lines.toSorted();
}

function nodeLine(node: Stored<Node>): string {
  const labels = Object.entries(node.metadata.labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .toSorted()
    .join(',');
  const taints = (node.spec.taints ?? []).map(({ key, value, effect }) => `${key}=${value ?? ''}:${effect}`).toSorted();
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'absent';
  return `node ${node.metadata.name}: ready=${ready} cordoned=${node.spec.unschedulable === true} taints=[${taints.join(' ')}] ${labels}`;
}

function daemonLine({ metadata, spec, status }: Stored<DaemonSet>, contended: boolean): string {
  const { desiredNumberScheduled: desired, numberReady: ready, updatedNumberScheduled: updated } = status ?? {};
  const counts = contended ? `desired=${desired}` : `desired=${desired} updated=${updated} ready=${ready}`;
  return `daemon ${metadata.namespace}/${metadata.name}: ${spec.template.spec?.containers[0]?.image} generation=${metadata.generation} ${counts}`;
}

function podLine(daemon: Stored<DaemonSet>, node: string, pod: Stored<Pod>, contended: boolean): string {
  const state = contended ? '' : ` ${pod.status?.phase ?? 'Pending'}${isReadyPod(pod) ? ' ready' : ''}`;
  return `daemon ${daemon.metadata.namespace}/${daemon.metadata.name} on ${node}: ${pod.spec.containers[0]?.image}${state}${isGoing(pod) ? ' going' : ''}`;
}
