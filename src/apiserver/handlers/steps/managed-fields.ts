/**
 * Ownership of fields (managedFields) on the way of a write. Pods of one template made by one controller have the very
 * same fields, so their owners are worked out once a second and shared; a change costs what it touches.
 */
import { applyConfiguration, type Application, type Conflict } from '../../../core/api/apply/apply.ts';
import { type FieldSet, hasPath } from '../../../core/api/apply/field-set.ts';
import { fieldsOfLastApplied, LAST_APPLIED_MANAGER, withLastApplied } from '../../../core/api/apply/last-applied.ts';
import {
  decodeManaged,
  managedOf,
  type ManagedFields,
  type Owners,
  readOwners,
  sameOwnership,
} from '../../../core/api/apply/managed.ts';
import { onlyOwner, swapOwner, withOwnerOf } from '../../../core/api/apply/owner-swap.ts';
import { PendingOwners } from '../../../core/api/apply/pending-owners.ts';
import { type Convert, shareManaged, trackUpdate, type Write } from '../../../core/api/apply/managers.ts';
import { conflictError } from '../../../core/api/apply/conflict-error.ts';
import { UntypedValue } from '../../../core/api/apply/values.ts';
import { resetFields } from '../../../core/api/apply/reset-fields.ts';
import { haveSameFields } from '../../../core/api/apply/same-fields.ts';
import { shapeOfKind } from '../../../core/api/apply/kind-shape.ts';
import type { Shape } from '../../../core/api/apply/shape.ts';
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import type { Registry } from '../../../core/api/registry/registry.ts';
import { checkObject } from '../../../core/api/schema/check.ts';
import { findTypeSchema } from '../../../core/api/schema/type-schema.ts';
import { blankObject } from '../../../core/api/schema/zero-value.ts';
import type { Json, JsonObject } from '../../../core/kube/json.ts';
import { type KubeObject, type Stored, apiVersionOf } from '../../../core/kube/objects.ts';
import { StatusError } from '../../../core/kube/status-error.ts';
import type { WriteOptions } from '../../../machinery/client/client.ts';
import type { RequestBase } from '../../contract/request.ts';
import type { Timestamps } from './timestamps.ts';

/** A write as far as ownership is concerned. */
export interface OwnedWrite extends RequestBase {
  readonly options: WriteOptions;
}

export interface FieldOwners {
  /** The owners of a new object; `sent` is what the client brought as managedFields. */
  onCreate(kind: KindDefinition, write: OwnedWrite, object: KubeObject, sent: unknown): Owners;
  /** The owners after a change, worked out when first read; the very same list where no field changed hands. */
  onUpdate(kind: KindDefinition, write: OwnedWrite, live: Stored, next: KubeObject, sent: unknown): Owners;
  /** The live object with an applied configuration merged in. Throws a 409 that names the conflicting owners. */
  onApply(
    kind: KindDefinition,
    write: OwnedWrite & { readonly force: boolean },
    live: Stored | undefined,
    configuration: KubeObject,
  ): { readonly object: KubeObject; readonly managed: ManagedFields };
}

/** The manager of writes from inside the process that name none. */
const OURSELVES = 'everynode';
const NOBODY: ManagedFields = [];

/** The manager of a write: its `fieldManager`, or the first part of the user agent. */
export const managerOf = ({ options, userAgent }: OwnedWrite): string =>
  options.fieldManager || (userAgent === undefined ? OURSELVES : userAgent);

type Common = Omit<Write, 'manager' | 'now'>;

/** New objects remembered by kind: as many as templates may well be rolling out at once. */
const SLOTS = 8;

interface Slot {
  readonly manager: string;
  readonly apiVersion: string;
  readonly object: Json;
  /** UID of the object's only owner; undefined for none or several. */
  readonly owner: string | undefined;
  managed: ManagedFields;
}

