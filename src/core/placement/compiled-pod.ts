/** A pod made ready to be judged against any number of nodes. Its parts are shared with all pods of its template. */
import type { Pod } from '../api/types/core-v1.ts';
import { compileRequiredNodeAffinity, type RequiredNodeAffinity } from './node-affinity.ts';
import { type PodRecord, recordOf } from './pod-record.ts';
import { type Requests, requestsOfSpec } from './requests.ts';
import { type CompiledTolerations, compileTolerations } from './taints.ts';
import { compileSpread, type SpreadConstraints } from './topology-spread.ts';

export interface CompiledPod {
  readonly pod: Pod;
  readonly record: PodRecord;
  readonly requests: Requests;
  readonly tolerations: CompiledTolerations;
  readonly nodeAffinity: RequiredNodeAffinity;
  readonly spread: SpreadConstraints;
}

const compiledPods = new WeakMap<Pod, CompiledPod>();

export function compilePod(pod: Pod): CompiledPod {
  let compiled = compiledPods.get(pod);
  if (compiled === undefined) compiledPods.set(pod, (compiled = compilePodOnce(pod)));
  return compiled;
}

/** For a caller that keeps the answer itself, and lets go of it when the pod has its node. */
export function compilePodOnce(pod: Pod): CompiledPod {
  return {
    pod,
    record: recordOf(pod),
    requests: requestsOfSpec(pod.spec),
    tolerations: compileTolerations(pod.spec.tolerations),
    nodeAffinity: compileRequiredNodeAffinity(pod.spec),
    spread: compileSpread(pod.spec, pod.metadata.labels),
  };
}
