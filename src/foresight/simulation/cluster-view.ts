/**
 * The committed cluster, kept up with every change: the state that invariants look at. It is built from the changes
 * themselves, never from a cache of an actor under test.
 */
import type { DaemonSet } from '../../core/api/types/apps-v1.ts';
import type { Affinity, Node, Pod } from '../../core/api/types/core-v1.ts';
import type { Order, Ticket } from '../../core/api/types/korder-v1alpha1.ts';
import { controllerOf } from '../../core/kube/owner-references.ts';
import type { KubeObject, Stored } from '../../core/kube/objects.ts';
import { objectName, resourceName, type Commit } from './commit.ts';

export interface ClockJump {
  /** As `ClusterView.now` tells it. */
  readonly at: number;
  /** Negative: back. */
  readonly byMs: number;
}

export interface ClusterView {
  /** Virtual milliseconds since the world began. */
  now(): number;
  /** Epoch milliseconds by the cluster's wall clock, of which its timestamps are made. It may jump; `now` does not. */
  wall(): number;
  /** Jumps of the wall clock so far, oldest first. */
  readonly jumps: readonly ClockJump[];
  readonly nodes: ReadonlyMap<string, Stored<Node>>;
  /** By `namespace/name`. */
  readonly pods: ReadonlyMap<string, Stored<Pod>>;
  /** By `namespace/name`. */
  readonly daemonSets: ReadonlyMap<string, Stored<DaemonSet>>;
  /** By `namespace/name`. */
  readonly orders: ReadonlyMap<string, Stored<Order>>;
  /** By `namespace/name`. */
  readonly tickets: ReadonlyMap<string, Stored<Ticket>>;
  /** Tickets whose controller is the Order of this UID, by `namespace/name`. */
  ticketsOf(orderUid: string): ReadonlyMap<string, Stored<Ticket>>;
  /** Pods whose controller is the Ticket of this UID, by `namespace/name`. */
  guardiansOf(ticketUid: string): ReadonlyMap<string, Stored<Pod>>;
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
  /** Time in which an actor that knows the state has acted on a moment that came, whatever fails meanwhile. */
  readonly patienceMs: number;
  /** When this actor, in its present life, was first shown the state of a resource at this revision. */
  knewAt(actor: string, resource: string, revision: number): number | undefined;
  /** The actor that created the object with this UID. */
  creatorOf(uid: string): string;
}

export interface LiveClusterView extends ClusterView {
  apply(commit: Commit): void;
}

/** Resources as commits name them. */
export const ORDERS = 'orders.core.korder.dev';
export const TICKETS = 'tickets.core.korder.dev';

const NO_OBJECTS: ReadonlyMap<string, Stored> = new Map();
const NO_NODES: ReadonlyMap<string, ReadonlyMap<string, Stored<Pod>>> = new Map();

const NO_TICKETS: ReadonlyMap<string, Stored<Ticket>> = new Map();
const NO_PODS: ReadonlyMap<string, Stored<Pod>> = new Map();

export const isEnded = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
export const isGoing = (object: KubeObject): boolean => object.metadata.deletionTimestamp !== undefined;
export const isReadyPod = (pod: Pod): boolean =>
  pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

interface Aimed {
  readonly spec: { readonly nodeName?: string; readonly affinity?: Affinity };
}

/** The node a pod or a Ticket is on or meant for. */
export function targetOf({ spec }: Aimed): string | undefined {
  if (spec.nodeName !== undefined && spec.nodeName !== '') return spec.nodeName;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  for (const term of required?.nodeSelectorTerms ?? []) {
    for (const field of term.matchFields ?? []) {
      if (field.key === 'metadata.name' && field.operator === 'In') return field.values?.[0];
    }
  }
  return undefined;
}

export function createClusterView(
  given: Pick<ClusterView, 'now' | 'wall' | 'jumps' | 'knewAt' | 'reactionMs' | 'patienceMs'>,
): LiveClusterView {
  const collections = new Map<string, Map<string, Stored>>();
  const onNode = new Map<string, Map<string, Stored<Pod>>>();
  const ofDaemon = new Map<string, Map<string, Map<string, Stored<Pod>>>>();
  const ofOrder = new Map<string, Map<string, Stored<Ticket>>>();
  const ofTicket = new Map<string, Map<string, Stored<Pod>>>();
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
    if (owner?.kind === 'Ticket') put(ofTicket, owner.uid, name, pod);
    if (owner?.kind !== 'DaemonSet' || target === undefined) return;
    let nodes = ofDaemon.get(owner.uid);
    if (nodes === undefined) ofDaemon.set(owner.uid, (nodes = new Map()));
    put(nodes, target, name, pod);
  }

  function displace(name: string, pod: Stored<Pod>): void {
    onNode.get(pod.spec.nodeName ?? '')?.delete(name);
    const owner = controllerOf(pod);
    const target = targetOf(pod);
    if (owner?.kind === 'Ticket') ofTicket.get(owner.uid)?.delete(name);
    if (owner !== undefined && target !== undefined) ofDaemon.get(owner.uid)?.get(target)?.delete(name);
  }

  return {
    ...given,
    nodes: typed('nodes'),
    pods: typed('pods'),
    daemonSets: typed('daemonsets.apps'),
    orders: typed(ORDERS),
    tickets: typed(TICKETS),
    ticketsOf: (uid) => ofOrder.get(uid) ?? NO_TICKETS,
    guardiansOf: (uid) => ofTicket.get(uid) ?? NO_PODS,
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
      if (resource === TICKETS) {
        if (previous !== undefined) ofOrder.get(controllerOf(previous)?.uid ?? '')?.delete(name);
        if (type !== 'DELETED') put(ofOrder, controllerOf(object)?.uid ?? '', name, object as Stored<Ticket>);
        return;
      }
      if (resource !== 'pods') return;
      if (previous !== undefined) displace(name, previous as Stored<Pod>);
      if (type !== 'DELETED') place(name, object as Stored<Pod>);
    },
  };
}
