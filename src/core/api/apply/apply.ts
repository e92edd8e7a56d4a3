/**
 * Server-side apply: the new object and its owners, or the conflicts with other managers. A field that the applier gave
 * up is removed unless another manager owns it; a field of another manager may only be set to the value it has.
 */
import { deepEqual } from '../../kube/immutable.ts';
import type { Json } from '../../kube/json.ts';
import { difference, EMPTY, type FieldSet, intersection, isEmpty, pathsOf, shareSets, union } from './field-set.ts';
import { type ManagedEntry, type ManagedFields, managerIdentifier, sameManager, sortManaged } from './managed.ts';
import {
  afterChange,
  comparisons,
  owned,
  stripped,
  takenFrom,
  trackUpdate,
  type Typed,
  type Write,
} from './managers.ts';
import { merge } from './merge.ts';
import { reconcileWithSchema, withNamedFields } from './named-fields.ts';
import type { PathElement } from './path-element.ts';
import { removeItems } from './remove-items.ts';
import { toFieldSet } from './to-field-set.ts';
import { compareBytes } from '../../kube/go-text.ts';

export interface Conflict {
  readonly owner: ManagedEntry;
  readonly path: readonly PathElement[];
}

export type Applied =
  | { readonly type: 'applied'; readonly value: Json; readonly managed: ManagedFields }
  | { readonly type: 'conflicts'; readonly conflicts: readonly Conflict[] };

export interface Application extends Write {
  readonly force: boolean;
  /** An empty object of the kind, with the members that Go always writes. */
  readonly blank: Json;
}

/** The manager of fields that were set before the object had managed fields. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

/** Applies a configuration, which must have been validated. */
export function applyConfiguration(
  managed: ManagedFields,
  application: Application,
  live: Json,
  configuration: Json,
): Applied {
  const { apiVersion, force, manager, now, shape, subresource } = application;
  const known =
    managed.length > 0
      ? reconciled(managed, application, live)
      : trackUpdate([], { ...application, manager: BEFORE_FIRST_APPLY }, application.blank, live);
  const mine = owned(toFieldSet(shape, configuration), application.reset);
  const self: ManagedEntry = { manager, operation: 'Apply', apiVersion, time: '', subresource, set: mine };
  const last = known.find((entry) => sameManager(entry, self));
  const others = known.filter((entry) => entry !== last);
  const merged = merge(shape, live, configuration) ?? null;
  const value = prune(application, merged, [...others, self], last);

  const compareIn = comparisons(application, live, value);
  if (!force) {
    const conflicts = conflictsWith(others, compareIn);
    if (conflicts.length > 0) return { type: 'conflicts', conflicts };
  }
  const entries = others
    .map((entry) => afterChange(entry, compareIn(entry.apiVersion)))
    .filter((entry) => entry !== undefined);
  const kept = stripped(mine);
  const isUnchanged = value === live || deepEqual(value, live);
  if (!isEmpty(kept)) {
    const set = last === undefined ? kept : shareSets(last.set, kept);
    entries.push({ ...self, time: isUnchanged ? (last?.time ?? '') : now, set });
  }
  return { type: 'applied', value: isUnchanged ? live : value, managed: sortManaged(entries) };
}

function reconciled(managed: ManagedFields, { convert, shape, apiVersion }: Write, live: Json): ManagedFields {
  const result: ManagedEntry[] = [];
  for (const entry of managed) {
    const typed = entry.apiVersion === apiVersion ? { shape } : convert(live, entry.apiVersion);
    if (typed === undefined) continue;
    const set = reconcileWithSchema(entry.set, typed.shape);
    result.push(set === entry.set ? entry : { ...entry, set });
  }
  return result;
}

function conflictsWith(others: ManagedFields, compareIn: ReturnType<typeof comparisons>): readonly Conflict[] {
  const conflicts: Conflict[] = [];
  const ordered = others
    .map((owner) => ({ owner, identifier: managerIdentifier(owner) }))
    .sort((a, b) => compareBytes(a.identifier, b.identifier));
  for (const { owner } of ordered) {
    const comparison = compareIn(owner.apiVersion);
    if (comparison === undefined) continue;
    const taken = takenFrom(owner.set, comparison.modified, comparison.added);
    for (const path of pathsOf(taken)) conflicts.push({ owner, path });
  }
  return conflicts;
}

/** Removes fields that the manager applied last time, does not apply now, and no other manager owns. */
function prune(application: Application, merged: Json, managers: ManagedFields, last: ManagedEntry | undefined): Json {
  // If every field that was applied last time is applied again, nothing is removed.
  const mine = managers.at(-1)?.set ?? EMPTY;
  if (last === undefined || isEmpty(difference(last.set, mine))) return merged;
  const inVersion = (value: Json, apiVersion: string): Typed | undefined => application.convert(value, apiVersion);
  const whole = inVersion(merged, last.apiVersion);
  if (whole === undefined) return merged;
  const lastSet = withNamedFields(last.set, whole.shape);
  const emptied = removeItems(whole.shape, whole.value, lastSet);
  if (emptied === whole.value) return merged;
  const held = withOwnedItems(application, whole.value, emptied, managers, last.apiVersion);
  // Fields that no manager ever owned stay too: only fields of the last set are removed.
  const back = inVersion(held, last.apiVersion);
  if (back === undefined) return merged;
  const gone = difference(fieldsOf(whole), fieldsOf(back));
  const pruned = removeItems(whole.shape, whole.value, intersection(gone, lastSet));
  return inVersion(pruned, application.apiVersion)?.value ?? merged;
}

const fieldsOf = ({ shape, value }: Typed): FieldSet => withNamedFields(toFieldSet(shape, value), shape);

/** The emptied object with every owned field put back, whatever version its owner applies in. */
function withOwnedItems(
  { convert }: Application,
  merged: Json,
  emptied: Json,
  managers: ManagedFields,
  first: string,
): Json {
  const held = new Map<string, FieldSet>([[first, EMPTY]]);
  for (const { apiVersion, set } of managers) held.set(apiVersion, union(held.get(apiVersion) ?? EMPTY, set));
  let result = emptied;
  for (const [apiVersion, set] of held) {
    const whole = convert(merged, apiVersion);
    const part = convert(result, apiVersion);
    if (whole === undefined || part === undefined) continue;
    const { shape, value } = whole;
    result = removeItems(shape, value, difference(fieldsOf(whole), union(fieldsOf(part), withNamedFields(set, shape))));
  }
  return result;
}
