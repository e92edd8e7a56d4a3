/**
 * Placement against answers recorded from kube-scheduler v1.36.4 itself (its own code, run on the same generated samples):
 * per-node status and reasons, every score, the message of the event, and preemption's choice of node and victims.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ClusterState, createClusterState } from '../cluster-state.ts';
import { type Answer, REASONS } from '../answer.ts';
import { compilePod, judge } from '../filters.ts';
import type { NodeState } from '../node-state.ts';
import { type PreparedPod, preparePod } from '../prepared-pod.ts';
import { scoreNodes } from '../scores.ts';
import { failureOf, preemptionSays, preemptionSummary, summarizeFailure } from '../summary.ts';
import { compileBudgets, findCandidates, pickCandidate, preemptionForbidden } from '../victims.ts';
import { createSampleCluster, type SampleCluster } from './sample-cluster.ts';

interface Recorded {
  readonly nodes: {
    readonly [name: string]: {
      /** The status: Success, Unschedulable, UnschedulableAndUnresolvable, or not looked at. */
      readonly c: 'yes' | 'preemptible' | 'no' | 'absent';
      readonly r?: readonly string[];
      /** Weighted scores by plugin; plugins that skip the pod are missing. */
      readonly s?: { readonly [plugin: string]: number };
    };
  };
  readonly message?: string;
  readonly postMsg?: string;
  readonly nominated?: string;
  /** Pods it deleted; those already terminating it leaves alone. */
  readonly victims?: readonly string[];
}

const recorded = JSON.parse(readFileSync(new URL('./kube-scheduler.golden', import.meta.url), 'utf8')) as {
  readonly firstSeed: number;
  readonly worlds: readonly Recorded[];
};

const WEIGHTS = new Map([
  ['TaintToleration', 3],
  ['NodeAffinity', 2],
  ['PodTopologySpread', 2],
  ['InterPodAffinity', 2],
]);

function clusterOf(sample: SampleCluster): ClusterState {
  const cluster = createClusterState();
  for (const { metadata } of sample.namespaces) cluster.setNamespace(metadata.name, metadata.labels);
  for (const node of sample.nodes) cluster.setNode(node);
  for (const pod of sample.pods) cluster.setPod(pod);
  return cluster;
}

type NodeAnswer = Recorded['nodes'][string];

function nodeAnswer(answer: Answer, scores: NodeAnswer['s']): NodeAnswer {
  if (answer.ok) return { c: 'yes', ...(scores === undefined ? {} : { s: scores }) };
  if (answer.nos[0]?.code === 'NotPinnedHere') return { c: 'absent' };
  const r = answer.nos.map((no) => no.message).toSorted();
  return { c: answer.preemptionHelps ? 'preemptible' : 'no', r };
}

/** Weighted, as recorded; one entry a node. */
function scoresOf(prepared: PreparedPod, states: readonly NodeState[]): ReadonlyMap<NodeState, NodeAnswer['s']> {
  const { byPlugin } = scoreNodes(prepared, states);
  const weighted = (index: number) =>
    Object.fromEntries([...byPlugin].map(([name, scores]) => [name, (scores[index] ?? 0) * (WEIGHTS.get(name) ?? 1)]));
  return new Map(states.map((state, index) => [state, weighted(index)]));
}

function preempt(
  sample: SampleCluster,
  prepared: PreparedPod,
  potential: readonly NodeState[],
): Omit<Recorded, 'nodes'> {
  const forbidden = preemptionForbidden(prepared, undefined);
  if (forbidden !== undefined) return { postMsg: preemptionSays(forbidden) };
  const { found, refusals } = findCandidates(prepared, potential, compileBudgets(sample.budgets), 0);
  const best = pickCandidate(found);
  if (best === undefined) return { postMsg: preemptionSummary(sample.nodes.length, refusals.values()) };
  const victims = best.pods.filter((record) => !record.terminating).map((record) => record.pod.metadata.name);
  return { nominated: best.nodeName, ...(victims.length === 0 ? {} : { victims: victims.toSorted() }) };
}

/** Everything placement says about a sample, in the shape of the recording. */
function observe(sample: SampleCluster): Recorded {
  const prepared = preparePod(compilePod(sample.incoming), clusterOf(sample));
  const answers = [...prepared.cluster.nodes.values()].map((state) => ({ state, answer: judge(prepared, state) }));
  const passing = answers.filter(({ answer }) => answer.ok).map(({ state }) => state);
  const scores = scoresOf(prepared, passing);
  const everyNode = answers.map(({ state, answer }) => [state.name, nodeAnswer(answer, scores.get(state))]);
  const nodes = prepared.refusal === undefined ? (Object.fromEntries(everyNode) as Recorded['nodes']) : {};
  if (passing.length > 0) return { nodes };
  const judged = answers.flatMap(({ state, answer }) =>
    answer.ok || prepared.pinnedNodes?.has(state.name) === false ? [] : [{ state, answer }],
  );
  const message = summarizeFailure(
    failureOf(
      prepared,
      judged.map(({ answer }) => answer),
    ),
  );
  const potential = judged.filter(({ answer }) => answer.preemptionHelps).map(({ state }) => state);
  return { nodes, message, ...preempt(sample, prepared, potential) };
}

describe('kube-scheduler, on the same samples', () => {
  const cases = recorded.worlds.map((expected, index) => ({ seed: recorded.firstSeed + index, expected }));

  it.each(cases)('answers as placement does (sample $seed)', ({ seed, expected }) => {
    expect(observe(createSampleCluster(seed))).toEqual(expected);
  });

  it('has every kind of answer among the recordings', () => {
    const said = new Set(
      recorded.worlds.flatMap((sample) => Object.values(sample.nodes).flatMap((node) => node.r ?? [])),
    );
    const plugins = [
      'NodeUnschedulable',
      'TaintToleration',
      'NodeAffinity',
      'NodePorts',
      'NodeResourcesFit',
      'PodTopologySpread',
      'InterPodAffinity',
    ];
    const expected = Object.values(REASONS).filter(
      ({ plugin, message }) => plugins.includes(plugin) && message !== '' && !/conflict|plugin\(s\)/.test(message),
    );
    expect(expected.filter(({ message }) => !said.has(message))).toEqual([]);
    expect(recorded.worlds.filter((sample) => sample.nominated !== undefined).length).toBeGreaterThan(10);
  });
});
