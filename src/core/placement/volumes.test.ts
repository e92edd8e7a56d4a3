import { describe, expect, it } from 'vitest';
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '../api/types/core-v1.ts';
import type { CSINode, StorageClass } from '../api/types/storage-v1.ts';
import { type ClusterState, createClusterState } from './cluster-state.ts';
import { compilePod, evaluate } from './filters.ts';
import { preparePod } from './prepared-pod.ts';
import { selectVictims } from './victims.ts';
import { BIND_COMPLETED, isMeantFor } from './volume-match.ts';
import type { StorageView } from './volumes.ts';

interface Storage {
  readonly claims?: readonly PersistentVolumeClaim[];
  readonly volumes?: readonly PersistentVolume[];
  readonly classes?: readonly StorageClass[];
  readonly limits?: { readonly [driver: string]: number };
}
const view = ({ claims = [], volumes = [], classes = [], limits }: Storage): StorageView => ({
  claim: (_, name) => claims.find((claim) => claim.metadata.name === name),
  volume: (name) => volumes.find((volume) => volume.metadata.name === name),
  storageClass: (name) => classes.find((each) => each.metadata.name === name),
  csiNode: (name): CSINode | undefined =>
    limits && {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name },
      spec: {
        drivers: Object.entries(limits).map(([driver, count]) => ({
          name: driver,
          nodeID: name,
          allocatable: { count },
        })),
      },
    },
  availableVolumes: (name) =>
    volumes.filter(
      ({ spec, status }) =>
        spec.storageClassName === name && status?.phase === 'Available' && spec.claimRef === undefined,
    ),
  volumeMeantFor: (claim) => volumes.find((volume) => isMeantFor(volume, claim)),
});
const claim = (
  name: string,
  spec: Partial<PersistentVolumeClaim['spec']> = {},
  more: Partial<PersistentVolumeClaim> = {},
): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, ...(spec.volumeName === undefined ? {} : { annotations: { [BIND_COMPLETED]: 'yes' } }) },
  spec,
  ...more,
});
const volume = (
  name: string,
  spec: Partial<PersistentVolume['spec']> = {},
  labels: { [key: string]: string } = {},
): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name, labels },
  spec,
  status: { phase: 'Available' },
});
const storageClass = (name: string, more: Partial<StorageClass> = {}): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner: 'x',
  volumeBindingMode: 'WaitForFirstConsumer',
  ...more,
});
const pod = (name: string, volumes: Volume[], more: Partial<Pod['spec']> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, uid: name, namespace: 'default' },
  spec: { containers: [{ name: 'c' }], volumes, ...more },
});
const mounts = (...names: string[]): Volume[] =>
  names.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
const node: Node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', labels: { 'topology.kubernetes.io/zone': 'z1', disk: 'ssd' } },
  spec: {},
  status: { allocatable: { pods: '9' } },
};
function clusterOf(storage: Storage | undefined, ...pods: Pod[]): ClusterState {
  const cluster = createClusterState(storage === undefined ? {} : { storage: view(storage) });
  cluster.setNode(node);
  for (const each of pods) cluster.setPod({ ...each, spec: { ...each.spec, nodeName: 'n' } });
  return cluster;
}
function messages(incoming: Pod, cluster: ClusterState): string[] {
  const state = cluster.nodes.get('n');
  const answer = state && evaluate(compilePod(incoming), state, cluster);
  return answer === undefined || answer.ok ? [] : answer.nos.map((no) => (no.fix === '' ? 'no advice' : no.message));
}
const requires = (value: string): Partial<PersistentVolume['spec']> => ({
  nodeAffinity: {
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: [value] }] }] },
  },
});

