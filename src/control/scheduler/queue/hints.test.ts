/** What wakes a pod, by the filter that refused it: kube-scheduler's registered events, one line each. */
import { describe, expect, it } from 'vitest';
import type { CSINode, StorageClass } from '../../../core/api/types/storage-v1.ts';
import type { PersistentVolume, PersistentVolumeClaim, Pod, PodSpec } from '../../../core/api/types/core-v1.ts';
import { createClusterState } from '../../../core/placement/cluster-state.ts';
import { compilePodOnce } from '../../../core/placement/compiled-pod.ts';
import { recordOf } from '../../../core/placement/pod-record.ts';
import { nodeOf, type NodeWish, pinnedTo, podOf, type PodWish } from '../testing/scheduler-harness.ts';
import { type ClusterChange, nodeAspects, podAspects } from './cluster-change.ts';
import { ownChangeHelps } from './own-change.ts';
import { queuedPod } from './queued-pod.ts';
import { REJECTOR } from './rejectors.ts';
import { createWaitingIndex } from './waiting-index.ts';

const R = REJECTOR;
type Rejectors = number;

/** A cluster with the given residents, and one waiting pod. */
function oneWaiting(
  wish: PodWish,
  rejectors: Rejectors,
  residents: readonly (readonly [string, string, PodWish])[] = [],
) {
  const cluster = createClusterState();
  cluster.setNamespace('default', {});
  for (const [name, on, resident] of residents) cluster.setPod(podOf(name, resident), on);
  const index = createWaitingIndex({ cluster, plugins: [] });
  const entry = queuedPod(podOf('waiting', wish), 0, 0);
  entry.rejectors = rejectors;
  const begin = (): void => index.add(entry, compilePodOnce(entry.pod));
  return { cluster, index, begin, calls: (change: ClusterChange) => index.helpedBy(change).length > 0 };
}

const anti = (app: string, topologyKey = 'kubernetes.io/hostname'): Partial<PodSpec> => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: { app } } }],
    },
  },
});
/** Repels with each of two terms. */
const antiBoth = (first: string, second: string): Partial<PodSpec> => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [first, second].map((app) => ({
        topologyKey: 'zone',
        labelSelector: { matchLabels: { app } },
      })),
    },
  },
});
const near = (app: string, topologyKey = 'kubernetes.io/hostname'): Partial<PodSpec> => ({
  affinity: {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: { app } } }],
    },
  },
});
const spread = (app: string): Partial<PodSpec> => ({
  topologySpreadConstraints: [
    { topologyKey: 'zone', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { app } } },
  ],
});

describe('a node that comes', () => {
  it.each<[string, PodWish, NodeWish, boolean]>([
    ['that fits', { cpu: 1 }, {}, true],
    ['that is too small', { cpu: 9 }, {}, false],
    ['that is tainted', { cpu: 1 }, { taint: 'x' }, false],
    ['that is tainted, and tolerated', { spec: { tolerations: [{ operator: 'Exists' }] } }, { taint: 'x' }, true],
    ['that is cordoned', { cpu: 1 }, { unschedulable: true }, false],
    ['that lacks the label', { spec: { nodeSelector: { disk: 'ssd' } } }, {}, false],
    ['that has the label', { spec: { nodeSelector: { disk: 'ssd' } } }, { labels: { disk: 'ssd' } }, true],
    ['that the pod is pinned to', { pin: 'a' }, {}, true],
    ['that the pod is not pinned to', { pin: 'b' }, {}, false],
  ])('%s', (_, wish, nodeWish, expected) => {
    const { cluster, begin, calls } = oneWaiting(wish, R.NodeResourcesFit | R.TaintToleration | R.NodeAffinity);
    begin();
    const node = nodeOf('a', nodeWish);
    cluster.setNode(node);
    expect(calls({ kind: 'node-added', node })).toBe(expected);
  });

  it('ends the wait of those who were told that there is none, whatever it is like', () => {
    const { cluster, begin, calls } = oneWaiting({ cpu: 9 }, R.NoNodes);
    begin();
    const node = nodeOf('a', { taint: 'x' });
    cluster.setNode(node);
    expect(calls({ kind: 'node-added', node })).toBe(true);
  });
});

