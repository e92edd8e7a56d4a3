/** Ownership of fields after a write: the manager that changes a field owns it, and no other manager does. */
import type { Json } from '../../kube/json.ts';
import { compareBytes } from '../../kube/go-text.ts';
import { parseTime } from '../../kube/time.ts';
import { type Comparison, compare, isSame, withoutFields } from './compare.ts';
import {
  difference,
  EMPTY,
  type FieldSet,
  intersection,
  isEmpty,
  pathSet,
  recursiveDifference,
  shareSets,
  union,
} from './field-set.ts';
import { type ManagedEntry, type ManagedFields, managerIdentifier, sameManager, sortManaged } from './managed.ts';
import { fieldElement as f } from './path-element.ts';
import type { Shape } from './shape.ts';

/** An object in one version of its kind. */
export interface Typed {
  readonly shape: Shape;
  readonly value: Json;
}

/**
 * Converts the object into another version of its kind. Undefined for a version that is not served: its owners are
 * dropped.
 */
export type Convert = (value: Json, apiVersion: string) => Typed | undefined;

export interface Write {
  readonly shape: Shape;
  readonly apiVersion: string;
  readonly manager: string;
  readonly subresource: string;
  readonly now: string;
  /** Fields that a write through this resource or subresource cannot change, so no manager owns them through it. */
  readonly reset: FieldSet | undefined;
  readonly convert: Convert;
}

/** Fields that belong to the server or name the object. */
const STRIPPED: FieldSet = [
  pathSet(f('apiVersion')),
  pathSet(f('kind')),
  pathSet(f('metadata')),
  ...['name', 'namespace', 'creationTimestamp', 'selfLink', 'uid', 'clusterName', 'generation'].map((name) =>
    pathSet(f('metadata'), f(name)),
  ),
  pathSet(f('metadata'), f('managedFields')),
  pathSet(f('metadata'), f('resourceVersion')),
].reduce(union, EMPTY);

export const stripped = (set: FieldSet): FieldSet => difference(set, STRIPPED);
export const owned = (set: FieldSet, reset: FieldSet | undefined): FieldSet =>
  reset === undefined ? set : recursiveDifference(set, reset);

/** The comparison of two states, in the version of an owner. */
export type CompareIn = (apiVersion: string) => Comparison | undefined;

export function comparisons(write: Write, before: Json, after: Json): CompareIn {
  const own = withoutFields(compare(write.shape, before, after), write.reset);
  const others = new Map<string, Comparison | undefined>();
  return (apiVersion) => {
    if (apiVersion === write.apiVersion) return own;
    if (others.has(apiVersion)) return others.get(apiVersion);
    const from = write.convert(before, apiVersion);
    const to = write.convert(after, apiVersion);
    const comparison =
      from === undefined || to === undefined
        ? undefined
        : withoutFields(compare(from.shape, from.value, to.value), write.reset);
    others.set(apiVersion, comparison);
    return comparison;
  };
}

/** The owners after a create, update or patch; the same list if no field changed hands. */
export function trackUpdate(managed: ManagedFields, write: Write, before: Json, after: Json): ManagedFields {
  const compareIn = comparisons(write, before, after);
  const own = compareIn(write.apiVersion);
  if (own === undefined || isSame(own)) return managed;
  const changed = union(own.modified, own.added);
  const mine = stripped(owned(changed, write.reset));
  const self: ManagedEntry = {
    manager: write.manager === '' ? 'unknown' : write.manager,
    operation: 'Update',
    apiVersion: write.apiVersion,
    time: write.now,
    subresource: write.subresource,
    set: mine,
  };
  const entries: ManagedEntry[] = [];
  let previous: ManagedEntry | undefined;
  for (const entry of managed) {
    const left = afterChange(entry, compareIn(entry.apiVersion));
    if (left === undefined) continue;
    if (!isEmpty(mine) && sameManager(entry, self)) previous = left;
    else entries.push(left);
  }
  if (!isEmpty(mine)) {
    entries.push(previous === undefined ? self : { ...self, set: union(previous.set, mine) });
  }
  return sortManaged(capped(entries));
}

/** The entry of an owner after another manager's write; undefined if the owner has no field left. */
export function afterChange(entry: ManagedEntry, comparison: Comparison | undefined): ManagedEntry | undefined {
  if (comparison === undefined) return undefined;
  const set = remaining(entry.set, comparison);
  if (set === entry.set) return entry;
  return isEmpty(set) ? undefined : { ...entry, set };
}

const remaining = (set: FieldSet, { added, modified, removed }: Comparison): FieldSet =>
  difference(difference(set, takenFrom(set, modified, added)), removed);

export const takenFrom = (set: FieldSet, modified: FieldSet, added: FieldSet): FieldSet =>
  isEmpty(modified) && isEmpty(added) ? EMPTY : intersection(set, union(modified, added));

const MOST_UPDATERS = 10;
const OLD_UPDATES = 'ancient-changes';
const secondsOf = (time: string): number => (time === '' ? 0 : (parseTime(time) ?? 0));

/** Above the limit of updaters, the oldest ones of a version are merged into one entry. */
export function capped(entries: readonly ManagedEntry[]): readonly ManagedEntry[] {
  const updaters = entries.filter((entry) => entry.operation === 'Update');
  if (updaters.length <= MOST_UPDATERS) return entries;
  const byIdentifier = new Map(entries.map((entry) => [managerIdentifier(entry), entry]));
  const ordered = updaters
    .map((entry) => ({ entry, identifier: managerIdentifier(entry), seconds: secondsOf(entry.time) }))
    .sort((a, b) => a.seconds - b.seconds || compareBytes(a.identifier, b.identifier));
  const firstOf = new Map<string, string>();
  let count = ordered.length;
  for (const { entry, identifier } of ordered) {
    if (count <= MOST_UPDATERS) break;
    const first = firstOf.get(entry.apiVersion);
    if (first === undefined) {
      firstOf.set(entry.apiVersion, identifier);
      continue;
    }
    const bucket: ManagedEntry = { ...entry, manager: OLD_UPDATES, subresource: '' };
    const place = managerIdentifier(bucket);
    const found = byIdentifier.has(place) ? place : first;
    const merged = byIdentifier.get(found)?.set ?? EMPTY;
    byIdentifier.delete(found);
    byIdentifier.delete(identifier);
    byIdentifier.set(place, { ...bucket, set: union(entry.set, merged) });
    count--;
  }
  return [...byIdentifier.values()];
}

/** The owners with equal sets taken from `old`, so that alike objects keep each set once. */
export const shareManaged = (old: ManagedFields, next: ManagedFields): ManagedFields =>
  next.map((entry) => {
    const alike = old.find((other) => sameManager(other, entry));
    if (alike === undefined || alike.set === entry.set) return entry;
    const set = shareSets(alike.set, entry.set);
    return set === entry.set ? entry : { ...entry, set };
  });
