/**
 * A rollout never takes more than `maxUnavailable` available pods down by its own hand, nor surges above `maxSurge`. Down by
 * hand: an available pod on an eligible node that the controller deleted, until a pod is available there again. Surging:
 * a pod that the controller made beside an available one, until it is available itself. The controller is judged by the
 * budgets, nodes and readiness it could have known.
 */
import type { DaemonSet } from '../../../core/api/types/apps-v1.ts';
import type { Node, Pod } from '../../../core/api/types/core-v1.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isGoing, isReadyPod, targetOf, type ClusterView } from '../cluster-view.ts';
import { resourceName, type Commit } from '../commit.ts';
import { type Budget, budgetOf, eligibility, isAvailable } from './daemon-facts.ts';
import { shouldKnow, type InvariantFactory } from './invariant.ts';

const ACTOR = 'daemonset';

interface Version {
  readonly revision: number;
  readonly daemon: Stored<DaemonSet>;
}

export const rolloutBudget: InvariantFactory = () => {
  /** Every version of each daemon, by UID, oldest first. */
  const versions = new Map<string, Version[]>();
  /** The last revision at which each node changed. */
  const nodeChanged = new Map<string, number>();
  /** The revision at which each pod became Ready, by UID. */
  const readySince = new Map<string, number>();
  /** Nodes where this daemon was taken down by hand. */
  const down = new Map<string, Set<string>>();
  /** Nodes where the daemon has a second pod beside an available one. */
  const surging = new Map<string, Set<string>>();
  let mostNodes = 0;

  const wants = (daemon: Stored<DaemonSet>, node: Stored<Node> | undefined): boolean =>
    node !== undefined && eligibility(daemon, node).shouldRun;

  function isUpAgain(view: ClusterView, daemon: Stored<DaemonSet>, node: string): boolean {
    if (!wants(daemon, view.nodes.get(node))) return true;
    const pods = view.daemonPods(daemon.metadata.uid).get(node)?.values() ?? [];
    const now = view.wall();
    for (const pod of pods) if (isAvailable(pod, daemon.spec.minReadySeconds ?? 0, now)) return true;
    return false;
  }

  /** A node where a pod is available, or was until this very change, is not down by hand any more, whatever comes next. */
  function noteUp({ object, previous }: Commit, view: ClusterView): void {
    const uid = controllerOf(object)?.uid ?? '';
    const set = down.get(uid);
    if (set === undefined || set.size === 0) return;
    const minReady = versions.get(uid)?.at(-1)?.daemon.spec.minReadySeconds ?? 0;
    for (const pod of [object, previous] as readonly (Stored<Pod> | undefined)[])
      if (pod !== undefined && isAvailable(pod, minReady, view.wall())) set.delete(targetOf(pod) ?? '');
  }

  /** The largest budget among those the controller may still go by. */
  function allowance(view: ClusterView, uid: string, amount: (budget: Budget) => number): number {
    let most = 0;
    for (const { revision, daemon } of (versions.get(uid) ?? []).toReversed()) {
      most = Math.max(most, amount(budgetOf(daemon, mostNodes)));
      if (shouldKnow(view, ACTOR, 'daemonsets.apps', revision)) break;
    }
    return most;
  }

  function judge({ object, previous }: Commit, view: ClusterView): string | undefined {
    const pod = object as Stored<Pod>;
    const before = previous as Stored<Pod> | undefined;
    const uid = controllerOf(pod)?.uid ?? '';
    const node = targetOf(pod);
    const history = versions.get(uid) ?? [];
    const newest = history[history.length - 1]?.daemon;
    if (before === undefined || isGoing(before) || node === undefined || newest === undefined) return undefined;
    const minReady = newest.spec.minReadySeconds ?? 0;
    const now = view.wall();
    if (!isAvailable(before, minReady, now)) return undefined;
    // The controller may not know yet that the pod was available, or that the daemon still wants it.
    const ready = readySince.get(before.metadata.uid);
    if (ready === undefined || !shouldKnow(view, ACTOR, 'pods', ready)) return undefined;
    if (minReady > 0 && !isAvailable(before, minReady, now - view.reactionMs)) return undefined;
    const changed = nodeChanged.get(node);
    if (changed === undefined || !shouldKnow(view, ACTOR, 'nodes', changed)) return undefined;
    if (history.some(({ daemon }) => !wants(daemon, view.nodes.get(node)))) return undefined;
    let set = down.get(uid);
    if (set === undefined) down.set(uid, (set = new Set()));
    for (const other of set) if (isUpAgain(view, newest, other)) set.delete(other);
    if (isUpAgain(view, newest, node)) return undefined;
    set.add(node);
    // With a surge, a pod goes only when another one exists: none is taken down at all.
    const allowed = allowance(view, uid, ({ maxSurge, maxUnavailable }) => (maxSurge > 0 ? 0 : maxUnavailable));
    if (set.size <= allowed) return undefined;
    return `${newest.metadata.name} was taken down on ${set.size} nodes at once, ${allowed} allowed: ${[...set].join(', ')}`;
  }

  /** A new pod beside an old one that is available, and known to be. */
  function judgeSurge({ object }: Commit, view: ClusterView): string | undefined {
    const pod = object as Stored<Pod>;
    const uid = controllerOf(pod)?.uid ?? '';
    const node = targetOf(pod);
    const newest = versions.get(uid)?.at(-1)?.daemon;
    if (node === undefined || newest === undefined) return undefined;
    const minReady = newest.spec.minReadySeconds ?? 0;
    const now = view.wall();
    const others = (name: string): readonly Stored<Pod>[] => [
      ...(view
        .daemonPods(uid)
        .get(name)
        ?.values()
        .filter((each) => !isGoing(each)) ?? []),
    ];
    const isKnownAvailable = ({ metadata }: Stored<Pod>): boolean =>
      shouldKnow(view, ACTOR, 'pods', readySince.get(metadata.uid) ?? Infinity);
    const settled = (each: Stored<Pod>): boolean => isAvailable(each, minReady, now - view.reactionMs);
    if (!others(node).some((each) => each !== pod && settled(each) && isKnownAvailable(each))) return undefined;
    let set = surging.get(uid);
    if (set === undefined) surging.set(uid, (set = new Set()));
    for (const name of set) {
      const here = others(name);
      if (here.length < 2 || here.every((each) => isAvailable(each, minReady, now))) set.delete(name);
    }
    set.add(node);
    const allowed = allowance(view, uid, ({ maxSurge }) => maxSurge);
    if (set.size <= allowed) return undefined;
    return `${newest.metadata.name} has second pods on ${set.size} nodes, ${allowed} allowed: ${[...set].join(', ')}`;
  }

  return {
    name: 'rollout-budget',
    committed(commit, view) {
      const { key, object, type, revision, by, previous } = commit;
      const resource = resourceName(key);
      if (resource === 'daemonsets.apps') {
        const daemon = object as Stored<DaemonSet>;
        const known = versions.get(daemon.metadata.uid);
        if (known === undefined) versions.set(daemon.metadata.uid, [{ revision, daemon }]);
        else if ((previous as Stored<DaemonSet> | undefined)?.spec !== daemon.spec) known.push({ revision, daemon });
        return undefined;
      }
      if (resource === 'nodes') {
        const node = object as Stored<Node>;
        const old = previous as Stored<Node> | undefined;
        if (old?.spec !== node.spec || old?.metadata.labels !== node.metadata.labels)
          nodeChanged.set(key.name, revision);
        mostNodes = Math.max(mostNodes, view.nodes.size);
        return undefined;
      }
      if (resource !== 'pods') return undefined;
      const pod = object as Stored<Pod>;
      if (!isReadyPod(pod)) readySince.delete(pod.metadata.uid);
      else if (!readySince.has(pod.metadata.uid)) readySince.set(pod.metadata.uid, revision);
      noteUp(commit, view);
      if (by !== ACTOR) return undefined;
      if (type === 'ADDED') return judgeSurge(commit, view);
      if (type !== 'DELETED' && !isGoing(pod)) return undefined;
      return judge(commit, view);
    },
  };
};