describe('a node that changes', () => {
  it.each<[string, PodWish, NodeWish, NodeWish, boolean]>([
    ['a taint goes', { cpu: 1 }, { taint: 'x' }, {}, true],
    ['one taint goes and another comes', { cpu: 1 }, { taint: 'x' }, { taint: 'y' }, false],
    ['it is uncordoned', { cpu: 1 }, { unschedulable: true }, {}, true],
    ['it grows enough', { cpu: 5 }, { cpu: 4 }, { cpu: 8 }, true],
    ['it grows, not enough', { cpu: 9 }, { cpu: 4 }, { cpu: 8 }, false],
    ['it gets the label', { spec: { nodeSelector: { d: 's' } } }, {}, { labels: { d: 's' } }, true],
    ['a taint goes and there is no room', { cpu: 5 }, { taint: 'x' }, {}, false],
    ['the pod is pinned there', { cpu: 1, pin: 'a' }, { taint: 'x' }, {}, true],
    ['the pod is pinned elsewhere', { cpu: 1, pin: 'b' }, { taint: 'x' }, {}, false],
  ])('%s', (_, wish, before, after, expected) => {
    const { cluster, begin, calls } = oneWaiting(wish, R.NodeResourcesFit | R.TaintToleration);
    const [old, node] = [nodeOf('a', before), nodeOf('a', after)];
    cluster.setNode(old);
    begin();
    cluster.setNode(node);
    expect(calls({ kind: 'node-changed', node, old, aspects: nodeAspects(node, old) })).toBe(expected);
  });

  it('is none where only its heartbeat moved', () => {
    const old = nodeOf('a');
    expect(nodeAspects({ ...old, status: { ...old.status, conditions: [] } }, old)).toBe(0);
  });

  it('may open a domain to spread over', () => {
    const { cluster, begin, calls } = oneWaiting({ labels: { app: 'x' }, spec: spread('x') }, R.PodTopologySpread);
    const [old, node] = [nodeOf('a', { cpu: 0 }), nodeOf('a', { cpu: 0, labels: { zone: 'z' } })];
    cluster.setNode(old);
    begin();
    cluster.setNode(node);
    expect(calls({ kind: 'node-changed', node, old, aspects: nodeAspects(node, old) })).toBe(true);
  });
});

describe('a pod that leaves', () => {
  it.each<[string, PodWish, Rejectors, PodWish, string, boolean]>([
    ['room on a node', { cpu: 1 }, R.NodeResourcesFit, { cpu: 4 }, 'a', true],
    ['not enough room', { cpu: 9 }, R.NodeResourcesFit, { cpu: 4 }, 'a', false],
    ['room on the pinned node', { cpu: 1, pin: 'a' }, R.NodeResourcesFit, { cpu: 4 }, 'a', true],
    ['room on another node', { cpu: 1, pin: 'b' }, R.NodeResourcesFit, { cpu: 4 }, 'a', false],
    ['the port it needs', { port: 80 }, R.NodePorts, { port: 80 }, 'a', true],
    ['the one it avoids', { spec: anti('x') }, R.InterPodAffinity, { labels: { app: 'x' } }, 'a', true],
    ['one it does not avoid', { spec: anti('y') }, R.InterPodAffinity, { labels: { app: 'x' } }, 'gone', false],
    ['the one that objects', { labels: { app: 'y' } }, R.InterPodAffinity, { spec: anti('y') }, 'a', true],
    // Where kube-scheduler leaves the pod asleep. Too large for the node itself: another of the zone may do.
    [
      'one that objects with one term of two',
      { cpu: 9, labels: { app: 'y' } },
      R.InterPodAffinity,
      { spec: antiBoth('z', 'y') },
      'a',
      true,
    ],
    [
      'one that is avoided with one term of two',
      { cpu: 9, spec: antiBoth('z', 'x') },
      R.InterPodAffinity,
      { labels: { app: 'x' } },
      'a',
      true,
    ],
    ['one that counted', { spec: spread('x') }, R.PodTopologySpread, { labels: { app: 'x' } }, 'a', true],
  ])('%s', (_, wish, rejectors, gone, nodeName, expected) => {
    const { cluster, begin, calls } = oneWaiting(wish, rejectors);
    cluster.setNode(nodeOf('a', { labels: { zone: 'z' } }));
    begin();
    expect(calls({ kind: 'room', nodeName, record: recordOf(podOf('gone', gone)), atMost: Infinity })).toBe(expected);
  });

  it('keeps a port as long as another holds it', () => {
    const { cluster, begin, calls } = oneWaiting({ port: 80 }, R.NodePorts, [['other', 'a', { port: 80 }]]);
    cluster.setNode(nodeOf('a'));
    begin();
    expect(
      calls({ kind: 'room', nodeName: 'a', record: recordOf(podOf('gone', { port: 81 })), atMost: Infinity }),
    ).toBe(false);
  });

  it('withdraws a promise for the sake of its equals and lessers alone', () => {
    for (const [atMost, expected] of [
      [5, true],
      [4, false],
    ] as const) {
      const { cluster, begin, calls } = oneWaiting({ cpu: 1, priority: 5 }, R.NodeResourcesFit);
      cluster.setNode(nodeOf('a'));
      begin();
      expect(calls({ kind: 'room', nodeName: 'a', record: undefined, atMost })).toBe(expected);
    }
  });

  it('is enough where those of lower priority can be made to leave too', () => {
    const residents = [['cheap', 'a', { cpu: 2, priority: 0 }]] as const;
    for (const [priority, expected] of [
      [5, true],
      [0, false],
    ] as const) {
      const { cluster, begin, calls } = oneWaiting({ cpu: 4, priority }, R.NodeResourcesFit, residents);
      cluster.setNode(nodeOf('a'));
      begin();
      expect(
        calls({ kind: 'room', nodeName: 'a', record: recordOf(podOf('gone', { cpu: 2 })), atMost: Infinity }),
      ).toBe(expected);
    }
  });

  it('concerns pinned pods of its own domain only', () => {
    const cluster = createClusterState();
    for (const name of ['a', 'b', 'c']) cluster.setNode(nodeOf(name, { labels: { zone: name === 'c' ? 'y' : 'z' } }));
    const index = createWaitingIndex({ cluster, plugins: [] });
    for (const [topologyKey, expected] of [
      ['kubernetes.io/hostname', ['a']],
      ['zone', ['a', 'b']],
    ] as const) {
      const entries = ['a', 'b', 'c'].map((name) => {
        const entry = queuedPod(
          podOf(name, { spec: { affinity: { ...pinnedTo(name), ...anti('x', topologyKey).affinity } } }),
          0,
          0,
        );
        entry.rejectors = R.InterPodAffinity | R.NodeAffinity;
        index.add(entry, compilePodOnce(entry.pod));
        return entry;
      });
      const record = recordOf(podOf('gone', { labels: { app: 'x' } }));
      const called = index.helpedBy({ kind: 'room', nodeName: 'a', record, atMost: Infinity });
      expect(called.map(({ entry }) => entry.pod.metadata.name).toSorted()).toEqual(expected);
      for (const entry of entries) index.remove(entry);
    }
  });
});

