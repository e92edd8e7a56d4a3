/**
 * "What if these pods were not (or were) on this node?" — one node's state with pods taken off or put on, and what that
 * does to the counts that span nodes, without touching the cluster. Preemption and nominated pods are judged with it.
 */
import { cloneNodeState, addPod, type NodeState, removePod } from './node-state.ts';
import { type AffinityShift, createAffinityShift, shiftAffinity } from './pod-affinity.ts';
import type { PodRecord } from './pod-record.ts';
import type { PreparedPod } from './prepared-pod.ts';
import { shiftSpread, type SpreadShift } from './topology-spread.ts';

export interface Imagined {
  readonly state: NodeState;
  readonly affinity: AffinityShift;
  readonly spread: SpreadShift;
  /** Change in how many of the pod's exclusive claims are in use. */
  exclusiveClaims: number;
}

export function imagine(prepared: PreparedPod, state: NodeState): Imagined {
  return {
    state: cloneNodeState(state),
    affinity: createAffinityShift(prepared.compiled.record),
    spread: prepared.compiled.spread.hard.map(() => 0),
    exclusiveClaims: 0,
  };
}

export function imagineFurther(imagined: Imagined): Imagined {
  const { affinity } = imagined;
  return {
    state: cloneNodeState(imagined.state),
    affinity: {
      affinity: affinity.affinity,
      antiAffinity: [...affinity.antiAffinity],
      objections: new Map(affinity.objections),
    },
    spread: [...imagined.spread],
    exclusiveClaims: imagined.exclusiveClaims,
  };
}

function shift(prepared: PreparedPod, imagined: Imagined, record: PodRecord, delta: 1 | -1): void {
  const { compiled, cluster, spread, volumes } = prepared;
  if (!prepared.affinity.skipped) shiftAffinity(imagined.affinity, compiled.record, record, cluster, delta);
  if (spread !== undefined) shiftSpread(imagined.spread, spread.table, imagined.state, record, delta);
  if (volumes.exclusiveClaims.length > 0) {
    for (const claim of record.claims) if (volumes.exclusiveClaims.includes(claim)) imagined.exclusiveClaims += delta;
  }
}

export function imagineWith(prepared: PreparedPod, imagined: Imagined, record: PodRecord): void {
  if (addPod(imagined.state, record)) shift(prepared, imagined, record, 1);
}

export function imagineWithout(prepared: PreparedPod, imagined: Imagined, record: PodRecord): void {
  const removed = removePod(imagined.state, record.key);
  if (removed !== undefined) shift(prepared, imagined, removed, -1);
}
