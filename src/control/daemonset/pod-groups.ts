/** Pods in groups: of an owner that is not registered yet, or orphans of a namespace. */
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';

const NONE: readonly never[] = Object.freeze([]);

export class PodGroups {
  /** By group and UID. No group is empty. */
  readonly #groups = new Map<string, Map<string, Stored<Pod>>>();

  of(group: string): Iterable<Stored<Pod>> {
    return this.#groups.get(group)?.values() ?? NONE;
  }

  set(group: string, pod: Stored<Pod>): void {
    const { uid } = pod.metadata;
    const pods = this.#groups.get(group);
    if (pods === undefined) this.#groups.set(group, new Map([[uid, pod]]));
    else pods.set(uid, pod);
  }

  /** Whether the pod was in the group. */
  delete(group: string, { metadata: { uid } }: Stored<Pod>): boolean {
    const pods = this.#groups.get(group);
    if (pods?.delete(uid) !== true) return false;
    if (pods.size === 0) this.#groups.delete(group);
    return true;
  }

  deleteGroup(group: string): void {
    this.#groups.delete(group);
  }
}
