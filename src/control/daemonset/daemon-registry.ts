/**
 * The controller's picture of the world: the engine, fed by the caches and by the answers to our own writes. An answer
 * counts at once (we read our writes), and what the cache says later counts only if it is newer; so nothing is created or
 * deleted twice because a watch is slow.
 */
import type { DaemonSet } from '../../core/api/types/apps-v1.ts';
import type { Node, Pod } from '../../core/api/types/core-v1.ts';
import { daemonPodRules } from '../../core/daemons/daemon-pod-rules.ts';
import { createEngine } from '../../core/daemons/engine.ts';
import type { Engine } from '../../core/daemons/engine-types.ts';
import type { DaemonPod } from '../../core/daemons/pod-child.ts';
import type { DaemonSetView } from '../../core/daemons/rollout-plan.ts';
import { createRolloutOrder } from '../../core/daemons/rollout-order.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { controllerOf } from '../../core/kube/owner-references.ts';
import { compareResourceVersions } from '../../core/kube/resource-version.ts';
import { isTerminal } from '../../core/placement/pod-record.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type { Informer } from '../../machinery/cache/informer.ts';
import { keyOf, keyText } from '../../machinery/cache/object-keys.ts';
import type { Change } from '../../machinery/cache/object-store.ts';
import { NOTHING_TOLD } from './annotation-events.ts';
import type { SetDefinition } from './definition.ts';
import { compileSelects, type KnownDaemon } from './known-daemon.ts';

export interface DaemonWorld {
  readonly engine: Engine<DaemonPod, SetDefinition>;
  /** The daemon of this name, or the one with this UID. */
  byName(key: string): KnownDaemon | undefined;
  byUid(uid: string): KnownDaemon | undefined;
  all(): Iterable<KnownDaemon>;
  inNamespace(namespace: string): Iterable<KnownDaemon>;
  register(set: Stored<DaemonSet>, definition: SetDefinition): KnownDaemon;
  define(daemon: KnownDaemon, definition: SetDefinition): void;
  forget(daemon: KnownDaemon): void;
  view(daemon: KnownDaemon): DaemonSetView;
  seeNode(node: Stored<Node>): void;
  nodeGone(node: Stored<Node>): void;
  seePods(changes: readonly Change<Pod>[]): void;
  /** The answer to a write: the pod is as it says. */
  wrote(daemon: KnownDaemon, pod: Stored<Pod>): void;
  /** The answer to a write or a read: the pod is gone. */
  vanished(daemon: KnownDaemon, pod: Stored<Pod>): void;
  /** Drops what answers told us and the cache, now at least as new, does not know. */
  reconcileAnswers(daemon: KnownDaemon): void;
  tick(): void;
}

export interface DaemonWorldOptions {
  readonly clock: Clock;
  readonly pods: Informer<Pod>;
  /** Something changed for this daemon. */
  readonly onChange: (daemon: KnownDaemon) => void;
}

