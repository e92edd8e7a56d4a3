/**
 * # placement — may this pod be here? does it fit? who must go?
 *
 * In kube-scheduler's (v1.36) order and words. Everything about a pod compiles once (`compilePod`), everything about a
 * pod in a cluster is prepared once (`preparePod`), and then any number of nodes is judged:
 *
 * - `feasible` answers yes or no as fast as it can; `judge` answers with reasons; they always agree.
 * - `evaluate(compiledPod, nodeState, clusterState)` does it all for one node.
 *
 * As upstream, a node is judged filter by filter and the first filter that refuses is the one reported.
 *
 * Around it: `answer.ts` the answers; `node-state.ts` and `cluster-state.ts` what is counted where; one file a filter
 * (`taints`, `node-affinity`, `host-ports`, `fit`, `volumes`, `topology-spread`, `pod-affinity`, …); `victims.ts`
 * preemption; `scores.ts` preference; `summary.ts` the sentence in the event; `plugin.ts` the port for other rooms.
 */
import { type Answer, type No, refuse, YES } from './answer.ts';
import type { ClusterState } from './cluster-state.ts';
import type { CompiledPod } from './compiled-pod.ts';
import { explainFit, fits } from './fit.ts';
import { firstConflict, hostPortNo } from './host-ports.ts';
import { type Imagined, imagine, imagineFurther, imagineWith } from './imagined.ts';
import { notPinnedHereNo } from './node-affinity.ts';
import { nodeNameMatches, nodeNameNo } from './node-name.ts';
import type { NodeState } from './node-state.ts';
import type { SchedulerPlugin } from './plugin.ts';
import { affinityNo, judgeAffinity } from './pod-affinity.ts';
import type { PodRecord } from './pod-record.ts';
import { type PreparedPod, preparePod } from './prepared-pod.ts';
import { taintNo } from './taints.ts';
import { judgeSpread, spreadNo, spreads } from './topology-spread.ts';
import { schedulable, unschedulableNo } from './unschedulable.ts';
import { judgeVolumes } from './volumes.ts';

export { compilePod } from './compiled-pod.ts';

const exclusiveInUse = (prepared: PreparedPod, imagined: Imagined | undefined): boolean =>
  prepared.exclusiveClaimsInUse > 0 && prepared.exclusiveClaimsInUse + (imagined?.exclusiveClaims ?? 0) > 0;

/** The fast path. With `imagined`, `state` is not looked at: the imagined one stands in for it. */
export function feasible(prepared: PreparedPod, actual: NodeState, imagined?: Imagined): boolean {
  const state = imagined === undefined ? actual : imagined.state;
  if (prepared.refusal !== undefined) return false;
  if (prepared.pinnedNodes !== undefined && !prepared.pinnedNodes.has(state.name)) return false;
  const { compiled } = prepared;
  const { spec, metadata } = state.node;
  if (!schedulable(compiled.tolerations, spec.unschedulable)) return false;
  if (!nodeNameMatches(compiled.pod.spec.nodeName, state.name)) return false;
  if (compiled.tolerations.firstUntolerated(spec.taints) !== undefined) return false;
  if (!compiled.nodeAffinity.anyNode && !compiled.nodeAffinity.matches(state.node)) return false;
  const { ports } = compiled.record;
  if (ports.length > 0 && firstConflict(state.ports, ports) !== undefined) return false;
  if (!fits(compiled.requests, state)) return false;
  if (!prepared.volumes.none && !volumesOk(prepared, state, imagined)) return false;
  if (prepared.spread !== undefined && !spreads(prepared.spread, metadata.labels, imagined?.spread)) return false;
  if (judgeAffinity(prepared.affinity, metadata.labels, imagined?.affinity) !== 'ok') return false;
  for (const plugin of prepared.plugins) {
    if (plugin.filter?.(compiled, state, prepared.cluster).ok === false) return false;
  }
  return true;
}

const volumesOk = (prepared: PreparedPod, state: NodeState, imagined: Imagined | undefined): boolean =>
  judgeVolumes(prepared.volumes, state, prepared.cluster.storage, exclusiveInUse(prepared, imagined)).length === 0;

