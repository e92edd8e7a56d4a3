/**
 * Keeps storage that is in use. Claims, volumes and classes of volume attributes carry a finalizer; here it is given to
 * those that came without, and taken off those that are to go as soon as nothing uses them: a claim when no pod that has
 * a node mounts it, a volume when it is not bound, a class when no claim and no volume names it.
 */
import {
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  VOLUME_ATTRIBUTES_CLASSES,
} from '../../../core/api/registry/resources.ts';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../../core/api/types/core-v1.ts';
import { hasFinalizer, isBeingDeleted, withFinalizer, withoutFinalizer } from '../../../core/kube/finalizers.ts';
import type { KubeObject, ObjectKey, Resource, Stored } from '../../../core/kube/objects.ts';
import { isControlledBy } from '../../../core/kube/owner-references.ts';
import { STORAGE_PROTECTION } from '../../../core/kube/storage-protection.ts';
import type { Actor } from '../../../machinery/actor.ts';
import { createController, type Controller } from '../../../machinery/controller/controller.ts';
import type { Informer } from '../../../machinery/cache/informer.ts';
import type { KeeperOptions } from '../keeper.ts';

type Claim = Stored<PersistentVolumeClaim>;

interface Guard<T extends KubeObject> {
  readonly name: string;
  readonly resource: Resource<T>;
  readonly finalizer: string;
  isUsed(object: Stored<T>): boolean | Promise<boolean>;
}

/** A controller that adds the finalizer to live objects and removes it from unused ones that are being deleted. */
function guard<T extends KubeObject>(
  { client, informers, clock, random, logger, metrics }: KeeperOptions,
  { name, resource, finalizer, isUsed }: Guard<T>,
): { readonly controller: Controller<ObjectKey>; readonly informer: Informer<T> } {
  const informer = informers.for(resource);
  const controller = createController<ObjectKey>({
    name,
    clock,
    random,
    ...(logger === undefined ? {} : { logger }),
    ...(metrics === undefined ? {} : { metrics }),
    async reconcile(key) {
      const object = informer.lister.get(key.name, key.namespace);
      if (object === undefined) return;
      if (!isBeingDeleted(object)) {
        if (!hasFinalizer(object, finalizer)) await client.update(resource, withFinalizer(object, finalizer));
      } else if (hasFinalizer(object, finalizer) && !(await isUsed(object))) {
        await client.update(resource, withoutFinalizer(object, finalizer));
      }
    },
  });
  controller.watch(informer, ({ metadata: { name: own, namespace } }) => [
    namespace === undefined ? { name: own } : { name: own, namespace },
  ]);
  return { controller, informer };
}

export function createClaimProtection(options: KeeperOptions): Actor {
  const { client, informers } = options;
  const pods = informers.for(PODS);
  const { controller, informer } = guard<PersistentVolumeClaim>(options, {
    name: 'persistentvolumeclaim-protection-controller',
    resource: PERSISTENT_VOLUME_CLAIMS,
    finalizer: STORAGE_PROTECTION['/persistentvolumeclaims'],
    async isUsed(claim) {
      const { namespace = '' } = claim.metadata;
      for (const pod of pods.lister.list(namespace)) if (mounts(pod, claim)) return true;
      // A cache may lack the newest pod; a claim goes only when the server shows no pod that mounts it.
      const { items } = await client.list(PODS, { namespace });
      return items.some((pod) => mounts(pod, claim));
    },
  });
  // Claims that wait for a pod to go, by namespace: they are rare, while pods come and go all the time.
  const waiting = new Map<string, Map<string, ObjectKey>>();
  controller.watch(informer, (claim, { type }) => {
    const { name, namespace = '' } = claim.metadata;
    const inNamespace = waiting.get(namespace);
    if (type !== 'delete' && isBeingDeleted(claim)) {
      if (inNamespace === undefined) waiting.set(namespace, new Map([[name, { name, namespace }]]));
      else inNamespace.set(name, { name, namespace });
    } else if (inNamespace?.delete(name) === true && inNamespace.size === 0) waiting.delete(namespace);
    return [];
  });
  controller.watch(pods, (pod, { type }) => {
    if (waiting.size === 0) return NONE;
    const claims = waiting.get(pod.metadata.namespace ?? '');
    if (claims === undefined || (type !== 'delete' && !isShutDown(pod))) return NONE;
    return claimsOf(pod).flatMap((name) => claims.get(name) ?? NONE);
  });
  return controller;
}

