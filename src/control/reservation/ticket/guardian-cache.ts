/**
 * The guardians of each Ticket as own writes left them: the pod cache, with the answers to writes laid over it until the cache
 * shows as much. One object for all Tickets, since at any time few of them have an answer that the cache lacks; an `Overlay` (machinery/
 * children) would be one for each. A guardian that was passed on counts for its new Ticket from the answer on.
 */
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import { newer } from '../../../core/kube/resource-version.ts';
import type { Informer } from '../../../machinery/cache/informer.ts';
import { type ChildIndex, indexPods } from '../../../machinery/children/child-index.ts';
import { type ChildSink, hasSeen } from '../../../machinery/children/overlay.ts';

export class GuardianCache implements ChildSink<Pod> {
  readonly #pods: Informer<Pod>;
  readonly #index: ChildIndex<Pod>;
  /** By UID: answers that the cache has not been seen to show. Never a UID of `#ended`. */
  readonly #written = new Map<string, Stored<Pod>>();
  /** UIDs in `#written` by the UID of their controller. */
  readonly #byTicket = new Map<string, Set<string>>();
  /** By UID: pods that are gone, though the cache may still show them. */
  readonly #ended = new Map<string, Stored<Pod>>();

  constructor(pods: Informer<Pod>) {
    this.#pods = pods;
    this.#index = indexPods(pods);
  }

  /** Pods that this Ticket controls, those that have ended or are being deleted included. */
  of(ticketUid: string): readonly Stored<Pod>[] {
    const found: Stored<Pod>[] = [];
    for (const cached of this.#index.of(ticketUid)) {
      const newest = this.#latest(cached);
      if (newest !== undefined && controllerOf(newest)?.uid === ticketUid) found.push(newest);
    }
    for (const uid of this.#byTicket.get(ticketUid) ?? NONE) {
      if (found.some(({ metadata }) => metadata.uid === uid)) continue;
      const pod = this.#written.get(uid);
      if (pod === undefined) continue;
      // The cache is past that version and does not show the pod here: deleted, or passed on.
      if (hasSeen(this.#pods, pod)) this.#drop(uid);
      else found.push(pod);
    }
    return found;
  }

  /** The pod that has this name, whoever controls it. */
  named(name: string, namespace: string | undefined): Stored<Pod> | undefined {
    const cached = this.#pods.lister.get(name, namespace);
    return cached === undefined ? undefined : this.#latest(cached);
  }

  wrote(pod: Stored<Pod>): void {
    const { uid } = pod.metadata;
    if (this.#ended.has(uid)) return;
    const newest = newer(pod, this.#written.get(uid));
    this.#drop(uid);
    this.#written.set(uid, newest);
    const owner = controllerOf(newest)?.uid ?? '';
    const known = this.#byTicket.get(owner);
    if (known === undefined) this.#byTicket.set(owner, new Set([uid]));
    else known.add(uid);
  }

  gone(pod: Stored<Pod>): void {
    const { uid, name, namespace } = pod.metadata;
    this.#drop(uid);
    const isShown = this.#pods.lister.get(name, namespace)?.metadata.uid === uid;
    if (isShown || !hasSeen(this.#pods, pod)) this.#ended.set(uid, pod);
  }

  /** Whether this very state is the answer to an own write: its watch event needs no second look. */
  isOwnWrite({ metadata: { uid, resourceVersion } }: Stored<Pod>): boolean {
    return this.#written.size > 0 && this.#written.get(uid)?.metadata.resourceVersion === resourceVersion;
  }

  /** The cache shows this state now. */
  seen(pod: Stored<Pod>): void {
    if (this.#written.size > 0) this.#latest(pod);
  }

  /** The cache has seen the pod end. */
  forget({ metadata: { uid } }: Stored<Pod>): void {
    if (this.#written.size > 0) this.#drop(uid);
    if (this.#ended.size > 0) this.#ended.delete(uid);
  }

  /** The cached state or a newer answer; undefined when the pod is gone. Drops an answer that is not newer. */
  #latest(cached: Stored<Pod>): Stored<Pod> | undefined {
    const { uid } = cached.metadata;
    if (this.#ended.has(uid)) return undefined;
    const ours = this.#written.get(uid);
    if (ours === undefined) return cached;
    const newest = newer(cached, ours);
    if (newest === cached) this.#drop(uid);
    return newest;
  }

  #drop(uid: string): void {
    const pod = this.#written.get(uid);
    if (pod === undefined) return;
    this.#written.delete(uid);
    const owner = controllerOf(pod)?.uid ?? '';
    const known = this.#byTicket.get(owner);
    if (known?.delete(uid) === true && known.size === 0) this.#byTicket.delete(owner);
  }
}

const NONE: readonly never[] = Object.freeze([]);