/** The same judgement with its reasons. */
export function judge(prepared: PreparedPod, actual: NodeState, imagined?: Imagined): Answer {
  const state = imagined === undefined ? actual : imagined.state;
  const { refusal, pinnedNodes, compiled } = prepared;
  if (refusal !== undefined) return refusal;
  if (pinnedNodes !== undefined && !pinnedNodes.has(state.name)) return refuse([notPinnedHereNo(pinnedNodes)]);
  const nos = firstNos(prepared, state, imagined);
  if (nos.length > 0) return refuse(nos);
  for (const plugin of prepared.plugins) {
    const answer = plugin.filter?.(compiled, state, prepared.cluster) ?? YES;
    if (!answer.ok) return answer;
  }
  return YES;
}

const NONE: readonly No[] = Object.freeze([]);

function firstNos(prepared: PreparedPod, state: NodeState, imagined: Imagined | undefined): readonly No[] {
  const { compiled } = prepared;
  const { spec, metadata } = state.node;
  if (!schedulable(compiled.tolerations, spec.unschedulable)) return [unschedulableNo(state.name)];
  const { nodeName } = compiled.pod.spec;
  if (!nodeNameMatches(nodeName, state.name)) return [nodeNameNo(nodeName ?? '')];
  const taint = compiled.tolerations.firstUntolerated(spec.taints);
  if (taint !== undefined) return [taintNo(taint)];
  if (!compiled.nodeAffinity.matches(state.node)) return [compiled.nodeAffinity.explain(state.node)];
  const port = firstConflict(state.ports, compiled.record.ports);
  if (port !== undefined) return [hostPortNo(port, state.name)];
  const shortages = explainFit(compiled.requests, state);
  if (shortages.length > 0) return shortages;
  const inUse = exclusiveInUse(prepared, imagined);
  const volumeNos = judgeVolumes(prepared.volumes, state, prepared.cluster.storage, inUse);
  if (volumeNos.length > 0) return volumeNos;
  if (prepared.spread !== undefined) {
    const verdict = judgeSpread(prepared.spread, metadata.labels, imagined?.spread);
    if (verdict !== 'ok') return [spreadNo(verdict)];
  }
  const affinity = judgeAffinity(prepared.affinity, metadata.labels, imagined?.affinity);
  return affinity === 'ok' ? NONE : [affinityNo(affinity, compiled.record.affinity)];
}

/** One pod, one node, with reasons. For many nodes prepare once and call `judge` or `feasible`. */
export function evaluate(
  compiled: CompiledPod,
  state: NodeState,
  cluster: ClusterState,
  plugins?: readonly SchedulerPlugin[],
): Answer {
  return judge(preparePod(compiled, cluster, plugins), state);
}

/**
 * With the pods that were promised room on this node and matter at least as much: the pod must fit with them there,
 * and also without, because they may yet go elsewhere.
 */
export function judgeWithNominated(prepared: PreparedPod, state: NodeState, imagined?: Imagined): Answer {
  const promised = promisedHere(prepared, state.name);
  if (promised.length > 0) {
    const crowded = imagined === undefined ? imagine(prepared, state) : imagineFurther(imagined);
    for (const record of promised) imagineWith(prepared, crowded, record);
    const answer = judge(prepared, state, crowded);
    if (!answer.ok) return answer;
  }
  return judge(prepared, state, imagined);
}

/** `judgeWithNominated` without reasons. */
export function feasibleWithNominated(prepared: PreparedPod, state: NodeState, imagined?: Imagined): boolean {
  const promised = promisedHere(prepared, state.name);
  if (promised.length > 0) {
    const crowded = imagined === undefined ? imagine(prepared, state) : imagineFurther(imagined);
    for (const record of promised) imagineWith(prepared, crowded, record);
    if (!feasible(prepared, state, crowded)) return false;
  }
  return feasible(prepared, state, imagined);
}

function promisedHere(prepared: PreparedPod, nodeName: string): readonly PodRecord[] {
  const nominated = prepared.cluster.nominatedTo(nodeName);
  if (nominated.length === 0) return nominated;
  const { key, priority } = prepared.compiled.record;
  return nominated.filter((record) => record.priority >= priority && record.key !== key);
}
