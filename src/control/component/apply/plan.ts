/**
 * The plan of an apply, made before anything is done: pure. Its inputs are the component's objects, its inventory, the
 * live objects under those names, and the server's prediction of each (a dry run); its output is the list of steps.
 */
import { NAMESPACES, PERSISTENT_VOLUME_CLAIMS } from '../../../core/api/registry/resources.ts';
import { deepEqual } from '../../../core/kube/immutable.ts';
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';
import type { ApplyProblem } from './errors.ts';
import { sameObjects, type Inventory } from './inventory.ts';
import { isKind, refKey, refText, type ObjectRef } from './object-ref.ts';
import { managedFieldsOf, mustBeKept, ownerOf, wasCreatedBy } from './ownership.ts';
import { inOrder, type PreparedObject } from './prepare.ts';
import type { ComponentIdentity } from './rendered.ts';

/** Existing objects that an apply may take over: none, unowned ones, or also those of another component. */
export type Adoption = 'never' | 'unowned' | 'any';

export interface PlanInput {
  readonly identity: ComponentIdentity;
  readonly objects: readonly PreparedObject[];
  readonly inventory: Inventory | undefined;
  /** By `refKey`. */
  readonly live: ReadonlyMap<string, Stored>;
  /** The object as the dry run returned it, where the server could be asked. */
  readonly predicted?: ReadonlyMap<string, KubeObject>;
  readonly adopt?: Adoption;
  /** Objects with changes that cannot be made in place: they are deleted and made anew. */
  readonly recreate?: ReadonlySet<string>;
  /** False leaves objects that are no longer in the component for a later apply. */
  readonly prune?: boolean;
}

export type Step =
  | { readonly action: 'create'; readonly ref: ObjectRef; readonly object: KubeObject }
  | {
      readonly action: 'apply' | 'adopt' | 'recreate' | 'unchanged';
      readonly ref: ObjectRef;
      readonly object: KubeObject;
      readonly live: Stored;
    }
  /** A namespace of another creator: used as it is. */
  | { readonly action: 'share'; readonly ref: ObjectRef; readonly live: Stored }
  | { readonly action: 'prune'; readonly ref: ObjectRef; readonly live: Stored }
  /** No longer in the component, but not ours to delete. */
  | { readonly action: 'keep'; readonly ref: ObjectRef; readonly why: string };

export interface Plan {
  /** First creates and changes, in order; then deletions, in reverse order. */
  readonly steps: readonly Step[];
  /** Objects that must not be touched. With any, nothing is done at all. */
  readonly refusals: readonly ApplyProblem[];
  /** Objects that the inventory lists while the plan is carried out. */
  readonly during: readonly ObjectRef[];
  /** And afterwards. */
  readonly after: readonly ObjectRef[];
  /** True when neither an object nor the inventory needs a write. */
  readonly isSettled: boolean;
}

export function planApply(input: PlanInput): Plan {
  const { identity, objects, inventory, live } = input;
  const listed = new Set((inventory?.objects ?? []).map(refKey));
  const refusals: ApplyProblem[] = [];
  const steps: Step[] = [];
  const after: ObjectRef[] = [];

  for (const prepared of inOrder(objects, ({ ref }) => ref)) {
    const found = live.get(prepared.key);
    const step =
      found === undefined
        ? ({ action: 'create', ref: prepared.ref, object: prepared.object } as const)
        : stepFor(input, prepared, found, listed.has(prepared.key));
    if ('message' in step) refusals.push(step);
    else {
      steps.push(step);
      if (step.action !== 'share') after.push(step.ref);
    }
  }

  const wanted = new Set(objects.map(({ key }) => key));
  const gone = inOrder(
    (inventory?.objects ?? []).filter((ref) => !wanted.has(refKey(ref))),
    (ref) => ref,
  ).toReversed();
  for (const ref of gone) {
    const found = live.get(refKey(ref));
    if (found === undefined) continue;
    const why = reasonToKeep(ref, found, identity);
    // The component lives in it; it goes with the component, if at all.
    if (isKind(ref, NAMESPACES) && wasCreatedBy(found, identity)) after.push(ref);
    if (why === undefined && input.prune === false) {
      after.push(ref);
      steps.push({ action: 'keep', ref, why: 'pruning is switched off' });
      continue;
    }
    steps.push(why === undefined ? { action: 'prune', ref, live: found } : { action: 'keep', ref, why });
  }

  const shared = new Set(steps.filter(({ action }) => action === 'share').map(({ ref }) => refKey(ref)));
  const during = [
    ...after,
    ...(inventory?.objects ?? []).filter((ref) => isNew(after, ref) && !shared.has(refKey(ref))),
  ];
  const isSettled =
    inventory?.phase === 'settled' &&
    inventory.undone === undefined &&
    inventory.identity.uid === identity.uid &&
    sameObjects(inventory.objects, after) &&
    steps.every(({ action }) => action === 'unchanged' || action === 'share' || action === 'keep');
  return { steps, refusals, during, after, isSettled };
}