describe('a pod that comes or changes', () => {
  it.each<[string, PodWish, Rejectors, PodWish, boolean]>([
    ['the neighbour it wants', { spec: near('x') }, R.InterPodAffinity, { labels: { app: 'x' } }, true],
    ['another', { spec: near('x') }, R.InterPodAffinity, { labels: { app: 'y' } }, false],
    ['one that raises the least', { spec: spread('x') }, R.PodTopologySpread, { labels: { app: 'x' } }, true],
    ['one more that takes room', { cpu: 1 }, R.NodeResourcesFit, { cpu: 1 }, false],
  ])('%s', (_, wish, rejectors, placed, expected) => {
    const { cluster, begin, calls } = oneWaiting(wish, rejectors);
    cluster.setNode(nodeOf('a'));
    begin();
    expect(calls({ kind: 'pod-placed', nodeName: 'a', record: recordOf(podOf('new', placed)) })).toBe(expected);
  });

  it.each<[string, PodWish, Rejectors, Pod, Pod, boolean]>([
    ['it shrinks', { cpu: 1 }, R.NodeResourcesFit, podOf('o', { cpu: 4 }), podOf('o', { cpu: 1 }), true],
    ['it grows', { cpu: 1 }, R.NodeResourcesFit, podOf('o', { cpu: 1 }), podOf('o', { cpu: 4 }), false],
    [
      'it takes on the label',
      { spec: near('x') },
      R.InterPodAffinity,
      podOf('o'),
      podOf('o', { labels: { app: 'x' } }),
      true,
    ],
    [
      'it drops the label',
      { spec: anti('x') },
      R.InterPodAffinity,
      podOf('o', { labels: { app: 'x' } }),
      podOf('o'),
      true,
    ],
  ])('%s', (_, wish, rejectors, before, after, expected) => {
    const { cluster, begin, calls } = oneWaiting(wish, rejectors);
    cluster.setNode(nodeOf('a'));
    begin();
    const [old, record] = [recordOf(before), recordOf(after)];
    const aspects = podAspects(record, old);
    expect(aspects !== 0 && calls({ kind: 'pod-changed', record, old, nodeName: 'a', aspects })).toBe(expected);
  });
});