export function createFieldOwners(registry: Registry, timestamps: Timestamps): FieldOwners {
  const slots = new Map<KindDefinition, Slot[]>();
  const lastUpdated = new Map<string, ManagedFields>();

  const converter =
    (kind: KindDefinition): Convert =>
    (value, apiVersion) => {
      const own = (value as { readonly apiVersion?: unknown }).apiVersion;
      const forms = registry.formsOf(kind.storage);
      const form = forms.find((candidate) => apiVersionOf(candidate) === apiVersion);
      if (form === undefined) return undefined;
      if (own === apiVersion) return { shape: shapeOfKind(form), value };
      if (form.custom !== undefined) return { shape: shapeOfKind(form), value: asVersion(form, value) };
      const from = forms.find((candidate) => apiVersionOf(candidate) === own);
      // An apply may have removed parts of the value: only its structure is sure, and `checkObject` fills in fields
      // that every object has.
      const whole = asObject(checkObject((from ?? form).schema, value).object as Json);
      const stored = from?.conversion === undefined ? whole : from.conversion.toStorage(whole);
      return { shape: shapeOfKind(form), value: inForm(form, stored) };
    };

  /** The common part of all writes through one form and subresource. */
  const commons = new WeakMap<KindDefinition, Map<string, Common>>();
  const commonOf = (kind: KindDefinition, form: KindDefinition, subresource: string): Common => {
    let ofForm = commons.get(form);
    if (ofForm === undefined) commons.set(form, (ofForm = new Map()));
    let common = ofForm.get(subresource);
    if (common === undefined) {
      const shape = shapeOfKind(form);
      const reset = resetFields(form, subresource);
      common = { shape, apiVersion: apiVersionOf(form), subresource, reset, convert: converter(kind) };
      ofForm.set(subresource, common);
    }
    return common;
  };

  /** The last write described: thousands of alike writes within a second share one description. */
  let last: { readonly common: Common; readonly write: Write } | undefined;

  const describe = (kind: KindDefinition, form: KindDefinition, write: OwnedWrite): Write => {
    const common = commonOf(kind, form, write.target.subresource);
    const manager = managerOf(write);
    const now = timestamps.now();
    if (last?.common === common && last.write.manager === manager && last.write.now === now) return last.write;
    last = { common, write: { ...common, manager, now } };
    return last.write;
  };

  return {
    onCreate(kind, write, object, sent) {
      const form = write.form ?? kind;
      // Of a large body (the one kind of create that takes turns) they are worked out when first read: a refused object has none.
      const isLarge = write.pace !== undefined && kind.custom === undefined;
      if (sent === undefined && !isLarge) {
        const known = findSlot(slots.get(form), managerOf(write), apiVersionOf(form), object, shapeOfKind(kind));
        const managed = known === undefined ? undefined : ownersLike(known, object, timestamps.now());
        if (managed !== undefined) return managed;
      }
      const described = describe(kind, form, write);
      const value = inForm(form, kind.strategy.converted?.(object) ?? object);
      const start = startingPoint('', NOBODY, sent);
      const workOut = (): ManagedFields => tracked(() => trackUpdate(start, described, blankOf(form), value));
      if (isLarge && sent === undefined) return new PendingOwners(workOut);
      const managed = workOut();
      // Objects are compared as they are stored, whatever form they came in.
      if (sent === undefined && (form === kind || form.conversion?.renamesOnly === true)) {
        remember(slots, form, described, object, managed);
      }
      return managed;
    },
    onUpdate(kind, write, live, next, sent) {
      const { subresource } = write.target;
      const owners = managedOf(live) ?? NOBODY;
      const start = startingPoint(subresource, owners, kind.custom !== undefined && isNone(sent) ? undefined : sent);
      // Ownership that was given up is taken up again by the next apply.
      if (start.length === 0) return start;
      const form = write.form ?? kind;
      const described = describe(kind, form, write);
      const workOut = (): ManagedFields => {
        const before = inForm(form, live);
        const after = inForm(form, kind.strategy.converted?.(next) ?? next);
        const managed = tracked(() => trackUpdate(start, described, before, after));
        if (managed === owners) return owners;
        return shared(lastUpdated, `${kind.group}/${kind.resource}/${subresource}/${described.manager}`, managed);
      };
      // A custom kind's schema may have changed by the time the owners are read, so they are worked out at once.
      return kind.custom === undefined ? new PendingOwners(workOut) : workOut();
    },
    onApply(kind, write, live, configuration) {
      const form = write.form ?? kind;
      const described = describe(kind, form, write);
      const application: Application = { ...described, force: write.force, blank: blankOf(form) };
      const value = live === undefined ? application.blank : inForm(form, live);
      const owners = (live === undefined ? undefined : managedOf(live)) ?? NOBODY;
      const config = configuration as unknown as Json;
      const applied = orRefused(form, configuration, () => applyOver(owners, application, value, config));
      const object =
        application.manager === LAST_APPLIED_MANAGER ? withLastApplied(applied.value, config) : applied.value;
      return { object: asObject(object), managed: applied.managed };
    },
  };
}

