import { describe, expect, it } from 'vitest';
import { ROLLOUT_ANNOTATIONS } from '../../../core/api/names.ts';
import type { ControllerRevision, DaemonSet, DaemonSetStatus } from '../../../core/api/types/apps-v1.ts';
import type { ContainerStatus, Event, Node, Pod, PodStatus } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { rolloutSnapshot, rolloutState, type SnapshotFacts } from './snapshot.ts';

const NOW = Date.UTC(2026, 0, 1);
const META = { resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };

const COUNTS: DaemonSetStatus = {
  observedGeneration: 1,
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 2,
  numberReady: 0,
};
const set = (
  more: Partial<Stored<DaemonSet>> = {},
  annotations: { readonly [key: string]: string } = {},
): Stored<DaemonSet> => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'n', uid: 'set', generation: 1, annotations, ...META },
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: {
      spec: { containers: [{ name: 'main', image: 'example.test/agent:2' }] },
    },
  },
  status: COUNTS,
  ...more,
});
const revision: Stored<ControllerRevision> = {
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: {
    name: 'agent-new',
    namespace: 'n',
    uid: 'r',
    labels: { 'controller-revision-hash': 'new' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'set', controller: true }],
    ...META,
  },
  revision: 2,
};
const node = (name: string, labels: { readonly [key: string]: string } = {}, ready = 'True'): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels },
  spec: {},
  status: {
    conditions: [{ type: 'Ready', status: ready, ...(ready === 'True' ? {} : { message: 'Kubelet stopped posting' }) }],
  },
});
const pod = (at: string, hash: string, status: Partial<PodStatus> = {}, more: object = {}): Stored<Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `agent-${at}-${hash}`,
    namespace: 'n',
    uid: `${at}-${hash}`,
    labels: { 'controller-revision-hash': hash },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'set', controller: true }],
    ...META,
    ...more,
  },
  spec: { nodeName: at, containers: [{ name: 'main', image: 'example.test/agent:2' }] },
  status,
});
const READY: Partial<PodStatus> = {
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2025-12-31T23:59:00Z' }],
};
const container = (more: Partial<ContainerStatus>): Partial<PodStatus> => ({
  phase: 'Pending',
  containerStatuses: [{ name: 'main', ready: false, restartCount: 0, image: '', imageID: '', ...more }],
});
const snapshot = (facts: Partial<SnapshotFacts>) =>
  rolloutSnapshot({ set: set(), now: NOW, pods: [], nodes: [node('one')], revisions: [revision], ...facts });
const lagOf = (facts: Partial<SnapshotFacts>) => snapshot(facts).lagging[0];

describe('the state of a rollout', () => {
  const of = (status: Partial<DaemonSetStatus>, generation = 1) => {
    const base = set();
    return rolloutState({ ...base, metadata: { ...base.metadata, generation }, status: { ...COUNTS, ...status } });
  };

  it.each([
    ['unobserved', { observedGeneration: 1 }, 2],
    ['updating', { updatedNumberScheduled: 1 }, 1],
    ['updating', {}, 1],
    ['becoming-available', { updatedNumberScheduled: 2, numberAvailable: 1 }, 1],
    ['complete', { updatedNumberScheduled: 2, numberAvailable: 2 }, 1],
    ['complete', { desiredNumberScheduled: 0 }, 1],
    ['complete', { desiredNumberScheduled: 1, updatedNumberScheduled: 2, numberAvailable: 2 }, 1],
  ] as const)('is %s for %o', (state, status, generation) => {
    expect(of(status, generation).state).toBe(state);
  });

  it('of what was never looked at is unobserved, though it wants nothing', () => {
    const { status: _status, ...fresh } = set();
    expect(rolloutState(fresh).state).toBe('unobserved');
  });

  it('with OnDelete waits for missing pods only, unless the driver is at work', () => {
    const base = set();
    const spec = { ...base.spec, updateStrategy: { type: 'OnDelete' } };
    const old = { ...COUNTS, numberAvailable: 2, updatedNumberScheduled: 1 };
    expect(rolloutState({ ...base, spec }).state).toBe('becoming-available');
    expect(rolloutState({ ...base, spec, status: old }).state).toBe('on-delete');
    expect(rolloutState({ ...base, spec, status: { ...old, updatedNumberScheduled: 2 } }).state).toBe('complete');
    const driven = set({ spec, status: old }, { [ROLLOUT_ANNOTATIONS.driver]: 'true' });
    expect(rolloutState(driven).state).toBe('updating');
  });
});

