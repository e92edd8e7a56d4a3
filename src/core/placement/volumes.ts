/**
 * The demands of a pod's volumes on a node: disks that cannot be mounted twice, claims one pod may hold alone, how many
 * volumes a driver attaches, and where bound (or yet to be bound) volumes are reachable.
 */
import type {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  TopologySelectorTerm,
  Volume,
} from '../api/types/core-v1.ts';
import type { CSINode, StorageClass } from '../api/types/storage-v1.ts';
import { labelOf } from '../kube/labels.ts';
import { createNo, type No } from './answer.ts';
import type { Labels } from './label-match.ts';
import type { NodeState } from './node-state.ts';
import { podNamespace, type PodRecord } from './pod-record.ts';
import { BIND_COMPLETED, findVolume, isReachable, SELECTED_NODE, sizeOf } from './volume-match.ts';

/** Storage objects as placement needs to look them up. */
export interface StorageView {
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  storageClass(name: string): StorageClass | undefined;
  csiNode(nodeName: string): CSINode | undefined;
  /** Volumes of the class that no claim holds. */
  availableVolumes(className: string): Iterable<PersistentVolume>;
  /** The volume that names the claim. */
  volumeMeantFor(claim: PersistentVolumeClaim): PersistentVolume | undefined;
}

export interface DelayedClaim {
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
}

/** The pod's volumes, resolved once per pod. */
export interface PodVolumes {
  /** The pod cannot run anywhere as things are. */
  readonly refusal: No | undefined;
  /** In-line disks that other pods of the node may hold. */
  readonly disks: readonly Volume[];
  /** Claims that only one pod may use, as `namespace/name`. */
  readonly exclusiveClaims: readonly string[];
  readonly bound: readonly PersistentVolume[];
  /** Claims that are bound when the pod has a node, the smallest first. */
  readonly delayed: readonly DelayedClaim[];
  /** Nothing to check on any node. */
  readonly none: boolean;
}

const NOTHING: PodVolumes = {
  refusal: undefined,
  disks: [],
  exclusiveClaims: [],
  bound: [],
  delayed: [],
  none: true,
};

const cannotBeShared = (volume: Volume): boolean =>
  volume.gcePersistentDisk !== undefined ||
  volume.awsElasticBlockStore !== undefined ||
  volume.iscsi !== undefined ||
  volume.rbd !== undefined;

/** The claim of a generic ephemeral volume carries the pod's name and the volume's. */
const claimNameOf = (pod: Pod, volume: Volume): string | undefined =>
  volume.persistentVolumeClaim?.claimName ??
  (volume.ephemeral === undefined ? undefined : `${pod.metadata.name}-${volume.name}`);

export function resolveVolumes(pod: Pod, storage: StorageView | undefined): PodVolumes {
  const volumes = pod.spec.volumes ?? [];
  const disks = volumes.filter(cannotBeShared);
  const claimed = storage === undefined ? [] : volumes.filter((volume) => claimNameOf(pod, volume) !== undefined);
  if (storage === undefined || claimed.length === 0)
    return disks.length === 0 ? NOTHING : { ...NOTHING, disks, none: false };

  const namespace = podNamespace(pod);
  const resolved = { exclusiveClaims: [] as string[], bound: [] as PersistentVolume[] };
  const delayed: DelayedClaim[] = [];
  let unbound: string | undefined;
  let missing: string | undefined;
  for (const volume of claimed) {
    const name = claimNameOf(pod, volume) ?? '';
    const claim = storage.claim(namespace, name);
    const problem = claimProblem(volume, name, claim);
    if (problem !== undefined || claim === undefined) {
      return { ...NOTHING, refusal: claimNo(problem ?? '', name), none: false };
    }
    if (claim.spec.accessModes?.includes('ReadWriteOncePod') && volume.persistentVolumeClaim !== undefined) {
      resolved.exclusiveClaims.push(`${namespace}/${name}`);
    }
    if (claim.spec.volumeName) {
      // A claim that names a volume does not have it until the two are bound to each other.
      if (labelOf(claim.metadata.annotations, BIND_COMPLETED) === undefined) unbound ??= name;
      const bound = storage.volume(claim.spec.volumeName);
      if (bound === undefined) missing ??= claim.spec.volumeName;
      else resolved.bound.push(bound);
      continue;
    }
    const storageClass = storage.storageClass(claim.spec.storageClassName ?? '');
    if (storageClass?.volumeBindingMode === 'WaitForFirstConsumer') delayed.push({ claim, storageClass });
    else unbound ??= name;
  }
  if (delayed.length > 1) delayed.sort((a, b) => (sizeOf(a.claim) < sizeOf(b.claim) ? -1 : 1));
  // In this order, because kube-scheduler asks about claims before it looks at their volumes.
  const refusal = unbound !== undefined ? unboundNo(unbound) : missing === undefined ? undefined : missingNo(missing);
  return { ...resolved, refusal, disks, delayed, none: false };
}