/** Nothing can be applied to an object whose lists cannot be told apart by their keys. */
function orRefused<T>(form: KindDefinition, { metadata }: KubeObject, apply: () => T): T {
  try {
    return apply();
  } catch (error) {
    if (!(error instanceof UntypedValue)) throw error;
    const what = `${metadata.namespace ?? ''}/${metadata.name}; ${form.group}/${form.version}, Kind=${form.kind}`;
    throw new StatusError(500, '', `failed to create typed live object (${what}): ${error.message}`);
  }
}

/** An object whose lists cannot be told apart by their keys has no owners that could be recorded. */
function tracked(track: () => ManagedFields): ManagedFields {
  try {
    return track();
  } catch (error) {
    if (error instanceof UntypedValue) return NOBODY;
    throw error;
  }
}

/** An application that may take what `kubectl apply` left behind. */
function applyOver(
  owners: ManagedFields,
  application: Application,
  live: Json,
  configuration: Json,
): { readonly value: Json; readonly managed: ManagedFields } {
  const applied = applyConfiguration(owners, application, live, configuration);
  if (applied.type === 'applied') return applied;
  if (application.manager !== LAST_APPLIED_MANAGER) throw conflictError(applied.conflicts);
  const left = withoutAllowed(applied.conflicts, fieldsOfLastApplied(application.shape, application.apiVersion, live));
  if (left.length > 0) throw conflictError(left);
  const forced = applyConfiguration(owners, { ...application, force: true }, live, configuration);
  if (forced.type !== 'applied') throw conflictError(forced.conflicts);
  return forced;
}

const withoutAllowed = (conflicts: readonly Conflict[], allowed: FieldSet | undefined): readonly Conflict[] =>
  allowed === undefined ? conflicts : conflicts.filter(({ path }) => !hasPath(allowed, path));

const asObject = (value: Json): KubeObject => value as unknown as KubeObject;

const inForm = (form: KindDefinition, object: KubeObject): Json =>
  (form.conversion === undefined || object.apiVersion === apiVersionOf(form)
    ? object
    : form.conversion.fromStorage(object)) as unknown as Json;

/**
 * The object as another version of a custom resource. Where only a webhook could convert, the same fields are assumed.
 */
function asVersion(form: KindDefinition, value: Json): Json {
  const renamed = asObject({ ...(value as JsonObject), apiVersion: apiVersionOf(form) });
  const converted = form.custom?.conversion === 'None' ? form.custom.fromStored(renamed) : renamed;
  return converted as unknown as Json;
}

/** An object of the kind with no fields set. */
function blankOf(form: KindDefinition): Json {
  const schema = findTypeSchema(form.schema);
  const zero = schema === undefined ? { metadata: {} } : blankObject(schema);
  return { ...zero, apiVersion: apiVersionOf(form), kind: form.kind };
}

/**
 * The owners before a write. A client may send a list of its own, which counts instead; an empty one, or one with a
 * single empty entry, means that no manager owns any field. Entries that make no sense are passed over.
 */
