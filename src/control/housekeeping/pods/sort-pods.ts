/** Which pods are candidates for removal, and why; which nodes have been missing for long enough to ask. Pure. */
import type { Node, Pod } from '../../../core/api/types/core-v1.ts';
import { isConditionTrue } from '../../../core/kube/conditions.ts';
import type { Stored } from '../../../core/kube/objects.ts';

const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

export interface Sorted {
  /** More have ended than are kept; these are the first to go. */
  readonly ended: readonly Stored<Pod>[];
  /** Being deleted, on a node that is not ready and declared out of service. */
  readonly outOfService: readonly Stored<Pod>[];
  /** Being deleted, and never had a node. */
  readonly unscheduled: readonly Stored<Pod>[];
  /** Bound to nodes that the cache does not know. */
  readonly byMissingNode: ReadonlyMap<string, readonly Stored<Pod>[]>;
  /** Nothing is to be removed, now or later, unless a pod changes or a node goes. */
  readonly isSettled: boolean;
}

export function sortPods(
  pods: Iterable<Stored<Pod>>,
  nodeNamed: (name: string) => Stored<Node> | undefined,
  keepEnded: number,
): Sorted {
  const ended: Stored<Pod>[] = [];
  const outOfService: Stored<Pod>[] = [];
  const unscheduled: Stored<Pod>[] = [];
  const byMissingNode = new Map<string, Stored<Pod>[]>();
  let deleting = 0;
  for (const pod of pods) {
    if (hasEnded(pod)) ended.push(pod);
    const nodeName = pod.spec?.nodeName ?? '';
    const isDeleting = pod.metadata.deletionTimestamp !== undefined;
    if (isDeleting) deleting += 1;
    if (nodeName === '') {
      if (isDeleting) unscheduled.push(pod);
      continue;
    }
    const node = nodeNamed(nodeName);
    if (node === undefined) {
      const others = byMissingNode.get(nodeName);
      if (others === undefined) byMissingNode.set(nodeName, [pod]);
      else others.push(pod);
    } else if (isDeleting && isGivenUp(node)) outOfService.push(pod);
  }
  const surplus = keepEnded > 0 ? ended.length - keepEnded : 0;
  return {
    ended: surplus > 0 ? ended.toSorted(firstToGo).slice(0, surplus) : [],
    outOfService: outOfService.toSorted(firstToGo),
    unscheduled,
    byMissingNode,
    isSettled: deleting === 0 && surplus <= 0 && byMissingNode.size === 0,
  };
}

/** Any phase that is none of the others counts, as upstream. */
const LIVE: ReadonlySet<string> = new Set(['', 'Pending', 'Running', 'Unknown']);
const hasEnded = (pod: Stored<Pod>): boolean => !LIVE.has(pod.status?.phase ?? '');

const isGivenUp = (node: Stored<Node>): boolean =>
  !isConditionTrue(node.status?.conditions, 'Ready') &&
  node.spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) === true;

/** Evicted pods first, then the oldest, then by name. */
export function firstToGo(a: Stored<Pod>, b: Stored<Pod>): number {
  const evicted = Number(isEvicted(b)) - Number(isEvicted(a));
  if (evicted !== 0) return evicted;
  const [x, y] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  if (x !== y) return x < y ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : a.metadata.name > b.metadata.name ? 1 : 0;
}

const isEvicted = ({ status }: Stored<Pod>): boolean => status?.phase === 'Failed' && status.reason === 'Evicted';

export interface Quarantine {
  /** Of the nodes that are missing now, those that have been missing for long enough. The time of the others begins. */
  due(missing: ReadonlySet<string>, now: number): readonly string[];
}

export function createQuarantine(ms: number): Quarantine {
  const since = new Map<string, number>();
  return {
    due(missing, now) {
      for (const name of since.keys()) if (!missing.has(name)) since.delete(name);
      const due: string[] = [];
      for (const name of missing) {
        const began = since.get(name);
        if (began === undefined) since.set(name, now);
        else if (now - began >= ms) due.push(name);
      }
      // An answer counts for one round: a node that is still missing after it is asked about again later.
      for (const name of due) since.delete(name);
      return due;
    },
  };
}
