/**
 * The cluster as placement sees it: nodes with the pods counted on them, namespaces, and populations of pods. Fed by
 * its owner (a scheduler's caches, a planner's snapshot), read by filters and scores. Changed in place by its
 * owner only; every change advances `version`, which is how prepared answers know they are stale.
 */
import type { Node, Pod } from '../api/types/core-v1.ts';
import { imageSizes } from './images.ts';
import type { Labels } from './label-match.ts';
import { createNodeColumns, type NodeColumns } from './node-columns.ts';
import { addPod, createNodeState, type NodeState, removePod as takeOff, replaceNode } from './node-state.ts';
import { createPodIndex, type PodIndex } from './pod-index.ts';
import { countsAlike, isTerminal, podKey, type PodRecord, recordOf } from './pod-record.ts';
import type { StorageView } from './volumes.ts';

export interface ClusterState {
  readonly nodes: ReadonlyMap<string, NodeState>;
  readonly index: PodIndex;
  readonly columns: NodeColumns;
  /** Absent: volumes are not judged (beyond disks that cannot be shared). */
  readonly storage: StorageView | undefined;
  /** Grows with every change of nodes, pods or namespaces. */
  readonly version: number;
  /** Grows when a node comes, goes, or changes its labels or taints. */
  readonly topologyVersion: number;
  namespaceLabels(name: string): Labels;
  hasNamespace(name: string): boolean;

  setNode(node: Node): NodeState;
  /** Pods of the node are remembered and counted again if the node returns. */
  removeNode(name: string): void;
  /** Counts a bound or assumed pod; an ended pod is taken off instead. `nodeName` stands in while binding. */
  setPod(pod: Pod, nodeName?: string): void;
  removePod(pod: Pod): void;
  setNamespace(name: string, labels: Labels): void;
  removeNamespace(name: string): void;
  /** Pods that preempted for room on a node and wait for it; they are counted in when others ask for that room. */
  nominate(pod: Pod, nodeName: string): void;
  denominate(pod: Pod): void;
  nominatedTo(nodeName: string): readonly PodRecord[];
  /** The node this pod (by its key) is nominated to. */
  nominationOf(key: string): string | undefined;
  /** Number of nominated pods; mostly 0, and then filters skip nominations. */
  readonly nominated: number;
  /** Container images on nodes, by name. */
  image(name: string): ImageFacts | undefined;
}

interface ImageFacts {
  /** In bytes, as the node that reported the name first says. */
  readonly size: number;
  readonly nodes: number;
}

export interface ClusterOptions {
  readonly storage?: StorageView;
}

const NO_RECORDS: readonly PodRecord[] = Object.freeze([]);

