import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node, Pod } from '../api/types/core-v1.ts';
import { explainFit, fits } from './fit.ts';
import { createSampleCluster } from './golden/sample-cluster.ts';
import {
  addPod,
  allocatableOf,
  cloneNodeState,
  createNodeState,
  type NodeState,
  removePod,
  replaceNode,
} from './node-state.ts';
import { isTerminal, podKey, recordOf } from './pod-record.ts';
import { requestsOfSpec } from './requests.ts';

const node = (allocatable: { [name: string]: string }): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n' },
  spec: {},
  status: { allocatable },
});
const pod = (name: string, requests: { [name: string]: string }): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, uid: name },
  spec: { containers: [{ name: 'c', resources: { requests }, ports: [{ containerPort: 1, hostPort: 1 }] }] },
});
const sums = ({
  requestedCpu,
  requestedMemory,
  requestedEphemeralStorage,
  requestedScalars,
  nonZeroCpu,
  nonZeroMemory,
  ports,
}: NodeState) => ({
  requestedCpu,
  requestedMemory,
  requestedEphemeralStorage,
  requestedScalars,
  nonZeroCpu,
  nonZeroMemory,
  ports,
});

describe('what is counted on a node', () => {
  it('is the same after any order of adding and removing', () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(fc.nat(20), { maxLength: 20 }), (seed, removals) => {
        const { nodes, pods } = createSampleCluster(seed);
        const state = createNodeState(nodes[0] as Node);
        for (const each of pods) expect(addPod(state, recordOf(each))).toBe(true);
        const left = new Set(pods);
        for (const index of removals) {
          const gone = pods[index];
          if (gone === undefined) continue;
          expect(removePod(state, podKey(gone)) !== undefined).toBe(left.delete(gone));
        }
        const fresh = createNodeState(nodes[0] as Node);
        for (const each of [...left].toReversed()) addPod(fresh, recordOf(each));
        expect(sums(state)).toEqual(sums(fresh));
        expect(state.pods.size).toBe(left.size);
      }),
    );
  });

  it('survives amounts no double holds', () => {
    const state = createNodeState(node({ memory: '8Ei', pods: '9' }));
    const huge = recordOf(pod('huge', { memory: '9007199254740993' }));
    const small = recordOf(pod('small', { memory: '1' }));
    addPod(state, huge);
    addPod(state, small);
    expect(state.requestedMemory).toBe(9007199254740994n);
    removePod(state, 'huge');
    expect(state.requestedMemory).toBe(1);
  });

  it('counts a pod once, and takes off what was counted even if the pod has changed', () => {
    const state = createNodeState(node({ cpu: '4' }));
    expect(addPod(state, recordOf(pod('a', { cpu: '1' })))).toBe(true);
    expect(addPod(state, recordOf(pod('a', { cpu: '2' })))).toBe(false);
    removePod(state, 'a');
    expect(state.requestedCpu).toBe(0);
    expect(removePod(state, 'a')).toBeUndefined();
  });

  it('is untouched by changes to a clone', () => {
    const state = createNodeState(node({ cpu: '4' }));
    addPod(state, recordOf(pod('a', { cpu: '1', 'example.com/x': '1' })));
    const clone = cloneNodeState(state);
    removePod(clone, 'a');
    expect(state.pods.size).toBe(1);
    expect(state.requestedScalars.get('example.com/x')).toBe(1);
    expect(state.ports.size).toBe(1);
    expect(clone.ports.size).toBe(0);
  });

  it('knows whether a new version of the node changes who may go there', () => {
    const original = node({ cpu: '4' });
    const state = createNodeState(original);
    const { stamp } = state;
    expect(replaceNode(state, { ...original, status: { allocatable: { cpu: '8' } } })).toBe(false);
    expect([state.stamp, state.allocatable.cpu]).toEqual([stamp, 8000]);
    expect(replaceNode(state, { ...original, spec: { unschedulable: true } })).toBe(true);
    expect(state.stamp).not.toBe(stamp);
  });
});

describe('allocatable', () => {
  it('is nothing when the node reports none, and read once per status', () => {
    const { status: _, ...bare } = node({});
    expect(allocatableOf(bare)).toMatchObject({ cpu: 0, pods: 0 });
    const full = node({ cpu: '1500m', memory: '1Gi', pods: '10', 'example.com/gpu': '2', 'hugepages-2Mi': '0' });
    expect(allocatableOf(full)).toMatchObject({ cpu: 1500, memory: 1024 ** 3, pods: 10 });
    expect(allocatableOf({ ...full })).toBe(allocatableOf(full));
  });
});