export function createDaemonWorld({ clock, pods, onChange }: DaemonWorldOptions): DaemonWorld {
  const engine = createEngine<DaemonPod, SetDefinition>(daemonPodRules, clock.now());
  const byUid = new Map<string, KnownDaemon>();
  const byName = new Map<string, KnownDaemon>();
  const byNamespace = new Map<string, Set<KnownDaemon>>();
  /** Pods of DaemonSets that are not known yet, by the owner's UID and their own. */
  const waiting = new Map<string, Map<string, Stored<Pod>>>();
  /** Pods without a controller, by namespace and UID. */
  const orphans = new Map<string, Map<string, Stored<Pod>>>();

  const tell = (touched: readonly string[]): void => {
    for (const uid of touched) {
      const daemon = byUid.get(uid);
      if (daemon !== undefined) onChange(daemon);
    }
  };

  const ownerOf = (pod: Pod): string | undefined => {
    const reference = controllerOf(pod);
    return reference?.kind === 'DaemonSet' ? reference.uid : undefined;
  };

  function see(pod: Stored<Pod>, old: Stored<Pod> | undefined): void {
    const { uid } = pod.metadata;
    const before = old === undefined ? undefined : ownerOf(old);
    const owner = ownerOf(pod);
    if (before !== undefined && before !== owner && old !== undefined) leave(before, old);
    if (owner === undefined) {
      if (controllerOf(pod) === undefined) seeOrphan(pod);
      return;
    }
    dropOrphan(pod);
    const daemon = byUid.get(owner);
    if (daemon === undefined) {
      const stash = waiting.get(owner);
      if (stash === undefined) waiting.set(owner, new Map([[uid, pod]]));
      else stash.set(uid, pod);
    } else take(daemon, pod, old);
  }

  function take(daemon: KnownDaemon, pod: Stored<Pod>, old: Stored<Pod> | undefined): void {
    const { uid, labels } = pod.metadata;
    if (daemon.gone.has(uid)) return;
    if (daemon.unconfirmed.size > 0) confirm(daemon, pod);
    if (daemon.selects(labels)) {
      if (daemon.releasable.size > 0) daemon.releasable.delete(uid);
      tell(engine.apply({ type: 'child', daemon: daemon.uid, child: pod, old }));
    } else {
      daemon.releasable.set(uid, pod);
      tell(engine.apply({ type: 'child-gone', daemon: daemon.uid, child: old ?? pod }));
      onChange(daemon);
    }
  }

  function confirm(daemon: KnownDaemon, pod: Stored<Pod>): void {
    const told = daemon.unconfirmed.get(pod.metadata.uid);
    if (told !== undefined && (compareVersions(pod, told) ?? 0) >= 0) daemon.unconfirmed.delete(pod.metadata.uid);
  }

  /** The pod is no longer this daemon's. */
  function leave(owner: string, pod: Stored<Pod>): void {
    waiting.get(owner)?.delete(pod.metadata.uid);
    const daemon = byUid.get(owner);
    if (daemon === undefined) return;
    daemon.releasable.delete(pod.metadata.uid);
    daemon.unconfirmed.delete(pod.metadata.uid);
    engine.apply({ type: 'child-gone', daemon: owner, child: pod });
    onChange(daemon);
  }

  function seeOrphan(pod: Stored<Pod>): void {
    const { namespace = '', uid, labels } = pod.metadata;
    const known = orphans.get(namespace);
    if (known === undefined) orphans.set(namespace, new Map([[uid, pod]]));
    else known.set(uid, pod);
    for (const daemon of byNamespace.get(namespace) ?? []) {
      if (!daemon.selects(labels) || pod.metadata.deletionTimestamp !== undefined) daemon.adoptable.delete(uid);
      else {
        daemon.adoptable.set(uid, pod);
        onChange(daemon);
      }
    }
  }

  function dropOrphan(pod: Stored<Pod>): void {
    const { namespace = '', uid } = pod.metadata;
    const known = orphans.get(namespace);
    if (known?.delete(uid) !== true) return;
    if (known.size === 0) orphans.delete(namespace);
    for (const daemon of byNamespace.get(namespace) ?? []) daemon.adoptable.delete(uid);
  }

  function lose(pod: Stored<Pod>): void {
    const { uid } = pod.metadata;
    dropOrphan(pod);
    const owner = ownerOf(pod);
    if (owner === undefined) return;
    const stash = waiting.get(owner);
    if (stash?.delete(uid) === true && stash.size === 0) waiting.delete(owner);
    const daemon = byUid.get(owner);
    if (daemon === undefined) return;
    daemon.gone.delete(uid);
    daemon.unconfirmed.delete(uid);
    daemon.releasable.delete(uid);
    tell(engine.apply({ type: 'child-gone', daemon: owner, child: pod }));
  }

  function forget(daemon: KnownDaemon): void {
    const { namespace = '' } = daemon.set.metadata;
    byName.delete(keyText(daemon.key));
    const neighbours = byNamespace.get(namespace);
    if (neighbours?.delete(daemon) === true && neighbours.size === 0) byNamespace.delete(namespace);
    // Its pods live on until the garbage collector takes them; should it come back, they are still its own.
    const pods = [...view(daemon).allChildren(), ...daemon.releasable.values()];
    if (pods.length > 0) waiting.set(daemon.uid, new Map(pods.map((pod) => [pod.metadata.uid, pod])));
    byUid.delete(daemon.uid);
    engine.apply({ type: 'daemon-gone', key: daemon.uid });
  }

  const view = (daemon: KnownDaemon): DaemonSetView => {
    const found = engine.daemon(daemon.uid);
    if (found === undefined) throw new Error(`daemon ${keyText(daemon.key)} is not registered`);
    return found;
  };

  return {
    engine,
    byName: (key) => byName.get(key),
    byUid: (uid) => byUid.get(uid),
    all: () => byUid.values(),
    inNamespace: (namespace) => byNamespace.get(namespace) ?? [],
    view,
    forget,

    register(set, definition) {
      const key = keyOf(set);
      const { uid, namespace = '' } = set.metadata;
      const daemon: KnownDaemon = {
        key,
        uid,
        set,
        selects: compileSelects(set),
        definition,
        maker: undefined,
        history: undefined,
        written: new Map(),
        order: { label: undefined, line: createRolloutOrder(engine) },
        doubts: new Set(),
        adoptable: new Map(),
        knowsOrphans: isSynced(set),
        letGo: new Set(),
        releasable: new Map(),
        unconfirmed: new Map(),
        gone: new Set(),
        syncedAt: Number.NEGATIVE_INFINITY,
        busy: false,
        again: false,
        toldState: undefined,
        toldAnnotations: NOTHING_TOLD,
      };
      byUid.set(uid, daemon);
      byName.set(keyText(key), daemon);
      const neighbours = byNamespace.get(namespace);
      if (neighbours === undefined) byNamespace.set(namespace, new Set([daemon]));
      else neighbours.add(daemon);
      engine.apply({ type: 'daemon', daemon: definition });
      for (const pod of waiting.get(uid)?.values() ?? []) take(daemon, pod, undefined);
      waiting.delete(uid);
      for (const pod of orphans.get(namespace)?.values() ?? []) {
        if (pod.metadata.deletionTimestamp === undefined && daemon.selects(pod.metadata.labels))
          daemon.adoptable.set(pod.metadata.uid, pod);
      }
      return daemon;
    },

    define(daemon, definition) {
      daemon.definition = definition;
      engine.apply({ type: 'daemon', daemon: definition });
    },

    seeNode: (node) => tell(engine.apply({ type: 'node', node })),
    nodeGone: (node) => tell(engine.apply({ type: 'node-gone', name: node.metadata.name })),

    seePods(changes) {
      for (const change of changes) {
        if (change.type === 'delete') lose(change.object);
        else if (change.old !== undefined && change.old.metadata.uid !== change.object.metadata.uid) {
          // One pod went and another of its name came between two looks.
          lose(change.old);
          see(change.object, undefined);
        } else see(change.object, change.old);
      }
    },

    wrote(daemon, pod) {
      const { uid, name, namespace } = pod.metadata;
      const cached = pods.lister.get(name, namespace);
      if (cached?.metadata.uid !== uid && isSeenBy(pods, pod)) {
        // The watch was quicker than the answer and will say no more: the pod has come and gone.
        daemon.unconfirmed.delete(uid);
        tell(engine.apply({ type: 'child-gone', daemon: daemon.uid, child: pod }));
        return;
      }
      if (cached?.metadata.uid !== uid || (compareVersions(cached, pod) ?? -1) < 0) daemon.unconfirmed.set(uid, pod);
      if (ownerOf(pod) !== daemon.uid) {
        engine.apply({ type: 'child-gone', daemon: daemon.uid, child: pod });
        return;
      }
      const touched = engine.apply({ type: 'child', daemon: daemon.uid, child: pod });
      // One that has ended and is being deleted counts for nothing any more: its node wants another now, and the watch will
      // have nothing to add to that.
      if (isTerminal(pod) && pod.metadata.deletionTimestamp !== undefined) tell(touched);
    },

    vanished(daemon, pod) {
      const { uid, name, namespace } = pod.metadata;
      daemon.unconfirmed.delete(uid);
      if (pods.lister.get(name, namespace)?.metadata.uid === uid) daemon.gone.add(uid);
      // Told, because the watch will have nothing to add: its node wants another pod now.
      tell(engine.apply({ type: 'child-gone', daemon: daemon.uid, child: pod }));
    },

    reconcileAnswers(daemon) {
      for (const [uid, pod] of daemon.unconfirmed) {
        if (!isSeenBy(pods, pod)) continue;
        daemon.unconfirmed.delete(uid);
        const { name, namespace } = pod.metadata;
        if (pods.lister.get(name, namespace)?.metadata.uid !== uid)
          engine.apply({ type: 'child-gone', daemon: daemon.uid, child: pod });
      }
    },

    tick: () => tell(engine.apply({ type: 'time', now: clock.now() })),
  };
}

/** Somebody has brought it to its desired state before, orphans and all. */
const isSynced = ({ status }: DaemonSet): boolean => (status?.observedGeneration ?? 0) > 0;

/** The cache is at least as new as this pod. */
const isSeenBy = (pods: Informer<Pod>, { metadata: { resourceVersion } }: Stored<Pod>): boolean =>
  (compareResourceVersions(pods.resourceVersion, resourceVersion) ?? -1) >= 0;

const compareVersions = (a: Stored<Pod>, b: Stored<Pod>): number | undefined =>
  compareResourceVersions(a.metadata.resourceVersion, b.metadata.resourceVersion);
