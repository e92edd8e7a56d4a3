/**
 * The DaemonSets that a controller knows, with the engine that counts their pods, fed by the caches and by the answers to own
 * writes. An answer counts at once (read your own writes), and a state that the cache shows later counts only if it is newer;
 * so no pod is created or deleted twice because a watch is slow.
 */
import type { DaemonSet } from '../../core/api/types/apps-v1.ts';
import type { Node, Pod } from '../../core/api/types/core-v1.ts';
import { daemonPodRules } from '../../core/daemons/daemon-pod-rules.ts';
import { createEngine } from '../../core/daemons/engine.ts';
import type { Engine } from '../../core/daemons/engine-types.ts';
import type { DaemonPod } from '../../core/daemons/pod-child.ts';
import { createRolloutOrder } from '../../core/daemons/rollout-order.ts';
import type { DaemonSetView } from '../../core/daemons/rollout-plan.ts';
import { isBeingDeleted } from '../../core/kube/finalizers.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { controllerOf } from '../../core/kube/owner-references.ts';
import { isTerminal } from '../../core/placement/pod-record.ts';
import type { Informer } from '../../machinery/cache/informer.ts';
import { keyOf, keyText } from '../../machinery/cache/object-keys.ts';
import type { Change } from '../../machinery/cache/object-store.ts';
import { hasSeen, Overlay, type VersionedCache } from '../../machinery/children/overlay.ts';
import { selectsWith } from '../../machinery/children/selectors.ts';
import { newTurn } from '../../machinery/children/turn.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import { NOTHING_TOLD } from './annotation-events.ts';
import { DaemonIndex } from './daemon-index.ts';
import type { SetDefinition } from './definition.ts';
import type { KnownDaemon } from './known-daemon.ts';
import { PodGroups } from './pod-groups.ts';

export interface DaemonRegistryOptions {
  readonly clock: Clock;
  readonly pods: Informer<Pod>;
  readonly revisions: VersionedCache;
  /** Something changed that a reconcile of this DaemonSet may have to act on. */
  readonly onChange: (daemon: KnownDaemon) => void;
}

export class DaemonRegistry {
  /** Knows the same DaemonSets as `#daemons`, by UID, and of each the pods that its selector matches. */
  readonly engine: Engine<DaemonPod, SetDefinition>;
  readonly #options: DaemonRegistryOptions;
  readonly #daemons = new DaemonIndex();
  /** Pods whose controller is a DaemonSet that is not registered, by its UID. */
  readonly #waiting = new PodGroups();
  /** Pods without a controller, by namespace. */
  readonly #orphans = new PodGroups();

  constructor(options: DaemonRegistryOptions) {
    this.#options = options;
    this.engine = createEngine<DaemonPod, SetDefinition>(daemonPodRules, options.clock.now());
  }

  byUid(uid: string): KnownDaemon | undefined {
    return this.#daemons.byUid(uid);
  }

  /** @param key as `keyText` writes it. */
  byName(key: string): KnownDaemon | undefined {
    return this.#daemons.byName(key);
  }

  inNamespace(namespace: string): Iterable<KnownDaemon> {
    return this.#daemons.inNamespace(namespace);
  }

  /** The engine's counts of this DaemonSet. */
  view(daemon: KnownDaemon): DaemonSetView {
    const found = this.engine.daemon(daemon.uid);
    if (found === undefined) throw new Error(`daemon ${keyText(daemon.key)} is not registered`);
    return found;
  }

