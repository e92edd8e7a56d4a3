/**
 * The objects of one namespace, ordered by name: a two-level B+ tree whose leaves are copied when they change after
 * a snapshot (`epoch` says which snapshot a part is younger than). So a snapshot costs nothing, a list walks a
 * state that later commits cannot touch, and an insertion moves at most one leaf.
 */
import type { Stored } from '../../core/kube/objects.ts';

/** Measured best between 64 and 256: small enough to copy in 100 ns, large enough that the top level stays short. */
const LEAF_CAPACITY = 128;

interface Leaf {
  readonly epoch: number;
  /** Sorted by code unit; `objects[i]` is the object named `names[i]`. Never empty. */
  readonly names: string[];
  readonly objects: Stored[];
}

/** Invariant: leaves are in order and none is empty; parts with `epoch` below the tree's current one are frozen. */
export interface OrderedNames {
  readonly epoch: number;
  readonly namespace: string;
  readonly leaves: Leaf[];
}

export const emptyNames = (namespace: string, epoch: number): OrderedNames => ({ epoch, namespace, leaves: [] });

/** A part that may be changed at `epoch`: itself when it is young enough, else a copy whose leaves are still shared. */
export const thawNames = (tree: OrderedNames, epoch: number): OrderedNames =>
  tree.epoch >= epoch ? tree : { epoch, namespace: tree.namespace, leaves: tree.leaves.slice() };

/** Index of the last leaf that starts at or before `name`; 0 when all start after it. */
function leafFor(leaves: readonly Leaf[], name: string): number {
  let low = 0;
  let high = leaves.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const first = (leaves[middle] as Leaf).names[0] as string;
    if (first <= name) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Index of the first name that is not before `name`. */
function slotFor(names: readonly string[], name: string): number {
  let low = 0;
  let high = names.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((names[middle] as string) < name) low = middle + 1;
    else high = middle;
  }
  return low;
}

function thawLeaf(tree: OrderedNames, at: number): Leaf {
  const leaf = tree.leaves[at] as Leaf;
  if (leaf.epoch >= tree.epoch) return leaf;
  const copy: Leaf = { epoch: tree.epoch, names: leaf.names.slice(), objects: leaf.objects.slice() };
  tree.leaves[at] = copy;
  return copy;
}

/** Inserts or replaces. The tree must be thawed. */
export function putName(tree: OrderedNames, name: string, object: Stored): void {
  const { leaves, epoch } = tree;
  if (leaves.length === 0) {
    leaves.push({ epoch, names: [name], objects: [object] });
    return;
  }
  const at = leafFor(leaves, name);
  const leaf = thawLeaf(tree, at);
  const slot = slotFor(leaf.names, name);
  if (leaf.names[slot] === name) {
    leaf.objects[slot] = object;
    return;
  }
  if (leaf.names.length < LEAF_CAPACITY) {
    leaf.names.splice(slot, 0, name);
    leaf.objects.splice(slot, 0, object);
    return;
  }
  if (slot === LEAF_CAPACITY) {
    // Names that arrive in order (as from disk) fill their leaves instead of leaving every one half empty.
    leaves.splice(at + 1, 0, { epoch, names: [name], objects: [object] });
    return;
  }
  const half = LEAF_CAPACITY >> 1;
  const right: Leaf = { epoch, names: leaf.names.splice(half), objects: leaf.objects.splice(half) };
  leaves.splice(at + 1, 0, right);
  const target = slot <= half ? leaf : right;
  const targetSlot = slot <= half ? slot : slot - half;
  target.names.splice(targetSlot, 0, name);
  target.objects.splice(targetSlot, 0, object);
}

/** Removes if present. The tree must be thawed. */
export function removeName(tree: OrderedNames, name: string): void {
  const { leaves } = tree;
  if (leaves.length === 0) return;
  const at = leafFor(leaves, name);
  const slot = slotFor((leaves[at] as Leaf).names, name);
  if ((leaves[at] as Leaf).names[slot] !== name) return;
  const leaf = thawLeaf(tree, at);
  leaf.names.splice(slot, 1);
  leaf.objects.splice(slot, 1);
  if (leaf.names.length === 0) leaves.splice(at, 1);
  else if (leaf.names.length < LEAF_CAPACITY >> 2 && !mergeWithNext(tree, at - 1)) mergeWithNext(tree, at);
}

/** Keeps a collection that shrinks (or churns at one end) from ending as many nearly empty leaves. */
function mergeWithNext(tree: OrderedNames, at: number): boolean {
  const { leaves } = tree;
  const a = leaves[at];
  const b = leaves[at + 1];
  if (a === undefined || b === undefined || a.names.length + b.names.length > LEAF_CAPACITY >> 1) return false;
  leaves.splice(at, 2, {
    epoch: tree.epoch,
    names: a.names.concat(b.names),
    objects: a.objects.concat(b.objects),
  });
  return true;
}

/** Objects in order, strictly after `after` when given. The tree must not change meanwhile (snapshot it first). */
export function* iterateNames(tree: OrderedNames, after?: string): Generator<Stored, void, undefined> {
  const { leaves } = tree;
  let at = after === undefined || leaves.length === 0 ? 0 : leafFor(leaves, after);
  let slot = 0;
  if (after !== undefined && at < leaves.length) {
    const { names } = leaves[at] as Leaf;
    slot = slotFor(names, after);
    if (names[slot] === after) slot++;
  }
  for (; at < leaves.length; at++, slot = 0) {
    const { objects } = leaves[at] as Leaf;
    for (; slot < objects.length; slot++) yield objects[slot] as Stored;
  }
}