const NONE: readonly ObjectKey[] = [];

/**
 * Names of the claims a pod may mount. For an ephemeral volume, the claim's controller says whether it is the pod's.
 */
const claimsOf = ({ metadata, spec }: Stored<Pod>): readonly string[] =>
  (spec?.volumes ?? []).flatMap(({ ephemeral, name, persistentVolumeClaim }) => {
    if (ephemeral !== undefined) return [`${metadata.name}-${name}`];
    return persistentVolumeClaim === undefined ? [] : [persistentVolumeClaim.claimName];
  });

/** A pod without a node will not get to run with a claim that is being deleted. */
function mounts(pod: Stored<Pod>, claim: Claim): boolean {
  const { nodeName = '', volumes = [] } = pod.spec ?? {};
  if (nodeName === '') return false;
  const { name } = claim.metadata;
  return volumes.some(
    ({ ephemeral, name: volume, persistentVolumeClaim }) =>
      persistentVolumeClaim?.claimName === name ||
      (ephemeral !== undefined &&
        `${pod.metadata.name}-${volume}` === name &&
        !isShutDown(pod) &&
        isControlledBy(claim, pod)),
  );
}

/** The pod's kubelet has stopped it, or it was force-deleted: only its finalizers keep it. */
const isShutDown = (pod: Stored<Pod>): boolean => isBeingDeleted(pod) && pod.metadata.deletionGracePeriodSeconds === 0;

export function createVolumeProtection(options: KeeperOptions): Actor {
  return guard<PersistentVolume>(options, {
    name: 'persistentvolume-protection-controller',
    resource: PERSISTENT_VOLUMES,
    finalizer: STORAGE_PROTECTION['/persistentvolumes'],
    isUsed: ({ status }) => status?.phase === 'Bound',
  }).controller;
}

export function createAttributesClassProtection(options: KeeperOptions): Actor {
  const volumes = options.informers.for(PERSISTENT_VOLUMES);
  const claims = options.informers.for(PERSISTENT_VOLUME_CLAIMS);
  const { controller } = guard(options, {
    name: 'volumeattributesclass-protection-controller',
    resource: VOLUME_ATTRIBUTES_CLASSES,
    finalizer: STORAGE_PROTECTION['storage.k8s.io/volumeattributesclasses'],
    isUsed({ metadata: { name } }) {
      for (const volume of volumes.lister.list()) if (classesOfVolume(volume).includes(name)) return true;
      for (const claim of claims.lister.list()) if (classesOfClaim(claim).includes(name)) return true;
      return false;
    },
  });
  const named = (names: readonly string[]): readonly ObjectKey[] => names.map((name) => ({ name }));
  controller
    .watch(volumes, (volume) => named(classesOfVolume(volume)))
    .watch(claims, (claim) => named(classesOfClaim(claim)));
  return controller;
}

const given = (names: readonly (string | undefined)[]): readonly string[] =>
  names.filter((name) => name !== undefined && name !== '') as readonly string[];
const classesOfVolume = ({ spec }: PersistentVolume): readonly string[] => given([spec.volumeAttributesClassName]);
const classesOfClaim = ({ spec, status }: PersistentVolumeClaim): readonly string[] =>
  given([
    spec.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ]);

/** The resources whose objects are protected, by the controller that does it. */
export const STORAGE_GUARDS = {
  'persistentvolumeclaim-protection-controller': {
    resource: '/persistentvolumeclaims',
    create: createClaimProtection,
  },
  'persistentvolume-protection-controller': { resource: '/persistentvolumes', create: createVolumeProtection },
  'volumeattributesclass-protection-controller': {
    resource: 'storage.k8s.io/volumeattributesclasses',
    create: createAttributesClassProtection,
  },
} as const;