describe('a snapshot', () => {
  it('counts by group', () => {
    const pool = (name: string) => ({ 'karpenter.sh/nodepool': name });
    const nodes = [node('a', pool('gpu')), node('b', pool('gpu')), node('c', pool('cpu')), node('d')];
    const pods = [pod('a', 'new', READY), pod('b', 'old', READY), pod('c', 'new'), pod('elsewhere', 'new', READY)];
    const { groups } = snapshot({ nodes, pods });
    expect(groups).toEqual([
      { group: '-', desired: 1, updated: 0, ready: 0, available: 0 },
      { group: 'cpu', desired: 1, updated: 1, ready: 0, available: 0 },
      { group: 'gpu', desired: 2, updated: 1, ready: 2, available: 2 },
    ]);
    expect(snapshot({ nodes, pods, groupBy: ['karpenter.sh/nodepool', 'zone'] }).groups[1]?.group).toBe('cpu -');
    expect(snapshot({ nodes: [node('x')], pods }).groups.map(({ group }) => group)).toEqual(['all']);
  });

  it('counts only nodes the daemon is for', () => {
    const base = set();
    const template = {
      spec: { containers: [], nodeSelector: { gpu: 'yes' } },
    } as unknown as DaemonSet['spec']['template'];
    const picky = set({ spec: { ...base.spec, template } });
    const nodes = [node('a', { gpu: 'yes' }), node('b')];
    expect(snapshot({ set: picky, nodes }).lagging.map((lag) => lag.node)).toEqual(['a']);
  });

  it('goes by pods where nodes may not be looked at, and by counts alone without those', () => {
    const { nodes: _nodes, ...blind } = {
      set: set(),
      now: NOW,
      pods: [pod('a', 'old', READY)],
      revisions: [revision],
      nodes: 0,
    };
    expect(rolloutSnapshot(blind).groups).toEqual([{ group: 'all', desired: 1, updated: 0, ready: 1, available: 1 }]);
    expect(rolloutSnapshot({ set: set(), now: NOW })).toMatchObject({ desired: 2, groups: [], lagging: [] });
  });

  it('counts what it explains: a controller that has counted further does not change the picture', () => {
    const status = { ...COUNTS, updatedNumberScheduled: 1, numberAvailable: 1, numberReady: 1 };
    const { desired, updated, available, reasons } = snapshot({ set: set({ status }), nodes: [node('a'), node('b')] });
    expect({ desired, updated, available, lacking: reasons[0]?.count }).toEqual({
      desired: 2,
      updated: 0,
      available: 0,
      lacking: 2,
    });
    const done = { ...status, updatedNumberScheduled: 2, numberAvailable: 2 };
    expect(snapshot({ set: set({ status: done }) })).toMatchObject({ state: 'complete', desired: 2, available: 2 });
  });

  it('says why it is for no node', () => {
    const status = { ...COUNTS, desiredNumberScheduled: 0 };
    const nowhere = (spec: object, nodes: readonly Node[]): string | undefined => {
      const template = { spec: { containers: [], ...spec } } as unknown as DaemonSet['spec']['template'];
      return snapshot({ set: set({ status, spec: { selector: {}, template } }), nodes }).nowhere;
    };
    const tainted: Node = { ...node('t', { disk: 'ssd' }), spec: { taints: [{ key: 'gpu', effect: 'NoSchedule' }] } };
    const terms = [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['b'] }] }];
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
    };
    const two = [node('a'), node('b')];
    expect(nowhere({ nodeSelector: { disk: 'ssd' } }, two)).toBe('none of 2 nodes matches its nodeSelector disk=ssd');
    expect(nowhere({ nodeSelector: { disk: 'ssd' } }, [node('a'), tainted])).toBe(
      'it does not tolerate the taints of the nodes it selects: tolerate `gpu:NoSchedule` or remove that taint from the node',
    );
    // A tolerated taint is not reported.
    const tolerations = [{ key: 'gpu', operator: 'Exists' }];
    const twice: Node = {
      ...tainted,
      spec: { taints: [...(tainted.spec?.taints ?? []), { key: 'x', effect: 'NoExecute' }] },
    };
    expect(nowhere({ tolerations }, [twice])).toBe(
      'it does not tolerate the taints of any node: tolerate `x:NoExecute` or remove that taint from the node',
    );
    expect(nowhere({ affinity }, two)).toBe('none of 2 nodes matches its required node affinity');
    expect(nowhere({}, [])).toBe('the cluster has no nodes');
    // The daemon selects a node that the controller has not counted yet.
    expect(nowhere({}, two)).toBeUndefined();
    expect(snapshot({}).nowhere).toBeUndefined();
  });

  it('names so many laggards and counts all', () => {
    const nodes = Array.from({ length: 250 }, (_, i) => node(`node-${i}`));
    const { lagging, reasons } = snapshot({ nodes });
    expect(lagging.length).toBe(100);
    expect(reasons).toEqual([
      { code: 'no-pod', count: 250, message: 'no pod has been made for it yet', node: 'node-0' },
    ]);
  });

  it('knows updated pods by their generation where revisions may not be looked at', () => {
    const generation = 'deprecated.daemonset.template.generation';
    const labels = { 'controller-revision-hash': 'x', 'pod-template-generation': '4' };
    const pods = [pod('one', 'x', READY, { labels })];
    const { revisions: _revisions, ...rest } = {
      set: set({}, { [generation]: '4' }),
      now: NOW,
      pods,
      nodes: [node('one')],
      revisions: 0,
    };
    expect(rolloutSnapshot(rest).lagging).toEqual([]);
  });
});

