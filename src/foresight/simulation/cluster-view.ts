/**
 * The committed cluster, kept up with every change: the state that invariants look at. It is built from the changes
 * themselves, never from a cache of an actor under test.
 */
import type { DaemonSet } from '../../core/api/types/apps-v1.ts';
import type { Node, Pod } from '../../core/api/types/core-v1.ts';
import { controllerOf } from '../../core/kube/owner-references.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { objectName, resourceName, type Commit } from './commit.ts';

export interface ClusterView {
  /** Virtual milliseconds since the world began. */
  now(): number;
  /** Epoch milliseconds at which the world began: the base of the cluster's own timestamps. */
  readonly epoch: number;
  readonly nodes: ReadonlyMap<string, Stored<Node>>;
  /** By `namespace/name`. */
  readonly pods: ReadonlyMap<string, Stored<Pod>>;
  /** By `namespace/name`. */
  readonly daemonSets: ReadonlyMap<string, Stored<DaemonSet>>;
  /** Pods bound to the node, ended ones among them. */
  podsOn(node: string): Iterable<Stored<Pod>>;
  /** Pods whose controller has this UID, by the node they are on or meant for. */
  daemonPods(uid: string): ReadonlyMap<string, ReadonlyMap<string, Stored<Pod>>>;
  all(resource: string): ReadonlyMap<string, Stored>;
  /** The revision at which a node of this name last went; undefined when none ever did. */
  nodeGoneAt(name: string): number | undefined;
  /**
   * Time after an actor could have known a fact in which it may still act without it: a request on its way, a reconcile
   * under way. Depends on how slow the world is.
   */
  readonly reactionMs: number;
  /** When this actor, in its present life, was first shown the state of a resource at this revision. */
  knewAt(actor: string, resource: string, revision: number): number | undefined;
  /** The actor that created the object with this UID. */
  creatorOf(uid: string): string;
}

export interface LiveClusterView extends ClusterView {
  apply(commit: Commit): void;
}

const NO_OBJECTS: ReadonlyMap<string, Stored> = new Map();
const NO_NODES: ReadonlyMap<string, ReadonlyMap<string, Stored<Pod>>> = new Map();

export const isEnded = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
export const isGoing = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined;
export const isReadyPod = (pod: Pod): boolean =>
  pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

/** The node a daemon pod is on or meant for. */
export function targetOf(pod: Pod): string | undefined {
  if (pod.spec.nodeName !== undefined && pod.spec.nodeName !== '') return pod.spec.nodeName;
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  for (const term of required?.nodeSelectorTerms ?? []) {
    for (const field of term.matchFields ?? []) {
      if (field.key === 'metadata.name' && field.operator === 'In') return field.values?.[0];
    }
  }
  return undefined;
}

export function createClusterView(
  given: Pick<ClusterView, 'now' | 'epoch' | 'knewAt' | 'reactionMs'>,
): LiveClusterView {
  const collections = new Map<string, Map<string, Stored>>();
  const onNode = new Map<string, Map<string, Stored<Pod>>>();
  const ofDaemon = new Map<string, Map<string, Map<string, Stored<Pod>>>>();
  const goneAt = new Map<string, number>();
  const creators = new Map<string, string>();

  const collection = (resource: string): Map<string, Stored> => {
    let known = collections.get(resource);
    if (known === undefined) collections.set(resource, (known = new Map()));
    return known;
  };
  const typed = <T extends Stored>(resource: string): ReadonlyMap<string, T> =>
    collection(resource) as ReadonlyMap<string, Stored> as ReadonlyMap<string, T>;
  const put = <K, V>(maps: Map<K, Map<string, V>>, key: K, name: string, value: V): void => {
    const map = maps.get(key);
    if (map === undefined) maps.set(key, new Map([[name, value]]));
    else map.set(name, value);
  };

  function place(name: string, pod: Stored<Pod>): void {
    if (pod.spec.nodeName !== undefined && pod.spec.nodeName !== '') put(onNode, pod.spec.nodeName, name, pod);
    const owner = controllerOf(pod);
    const target = targetOf(pod);
    if (owner?.kind !== 'DaemonSet' || target === undefined) return;
    let nodes = ofDaemon.get(owner.uid);
    if (nodes === undefined) ofDaemon.set(owner.uid, (nodes = new Map()));
    put(nodes, target, name, pod);
  }

  function displace(name: string, pod: Stored<Pod>): void {
    onNode.get(pod.spec.nodeName ?? '')?.delete(name);
    const owner = controllerOf(pod);
    const target = targetOf(pod);
    if (owner !== undefined && target !== undefined) ofDaemon.get(owner.uid)?.get(target)?.delete(name);
  }

  return {
    ...given,
    nodes: typed('nodes'),
    pods: typed('pods'),
    daemonSets: typed('daemonsets.apps'),
    podsOn: (node) => onNode.get(node)?.values() ?? [],
    daemonPods: (uid) => ofDaemon.get(uid) ?? NO_NODES,
    all: (resource) => collections.get(resource) ?? NO_OBJECTS,
    nodeGoneAt: (name) => goneAt.get(name),
    creatorOf: (uid) => creators.get(uid) ?? '',
    apply({ key, type, object, previous, by, revision }) {
      const resource = resourceName(key);
      const name = objectName(key);
      const objects = collection(resource);
      if (type === 'DELETED') objects.delete(name);
      else objects.set(name, object);
      if (type === 'ADDED') creators.set(object.metadata.uid, by);
      if (resource === 'nodes' && type === 'DELETED') goneAt.set(name, revision);
      if (resource !== 'pods') return;
      if (previous !== undefined) displace(name, previous as Stored<Pod>);
      if (type !== 'DELETED') place(name, object as Stored<Pod>);
    },
  };
}