function claimProblem(volume: Volume, name: string, claim: PersistentVolumeClaim | undefined): string | undefined {
  if (claim === undefined) {
    return volume.ephemeral === undefined
      ? `persistentvolumeclaim "${name}" not found`
      : `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`;
  }
  if (claim.status?.phase === 'Lost') {
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec.volumeName ?? ''}"`;
  }
  return claim.metadata.deletionTimestamp === undefined
    ? undefined
    : `persistentvolumeclaim "${name}" is being deleted`;
}

const claimNo = (message: string, name: string): No =>
  createNo('ClaimUnusable', () => `create or repair the PersistentVolumeClaim \`${name}\` the pod mounts`, { message });

const unboundNo = (name: string): No =>
  createNo(
    'ClaimUnbound',
    () => `bind the PersistentVolumeClaim \`${name}\`: provide a volume for it or a working storage class`,
  );

const missingNo = (name: string): No =>
  createNo('VolumeMissing', () => 'recreate the claim: the PersistentVolume it was bound to is gone', {
    message: `persistentvolume "${name}" not found`,
  });

/** Judges one node. `exclusiveInUse` says whether another pod holds a claim that only one may hold. */
export function judgeVolumes(
  volumes: PodVolumes,
  state: NodeState,
  storage: StorageView | undefined,
  exclusiveInUse: boolean,
): readonly No[] {
  if (volumes.none) return NO_NOS;
  if (volumes.disks.length > 0 && diskConflict(volumes.disks, state.pods.values())) return [DISK_CONFLICT];
  if (exclusiveInUse) return [EXCLUSIVE_CONFLICT];
  if (storage === undefined) return NO_NOS;
  if (tooManyVolumes(volumes, state, storage)) return [TOO_MANY];
  const binding = bindingNos(volumes, state.node, storage);
  if (binding.length > 0) return binding;
  return zonesMatch(volumes.bound, state.node.metadata.labels) ? NO_NOS : [ZONE_MISMATCH];
}

const NO_NOS: readonly No[] = Object.freeze([]);
const DISK_CONFLICT = createNo(
  'DiskConflict',
  () => 'another pod on the node holds the same disk; mount it read-only in both, or elsewhere',
);
const EXCLUSIVE_CONFLICT = createNo(
  'ReadWriteOncePodConflict',
  () => 'delete the pod that uses the ReadWriteOncePod claim, or give this pod its own claim',
);
const TOO_MANY = createNo(
  'TooManyVolumes',
  () => 'the node cannot attach more volumes of this driver; detach some or use another node',
);
const ZONE_MISMATCH = createNo('VolumeZoneMismatch', () => "use a node in the zone and region of the pod's volumes");

function diskConflict(disks: readonly Volume[], pods: Iterable<PodRecord>): boolean {
  for (const { pod } of pods) {
    for (const theirs of pod.spec.volumes ?? []) if (disks.some((ours) => sameDisk(ours, theirs))) return true;
  }
  return false;
}

