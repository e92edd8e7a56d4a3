/**
 * How large each ReplicaSet of a Deployment should be now. Pure: the Deployment and its sets in, sizes out. A rolling update
 * never lets the desired pods fall more than `maxUnavailable` below nor all pods rise more than `maxSurge` above the number
 * asked for; a change of that number in the middle of one is shared among the sets by their size.
 */
import type { Deployment, ReplicaSet } from '../../../../core/api/types/apps-v1.ts';
import { type IntOrString, scaledIntOrPercent } from '../../../../core/kube/int-or-string.ts';
import { labelOf } from '../../../../core/kube/labels.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import { DESIRED_REPLICAS, MAX_REPLICAS } from './names.ts';

export type Sized = Stored<ReplicaSet>;

export interface Resize {
  readonly set: Sized;
  readonly to: number;
}

export const desiredOf = (deployment: Deployment): number => deployment.spec.replicas ?? 1;
export const sizeOf = (set: ReplicaSet): number => set.spec.replicas ?? 1;
const availableOf = (set: ReplicaSet): number => set.status?.availableReplicas ?? 0;
const total = (sets: readonly ReplicaSet[], of: (set: ReplicaSet) => number): number =>
  sets.reduce((sum, set) => sum + of(set), 0);

export const isRecreate = ({ spec: { strategy } }: Deployment): boolean => strategy?.type === 'Recreate';

