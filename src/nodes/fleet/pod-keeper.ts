/**
 * Keeps the pods on simulated nodes: queues each pod that changed, finds its node and syncs it there (pod-sync.ts), with a
 * bounded number of writes under way and a bounded slice of the process at a time. The keeper's memory can be lost at any
 * moment: the next start reads everything that matters from the pods themselves.
 */
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import { removePod } from '../../core/placement/node-state.ts';
import { podKey } from '../../core/placement/pod-record.ts';
import { keyOf, keyText, parseKeyText } from '../../machinery/cache/object-keys.ts';
import type { Change, Lister } from '../../machinery/cache/object-store.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Logger } from '../../machinery/logging/logger.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import { createSlicedWork, type SlicedWork } from '../../machinery/time/sliced-work.ts';
import type { SimulatedNode } from './node-keeper.ts';
import type { PodEvent } from './pod-events.ts';
import { PodSync } from './pod-sync.ts';
import type { References } from './references.ts';
import { WaitingPods } from './waiting-pods.ts';

export interface PodKeeperOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly lister: Lister<Pod>;
  readonly nodeOf: (name: string) => SimulatedNode | undefined;
  readonly onReadyDaemon: (nodeName: string, daemon: string) => void;
  /** Secrets and ConfigMaps that pods name; `wake` requeues the pods that wait for one. */
  readonly references: (wake: (keys: Iterable<string>) => void) => References;
  /** Emits the events that a kubelet would; never throws. */
  readonly emitEvents: (events: () => readonly PodEvent[]) => void;
}

export class PodKeeper {
  readonly #lister: Lister<Pod>;
  readonly #nodeOf: (name: string) => SimulatedNode | undefined;
  readonly #references: References;
  readonly #work: SlicedWork;
  readonly #pods: PodSync;
  readonly #waiting = new WaitingPods();
  /** Pods heard of until the first list is complete: none is admitted before every running pod is counted. Undefined from then on. */
  #unsynced: Set<string> | undefined = new Set();

  constructor(options: PodKeeperOptions) {
    const { client, clock, logger, onReadyDaemon, emitEvents } = options;
    this.#lister = options.lister;
    this.#nodeOf = options.nodeOf;
    const work = createSlicedWork({
      clock,
      sync: (key) => this.#sync(key),
      onError: (key, error) => shouldRetry(logger, key, error),
    });
    this.#work = work;
    const references = options.references((keys) => {
      for (const key of keys) this.#add(key);
    });
    this.#references = references;
    this.#pods = new PodSync({ client, clock, logger, work, references, onReadyDaemon, emitEvents });
  }

  /** Several changes at a time, in order. */
  changed(changes: readonly Change<Pod>[]): void {
    let newest = '';
    let isInOrder = true;
    const keys: string[] = [];
    for (const { type, object, old } of changes) {
      if (type === 'delete') this.#forget(object);
      // Deleted and created again between two events of the cache.
      else if (type === 'update' && old.metadata.uid !== object.metadata.uid) this.#forget(old);
      if (type === 'delete' || object.spec.nodeName === undefined || object.spec.nodeName === '') continue;
      keys.push(keyText(keyOf(object)));
      const created = object.metadata.creationTimestamp ?? '';
      if (created < newest) isInOrder = false;
      else newest = created;
    }
    if (isInOrder) for (const key of keys) this.#add(key);
    else this.#addInOrder(keys);
  }

  /** Every pod of the first list has been handed over: only now are all pods of each node known. */
  synced(): void {
    const keys = this.#unsynced ?? [];
    this.#unsynced = undefined;
    this.#addInOrder(keys);
  }

  nodeUp(name: string): void {
    this.#addInOrder(this.#waiting.take(name));
  }

  /** The node is simulated no longer; its pods wait in case a node of that name comes back. */
  nodeGone(name: string, node: SimulatedNode | undefined, isDeleted: boolean): void {
    if (node === undefined) return;
    const keys = [...node.state.pods.values()].map(({ pod }) => keyText(keyOf(pod)));
    for (const key of keys) this.#waiting.add(name, key);
    if (!isDeleted || keys.length === 0) return;
    this.#waiting.addGhost(name, node);
    // Pods that are stopping go on stopping.
    for (const key of keys) this.#add(key);
  }

  /** Waits for writes under way. */
  stop(): Promise<void> {
    this.#references.stop();
    return this.#work.stop();
  }

  #add(key: string): void {
    if (this.#unsynced === undefined) this.#work.add(key);
    else this.#unsynced.add(key);
  }

  /** In the order in which a kubelet admits several pods: running ones first, then by age. */
  #addInOrder(keys: Iterable<string>): void {
    const fresh: { readonly key: string; readonly created: string }[] = [];
    for (const key of keys) {
      const pod = this.#podAt(key);
      if (pod === undefined) continue;
      if (pod.status?.startTime === undefined) fresh.push({ key, created: pod.metadata.creationTimestamp ?? '' });
      else this.#add(key);
    }
    fresh.sort((a, b) => (a.created < b.created ? -1 : a.created > b.created ? 1 : 0));
    for (const { key } of fresh) this.#add(key);
  }

  #podAt(key: string): Stored<Pod> | undefined {
    const { name, namespace } = parseKeyText(key);
    return this.#lister.get(name, namespace);
  }

  #sync(key: string): Promise<unknown> | undefined {
    const pod = this.#podAt(key);
    const nodeName = pod?.spec.nodeName;
    if (pod === undefined || nodeName === undefined) return undefined;
    const node =
      this.#nodeOf(nodeName) ??
      (pod.metadata.deletionTimestamp === undefined ? undefined : this.#waiting.ghost(nodeName));
    if (node?.up !== true) {
      this.#waiting.add(nodeName, key);
      return undefined;
    }
    return this.#pods.sync(key, pod, node);
  }

  #forget(pod: Stored<Pod>): void {
    const key = keyText(keyOf(pod));
    this.#work.forget(key);
    this.#unsynced?.delete(key);
    this.#pods.forget(key);
    const { nodeName } = pod.spec;
    if (nodeName === undefined) return;
    this.#waiting.remove(nodeName, key);
    const node = this.#nodeOf(nodeName);
    if (node !== undefined) removePod(node.state, podKey(pod));
  }
}

function shouldRetry(logger: Logger, key: string, error: unknown): boolean {
  if (isStatus(error, 'NotFound')) return false;
  // After a Conflict the pod's newer version is on its way: its event requeues the pod.
  if (!isStatus(error, 'Conflict')) logger.warn('Could not write a pod', { name: key, error });
  return true;
}