const bothReadOnly = (a: { readonly readOnly?: boolean }, b: { readonly readOnly?: boolean }): boolean =>
  a.readOnly === true && b.readOnly === true;

const pool = (source: { readonly pool?: string }): string => source.pool ?? 'rbd';

function sameDisk(a: Volume, b: Volume): boolean {
  const [gce, ebs, iscsi, rbd] = [a.gcePersistentDisk, a.awsElasticBlockStore, a.iscsi, a.rbd];
  if (gce && b.gcePersistentDisk && gce.pdName === b.gcePersistentDisk.pdName) {
    if (!bothReadOnly(gce, b.gcePersistentDisk)) return true;
  }
  if (ebs && b.awsElasticBlockStore && ebs.volumeID === b.awsElasticBlockStore.volumeID) return true;
  if (iscsi && b.iscsi && iscsi.iqn === b.iscsi.iqn && !bothReadOnly(iscsi, b.iscsi)) return true;
  if (!rbd || !b.rbd || bothReadOnly(rbd, b.rbd)) return false;
  const theirs = b.rbd;
  return (
    pool(rbd) === pool(theirs) &&
    rbd.image === theirs.image &&
    rbd.monitors.some((monitor) => theirs.monitors.includes(monitor))
  );
}

const handleOf = (volume: PersistentVolume): { driver: string; id: string } | undefined => {
  const { csi } = volume.spec;
  return csi === undefined ? undefined : { driver: csi.driver, id: `${csi.driver}/${csi.volumeHandle}` };
};

/** A claim that has no volume yet will have one of its class's driver. */
const handleToBe = (claim: PersistentVolumeClaim, { provisioner }: StorageClass): { driver: string; id: string } => ({
  driver: provisioner,
  id: `claim ${claim.metadata.namespace ?? ''}/${claim.metadata.name}`,
});

/** Counts each attached volume once, however many pods of the node mount it. */
function tooManyVolumes(volumes: PodVolumes, state: NodeState, storage: StorageView): boolean {
  const wanted = new Map<string, string>();
  for (const volume of volumes.bound) {
    const handle = handleOf(volume);
    if (handle !== undefined) wanted.set(handle.id, handle.driver);
  }
  for (const { claim, storageClass } of volumes.delayed) {
    const handle = handleToBe(claim, storageClass);
    wanted.set(handle.id, handle.driver);
  }
  if (wanted.size === 0) return false;
  const limits = new Map<string, number>();
  for (const driver of storage.csiNode(state.name)?.spec.drivers ?? []) {
    if (driver.allocatable?.count !== undefined) limits.set(driver.name, driver.allocatable.count);
  }
  if (limits.size === 0) return false;

  const attached = new Map<string, string>();
  for (const { pod, namespace } of state.pods.values()) {
    for (const volume of pod.spec.volumes ?? []) {
      const claimName = claimNameOf(pod, volume);
      const claim = claimName === undefined ? undefined : storage.claim(namespace, claimName);
      if (claim === undefined) continue;
      const bound = claim.spec.volumeName ? storage.volume(claim.spec.volumeName) : undefined;
      const storageClass = bound === undefined ? storage.storageClass(claim.spec.storageClassName ?? '') : undefined;
      const handle = bound === undefined ? storageClass && handleToBe(claim, storageClass) : handleOf(bound);
      if (handle !== undefined) attached.set(handle.id, handle.driver);
    }
  }
  for (const [driver, limit] of limits) {
    let [current, added] = [0, 0];
    for (const owner of attached.values()) if (owner === driver) current++;
    for (const [id, owner] of wanted) if (owner === driver && !attached.has(id)) added++;
    if (added > 0 && current + added > limit) return true;
  }
  return false;
}

