/**
 * Claims that are bound when their pod has a node. A pod that is given a node takes volumes with it: they count as taken
 * from that moment (`reserve`), the API is told before the pod is bound, and the pod waits until whoever keeps volumes, or
 * provisions them, has made claim and volume one. A step that was lost is found again: a volume that names a claim is
 * that claim's.
 */
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../core/api/registry/resources.ts';
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '../../core/api/types/core-v1.ts';
import { withAnnotations } from '../../core/kube/labels.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { BIND_COMPLETED, boundTo, isMeantFor, isReachable, SELECTED_NODE } from '../../core/placement/volume-match.ts';
import { planVolumes, resolveVolumes, type StorageView } from '../../core/placement/volumes.ts';
import { type Assumption, Assumptions, fulfil, newAssumption, shows } from '../../machinery/children/assumptions.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import { hasClaims } from './queue/storage-hints.ts';

export interface Reservation {
  /** Tells the API and waits until all is bound. Answers with what went wrong; rejects only when the signal fires. */
  bind(signal: AbortSignal): Promise<string | undefined>;
  /** The pod does not go there after all: what the API was not told of is free again. */
  undo(): void;
}

export interface VolumeBindings {
  /** Storage as it will be when everything decided has been done. */
  readonly view: StorageView;
  /** Takes the volumes the pod needs on this node; `undefined` when it needs none. */
  reserve(pod: Stored<Pod>, node: Node): Reservation | undefined;
  /** The caches show another state of these: what was assumed may have come true, and who waits for it looks again. */
  claimChanged(claim: PersistentVolumeClaim): void;
  volumeChanged(volume: PersistentVolume): void;
  podGone(uid: string): void;
}

export interface VolumeBindingsOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Storage as the caches show it. */
  readonly seen: StorageView;
  readonly isThere: (pod: Stored<Pod>) => boolean;
  /** How long claims may take; ten minutes, as in kube-scheduler. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 600_000;

const keyOf = ({ metadata: { namespace = '', name } }: PersistentVolumeClaim): string => `${namespace}/${name}`;
/** What somebody may wait for: a claim, a volume, or that a pod goes. */
const claimTopic = (claim: PersistentVolumeClaim): string => `claim ${keyOf(claim)}`;
const volumeTopic = (name: string): string => `volume ${name}`;
const podTopic = (uid: string): string => `pod ${uid}`;

