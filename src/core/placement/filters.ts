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
import { type Imagined, imagine, imagineFurther, imagineWith, imagineWithout } from './imagined.ts';
import { notPinnedHereNo } from './node-affinity.ts';
import { nodeNameMatches, nodeNameNo } from './node-name.ts';
import type { NodeState } from './node-state.ts';
import type { SchedulerPlugin } from './plugin.ts';
import { affinityNo, judgeAffinity } from './pod-affinity.ts';
import type { PodRecord } from './pod-record.ts';
import { type PreparedPod, preparePod } from './prepared-pod.ts';
import { ALL_STATIC, staticVerdict } from './static-verdicts.ts';
import { taintNo } from './taints.ts';
import { judgeSpread, spreadNo, spreads } from './topology-spread.ts';
import { schedulable, unschedulableNo } from './unschedulable.ts';
import { judgeVolumes } from './volumes.ts';

export { compilePod } from './compiled-pod.ts';

const exclusiveInUse = (prepared: PreparedPod, imagined: Imagined | undefined): boolean =>
  prepared.exclusiveClaimsInUse > 0 && prepared.exclusiveClaimsInUse + (imagined?.exclusiveClaims ?? 0) > 0;

/** The fast path. With `imagined`, that state stands in for the actual one. */
export function feasible(prepared: PreparedPod, actual: NodeState, given?: Imagined): boolean {
  const imagined = prepared.displacing.length === 0 ? given : withoutDisplaced(prepared, actual, given);
  const state = imagined === undefined ? actual : imagined.state;
  if (!passesBuiltIn(prepared, state, imagined)) return false;
  for (const { part } of prepared.parts) if (part.filter?.(state).ok === false) return false;
  return true;
}

/** The node without the pods whose place this one is to take. */
function withoutDisplaced(prepared: PreparedPod, actual: NodeState, given: Imagined | undefined): Imagined | undefined {
  let imagined: Imagined | undefined;
  for (const { part } of prepared.displacing) {
    for (const key of part.displaced?.(actual) ?? []) {
      const record = (given?.state ?? actual).pods.get(key);
      if (record === undefined) continue;
      imagined ??= given === undefined ? imagine(prepared, actual) : imagineFurther(given);
      imagineWithout(prepared, imagined, record);
    }
  }
  return imagined ?? given;
}

function passesBuiltIn(prepared: PreparedPod, state: NodeState, imagined: Imagined | undefined): boolean {
  if (prepared.refusal !== undefined) return false;
  if (prepared.pinnedNodes !== undefined && !prepared.pinnedNodes.has(state.name)) return false;
  const { compiled } = prepared;
  if (!nodeNameMatches(compiled.pod.spec.nodeName, state.name)) return false;
  if (staticVerdict(prepared.verdicts, state) !== ALL_STATIC) return false;
  // A node that is imagined, or stands outside the cluster, has no numbers in the columns.
  if (imagined !== undefined || state.slot < 0) {
    if (firstConflict(state.ports, compiled.record.ports) !== undefined || !fits(compiled.requests, state))
      return false;
  } else {
    if (prepared.portUsers !== undefined && portConflict(prepared, prepared.portUsers, state)) return false;
    // The columns only know plain numbers and plain shortages; what they do not allow is judged exactly.
    if (!fitsColumns(prepared, state.slot) && !fits(compiled.requests, state)) return false;
  }
  if (!prepared.volumes.none && !volumesOk(prepared, state, imagined)) return false;
  if (prepared.spread !== undefined && !spreads(prepared.spread, state, imagined?.spread)) return false;
  return judgeAffinity(prepared.affinity, state, imagined?.affinity) === 'ok';
}

function portConflict(prepared: PreparedPod, users: readonly ReadonlySet<number>[], state: NodeState): boolean {
  for (const slots of users) {
    if (slots.has(state.slot)) return firstConflict(state.ports, prepared.compiled.record.ports) !== undefined;
  }
  return false;
}

function fitsColumns(prepared: PreparedPod, slot: number): boolean {
  const { requests } = prepared.compiled;
  const { free } = prepared.cluster.columns;
  if (
    !((free.pods[slot] as number) >= 1) ||
    !(requests.cpu <= (free.cpu[slot] as number)) ||
    !(requests.memory <= (free.memory[slot] as number)) ||
    !(requests.ephemeralStorage <= (free.ephemeralStorage[slot] as number)) ||
    prepared.scalarColumns === undefined
  ) {
    return false;
  }
  for (const column of prepared.scalarColumns) if (!(column.wanted <= (column.free[slot] as number))) return false;
  return true;
}

const volumesOk = (prepared: PreparedPod, state: NodeState, imagined: Imagined | undefined): boolean =>
  judgeVolumes(prepared.volumes, state, prepared.cluster.storage, exclusiveInUse(prepared, imagined)).length === 0;

/** Like `feasible`, with the reasons of a refusal. */
export function judge(prepared: PreparedPod, actual: NodeState, given?: Imagined): Answer {
  const imagined = prepared.displacing.length === 0 ? given : withoutDisplaced(prepared, actual, given);
  const state = imagined === undefined ? actual : imagined.state;
  const { refusal, pinnedNodes } = prepared;
  if (refusal !== undefined) return refusal;
  if (pinnedNodes !== undefined && !pinnedNodes.has(state.name))
    return refuse([prepared.notPinned ?? notPinnedHereNo(pinnedNodes)]);
  if (!passesBuiltIn(prepared, state, imagined)) return refuse(firstNos(prepared, state, imagined));
  for (const { part } of prepared.parts) {
    const answer = part.filter?.(state) ?? YES;
    if (!answer.ok) return answer;
  }
  return YES;
}

const NONE: readonly No[] = Object.freeze([]);

function firstNos(prepared: PreparedPod, state: NodeState, imagined: Imagined | undefined): readonly No[] {
  const { compiled } = prepared;
  const { spec } = state.node;
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
    const verdict = judgeSpread(prepared.spread, state, imagined?.spread);
    if (verdict !== 'ok') return [spreadNo(verdict)];
  }
  const affinity = judgeAffinity(prepared.affinity, state, imagined?.affinity);
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