function bindingNos(volumes: PodVolumes, node: Node, storage: StorageView): readonly No[] {
  const nos: No[] = [];
  const { labels } = node.metadata;
  const unreachable = volumes.bound.find((volume) => !isReachable(volume, labels));
  if (unreachable !== undefined) {
    const { name } = unreachable.metadata;
    nos.push(
      createNo('VolumeNodeAffinityMismatch', () => `use a node that PersistentVolume \`${name}\` can be reached from`),
    );
  }
  const plan = volumes.delayed.length === 0 ? NO_PLAN : planVolumes(volumes.delayed, node, storage);
  if (plan.impossible !== undefined) {
    const { name } = plan.impossible.metadata;
    nos.push(
      createNo('NoVolumeToBind', () => `provide a volume for claim \`${name}\` on this node, or allow its class here`),
    );
  }
  return nos;
}

const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/** How the claims of a pod on a node get their volumes. */
export interface VolumePlan {
  readonly bind: readonly { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume }[];
  /** Claims to provision a volume for. */
  readonly provision: readonly PersistentVolumeClaim[];
  /** A claim that can have no volume on this node. */
  readonly impossible: PersistentVolumeClaim | undefined;
}

const NO_PLAN: VolumePlan = { bind: [], provision: [], impossible: undefined };

export function planVolumes(delayed: readonly DelayedClaim[], node: Node, storage: StorageView): VolumePlan {
  const { labels, name: nodeName } = node.metadata;
  const bind: { claim: PersistentVolumeClaim; volume: PersistentVolume }[] = [];
  const provision: PersistentVolumeClaim[] = [];
  const taken = new Set<string>();
  for (const { claim, storageClass } of delayed) {
    const selected = claim.metadata.annotations?.[SELECTED_NODE];
    if (selected !== undefined && selected !== nodeName) return { bind, provision, impossible: claim };
    // A claim that is being provisioned for this very node gets no other volume.
    const volume =
      selected === undefined
        ? findVolume(claim, {
            meant: storage.volumeMeantFor(claim),
            free: storage.availableVolumes(storageClass.metadata.name),
            labels: labels ?? {},
            taken,
          })
        : undefined;
    if (volume !== undefined) {
      taken.add(volume.metadata.name);
      bind.push({ claim, volume });
    } else if (mayProvision(storageClass, labels)) provision.push(claim);
    else return { bind, provision, impossible: claim };
  }
  return { bind, provision, impossible: undefined };
}

const mayProvision = ({ provisioner, allowedTopologies }: StorageClass, labels: Labels): boolean =>
  provisioner !== '' && provisioner !== NO_PROVISIONER && allowedTopology(allowedTopologies, labels);

function allowedTopology(terms: readonly TopologySelectorTerm[] | undefined, labels: Labels): boolean {
  if (terms === undefined || terms.length === 0) return true;
  return terms.some(({ matchLabelExpressions }) => {
    if (matchLabelExpressions === undefined || matchLabelExpressions.length === 0) return false;
    return matchLabelExpressions.every(({ key, values }) => values.includes(labelOf(labels, key) ?? ''));
  });
}

const ZONE_LABELS: readonly (readonly [written: string, modern: string])[] = [
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['topology.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['topology.kubernetes.io/region', 'topology.kubernetes.io/region'],
];

/** A volume's zone labels, several zones joined by `__`. Nodes without any zone label take every volume. */
function zonesMatch(bound: readonly PersistentVolume[], labels: Labels): boolean {
  if (bound.length === 0 || ZONE_LABELS.every(([key]) => labelOf(labels, key) === undefined)) return true;
  for (const volume of bound) {
    for (const [key, modern] of ZONE_LABELS) {
      const written = labelOf(volume.metadata.labels, key);
      if (written === undefined) continue;
      const zones = written.split('__').map((zone) => zone.trim());
      if (zones.includes('')) continue;
      const here = labelOf(labels, key) ?? labelOf(labels, modern);
      if (here === undefined || !zones.includes(here)) return false;
    }
  }
  return true;
}