export function createClusterState(options: ClusterOptions = {}): ClusterState {
  const nodes = new Map<string, NodeState>();
  /** Pods of nodes not seen (yet), by node name: objects arrive in any order. */
  const waiting = new Map<string, Map<string, PodRecord>>();
  const nodeOfPod = new Map<string, string>();
  const namespaces = new Map<string, Labels>();
  const nominations = new Map<string, PodRecord[]>();
  const nodeOfNominated = new Map<string, string>();
  const images = new Map<string, ImageFacts>();
  const index = createPodIndex();
  const columns = createNodeColumns(() => nodes.values());
  let version = 0;
  let topologyVersion = 0;

  const countImages = (node: Node, delta: 1 | -1): void => {
    if (node.status?.images === undefined) return;
    for (const [name, reported] of imageSizes(node.status.images)) {
      const { size, nodes: holders } = images.get(name) ?? { size: reported, nodes: 0 };
      if (holders + delta > 0) images.set(name, { size, nodes: holders + delta });
      else images.delete(name);
    }
  };

  const place = (record: PodRecord, nodeName: string): void => {
    nodeOfPod.set(record.key, nodeName);
    const state = nodes.get(nodeName);
    if (state !== undefined) {
      addPod(state, record);
      columns.refreshPod(state, record);
      index.count(record, state, 1);
      return;
    }
    let pods = waiting.get(nodeName);
    if (pods === undefined) waiting.set(nodeName, (pods = new Map()));
    pods.set(record.key, record);
  };

  const unplace = (key: string): void => {
    const nodeName = nodeOfPod.get(key);
    if (nodeName === undefined) return;
    nodeOfPod.delete(key);
    const state = nodes.get(nodeName);
    if (state !== undefined) {
      const record = takeOff(state, key);
      if (record === undefined) return;
      columns.refreshPod(state, record);
      index.count(record, state, -1);
      return;
    }
    const pods = waiting.get(nodeName);
    pods?.delete(key);
    if (pods?.size === 0) waiting.delete(nodeName);
  };

  const denominate = (key: string): void => {
    const nodeName = nodeOfNominated.get(key);
    if (nodeName === undefined) return;
    nodeOfNominated.delete(key);
    const left = (nominations.get(nodeName) ?? []).filter((record) => record.key !== key);
    if (left.length === 0) nominations.delete(nodeName);
    else nominations.set(nodeName, left);
    version++;
  };

  return {
    nodes,
    index,
    columns,
    storage: options.storage,
    get version() {
      return version;
    },
    get topologyVersion() {
      return topologyVersion;
    },
    namespaceLabels: (name) => namespaces.get(name),
    hasNamespace: (name) => namespaces.has(name),

    setNode(node) {
      version++;
      const { name } = node.metadata;
      const known = nodes.get(name);
      if (known !== undefined) {
        const before = known.node;
        if (before.status?.images !== node.status?.images) {
          countImages(before, -1);
          countImages(node, 1);
        }
        const relabelled = before.metadata.labels !== node.metadata.labels;
        if (relabelled) index.tally(known, -1);
        if (replaceNode(known, node)) topologyVersion++;
        if (relabelled) {
          columns.relabel(known, before.metadata.labels);
          index.tally(known, 1);
        }
        columns.refresh(known);
        return known;
      }
      topologyVersion++;
      const state = createNodeState(node);
      nodes.set(name, state);
      columns.enter(state);
      countImages(node, 1);
      const pods = waiting.get(name);
      waiting.delete(name);
      for (const record of pods?.values() ?? []) place(record, name);
      return state;
    },

    removeNode(name) {
      const state = nodes.get(name);
      if (state === undefined) return;
      version++;
      topologyVersion++;
      countImages(state.node, -1);
      for (const record of state.pods.values()) index.count(record, state, -1);
      if (state.pods.size > 0) waiting.set(name, new Map(state.pods));
      columns.leave(state);
      nodes.delete(name);
    },

    setPod(pod, nodeName = pod.spec.nodeName) {
      const key = podKey(pod);
      if (nodeName !== undefined && nodeOfPod.get(key) === nodeName) {
        const state = nodes.get(nodeName);
        const known = state?.pods.get(key);
        // Most of what happens to a pod on its node changes nothing that is counted; its newest object is kept.
        if (state !== undefined && known !== undefined && countsAlike(known.pod, pod)) {
          state.pods.set(key, { ...known, pod });
          return;
        }
      }
      version++;
      unplace(key);
      if (nodeName && !isTerminal(pod)) place(recordOf(pod), nodeName);
    },

    removePod(pod) {
      version++;
      unplace(podKey(pod));
      denominate(podKey(pod));
    },

    setNamespace(name, labels) {
      version++;
      namespaces.set(name, labels);
    },
    removeNamespace(name) {
      version++;
      namespaces.delete(name);
    },

    nominate(pod, nodeName) {
      version++;
      const record = recordOf(pod);
      denominate(record.key);
      nodeOfNominated.set(record.key, nodeName);
      nominations.set(nodeName, [...(nominations.get(nodeName) ?? []), record]);
    },
    denominate: (pod) => denominate(podKey(pod)),
    nominatedTo: (nodeName) => nominations.get(nodeName) ?? NO_RECORDS,
    nominationOf: (key) => nodeOfNominated.get(key),
    get nominated() {
      return nodeOfNominated.size;
    },
    image: (name) => images.get(name),
  };
}