describe('disks that cannot be shared', () => {
  const gce = (readOnly: boolean): Volume => ({ name: 'v', gcePersistentDisk: { pdName: 'd', readOnly } });
  const rbd = (image: string, readOnly = false): Volume => ({
    name: 'v',
    rbd: { monitors: ['m1', 'm2'], image, readOnly },
  });
  const iscsi: Volume = { name: 'v', iscsi: { targetPortal: 't', iqn: 'q', lun: 0 } };
  const ebs: Volume = { name: 'v', awsElasticBlockStore: { volumeID: 'i', readOnly: true } };
  it.each<[string, Volume, Volume, boolean]>([
    ['a disk written by one', gce(false), gce(true), true],
    ['a disk both only read', gce(true), gce(true), false],
    ['EBS even when only read', ebs, ebs, true],
    ['iSCSI', iscsi, iscsi, true],
    ['RBD images that share a monitor', rbd('a'), rbd('a'), true],
    ['other RBD images', rbd('a'), rbd('b'), false],
    ['RBD images both only read', rbd('a', true), rbd('a', true), false],
    ['different kinds', gce(false), ebs, false],
  ])('%s', (_, ours, theirs, conflict) => {
    const cluster = clusterOf(undefined, pod('holder', [theirs]));
    expect(messages(pod('p', [ours]), cluster)).toEqual(conflict ? ['node(s) had no available disk'] : []);
  });
});

describe('claims', () => {
  it.each<[string, Storage, string]>([
    ['missing', {}, 'persistentvolumeclaim "c" not found'],
    [
      'lost',
      { claims: [claim('c', { volumeName: 'v' }, { status: { phase: 'Lost' } })] },
      'persistentvolumeclaim "c" bound to non-existent persistentvolume "v"',
    ],
    [
      'going away',
      { claims: [claim('c', {}, { metadata: { name: 'c', deletionTimestamp: '2026-01-01T00:00:00Z' } })] },
      'persistentvolumeclaim "c" is being deleted',
    ],
    [
      'unbound though they should be',
      {
        claims: [claim('c', { storageClassName: 's' })],
        classes: [storageClass('s', { volumeBindingMode: 'Immediate' })],
      },
      'pod has unbound immediate PersistentVolumeClaims',
    ],
    ['bound to nothing', { claims: [claim('c', { volumeName: 'gone' })] }, 'persistentvolume "gone" not found'],
    [
      'that ask for a volume by name and do not have it yet',
      { claims: [claim('c', { volumeName: 'v' }, { metadata: { name: 'c' } })], volumes: [volume('v')] },
      'pod has unbound immediate PersistentVolumeClaims',
    ],
    [
      'bound to a volume out of reach',
      { claims: [claim('c', { volumeName: 'v' })], volumes: [volume('v', requires('hdd'))] },
      "node(s) didn't match PersistentVolume's node affinity",
    ],
    [
      'without a volume to bind',
      {
        claims: [claim('c', { storageClassName: 's' })],
        classes: [storageClass('s', { provisioner: 'kubernetes.io/no-provisioner' })],
      },
      "node(s) didn't find available persistent volumes to bind",
    ],
    [
      'whose class does not serve this place',
      {
        claims: [claim('c', { storageClassName: 's' })],
        classes: [
          storageClass('s', { allowedTopologies: [{ matchLabelExpressions: [{ key: 'disk', values: ['hdd'] }] }] }),
        ],
      },
      "node(s) didn't find available persistent volumes to bind",
    ],
    [
      'with a volume in another zone',
      {
        claims: [claim('c', { volumeName: 'v' })],
        volumes: [volume('v', {}, { 'topology.kubernetes.io/zone': 'z2__z3' })],
      },
      'node(s) had no available volume zone',
    ],
  ])('%s', (_, storage, message) => {
    expect(messages(pod('p', mounts('c')), clusterOf(storage))).toEqual([message]);
  });

  it.each<[string, Storage]>([
    [
      'bound to a volume in reach',
      {
        claims: [claim('c', { volumeName: 'v' })],
        volumes: [volume('v', requires('ssd'), { 'topology.kubernetes.io/zone': 'z2__z1' })],
      },
    ],
    [
      'with old zone labels',
      {
        claims: [claim('c', { volumeName: 'v' })],
        volumes: [volume('v', {}, { 'failure-domain.beta.kubernetes.io/zone': 'z1' })],
      },
    ],
    [
      'whose class makes volumes',
      {
        claims: [claim('c', { storageClassName: 's' })],
        classes: [
          storageClass('s', { allowedTopologies: [{ matchLabelExpressions: [{ key: 'disk', values: ['ssd'] }] }] }),
        ],
      },
    ],
    [
      'with a volume waiting',
      {
        claims: [
          claim('c', {
            storageClassName: 's',
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '1Gi' } },
          }),
        ],
        volumes: [volume('v', { storageClassName: 's', accessModes: ['ReadWriteOnce'], capacity: { storage: '2Gi' } })],
        classes: [storageClass('s', { provisioner: 'kubernetes.io/no-provisioner' })],
      },
    ],
  ])('let the pod pass: %s', (_, storage) => {
    expect(messages(pod('p', mounts('c')), clusterOf(storage))).toEqual([]);
  });

  it('share no volume that waits, nor one that is too small', () => {
    const classes = [storageClass('s', { provisioner: 'kubernetes.io/no-provisioner' })];
    const volumes = [volume('v', { storageClassName: 's', capacity: { storage: '1Gi' } })];
    const two = {
      claims: [claim('c', { storageClassName: 's' }), claim('d', { storageClassName: 's' })],
      volumes,
      classes,
    };
    expect(messages(pod('p', mounts('c', 'd')), clusterOf(two))).toEqual([
      "node(s) didn't find available persistent volumes to bind",
    ]);
    const large = {
      claims: [claim('c', { storageClassName: 's', resources: { requests: { storage: '2Gi' } } })],
      volumes,
      classes,
    };
    expect(messages(pod('p', mounts('c')), clusterOf(large))).toEqual([
      "node(s) didn't find available persistent volumes to bind",
    ]);
  });

  it('of ephemeral volumes carry the names of pod and volume', () => {
    const ephemeral: Volume = { name: 'v', ephemeral: {} };
    expect(messages(pod('p', [ephemeral]), clusterOf({}))).toEqual([
      'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-v"',
    ]);
  });

  it('are not judged where storage is unknown', () => {
    expect(messages(pod('p', mounts('c')), clusterOf(undefined))).toEqual([]);
  });
});

