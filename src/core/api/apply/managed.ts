/**
 * How an object carries its owners. In memory they hang on the metadata under a symbol: spreading metadata takes them
 * along, JSON and comparisons do not see them, and objects of one template share them. Where an object leaves the
 * process they are written out as `managedFields`.
 */
import { encodeJson, type Json, type JsonObject } from '../../kube/json.ts';
import type { ManagedFieldsEntry, ObjectMeta } from '../../kube/meta-v1.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { parseTime } from '../../kube/time.ts';
import { compareBytes } from '../../kube/go-text.ts';
import { equalSets, type FieldSet } from './field-set.ts';
import { decodeFields, encodeFields } from './fields-v1.ts';
import { PendingOwners } from './pending-owners.ts';

export interface ManagedEntry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** RFC 3339, whole seconds; empty where the time is not known. */
  readonly time: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly set: FieldSet;
}

/** In the order of `managedFields`. An object without owners has no such list. */
export type ManagedFields = readonly ManagedEntry[];

/** The owners that an object carries: known, or still to be computed. */
export type Owners = ManagedFields | PendingOwners;

export const readOwners = (owners: Owners): ManagedFields => (owners instanceof PendingOwners ? owners.read() : owners);

const MANAGED = Symbol('managedFields');

interface Carrier {
  [MANAGED]?: Owners;
}

const carriedBy = (object: KubeObject): Owners | undefined => (object.metadata as Carrier | undefined)?.[MANAGED];

export function managedOf(object: KubeObject): ManagedFields | undefined {
  const carried = carriedBy(object);
  if (carried === undefined) return undefined;
  const managed = readOwners(carried);
  return managed.length === 0 ? undefined : managed;
}

/** An empty list of owners is not carried. */
const carriable = (owners: Owners | undefined): Owners | undefined =>
  Array.isArray(owners) && owners.length === 0 ? undefined : owners;

/** Hangs owners on metadata under construction, which no reader has seen yet. */
export function setManaged(metadata: ObjectMeta, owners: Owners | undefined): void {
  const carried = carriable(owners);
  if (carried !== undefined) (metadata as Carrier)[MANAGED] = carried;
}

/** The object with these owners; the same object if it has them already. */
export function withManaged<T extends KubeObject>(object: T, owners: Owners | undefined): T {
  const wanted = carriable(owners);
  if (carriedBy(object) === wanted) return object;
  const metadata = { ...object.metadata };
  if (wanted === undefined) delete (metadata as Carrier)[MANAGED];
  else setManaged(metadata, wanted);
  return Object.freeze({ ...object, metadata: Object.freeze(metadata) });
}

/** Two entries of one identity are one: an applier is the same in every version, an updater is not. */
export const sameManager = (a: ManagedEntry, b: ManagedEntry): boolean =>
  a.manager === b.manager &&
  a.operation === b.operation &&
  a.subresource === b.subresource &&
  (a.operation === 'Apply' || a.apiVersion === b.apiVersion);

/** The text Kubernetes knows an owner by; its order is the order of conflicts. */
export const managerIdentifier = ({ apiVersion, manager, operation, subresource }: ManagedEntry): string =>
  encodeJson({
    ...(manager === '' ? {} : { manager }),
    operation,
    ...(operation === 'Apply' || apiVersion === '' ? {} : { apiVersion }),
    ...(subresource === '' ? {} : { subresource }),
  });

const seconds = (entry: ManagedEntry): number => (entry.time === '' ? 0 : (parseTime(entry.time) ?? 0));

/** The order of `managedFields`: by operation, then time, then name. */
export const sortManaged = (entries: readonly ManagedEntry[]): ManagedFields =>
  entries.toSorted(
    (a, b) =>
      compareBytes(a.operation, b.operation) ||
      (a.time === b.time ? 0 : seconds(a) - seconds(b)) ||
      compareBytes(a.manager, b.manager) ||
      compareBytes(a.apiVersion, b.apiVersion) ||
      compareBytes(a.subresource, b.subresource),
  );

/** Equal but for the times. */
export const sameOwnership = (a: ManagedFields, b: ManagedFields): boolean =>
  a === b ||
  (a.length === b.length &&
    a.every((entry, i) => {
      const other = b[i] as ManagedEntry;
      return sameManager(entry, other) && entry.apiVersion === other.apiVersion && equalSets(entry.set, other.set);
    }));

/** Texts of lists that objects of one template share, by identity; only the few in use at one time. */
const texts = new Map<ManagedFields, string>();
const MOST_TEXTS = 256;
const LONGEST_TEXT = 16 * 1024;

/** `managedFields` as JSON text. */
export function encodeManaged(managed: ManagedFields): string {
  const known = texts.get(managed);
  if (known !== undefined) return known;
  let text = '[';
  for (const { apiVersion, manager, operation, set, subresource, time } of managed) {
    if (text !== '[') text += ',';
    text += '{';
    if (manager !== '') text += `"manager":${JSON.stringify(manager)},`;
    text += `"operation":"${operation}","apiVersion":${JSON.stringify(apiVersion)},`;
    if (time !== '') text += `"time":"${time}",`;
    text += `"fieldsType":"FieldsV1","fieldsV1":${encodeFields(set)}`;
    text += subresource === '' ? '}' : `,"subresource":${JSON.stringify(subresource)}}`;
  }
  text += ']';
  // A list with several owners mostly belongs to a single object.
  if (managed.length === 1 && text.length <= LONGEST_TEXT) {
    if (texts.size >= MOST_TEXTS) texts.clear();
    texts.set(managed, text);
  }
  return text;
}

/** The object as clients see it: with `managedFields` as plain data. The same object if it has no owners. */
export function withPlainManaged<T extends KubeObject>(object: T): T {
  const managed = managedOf(object);
  if (managed === undefined) return object;
  const managedFields = JSON.parse(encodeManaged(managed)) as readonly ManagedFieldsEntry[];
  const metadata = { ...object.metadata, managedFields };
  delete (metadata as Carrier)[MANAGED];
  return { ...object, metadata };
}

/** Decodes entries that a client wrote. Throws for invalid ones, in Kubernetes' words. */
export function decodeManaged(entries: readonly unknown[]): ManagedFields {
  const managed = new Map<string, ManagedEntry>();
  entries.forEach((raw, index) => {
    const value = (typeof raw === 'object' && raw !== null ? raw : {}) as JsonObject;
    const { operation, apiVersion = '', fieldsType = '', fieldsV1 } = value;
    if (operation !== 'Apply' && operation !== 'Update') throw new Error('operation must be `Apply` or `Update`');
    if (apiVersion === '' || typeof apiVersion !== 'string') throw new Error('apiVersion must not be empty');
    if (fieldsType === '') throw new Error(`missing fieldsType in managed fields entry ${index}`);
    if (fieldsType !== 'FieldsV1') {
      throw new Error(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`);
    }
    const entry: ManagedEntry = {
      manager: textOf(value['manager']),
      operation,
      apiVersion,
      time: textOf(value['time']),
      subresource: textOf(value['subresource']),
      set: decodeFields(fieldsV1),
    };
    managed.set(managerIdentifier(entry), entry);
  });
  return [...managed.values()];
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