  register(object: Stored<DaemonSet>, definition: SetDefinition): KnownDaemon {
    const { uid, namespace = '' } = object.metadata;
    const daemon = this.#newDaemon(object, definition);
    this.#daemons.add(daemon);
    this.engine.apply({ type: 'daemon', daemon: definition });
    for (const pod of this.#waiting.of(uid)) this.#take(daemon, pod, undefined);
    this.#waiting.deleteGroup(uid);
    for (const pod of this.#orphans.of(namespace))
      if (!isBeingDeleted(pod) && daemon.selects(pod.metadata.labels))
        daemon.claims.adoptable.set(pod.metadata.uid, pod);
    return daemon;
  }

  #newDaemon(object: Stored<DaemonSet>, definition: SetDefinition): KnownDaemon {
    const { pods, revisions } = this.#options;
    const daemon: KnownDaemon = {
      key: keyOf(object),
      uid: object.metadata.uid,
      object,
      selects: selectsWith(object.spec.selector),
      definition,
      maker: undefined,
      children: { wrote: (pod) => this.#wrote(daemon, pod), gone: (pod) => this.#gone(daemon, pod) },
      doubts: new Map(),
      answers: new Overlay(pods),
      claims: {
        adoptable: new Map(),
        releasable: new Map(),
        knowsOrphans: wasReconciled(object),
        vacated: new Set(),
      },
      revisions: { overlay: new Overlay(revisions), history: undefined },
      rollout: {
        order: { label: undefined, line: createRolloutOrder(this.engine) },
        toldState: undefined,
        toldAnnotations: NOTHING_TOLD,
      },
      turn: newTurn(),
    };
    return daemon;
  }

  define(daemon: KnownDaemon, definition: SetDefinition): void {
    daemon.definition = definition;
    this.engine.apply({ type: 'daemon', daemon: definition });
  }

  forget(daemon: KnownDaemon): void {
    // The pods live on until the garbage collector deletes them; should the DaemonSet be registered again, they are still its own.
    for (const pod of this.view(daemon).allChildren()) this.#waiting.set(daemon.uid, pod);
    for (const pod of daemon.claims.releasable.values()) this.#waiting.set(daemon.uid, pod);
    this.#daemons.delete(daemon);
    this.engine.apply({ type: 'daemon-gone', key: daemon.uid });
  }

  seeNode(node: Stored<Node>): void {
    this.#notify(this.engine.apply({ type: 'node', node }));
  }

  nodeGone(node: Stored<Node>): void {
    this.#notify(this.engine.apply({ type: 'node-gone', name: node.metadata.name }));
  }

  seePods(changes: readonly Change<Pod>[]): void {
    for (const { type, object, old } of changes) {
      if (type === 'delete') this.#lose(object);
      else if (old !== undefined && old.metadata.uid !== object.metadata.uid) {
        // The pod was deleted and another of its name created between two events.
        this.#lose(old);
        this.#see(object, undefined);
      } else this.#see(object, old);
    }
  }

  /** Drops answers that the cache is past; pods that it does not show are gone. */
  dropSeenAnswers(daemon: KnownDaemon): void {
    for (const pod of daemon.answers.takeSeen())
      if (this.#cached(pod)?.metadata.uid !== pod.metadata.uid)
        this.engine.apply({ type: 'child-gone', daemon: daemon.uid, child: pod });
  }

  /** Lets the engine count by the time of now: pods become available by waiting. */
  tick(): void {
    this.#notify(this.engine.apply({ type: 'time', now: this.#options.clock.now() }));
  }

  #notify(touched: readonly string[]): void {
    for (const uid of touched) {
      const daemon = this.#daemons.byUid(uid);
      if (daemon !== undefined) this.#options.onChange(daemon);
    }
  }

  #cached({ metadata: { name, namespace } }: Stored<Pod>): Stored<Pod> | undefined {
    return this.#options.pods.lister.get(name, namespace);
  }

  #see(pod: Stored<Pod>, old: Stored<Pod> | undefined): void {
    const before = old === undefined ? undefined : daemonSetOf(old);
    const owner = daemonSetOf(pod);
    if (before !== undefined && before !== owner && old !== undefined) this.#leave(before, old);
    if (owner === undefined) {
      if (controllerOf(pod) === undefined) this.#seeOrphan(pod);
      return;
    }
    this.#dropOrphan(pod);
    const daemon = this.#daemons.byUid(owner);
    if (daemon === undefined) this.#waiting.set(owner, pod);
    else this.#take(daemon, pod, old);
  }