describe("a change of the pod's own", () => {
  const pod = podOf('p', { cpu: 2, labels: { app: 'x' } });
  const tolerant = podOf('p', { cpu: 2, labels: { app: 'x' }, spec: { tolerations: [{ operator: 'Exists' }] } });
  const elsewhere = podOf('p', {
    cpu: 2,
    labels: { app: 'x' },
    spec: { tolerations: [{ key: 'other', operator: 'Exists' }] },
  });
  it.each<[string, Rejectors, Pod, boolean]>([
    ['a toleration, against taints', R.TaintToleration, tolerant, true],
    ['a toleration, against a cordon', R.NodeUnschedulable, tolerant, true],
    ['another toleration, against a cordon', R.NodeUnschedulable, elsewhere, false],
    ['a toleration, for room', R.NodeResourcesFit, tolerant, false],
    ['smaller requests', R.NodeResourcesFit, podOf('p', { cpu: 1, labels: { app: 'x' } }), true],
    ['other labels, against other pods', R.InterPodAffinity, podOf('p', { cpu: 2, labels: { app: 'y' } }), true],
    ['other labels, for room', R.NodeResourcesFit, podOf('p', { cpu: 2, labels: { app: 'y' } }), false],
    ['nothing that counts', R.NodeResourcesFit, { ...pod, status: { phase: 'Pending' } }, false],
  ])('%s', (_, rejectors, changed, expected) => {
    expect(ownChangeHelps(rejectors, pod, changed)).toBe(expected);
  });
});

describe('storage', () => {
  const mounting = podOf('p', { spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'c' } }] } });
  const claim = (name: string, namespace = 'default'): PersistentVolumeClaim => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace },
    spec: {},
  });
  const volume = (labels: Record<string, string> = {}): PersistentVolume => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'v', labels },
    spec: {},
  });
  const storageClass = (more: Partial<StorageClass> = {}): StorageClass => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 's' },
    provisioner: 'x',
    ...more,
  });
  const csiNode = (count?: number): CSINode => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name: 'a' },
    spec: { drivers: [{ name: 'd', nodeID: 'a', ...(count === undefined ? {} : { allocatable: { count } }) }] },
  });

  it.each<[string, Rejectors, ClusterChange, boolean]>([
    ['its claim', R.VolumeBinding, { kind: 'claim', claim: claim('c'), added: true }, true],
    ['its claim, bound', R.VolumeBinding, { kind: 'claim', claim: claim('c'), added: false }, true],
    ['another claim', R.VolumeBinding, { kind: 'claim', claim: claim('d'), added: true }, false],
    [
      'a claim of that name elsewhere',
      R.VolumeBinding,
      { kind: 'claim', claim: claim('c', 'other'), added: true },
      false,
    ],
    [
      'a claim it waits for to be free, changed',
      R.VolumeRestrictions,
      { kind: 'claim', claim: claim('c'), added: false },
      false,
    ],
    ['a volume', R.VolumeBinding, { kind: 'volume', volume: volume(), old: undefined }, true],
    ['a volume that moved', R.VolumeZone, { kind: 'volume', volume: volume({ z: '1' }), old: volume() }, true],
    ['a volume that did not', R.VolumeZone, { kind: 'volume', volume: volume(), old: volume() }, false],
    ['a class', R.VolumeBinding, { kind: 'storage-class', storageClass: storageClass(), old: undefined }, true],
    [
      'a class, unchanged',
      R.VolumeBinding,
      { kind: 'storage-class', storageClass: storageClass(), old: storageClass() },
      false,
    ],
    ['room for volumes', R.NodeVolumeLimits, { kind: 'csi-node', csiNode: csiNode(9), old: csiNode(1) }, true],
    ['a limit that goes', R.NodeVolumeLimits, { kind: 'csi-node', csiNode: csiNode(), old: csiNode(1) }, true],
    ['less room for volumes', R.NodeVolumeLimits, { kind: 'csi-node', csiNode: csiNode(1), old: csiNode(9) }, false],
    [
      'anything, for a pod that waits for room',
      R.NodeResourcesFit,
      { kind: 'claim', claim: claim('c'), added: true },
      false,
    ],
  ])('%s', (_, rejectors, change, expected) => {
    const index = createWaitingIndex({ cluster: createClusterState(), plugins: [] });
    const entry = queuedPod(mounting, 0, 0);
    entry.rejectors = rejectors;
    index.add(entry, compilePodOnce(entry.pod));
    expect(index.helpedBy(change).length > 0).toBe(expected);
    expect(index.helps(change, entry, compilePodOnce(entry.pod))).toBe(expected);
    expect([index.remove(entry), index.remove(entry), index.size]).toEqual([true, false, 0]);
  });
});
