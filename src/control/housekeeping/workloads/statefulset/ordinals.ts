/** Maps the pods of a StatefulSet to ordinals by their names. Pure. */
import type { StatefulSet } from '../../../../core/api/types/apps-v1.ts';
import type { Pod } from '../../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../../core/kube/objects.ts';

export const replicasOf = ({ spec }: StatefulSet): number => spec.replicas ?? 1;
export const firstOrdinal = ({ spec }: StatefulSet): number => spec.ordinals?.start ?? 0;
export const isParallel = ({ spec }: StatefulSet): boolean => spec.podManagementPolicy === 'Parallel';
export const podName = (set: StatefulSet, ordinal: number): string => `${set.metadata.name}-${ordinal}`;
export const claimName = (template: string, set: StatefulSet, ordinal: number): string =>
  `${template}-${set.metadata.name}-${ordinal}`;

const MAX_INT32 = 2_147_483_647;

/** The pod's ordinal; undefined when its name is not one of this set's. */
export function ordinalOf(set: StatefulSet, name: string): number | undefined {
  const prefix = `${set.metadata.name}-`;
  if (!name.startsWith(prefix)) return undefined;
  const digits = name.slice(prefix.length);
  if (!/^[0-9]{1,10}$/.test(digits) || Number(digits) > MAX_INT32) return undefined;
  return Number(digits);
}

export interface Arranged {
  /** One place for each ordinal wanted, lowest first. */
  readonly wanted: readonly { readonly ordinal: number; readonly pod: Stored<Pod> | undefined }[];
  /** Pods whose ordinals are not wanted, highest first. */
  readonly condemned: readonly Stored<Pod>[];
}

export function arrange(set: StatefulSet, pods: readonly Stored<Pod>[]): Arranged {
  const byOrdinal = new Map<number, Stored<Pod>>();
  for (const pod of pods) {
    const ordinal = ordinalOf(set, pod.metadata.name);
    if (ordinal !== undefined) byOrdinal.set(ordinal, pod);
  }
  const first = firstOrdinal(set);
  const wanted = Array.from({ length: replicasOf(set) }, (_, index) => {
    const ordinal = first + index;
    const pod = byOrdinal.get(ordinal);
    byOrdinal.delete(ordinal);
    return { ordinal, pod };
  });
  const condemned = [...byOrdinal].sort(([a], [b]) => b - a).map(([, pod]) => pod);
  return { wanted, condemned };
}