export function createVolumeBindings(options: VolumeBindingsOptions): VolumeBindings {
  const { client, clock, seen } = options;
  const volumes = new Assumptions<PersistentVolume>();
  const claims = new Assumptions<PersistentVolumeClaim>();
  const waiting = new Map<string, Set<() => void>>();

  const view: StorageView = {
    ...seen,
    claim: (namespace, name) => claims.get(`${namespace}/${name}`)?.object ?? seen.claim(namespace, name),
    volume: (name) => volumes.get(name)?.object ?? seen.volume(name),
    *availableVolumes(className) {
      for (const volume of seen.availableVolumes(className))
        if (volumes.get(volume.metadata.name) === undefined) yield volume;
    },
    volumeMeantFor(claim) {
      for (const object of volumes.objects()) if (isMeantFor(object, claim)) return object;
      return seen.volumeMeantFor(claim);
    },
  };

  const tellWaiting = (topic: string): void => {
    for (const wake of waiting.get(topic) ?? []) wake();
  };

  /** Until one of these changes, or the time has come. */
  async function pause(topics: readonly string[], until: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    const timer = clock.after(until - clock.monotonic(), wake);
    signal.addEventListener('abort', wake, { once: true });
    for (const topic of topics) {
      const others = waiting.get(topic);
      if (others === undefined) waiting.set(topic, new Set([wake]));
      else others.add(wake);
    }
    await promise;
    for (const topic of topics) {
      const others = waiting.get(topic);
      if (others?.delete(wake) === true && others.size === 0) waiting.delete(topic);
    }
    signal.removeEventListener('abort', wake);
    timer.cancel();
    signal.throwIfAborted();
  }

  function topicsOf(pod: Stored<Pod>, chosen: readonly Chosen[], asked: readonly Asked[]): readonly string[] {
    const topics = [podTopic(pod.metadata.uid)];
    for (const { name, claim } of chosen) topics.push(volumeTopic(name), claimTopic(claim));
    for (const { assumed } of asked) {
      const { namespace = '', name } = assumed.object.metadata;
      topics.push(claimTopic(assumed.object), volumeTopic(seen.claim(namespace, name)?.spec.volumeName ?? ''));
    }
    return topics;
  }

  function reserve(pod: Stored<Pod>, node: Node): Reservation | undefined {
    if (!hasClaims(pod)) return undefined;
    const { delayed } = resolveVolumes(pod, view);
    if (delayed.length === 0) return undefined;
    const { bind, provision } = planVolumes(delayed, node, view);
    const chosen = bind.map(({ claim, volume }): Chosen => {
      const object = boundTo(volume, claim);
      const name = volume.metadata.name;
      const assumed = volumes.get(name) ?? newAssumption(object);
      if (object !== volume) volumes.assume(name, assumed);
      return { name, claim, assumed, isNew: object !== volume };
    });
    const asked = provision.map((claim): Asked => {
      const { name } = node.metadata;
      const isNew = claim.metadata.annotations?.[SELECTED_NODE] !== name;
      const object = isNew ? withAnnotations(claim, { [SELECTED_NODE]: name }) : claim;
      const assumed = newAssumption(object);
      if (isNew) claims.assume(keyOf(claim), assumed);
      return { assumed, isNew };
    });

    return {
      async bind(signal) {
        try {
          await tell(chosen, asked, signal);
          const deadline = clock.monotonic() + (options.timeoutMs ?? TIMEOUT_MS);
          while (!isDone(pod, node, chosen, asked)) {
            if (clock.monotonic() >= deadline) throw new Error('binding volumes: context deadline exceeded');
            await pause(topicsOf(pod, chosen, asked), deadline, signal);
          }
          return undefined;
        } catch (error) {
          if (signal.aborted) throw error;
          return `running PreBind plugin "VolumeBinding": ${error instanceof Error ? error.message : String(error)}`;
        }
      },
      undo() {
        for (const { name, assumed } of chosen) volumes.undo(name, assumed);
        for (const { assumed } of asked) claims.undo(keyOf(assumed.object), assumed);
      },
    };
  }

  async function tell(chosen: readonly Chosen[], asked: readonly Asked[], signal: AbortSignal): Promise<void> {
    for (const { assumed, isNew } of chosen) {
      if (!isNew || assumed.written !== undefined) continue;
      fulfil(assumed, await client.update(PERSISTENT_VOLUMES, assumed.object, { signal }));
    }
    for (const { assumed, isNew } of asked) {
      if (!isNew) continue;
      fulfil(assumed, await client.update(PERSISTENT_VOLUME_CLAIMS, assumed.object, { signal }));
    }
  }

  /** Throws where it can no longer come about: then the pod is decided anew. */
  function isDone(pod: Stored<Pod>, node: Node, chosen: readonly Chosen[], asked: readonly Asked[]): boolean {
    if (!options.isThere(pod)) throw new Error('pod does not exist any more');
    const current = ({ metadata: { namespace = '', name } }: PersistentVolumeClaim): PersistentVolumeClaim => {
      const claim = seen.claim(namespace, name);
      if (claim === undefined) throw new Error(`failed to check binding: persistentvolumeclaim "${name}" not found`);
      return claim;
    };
    for (const { name, claim, assumed } of chosen) {
      // Another pod with the same claim is about to tell the API.
      if (volumes.get(name) === assumed && assumed.written === undefined) return false;
      const volume = seen.volume(name);
      if (volume === undefined) throw new Error(`failed to check binding: persistentvolume "${name}" not found`);
      if (!shows(volume, assumed)) return false;
      if ((volume.spec.claimRef?.uid ?? '') === '') throw new Error(`ClaimRef got reset for pv "${name}"`);
      if (!isFullyBound(current(claim))) return false;
    }
    for (const { assumed } of asked) {
      const claim = current(assumed.object);
      const { name } = claim.metadata;
      if (!shows(claim, assumed)) return false;
      if (claim.metadata.annotations?.[SELECTED_NODE] !== node.metadata.name)
        throw new Error(`provisioning failed for PVC "${name}"`);
      const { volumeName = '' } = claim.spec;
      const volume = seen.volume(volumeName);
      if (volume !== undefined && !isReachable(volume, node.metadata.labels))
        throw new Error(`pv "${volumeName}" node affinity doesn't match node "${node.metadata.name}"`);
      if (volume === undefined || !isFullyBound(claim)) return false;
    }
    return true;
  }

  return {
    view,
    reserve,
    claimChanged(claim) {
      const { namespace = '', name } = claim.metadata;
      if (!claims.isEmpty) claims.confirm(keyOf(claim), seen.claim(namespace, name));
      tellWaiting(claimTopic(claim));
    },
    volumeChanged({ metadata: { name } }) {
      if (!volumes.isEmpty) volumes.confirm(name, seen.volume(name));
      tellWaiting(volumeTopic(name));
    },
    podGone: (uid) => tellWaiting(podTopic(uid)),
  };
}

interface Chosen {
  readonly name: string;
  readonly claim: PersistentVolumeClaim;
  readonly assumed: Assumption<PersistentVolume>;
  /** The API does not know yet. */
  readonly isNew: boolean;
}

interface Asked {
  readonly assumed: Assumption<PersistentVolumeClaim>;
  readonly isNew: boolean;
}

const isFullyBound = ({ spec, metadata }: PersistentVolumeClaim): boolean =>
  (spec.volumeName ?? '') !== '' && metadata.annotations?.[BIND_COMPLETED] !== undefined;
