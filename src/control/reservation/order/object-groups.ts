/** Objects in groups: Tickets of an Order that is not registered yet, or orphans of a namespace. */
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';

const NONE: readonly never[] = Object.freeze([]);

export class ObjectGroups<T extends KubeObject> {
  /** By group and UID. No group is empty. */
  readonly #groups = new Map<string, Map<string, Stored<T>>>();

  of(group: string): Iterable<Stored<T>> {
    return this.#groups.get(group)?.values() ?? NONE;
  }

  set(group: string, object: Stored<T>): void {
    const { uid } = object.metadata;
    const objects = this.#groups.get(group);
    if (objects === undefined) this.#groups.set(group, new Map([[uid, object]]));
    else objects.set(uid, object);
  }

  /** Whether the object was in the group. */
  delete(group: string, { metadata: { uid } }: Stored<T>): boolean {
    const objects = this.#groups.get(group);
    if (objects?.delete(uid) !== true) return false;
    if (objects.size === 0) this.#groups.delete(group);
    return true;
  }

  deleteGroup(group: string): void {
    this.#groups.delete(group);
  }
}
