/**
 * Which of the nodes that will do is best: kube-scheduler's default scores (v1.36), each 0–100, weighted and added up.
 * Arithmetic is in whole numbers where upstream's is, because ties decide.
 */
import type { Pod } from '../api/types/core-v1.ts';
import { add, type Amount, scale, subtract } from './amounts.ts';
import { imageName, imageSizes } from './images.ts';
import { interPodScores } from './score-pod-affinity.ts';
import { MAX_SCORE, normalise } from './score-scale.ts';
import { spreadScores } from './score-topology-spread.ts';
import { compilePreferredNodeAffinity } from './node-affinity.ts';
import type { CompiledPod } from './compiled-pod.ts';
import type { NodeState } from './node-state.ts';
import type { PreparedPod } from './prepared-pod.ts';
import { leastAllocatedRequests } from './requests.ts';
import { toAmount } from './resource-amounts.ts';
import { ZERO } from '../kube/quantity.ts';
import type { Selector } from '../kube/selector.ts';

/** One number a node, in the order of the nodes; `undefined` when the plugin has nothing to say about this pod. */
type Scores = readonly number[] | undefined;

export interface ScoreOptions {
  /** Selects the pod's siblings (by its Services, ReplicaSet, …), for pods without spread constraints of their own. */
  readonly siblings?: Selector;
}

export interface ScoredNodes {
  readonly totals: readonly number[];
  /** Per plugin, normalised and before weights; for `explain`. */
  readonly byPlugin: ReadonlyMap<string, readonly number[]>;
}

type Scorer = (prepared: PreparedPod, nodes: readonly NodeState[], options: ScoreOptions) => Scores;

const BUILT_IN: readonly (readonly [name: string, weight: number, scorer: Scorer])[] = [
  ['TaintToleration', 3, taintScores],
  ['NodeAffinity', 2, nodeAffinityScores],
  ['NodeResourcesFit', 1, leastAllocatedScores],
  ['PodTopologySpread', 2, (prepared, nodes, options) => spreadScores(prepared, nodes, options.siblings)],
  ['InterPodAffinity', 2, interPodScores],
  ['NodeResourcesBalancedAllocation', 1, balancedScores],
  ['ImageLocality', 1, imageScores],
];

export function scoreNodes(
  prepared: PreparedPod,
  nodes: readonly NodeState[],
  options: ScoreOptions = {},
): ScoredNodes {
  const totals = nodes.map(() => 0);
  const byPlugin = new Map<string, readonly number[]>();
  const count = (name: string, weight: number, scores: Scores): void => {
    if (scores === undefined) return;
    byPlugin.set(name, scores);
    scores.forEach((score, index) => (totals[index] = (totals[index] ?? 0) + weight * score));
  };
  for (const [name, weight, scorer] of BUILT_IN) count(name, weight, scorer(prepared, nodes, options));
  for (const {
    name,
    part: { scoring },
  } of prepared.parts) {
    if (scoring === undefined) continue;
    const raw = nodes.map((state) => scoring.score(state));
    count(name, scoring.weight, scoring.normalised === true ? raw : normalise(raw, false));
  }
  return { totals, byPlugin };
}

function taintScores({ compiled }: PreparedPod, nodes: readonly NodeState[]): Scores {
  return normalise(
    nodes.map((state) => compiled.tolerations.countUntoleratedPreferences(state.node.spec.taints)),
    true,
  );
}

function nodeAffinityScores({ compiled }: PreparedPod, nodes: readonly NodeState[]): Scores {
  const preference = compilePreferredNodeAffinity(compiled.pod.spec);
  // Upstream gives the attempt up when a preference cannot be read; here the others still count.
  if (preference === undefined || preference === 'invalid') return undefined;
  return normalise(
    nodes.map((state) => preference(state.node)),
    false,
  );
}

const leastRequested = (requested: Amount, capacity: Amount): number =>
  requested > capacity ? 0 : scale(subtract(capacity, requested), MAX_SCORE, capacity);

/** How much of the node would be left. */
function leastAllocated(state: NodeState, cpu: Amount, memory: Amount): number {
  const { allocatable } = state;
  let [sum, resources] = [0, 0];
  if (allocatable.cpu !== 0) {
    sum += leastRequested(add(state.nonZeroCpu, cpu), allocatable.cpu);
    resources++;
  }
  if (allocatable.memory !== 0) {
    sum += leastRequested(add(state.nonZeroMemory, memory), allocatable.memory);
    resources++;
  }
  return resources === 0 ? 0 : Math.trunc(sum / resources);
}

const wantedForLeast = ({ pod }: CompiledPod): { readonly cpu: Amount; readonly memory: Amount } => {
  const wanted = leastAllocatedRequests(pod.spec);
  return { cpu: toAmount('cpu', wanted.get('cpu') ?? ZERO), memory: toAmount('memory', wanted.get('memory') ?? ZERO) };
};

