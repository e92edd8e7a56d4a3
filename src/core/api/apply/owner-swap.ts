/**
 * Objects that differ in the UID of their one owner have the same fields but for the path of that owner's reference: pods that each
 * have an owner of their own. Their sets of fields are derived from each other instead of being gathered anew.
 */
import type { OwnerReference } from '../../kube/meta-v1.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { type FieldSet, makeSet } from './field-set.ts';
import { fieldElement, keyElement, type PathElement } from './path-element.ts';

const METADATA = fieldElement('metadata');
const OWNERS = fieldElement('ownerReferences');

/** UID of the only owner; undefined for none, or for several. */
export function onlyOwner({ metadata }: KubeObject): string | undefined {
  const owners = metadata.ownerReferences;
  return owners?.length === 1 ? owners[0]?.uid : undefined;
}

/** The object with the one owner of another object in place of its own; undefined where the references have other fields. */
export function withOwnerOf(object: KubeObject, other: KubeObject): KubeObject | undefined {
  const [own] = object.metadata.ownerReferences ?? [];
  const [theirs] = other.metadata.ownerReferences ?? [];
  if (own === undefined || theirs === undefined || !haveSameKeys(own, theirs)) return undefined;
  return { ...object, metadata: { ...object.metadata, ownerReferences: other.metadata.ownerReferences ?? [] } };
}

function haveSameKeys(one: OwnerReference, other: OwnerReference): boolean {
  const keys = Object.keys(one) as (keyof OwnerReference)[];
  return keys.length === Object.keys(other).length && keys.every((key) => isZero(one[key]) === isZero(other[key]));
}

/** Zero values may have no owner of their own. */
const isZero = (value: unknown): unknown => (value === undefined ? undefined : value === '' || value === false);

/** The set with the reference to another owner; undefined where it has no reference to the one. */
export function swapOwner(set: FieldSet, from: string, to: string): FieldSet | undefined {
  const one = keyElement([['uid', from]]);
  const other = keyElement([['uid', to]]);
  return changeBelow(set, METADATA, (metadata) =>
    changeBelow(metadata, OWNERS, (owners) =>
      owners.elements.length === 1 && owners.elements[0] === one
        ? makeSet(owners.self, [other], owners.below)
        : undefined,
    ),
  );
}

function changeBelow(
  set: FieldSet,
  element: PathElement,
  change: (below: FieldSet) => FieldSet | undefined,
): FieldSet | undefined {
  const at = set.elements.indexOf(element);
  const before = set.below[at];
  const after = before === undefined ? undefined : change(before);
  return after === undefined ? undefined : makeSet(set.self, set.elements, set.below.with(at, after));
}