export interface Limits {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

const DEFAULT_LIMIT = '25%';

/** Percentages are of the desired number; a surge rounds up, unavailability down. Both zero: one may be unavailable. */
export function limitsOf(deployment: Deployment): Limits {
  if (isRecreate(deployment)) return { maxSurge: 0, maxUnavailable: 0 };
  const desired = desiredOf(deployment);
  const rolling = deployment.spec.strategy?.rollingUpdate;
  const maxSurge = scaled(rolling?.maxSurge ?? DEFAULT_LIMIT, desired, 'up');
  const unavailable = scaled(rolling?.maxUnavailable ?? DEFAULT_LIMIT, desired, 'down');
  const maxUnavailable = maxSurge === 0 && unavailable === 0 ? 1 : unavailable;
  return { maxSurge, maxUnavailable: Math.min(maxUnavailable, desired) };
}

function scaled(value: IntOrString, desired: number, rounding: 'up' | 'down'): number {
  const result = scaledIntOrPercent(value, desired, rounding);
  return result.ok ? result.value : 0;
}

/** Pods that a set has or is to have: surplus pods that are not deleted yet still count. */
const presentIn = (set: ReplicaSet): number => Math.max(sizeOf(set), set.status?.replicas ?? 0);

/** The largest permitted size of the new set. @param present its size now; 0 before it exists. */
export function newSize(deployment: Deployment, all: readonly ReplicaSet[], present: number): number {
  const desired = desiredOf(deployment);
  if (isRecreate(deployment) || present > desired) return desired;
  const room = desired + limitsOf(deployment).maxSurge - total(all, presentIn);
  return room <= 0 ? present : present + Math.min(room, desired - present);
}

const byAge = (a: Sized, b: Sized): number =>
  compare(a.metadata.creationTimestamp, b.metadata.creationTimestamp) || compare(a.metadata.name, b.metadata.name);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Pods to take from the old sets: first unavailable ones, then as many as availability allows. */
export function shrinkOld(deployment: Deployment, newSet: Sized, old: readonly Sized[]): readonly Resize[] {
  const active = old.filter((set) => sizeOf(set) > 0).toSorted(byAge);
  if (active.length === 0) return [];
  const least = desiredOf(deployment) - limitsOf(deployment).maxUnavailable;
  const pending = sizeOf(newSet) - availableOf(newSet);
  const mayGo = total(active, sizeOf) + sizeOf(newSet) - least - pending;
  if (mayGo <= 0) return [];
  const sizes = new Map(active.map((set) => [set, sizeOf(set)]));
  let left = mayGo;
  for (const set of active) {
    const unhealthy = Math.min(left, Math.max(0, sizeOf(set) - availableOf(set)));
    sizes.set(set, sizeOf(set) - unhealthy);
    left -= unhealthy;
  }
  left = Math.min(left, total([...active, newSet], availableOf) - least);
  for (const set of active) {
    const size = sizes.get(set) ?? 0;
    const taken = Math.min(size, Math.max(0, left));
    sizes.set(set, size - taken);
    left -= taken;
  }
  return resizes(sizes);
}

const resizes = (sizes: ReadonlyMap<Sized, number>): readonly Resize[] =>
  Array.from(sizes, ([set, to]) => ({ set, to })).filter(({ set, to }) => to !== sizeOf(set));

/** Whether `spec.replicas` has changed since the sets were last sized for it. */
export const isScaled = (deployment: Deployment, all: readonly Sized[]): boolean =>
  all.some((set) => {
    const desired = numberIn(set, DESIRED_REPLICAS);
    return sizeOf(set) > 0 && desired !== undefined && desired !== desiredOf(deployment);
  });

/** Sizes after a change of `spec.replicas`, or while paused. Every returned set gets its annotations renewed too. */
export function rescale(deployment: Deployment, newSet: Sized | undefined, old: readonly Sized[]): readonly Resize[] {
  const desired = desiredOf(deployment);
  const all = newSet === undefined ? old : [...old, newSet];
  const active = all.filter((set) => sizeOf(set) > 0);
  const only = active.length > 1 ? undefined : (active[0] ?? newSet ?? old.toSorted(byAge).at(-1));
  if (active.length <= 1) return only === undefined || sizeOf(only) === desired ? [] : [{ set: only, to: desired }];
  if (newSet !== undefined && isSaturated(deployment, newSet))
    return active.filter((set) => set !== newSet).map((set) => ({ set, to: 0 }));
  return isRecreate(deployment) ? [] : inProportion(deployment, active);
}

/** The new set has all desired replicas, available. */
const isSaturated = (deployment: Deployment, set: Sized): boolean => {
  const desired = desiredOf(deployment);
  return sizeOf(set) === desired && numberIn(set, DESIRED_REPLICAS) === desired && availableOf(set) === desired;
};

function inProportion(deployment: Deployment, active: readonly Sized[]): readonly Resize[] {
  const desired = desiredOf(deployment);
  const most = desired > 0 ? desired + limitsOf(deployment).maxSurge : 0;
  const toAdd = most - total(active, sizeOf);
  const isGrowing = toAdd > 0;
  // The largest first; of equal ones the newer grows first and the older shrinks first.
  const ordered = active.toSorted((a, b) => sizeOf(b) - sizeOf(a) || (isGrowing ? byAge(b, a) : byAge(a, b)));
  let added = 0;
  const sizes = ordered.map((set) => {
    const share = toAdd === 0 || added === toAdd ? 0 : fraction(deployment, set, most);
    const allowed = isGrowing ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added);
    const change = toAdd === 0 ? 0 : allowed;
    added += change;
    return sizeOf(set) + change;
  });
  // The remainder of rounding goes to the largest set.
  return ordered.map((set, index) => ({
    set,
    to: index === 0 ? Math.max(0, (sizes[0] ?? 0) + toAdd - added) : (sizes[index] ?? 0),
  }));
}

/** The set's change of size if all sets change in proportion. */
function fraction(deployment: Deployment, set: Sized, most: number): number {
  if (desiredOf(deployment) === 0) return -sizeOf(set);
  const before = numberIn(set, MAX_REPLICAS) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  return roundHalfAway((sizeOf(set) * most) / before) - sizeOf(set);
}

const roundHalfAway = (value: number): number => Math.sign(value) * Math.round(Math.abs(value));

const MAX_INT32 = 2_147_483_647;

function numberIn(set: ReplicaSet, annotation: string): number | undefined {
  const text = labelOf(set.metadata.annotations, annotation);
  if (text === undefined || !/^[0-9]{1,10}$/.test(text)) return undefined;
  return Number(text) <= MAX_INT32 ? Number(text) : undefined;
}