  /** The cache shows this pod of the DaemonSet. */
  #take(daemon: KnownDaemon, pod: Stored<Pod>, old: Stored<Pod> | undefined): void {
    const { uid, labels } = pod.metadata;
    const { answers } = daemon;
    const { releasable } = daemon.claims;
    if (answers.hides(uid)) return;
    answers.confirm(pod);
    if (daemon.selects(labels)) {
      if (releasable.size > 0) releasable.delete(uid);
      this.#notify(this.engine.apply({ type: 'child', daemon: daemon.uid, child: pod, old }));
    } else {
      releasable.set(uid, pod);
      this.#notify(this.engine.apply({ type: 'child-gone', daemon: daemon.uid, child: old ?? pod }));
      this.#options.onChange(daemon);
    }
  }

  /** The pod has another controller, or none, now. */
  #leave(owner: string, pod: Stored<Pod>): void {
    this.#waiting.delete(owner, pod);
    const daemon = this.#daemons.byUid(owner);
    if (daemon === undefined) return;
    this.#drop(daemon, pod);
    this.engine.apply({ type: 'child-gone', daemon: owner, child: pod });
    this.#options.onChange(daemon);
  }

  /** The pod is gone from the cache. */
  #lose(pod: Stored<Pod>): void {
    this.#dropOrphan(pod);
    const owner = daemonSetOf(pod);
    if (owner === undefined) return;
    this.#waiting.delete(owner, pod);
    const daemon = this.#daemons.byUid(owner);
    if (daemon === undefined) return;
    this.#drop(daemon, pod);
    this.#notify(this.engine.apply({ type: 'child-gone', daemon: owner, child: pod }));
  }

  #drop({ answers, claims }: KnownDaemon, { metadata: { uid } }: Stored<Pod>): void {
    answers.forget(uid);
    claims.releasable.delete(uid);
  }

  #seeOrphan(pod: Stored<Pod>): void {
    const { namespace = '', uid, labels } = pod.metadata;
    this.#orphans.set(namespace, pod);
    for (const daemon of this.#daemons.inNamespace(namespace)) {
      const { adoptable } = daemon.claims;
      if (!daemon.selects(labels) || isBeingDeleted(pod)) adoptable.delete(uid);
      else {
        adoptable.set(uid, pod);
        this.#options.onChange(daemon);
      }
    }
  }

  #dropOrphan(pod: Stored<Pod>): void {
    const { namespace = '', uid } = pod.metadata;
    if (!this.#orphans.delete(namespace, pod)) return;
    for (const daemon of this.#daemons.inNamespace(namespace)) daemon.claims.adoptable.delete(uid);
  }

  /** The answer to a write: the pod is as it says. */
  #wrote({ uid: owner, answers }: KnownDaemon, pod: Stored<Pod>): void {
    const { uid } = pod.metadata;
    const cached = this.#cached(pod);
    const isShown = cached?.metadata.uid === uid;
    if (!isShown && hasSeen(this.#options.pods, pod)) {
      // The watch was quicker than the answer and will say no more: the pod has come and gone.
      answers.forget(uid);
      this.#notify(this.engine.apply({ type: 'child-gone', daemon: owner, child: pod }));
      return;
    }
    if (!isShown || !hasSeen(cached.metadata, pod)) answers.wrote(pod);
    if (daemonSetOf(pod) !== owner) {
      this.engine.apply({ type: 'child-gone', daemon: owner, child: pod });
      return;
    }
    const touched = this.engine.apply({ type: 'child', daemon: owner, child: pod });
    // A pod that has ended and is being deleted counts for nothing any more: its node wants another now, and the watch will
    // have nothing to add to that.
    if (isTerminal(pod) && isBeingDeleted(pod)) this.#notify(touched);
  }

  /** The answer to a delete or a get: the pod is gone. */
  #gone({ uid: owner, answers }: KnownDaemon, pod: Stored<Pod>): void {
    const { uid } = pod.metadata;
    // The cache may even come to show a pod that was created and deleted before the watch told of either.
    if (this.#cached(pod)?.metadata.uid === uid || !hasSeen(this.#options.pods, pod)) answers.gone(pod);
    else answers.forget(uid);
    // The watch will have nothing to add: the node wants another pod now.
    this.#notify(this.engine.apply({ type: 'child-gone', daemon: owner, child: pod }));
  }
}

/** The UID of the DaemonSet that controls the pod. */
function daemonSetOf(pod: Pod): string | undefined {
  const reference = controllerOf(pod);
  return reference?.kind === 'DaemonSet' ? reference.uid : undefined;
}

/** A DaemonSet controller has brought it to its desired state before, with all orphans there were. */
const wasReconciled = ({ status }: DaemonSet): boolean => (status?.observedGeneration ?? 0) > 0;