function leastAllocatedScores({ compiled }: PreparedPod, nodes: readonly NodeState[]): Scores {
  const { cpu, memory } = wantedForLeast(compiled);
  return nodes.map((state) => leastAllocated(state, cpu, memory));
}

/** How evenly cpu and memory are used, 50–100; a resource the node does not have is left out. */
function balance(cpu: Amount, memory: Amount, state: NodeState): number {
  const { allocatable } = state;
  if (allocatable.cpu === 0 || allocatable.memory === 0) return MAX_SCORE;
  const cpuFraction = Math.min(1, Number(cpu) / Number(allocatable.cpu));
  const memoryFraction = Math.min(1, Number(memory) / Number(allocatable.memory));
  return Math.trunc((1 - Math.abs((cpuFraction - memoryFraction) / 2)) * MAX_SCORE);
}

/** Since 1.36 it is the improvement that counts: how balanced the node is with the pod, compared with before. */
function balanced(state: NodeState, cpu: Amount, memory: Amount): number {
  const half = MAX_SCORE / 2;
  const without = balance(state.requestedCpu, state.requestedMemory, state);
  const withPod = balance(add(state.requestedCpu, cpu), add(state.requestedMemory, memory), state);
  return half + Math.trunc((half + withPod - without) / 2);
}

function balancedScores({ compiled }: PreparedPod, nodes: readonly NodeState[]): Scores {
  const { cpu, memory } = compiled.requests;
  if (cpu === 0 && memory === 0) return undefined;
  return nodes.map((state) => balanced(state, cpu, memory));
}

/**
 * For pods about which nothing but their requests tells nodes apart: what `scoreNodes` would add up, less what it would
 * add to every node alike. It depends on the one node alone, so it can be remembered until that changes. `undefined`
 * for pods with preferences, or where others have some about them.
 */
export function scoreByRequests(prepared: PreparedPod): ((state: NodeState) => number) | undefined {
  const { compiled, cluster } = prepared;
  const { pod, requests, spread } = compiled;
  if (spread.soft.length > 0 || pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution) {
    return undefined;
  }
  if (
    !cluster.index.termHolders[Symbol.iterator]().next().done ||
    (compiled.record.affinity?.preferred.length ?? 0) > 0
  ) {
    return undefined;
  }
  if (imagesOf(pod).some((name) => cluster.image(name) !== undefined)) return undefined;
  const least = wantedForLeast(compiled);
  if (requests.cpu === 0 && requests.memory === 0) return (state) => leastAllocated(state, least.cpu, least.memory);
  return (state) => leastAllocated(state, least.cpu, least.memory) + balanced(state, requests.cpu, requests.memory);
}

const MIB = 1024 * 1024;
const IMAGE_MIN = 23 * MIB;
const IMAGE_MAX_PER_CONTAINER = 1000 * MIB;

const imagesOf = ({ spec }: Pod): readonly string[] => [
  ...(spec.initContainers ?? []).map((container) => imageName(container.image ?? '')),
  ...spec.containers.map((container) => imageName(container.image ?? '')),
  ...(spec.volumes ?? []).flatMap((volume) => (volume.image?.reference ? [imageName(volume.image.reference)] : [])),
];

/** Large images already on the node, worth less the fewer nodes have them, so that one node is not swamped. */
function imageScores({ compiled, cluster }: PreparedPod, nodes: readonly NodeState[]): Scores {
  const { spec } = compiled.pod;
  const wanted = imagesOf(compiled.pod);
  const most = IMAGE_MAX_PER_CONTAINER * ((spec.initContainers?.length ?? 0) + spec.containers.length);
  const total = cluster.nodes.size;
  return nodes.map((state) => {
    const { images } = state.node.status ?? {};
    let sum = 0;
    if (images !== undefined) {
      const here = imageSizes(images);
      for (const name of wanted) {
        const image = here.has(name) ? cluster.image(name) : undefined;
        if (image !== undefined) sum += Math.trunc(image.size * (image.nodes / total));
      }
    }
    const bounded = Math.min(Math.max(sum, IMAGE_MIN), most);
    return Math.trunc((MAX_SCORE * (bounded - IMAGE_MIN)) / (most - IMAGE_MIN));
  });
}

/** How many feasible nodes are enough to choose from: all of a small cluster, 5–50 % of a large one. */
export function feasibleNodesWanted(nodes: number): number {
  if (nodes < 100) return nodes;
  const percent = Math.max(5, 50 - Math.trunc(nodes / 125));
  return Math.max(100, Math.trunc((nodes * percent) / 100));
}