function startingPoint(subresource: string, owners: ManagedFields, sent: unknown): ManagedFields {
  if (sent === undefined || subresource !== '' || !Array.isArray(sent)) return owners;
  const entries = sent as readonly unknown[];
  const isReset = entries.length === 0 || (entries.length === 1 && isBlank(entries[0]));
  if (isReset) return NOBODY;
  try {
    const managed = decodeManaged(entries);
    return managed.length === 0 ? owners : managed;
  } catch {
    return owners;
  }
}

/** For a custom resource an empty list counts like no list. */
const isNone = (sent: unknown): boolean => Array.isArray(sent) && sent.length === 0;

const isBlank = (entry: unknown): boolean =>
  typeof entry === 'object' &&
  entry !== null &&
  Object.values(entry).every((member) => member === '' || member === null);

function findSlot(
  slots: readonly Slot[] | undefined,
  manager: string,
  apiVersion: string,
  object: KubeObject,
  shape: Shape,
): Slot | undefined {
  if (slots === undefined) return undefined;
  for (const slot of slots) {
    if (slot.manager !== manager || slot.apiVersion !== apiVersion) continue;
    const alike = hasOtherOwner(slot, object) ? withOwnerOf(object, asObject(slot.object)) : object;
    if (alike !== undefined && haveSameFields(shape, slot.object, alike as unknown as Json)) return slot;
  }
  return undefined;
}

/** Both have one owner each, and not the same. */
function hasOtherOwner({ owner }: Slot, object: KubeObject): boolean {
  if (owner === undefined) return false;
  const own = onlyOwner(object);
  return own !== undefined && own !== owner;
}

/** The owners of an object that has the fields of the remembered one, save the path of its owner's reference. */
function ownersLike(slot: Slot, object: KubeObject, now: string): ManagedFields | undefined {
  const [entry] = slot.managed;
  if (entry !== undefined && entry.time !== now) slot.managed = [{ ...entry, time: now }];
  const [current] = slot.managed;
  if (current === undefined || slot.owner === undefined || !hasOtherOwner(slot, object)) return slot.managed;
  const set = swapOwner(current.set, slot.owner, onlyOwner(object) ?? '');
  return set === undefined ? undefined : [{ ...current, set }];
}

function remember(
  slots: Map<KindDefinition, Slot[]>,
  kind: KindDefinition,
  { apiVersion, manager }: Write,
  object: KubeObject,
  managed: ManagedFields,
): void {
  if (managed.length !== 1) return;
  let known = slots.get(kind);
  if (known === undefined) slots.set(kind, (known = []));
  known.unshift({ manager, apiVersion, object: object as unknown as Json, owner: onlyOwner(object), managed });
  if (known.length > SLOTS) known.pop();
}

/** Alike objects go through alike changes: owners equal to the last ones of the same write are shared with them. */
function shared(last: Map<string, ManagedFields>, key: string, managed: ManagedFields): ManagedFields {
  const before = last.get(key);
  const result = before === undefined ? managed : shareManaged(before, managed);
  if (last.size > 1024) last.clear();
  last.set(key, result);
  return result;
}

/** The managedFields that a client sent, before decoding drops an empty list. Unchecked. */
export const sentManagedFields = (raw: KubeObject): unknown =>
  (raw as Partial<KubeObject>).metadata?.managedFields ?? undefined;

/** The owners after a create or a change. */
export const ownersAfter = (
  context: { readonly owners: FieldOwners },
  kind: KindDefinition,
  write: OwnedWrite,
  live: Stored | undefined,
  next: KubeObject,
  sent: unknown,
): Owners | undefined =>
  live === undefined
    ? context.owners.onCreate(kind, write, next, sent)
    : context.owners.onUpdate(kind, write, live, next, sent);

/** Times alone are no change. */
export const hasSameOwners = (old: Stored, owners: Owners | undefined): boolean =>
  sameOwnership(managedOf(old) ?? NOBODY, owners === undefined ? NOBODY : readOwners(owners));
