/**
 * Owners of replicas, between an object and its `scale`. Scale is a small object of another type in which replicas
 * stand at `spec.replicas`; the manager that sets them there owns them in the object, under the subresource's name and
 * without a time.
 */
import { difference, type FieldSet, hasPath, isEmpty, pathSet, union } from './field-set.ts';
import { type ManagedEntry, type ManagedFields, sameManager, sortManaged } from './managed.ts';
import { fieldElement, type PathElement } from './path-element.ts';

export const SCALE_VERSION = 'autoscaling/v1';
const SCALE_SET: FieldSet = pathSet(fieldElement('spec'), fieldElement('replicas'));

/** Path of replicas in the object, as path elements. */
export const replicasPath = (steps: readonly string[]): readonly PathElement[] => steps.map(fieldElement);

/** The owners of replicas, in the form of the scale object. */
export const ownersInScale = (owners: ManagedFields, path: readonly PathElement[]): ManagedFields =>
  owners
    .filter((entry) => hasPath(entry.set, path))
    .map((entry) => ({ ...entry, apiVersion: SCALE_VERSION, set: SCALE_SET }));

/**
 * Owners of the object after a write to scale: managers that no longer own replicas there lose them here, new ones gain
 * them.
 */
export function ownersFromScale(
  owners: ManagedFields,
  inScale: ManagedFields,
  path: readonly PathElement[],
  apiVersion: string,
): ManagedFields {
  const replicas = pathSet(...path);
  const left = inScale.filter((entry) => !isEmpty(entry.set) && hasPath(entry.set, SCALE_PATH));
  const isLeft = (entry: ManagedEntry): boolean => left.some((other) => isSameThere(entry, other));
  const kept: ManagedEntry[] = [];
  for (const entry of owners) {
    if (!hasPath(entry.set, path) || isLeft(entry)) {
      kept.push(entry);
      continue;
    }
    const set = difference(entry.set, replicas);
    if (!isEmpty(set)) kept.push({ ...entry, set });
  }
  for (const entry of left) {
    if (owners.some((owner) => hasPath(owner.set, path) && isSameThere(owner, entry))) continue;
    const own: ManagedEntry = { ...entry, apiVersion, time: '', set: replicas };
    const at = kept.findIndex((other) => sameManager(other, own));
    const before = kept[at];
    if (before === undefined) kept.push(own);
    else kept[at] = { ...own, time: before.time, set: union(before.set, replicas) };
  }
  return sortManaged(kept);
}

const SCALE_PATH = replicasPath(['spec', 'replicas']);

/** The same owner, whatever version it has in either object. */
const isSameThere = (a: ManagedEntry, b: ManagedEntry): boolean =>
  a.manager === b.manager && a.operation === b.operation && a.subresource === b.subresource;

/**
 * Owners after a manager set replicas through scale. Replicas without an owner stay without one; zero replicas are not
 * written, and so not owned.
 */
export function ownersAfterScaling(
  owners: ManagedFields,
  path: readonly PathElement[],
  manager: string,
  apiVersion: string,
  replicasLeft = 1,
): ManagedFields {
  if (!owners.some((entry) => hasPath(entry.set, path))) return owners;
  const replicas = pathSet(...path);
  const kept: ManagedEntry[] = [];
  for (const entry of owners) {
    const set = difference(entry.set, replicas);
    if (set === entry.set) kept.push(entry);
    else if (!isEmpty(set)) kept.push({ ...entry, set });
  }
  if (replicasLeft === 0) return kept;
  const own: ManagedEntry = {
    manager: manager === '' ? 'unknown' : manager,
    operation: 'Update',
    apiVersion,
    time: '',
    subresource: 'scale',
    set: replicas,
  };
  return sortManaged([...kept.filter((entry) => !sameManager(entry, own)), own]);
}