describe('ended pods', () => {
  it('hold nothing', () => {
    expect(isTerminal({ ...pod('a', {}), status: { phase: 'Failed' } })).toBe(true);
    expect(isTerminal({ ...pod('a', {}), status: { phase: 'Running' } })).toBe(false);
  });
});

describe('fit', () => {
  const wants = (requests: { [name: string]: string }) => requestsOfSpec(pod('wanting', requests).spec);
  const filled = (allocatable: { [name: string]: string }, ...used: { [name: string]: string }[]): NodeState => {
    const state = createNodeState(node(allocatable));
    used.forEach((requests, index) => addPod(state, recordOf(pod(`used-${index}`, requests))));
    return state;
  };

  it('explains exactly what does not fit', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const { nodes, pods, incoming } = createSampleCluster(seed);
        const state = createNodeState(nodes[0] as Node);
        for (const each of pods) addPod(state, recordOf(each));
        const requests = requestsOfSpec(incoming.spec);
        expect(explainFit(requests, state).length === 0).toBe(fits(requests, state));
      }),
    );
  });

  it.each<[string, { [name: string]: string }, NodeState, string[]]>([
    ['exactly', { cpu: '1' }, filled({ cpu: '2', pods: '9' }, { cpu: '1' }), []],
    ['one thousandth too much', { cpu: '1001m' }, filled({ cpu: '2', pods: '9' }, { cpu: '1' }), ['Insufficient cpu']],
    [
      'several shortages at once',
      { cpu: '2', memory: '1Gi' },
      filled({ cpu: '1', memory: '1Mi', pods: '0' }),
      ['Too many pods', 'Insufficient cpu', 'Insufficient memory'],
    ],
    ['nothing wanted on an overcommitted node', {}, filled({ cpu: '1', pods: '9' }, { cpu: '5' }), []],
    [
      'zero wanted of a resource that is overcommitted',
      { cpu: '0', memory: '1' },
      filled({ cpu: '1', memory: '2', pods: '9' }, { cpu: '5' }),
      [],
    ],
    [
      'a resource the node lacks',
      { 'example.com/gpu': '1' },
      filled({ cpu: '1', pods: '9' }),
      ['Insufficient example.com/gpu'],
    ],
    [
      'ephemeral storage',
      { 'ephemeral-storage': '2Gi' },
      filled({ 'ephemeral-storage': '1Gi', pods: '9' }),
      ['Insufficient ephemeral-storage'],
    ],
  ])('%s', (_, requests, state, expected) => {
    expect(explainFit(wants(requests), state).map((no) => no.message)).toEqual(expected);
  });

  it('can be helped by preemption only where the node is large enough', () => {
    const state = filled({ cpu: '2', pods: '1' }, { cpu: '1500m' });
    const helps = (cpu: string) => explainFit(wants({ cpu }), state).map((no) => no.preemptionHelps);
    expect(helps('1')).toEqual([true, true]);
    expect(helps('3')).toEqual([true, false]);
  });

  it('says what to ask for, or what to free', () => {
    const fix = (requests: { [name: string]: string }, state: NodeState) =>
      explainFit(wants(requests), state).map((no) => no.fix);
    expect(fix({ cpu: '500m' }, filled({ cpu: '1', pods: '9' }, { cpu: '700m' }))).toEqual([
      'request ≤ 300m cpu or free 200m',
    ]);
    expect(fix({ memory: '2Gi' }, filled({ memory: '1536Mi', pods: '9' }))).toEqual([
      'request ≤ 1536Mi memory, all this node has, or use a larger node',
    ]);
    expect(fix({ cpu: '1' }, filled({ cpu: '1', pods: '9' }, { cpu: '1' }))).toEqual([
      'free 1 cpu on this node; nothing is left of 1',
    ]);
    expect(fix({ 'example.com/gpu': '1' }, filled({ pods: '9' }))).toEqual([
      'the node offers no example.com/gpu; choose nodes that do',
    ]);
    expect(fix({}, filled({ pods: '1' }, {}))).toEqual([
      'the node takes 1 pods and has 1; remove one or raise its limit',
    ]);
  });
});
