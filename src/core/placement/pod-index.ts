/** All populations of a cluster: pods by what they look like, and pods by the affinity terms they carry. */
import type { Labels } from './label-match.ts';
import type { NodeState } from './node-state.ts';
import type { PodRecord } from './pod-record.ts';
import { countPod, emptyPopulation, type PodKind, tallyNode, type TermHolders } from './population.ts';

/** Told of every pod that comes or goes, after the populations are up to date. */
type PodListener = (kind: PodKind, node: NodeState, delta: 1 | -1) => void;

export interface PodIndex {
  /** Kinds of one namespace; only non-empty ones. */
  kindsIn(namespace: string): Iterable<PodKind>;
  readonly namespaces: Iterable<string>;
  /** Pods with pod affinity or anti-affinity, required or preferred. */
  readonly termHolders: Iterable<TermHolders>;
  /** How many pods mount this claim (`namespace/name`). */
  claimUsers(claim: string): number;
  count(record: PodRecord, node: NodeState, delta: 1 | -1): void;
  /** Around a change of the node's labels: its pods leave their domains (-1) and enter the new ones (1). */
  tally(node: NodeState, delta: 1 | -1): void;
  listen(listener: PodListener): void;
  forget(listener: PodListener): void;
}

const labelKeys = new WeakMap<NonNullable<Labels>, string>();

/** Equal for equal labels, whatever their order; found by identity for the pods of one template. */
function labelsKey(labels: Labels): string {
  if (labels === undefined) return '';
  let key = labelKeys.get(labels);
  if (key === undefined) {
    const names = Object.keys(labels).toSorted();
    key = names.map((name) => `${name}\0${labels[name]}`).join('\n');
    labelKeys.set(labels, key);
  }
  return key;
}

export function createPodIndex(): PodIndex {
  const byNamespace = new Map<string, Map<string, PodKind>>();
  const holders = new Map<string, TermHolders>();
  const claims = new Map<string, number>();
  const listeners = new Set<PodListener>();

  const kindOf = (record: PodRecord): PodKind => {
    let kinds = byNamespace.get(record.namespace);
    if (kinds === undefined) byNamespace.set(record.namespace, (kinds = new Map()));
    const key = `${record.terminating ? '-' : '+'}${labelsKey(record.labels)}`;
    let kind = kinds.get(key);
    if (kind === undefined) {
      const { namespace, labels, terminating } = record;
      kind = { ...emptyPopulation(), namespace, labels, terminating };
      kinds.set(key, kind);
    }
    return kind;
  };

  const dropEmptyKind = (record: PodRecord, kind: PodKind): void => {
    if (kind.nodes.size > 0) return;
    const kinds = byNamespace.get(record.namespace);
    kinds?.delete(`${record.terminating ? '-' : '+'}${labelsKey(record.labels)}`);
    if (kinds?.size === 0) byNamespace.delete(record.namespace);
  };

  const countHolder = (record: PodRecord, node: NodeState, delta: 1 | -1): void => {
    const { affinity } = record;
    if (affinity === undefined) return;
    let holder = holders.get(affinity.key);
    if (holder === undefined) {
      holder = { ...emptyPopulation(), terms: affinity };
      holders.set(affinity.key, holder);
    }
    countPod(holder, node, delta);
    if (holder.nodes.size === 0) holders.delete(affinity.key);
  };

  return {
    kindsIn: (namespace) => byNamespace.get(namespace)?.values() ?? [],
    get namespaces() {
      return byNamespace.keys();
    },
    get termHolders() {
      return holders.values();
    },
    claimUsers: (claim) => claims.get(claim) ?? 0,

    count(record, node, delta) {
      const kind = kindOf(record);
      countPod(kind, node, delta);
      dropEmptyKind(record, kind);
      countHolder(record, node, delta);
      for (const claim of record.claims) {
        const users = (claims.get(claim) ?? 0) + delta;
        if (users > 0) claims.set(claim, users);
        else claims.delete(claim);
      }
      for (const listener of listeners) listener(kind, node, delta);
    },

    tally(node, delta) {
      const seen = new Set<PodKind | TermHolders>();
      for (const record of node.pods.values()) {
        const kind = kindOf(record);
        const holder = record.affinity === undefined ? undefined : holders.get(record.affinity.key);
        for (const population of [kind, holder]) {
          if (population === undefined || seen.has(population)) continue;
          seen.add(population);
          tallyNode(population, node, delta * (population.nodes.get(node) ?? 0));
        }
      }
    },
    listen: (listener) => void listeners.add(listener),
    forget: (listener) => void listeners.delete(listener),
  };
}
