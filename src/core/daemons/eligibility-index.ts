/** Which daemons an event on a node may concern. Daemons with the same eligibility form one group and are asked once. */
import type { Node } from '../api/types/core-v1.ts';
import type { Labels } from '../kube/labels.ts';
import type { Eligibility } from './eligibility.ts';
import { readiness } from './verdict.ts';
import { NAME_FIELD } from './node-anchors.ts';

interface Group<D> {
  readonly eligibility: Eligibility;
  readonly daemons: Set<D>;
}

export interface EligibilityIndex<D> {
  add(eligibility: Eligibility, daemon: D): void;
  remove(eligibility: Eligibility, daemon: D): void;
  /** Groups that may want this node. */
  mayWant(node: Node): Iterable<Group<D>>;
  /** Groups whose answer may differ between the two states of one node. */
  concerned(old: Node, node: Node): Iterable<Group<D>>;
}

const anchorText = (key: string, value: string): string => `${key}=${value}`;

function addTo<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const set = map.get(key);
  if (set === undefined) map.set(key, new Set([value]));
  else set.add(value);
}

function removeFrom<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const set = map.get(key);
  if (set?.delete(value) === true && set.size === 0) map.delete(key);
}

export function createEligibilityIndex<D>(): EligibilityIndex<D> {
  const groups = new Map<Eligibility, Group<D>>();
  /** Groups that any node may satisfy. */
  const free = new Set<Group<D>>();
  const byAnchor = new Map<string, Set<Group<D>>>();
  const byLabelKey = new Map<string, Set<Group<D>>>();

  function* mayWant(node: Node): Generator<Group<D>> {
    yield* free;
    if (byAnchor.size === 0) return;
    const { name, labels } = node.metadata;
    // A group with several anchors may come up twice; asking twice gives the same answer.
    yield* byAnchor.get(anchorText(NAME_FIELD, name)) ?? [];
    for (const key in labels) yield* byAnchor.get(anchorText(key, labels[key] ?? '')) ?? [];
  }

  return {
    add(eligibility, daemon) {
      let group = groups.get(eligibility);
      if (group === undefined) {
        group = { eligibility, daemons: new Set() };
        groups.set(eligibility, group);
        if (eligibility.anchors === undefined) free.add(group);
        for (const { key, value } of eligibility.anchors ?? []) addTo(byAnchor, anchorText(key, value), group);
        for (const key of eligibility.labelKeys) addTo(byLabelKey, key, group);
      }
      group.daemons.add(daemon);
    },
    remove(eligibility, daemon) {
      const group = groups.get(eligibility);
      if (group === undefined || !group.daemons.delete(daemon) || group.daemons.size > 0) return;
      groups.delete(eligibility);
      free.delete(group);
      for (const { key, value } of eligibility.anchors ?? []) removeFrom(byAnchor, anchorText(key, value), group);
      for (const key of eligibility.labelKeys) removeFrom(byLabelKey, key, group);
    },
    mayWant,
    *concerned(old, node) {
      const before = old.spec?.taints;
      const after = node.spec?.taints;
      const judgedAnew =
        !sameTaints(before, after) ||
        (old.spec?.unschedulable ?? false) !== (node.spec?.unschedulable ?? false) ||
        readiness(old) !== readiness(node);
      if (judgedAnew) yield* mayWant(node);
      if (byLabelKey.size === 0) return;
      for (const key of changedKeys(old.metadata.labels, node.metadata.labels)) yield* byLabelKey.get(key) ?? [];
    },
  };
}

type Taints = NonNullable<Node['spec']>['taints'];

function sameTaints(a: Taints, b: Taints): boolean {
  if (a === b) return true;
  const length = a?.length ?? 0;
  if (length !== (b?.length ?? 0)) return false;
  for (let i = 0; i < length; i += 1) {
    const one = a?.[i];
    const other = b?.[i];
    if (one?.key !== other?.key || one?.effect !== other?.effect || (one?.value ?? '') !== (other?.value ?? ''))
      return false;
    // Tolerations of a time end by it.
    if (one?.effect === 'NoExecute' && one.timeAdded !== other?.timeAdded) return false;
  }
  return true;
}

function* changedKeys(old: Labels | undefined, labels: Labels | undefined): Generator<string> {
  if (old === labels) return;
  for (const key in old) if (old[key] !== labels?.[key]) yield key;
  for (const key in labels) if (old === undefined || !Object.hasOwn(old, key)) yield key;
}