describe('why a node lags', () => {
  const event = (reason: string, about: string, kind: string, at: string, message: string): Event => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${reason}-${at}` },
    involvedObject: { uid: about, kind },
    type: 'Warning',
    reason,
    message,
    lastTimestamp: at,
  });

  it('no pod: what the controller met when making one, the latest', () => {
    expect(lagOf({})).toMatchObject({ node: 'one', code: 'no-pod' });
    const events = [
      event('FailedCreate', 'set', 'DaemonSet', '2026-01-01T00:00:02Z', 'Error creating: exceeded quota: small'),
      event('FailedCreate', 'set', 'DaemonSet', '2026-01-01T00:00:01Z', 'older'),
      event('FailedDaemonPod', 'set', 'DaemonSet', '2026-01-01T00:00:03Z', 'something else'),
    ];
    expect(lagOf({ events })).toMatchObject({
      code: 'create-failed',
      message: 'Error creating: exceeded quota: small',
    });
  });

  it('not scheduled: the scheduler in its own words', () => {
    const conditions = [
      { type: 'PodScheduled', status: 'False', message: '0/1 nodes are available: 1 Insufficient cpu.' },
    ];
    const pending = pod('one', 'new', { conditions });
    const terms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['one'] }] }];
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } };
    const { nodeName: _nodeName, ...spec } = pending.spec;
    const pods = [{ ...pending, spec: { ...spec, affinity } }];
    expect(lagOf({ pods })).toMatchObject({
      code: 'unschedulable',
      message: '0/1 nodes are available: 1 Insufficient cpu.',
    });
  });

  it('no image: which, and why', () => {
    const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image' };
    const pods = [pod('one', 'new', container({ state: { waiting } }))];
    expect(lagOf({ pods })).toMatchObject({
      code: 'image',
      message: 'container main: ImagePullBackOff example.test/agent:2: Back-off pulling image',
    });
  });

  it('crashing: the exit code and how often', () => {
    const waiting = { reason: 'CrashLoopBackOff' };
    const lastState = { terminated: { exitCode: 137, reason: 'OOMKilled' } };
    const pods = [pod('one', 'new', container({ state: { waiting }, lastState, restartCount: 4 }))];
    expect(lagOf({ pods })).toMatchObject({
      code: 'crash-loop',
      message: 'container main of pod agent-one-new exited with code 137 (OOMKilled), restarted 4 times',
    });
    const running = pod('one', 'new', container({ state: { running: {} }, lastState, restartCount: 1 }));
    expect(lagOf({ pods: [running] })?.message).toContain('restarted once');
  });

  it('an init container that is done is no crash', () => {
    const done = {
      name: 'init',
      ready: true,
      restartCount: 0,
      image: '',
      imageID: '',
      state: { terminated: { exitCode: 0 } },
    };
    const pods = [pod('one', 'new', { phase: 'Pending', initContainerStatuses: [done] })];
    expect(lagOf({ pods })).toMatchObject({ code: 'starting' });
  });

  it('configuration that is missing', () => {
    const waiting = { reason: 'CreateContainerConfigError', message: 'secret "agent" not found' };
    const pods = [pod('one', 'new', container({ state: { waiting } }))];
    expect(lagOf({ pods })).toMatchObject({
      code: 'config',
      message: 'container main: CreateContainerConfigError: secret "agent" not found',
    });
  });

  it('a pod that does not start: what the kubelet warns of', () => {
    const pods = [pod('one', 'new', container({ state: { waiting: { reason: 'ContainerCreating' } } }))];
    expect(lagOf({ pods })).toMatchObject({ code: 'starting', message: 'pod agent-one-new is starting' });
    const events = [event('FailedMount', 'one-new', 'Pod', '2026-01-01T00:00:00Z', 'MountVolume.SetUp failed')];
    expect(lagOf({ pods, events })).toMatchObject({ code: 'starting', message: 'MountVolume.SetUp failed' });
  });

  it('running but not ready, and ready but not for long enough', () => {
    const status = container({ state: { running: {} } });
    const conditions = [{ type: 'Ready', status: 'False', message: 'containers with unready status: [main]' }];
    expect(lagOf({ pods: [pod('one', 'new', { ...status, conditions })] })).toMatchObject({
      code: 'not-ready',
      message: 'containers with unready status: [main]',
    });
    const base = set();
    const patient = set({ spec: { ...base.spec, minReadySeconds: 600 } });
    expect(lagOf({ set: patient, pods: [pod('one', 'new', READY)] })).toMatchObject({ code: 'min-ready' });
  });

  it('a node that is down, a pod that has failed, a pod that is stopping', () => {
    const down = [node('one', {}, 'Unknown')];
    const message = 'the node is not ready: Kubelet stopped posting';
    expect(lagOf({ nodes: down, pods: [pod('one', 'new')] })).toMatchObject({ code: 'node-not-ready', message });
    expect(lagOf({ nodes: down, pods: [pod('one', 'old')] })).toMatchObject({ code: 'node-not-ready', message });
    const failed = pod('one', 'new', { phase: 'Failed', reason: 'Evicted', message: 'low on memory' });
    expect(lagOf({ pods: [failed] })?.message).toBe('pod agent-one-new has failed: Evicted: low on memory');
    const stopping = pod('one', 'old', READY, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(lagOf({ pods: [stopping] })).toMatchObject({ code: 'terminating' });
  });

  it('an old pod: paused, held for a canary, kept back, or not yet its turn', () => {
    const pods = [pod('one', 'old', READY)];
    const held = (annotations: { readonly [key: string]: string }) => lagOf({ set: set({}, annotations), pods });
    expect(held({})).toMatchObject({ code: 'waiting', pod: 'agent-one-old' });
    expect(held({ [ROLLOUT_ANNOTATIONS.paused]: 'true' })).toMatchObject({ code: 'paused' });
    expect(held({ [ROLLOUT_ANNOTATIONS.partition]: '3' })).toMatchObject({ code: 'partition' });
    expect(held({ [ROLLOUT_ANNOTATIONS.canary]: '1' })?.message).toBe(
      `the rollout waits for its canary; to go on, annotate ${ROLLOUT_ANNOTATIONS.canaryApproved}=2`,
    );
    expect(held({ [ROLLOUT_ANNOTATIONS.canary]: '1', [ROLLOUT_ANNOTATIONS.canaryFor]: '10m' })?.message).toBe(
      'the rollout waits for its canary',
    );
    expect(held({ [ROLLOUT_ANNOTATIONS.canary]: '1', [ROLLOUT_ANNOTATIONS.canaryApproved]: '2' })?.code).toBe(
      'waiting',
    );
    const conditions = [
      { type: 'Progressing', status: 'False', reason: 'RolloutStopped', message: 'stopped, new pods crash' },
    ];
    const stopped = set({ status: { ...COUNTS, conditions } });
    expect(lagOf({ set: stopped, pods })).toMatchObject({ code: 'stopped', message: 'stopped, new pods crash' });
  });

  it('with surge the new pod tells, not the old one beside it', () => {
    const waiting = { reason: 'ErrImagePull' };
    const pods = [pod('one', 'old', READY), pod('one', 'new', container({ state: { waiting } }))];
    expect(lagOf({ pods })).toMatchObject({ code: 'image', pod: 'agent-one-new' });
  });
});