describe('a claim only one pod may use', () => {
  const storage = {
    claims: [claim('c', { volumeName: 'v', accessModes: ['ReadWriteOncePod'] })],
    volumes: [volume('v')],
  };

  it('keeps others waiting, on every node', () => {
    expect(messages(pod('p', mounts('c')), clusterOf(storage, pod('holder', mounts('c'))))).toEqual([
      'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
    ]);
    expect(messages(pod('p', mounts('c')), clusterOf(storage))).toEqual([]);
  });

  it('may be freed by preempting its holder', () => {
    const cluster = clusterOf(storage, pod('holder', mounts('c')), pod('bystander', []));
    const state = cluster.nodes.get('n');
    const prepared = preparePod(compilePod(pod('p', mounts('c'), { priority: 10 })), cluster);
    expect(state && selectVictims(prepared, state, [])).toMatchObject({
      ok: true,
      victims: { pods: [{ key: 'holder' }] },
    });
  });
});

describe('how many volumes a driver attaches', () => {
  const csi = (name: string): PersistentVolume => volume(name, { csi: { driver: 'd', volumeHandle: name } });
  const storage = {
    claims: ['a', 'b', 'c'].map((name) => claim(name, { volumeName: name })),
    volumes: ['a', 'b', 'c'].map(csi),
  };

  it('is limited, each volume counted once', () => {
    const holder = pod('holder', mounts('a', 'b'));
    expect(messages(pod('p', mounts('c')), clusterOf({ ...storage, limits: { d: 2 } }, holder))).toEqual([
      'node(s) exceed max volume count',
    ]);
    expect(messages(pod('p', mounts('a')), clusterOf({ ...storage, limits: { d: 2 } }, holder))).toEqual([]);
    expect(messages(pod('p', mounts('c')), clusterOf({ ...storage, limits: { other: 0 } }, holder))).toEqual([]);
    expect(messages(pod('p', mounts('c')), clusterOf(storage, holder))).toEqual([]);
  });

  it('counts claims that have no volume yet as volumes of the driver that will make them', () => {
    const unbound = {
      claims: ['a', 'b', 'c'].map((name) => claim(name, { storageClassName: 'wait' })),
      classes: [storageClass('wait')],
    };
    const holder = pod('holder', mounts('a', 'b'));
    expect(messages(pod('p', mounts('c')), clusterOf({ ...unbound, limits: { x: 2 } }, holder))).toEqual([
      'node(s) exceed max volume count',
    ]);
    expect(messages(pod('p', mounts('c')), clusterOf({ ...unbound, limits: { x: 3 } }, holder))).toEqual([]);
    expect(messages(pod('p', mounts('b')), clusterOf({ ...unbound, limits: { x: 2 } }, holder))).toEqual([]);
  });
});