const isNew = (list: readonly ObjectRef[], ref: ObjectRef): boolean => {
  const key = refKey(ref);
  return !list.some((each) => refKey(each) === key);
};

function stepFor(input: PlanInput, prepared: PreparedObject, live: Stored, isListed: boolean): Step | ApplyProblem {
  const { identity, adopt = 'never', predicted, recreate } = input;
  const { ref, object, key } = prepared;
  if (isKind(ref, NAMESPACES) && !wasCreatedBy(live, identity)) return { action: 'share', ref, live };
  if (live.metadata.deletionTimestamp !== undefined && !(recreate?.has(key) ?? false)) {
    if (isKind(ref, NAMESPACES))
      return {
        code: 'EN_COMPONENT_APPLY_NAMESPACE_ENDS',
        object: ref,
        message: `namespace ${ref.name} is being deleted`,
        fix: 'wait until it is gone, then apply again',
      };
  }
  const owner = ownerOf(live, identity, isListed);
  const isAllowed = owner.owner === 'ours' || adopt === 'any' || (adopt === 'unowned' && owner.owner === 'nobody');
  if (!isAllowed)
    return {
      code: 'EN_COMPONENT_APPLY_NOT_OURS',
      object: ref,
      message:
        owner.owner === 'other'
          ? `${refText(ref)} belongs to component ${owner.component}`
          : `${refText(ref)} is there already and belongs to no component`,
      ...(owner.owner === 'other'
        ? { fix: 'rename one of the two, or adopt it from there', adopt: 'any' }
        : { fix: 'rename yours, or adopt it', adopt: 'unowned' }),
    };
  if (recreate?.has(key) === true || live.metadata.deletionTimestamp !== undefined)
    return { action: 'recreate', ref, object, live };
  const next = predicted?.get(key);
  if (next !== undefined && isSameState(live, next)) return { action: 'unchanged', ref, object, live };
  return { action: owner.owner === 'ours' ? 'apply' : 'adopt', ref, object, live };
}

function reasonToKeep(ref: ObjectRef, live: Stored, identity: ComponentIdentity): string | undefined {
  if (!isKind(ref, NAMESPACES)) return reasonToLeave(ref, live, identity);
  return wasCreatedBy(live, identity)
    ? 'namespaces go only with the whole component'
    : 'the component did not make this namespace';
}

/** Why something on the component's list is not deleted when it should go. */
export function reasonToLeave(ref: ObjectRef, live: Stored, identity: ComponentIdentity): string | undefined {
  if (isKind(ref, PERSISTENT_VOLUME_CLAIMS)) return 'claims hold data and are never removed';
  const owner = ownerOf(live, identity, true);
  if (owner.owner === 'other') return `it belongs to component ${owner.component} now`;
  if (owner.owner === 'nobody') return 'it was made anew by somebody else';
  return mustBeKept(live) ? 'it is annotated to be kept' : undefined;
}

/** Equal in all that an apply can change: the content, and the owners of its fields. */
function isSameState(a: KubeObject, b: KubeObject): boolean {
  return deepEqual(contentOf(a), contentOf(b)) && deepEqual(ownersOf(a), ownersOf(b));
}

/** The object without the server's bookkeeping. */
function contentOf(object: KubeObject): object {
  const { status: _status, metadata, ...rest } = object as KubeObject & { readonly status?: unknown };
  const { resourceVersion: _version, generation: _generation, managedFields: _fields, ...named } = metadata;
  return { ...rest, metadata: named };
}

const ownersOf = (object: KubeObject): readonly object[] =>
  managedFieldsOf(object)
    .filter(({ subresource = '' }) => subresource === '')
    .map(({ time: _time, ...entry }) => entry)
    .toSorted((a, b) => compare(nameOf(a), nameOf(b)));

const nameOf = (entry: {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
}): string => `${entry.manager ?? ''} ${entry.operation ?? ''} ${entry.apiVersion ?? ''}`;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Steps that write. */
export const isWrite = ({ action }: Step): boolean => action !== 'unchanged' && action !== 'share' && action !== 'keep';
