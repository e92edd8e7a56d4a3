/**
 * The answers of placement: yes, or a list of reasons why not. Every reason carries a stable code for machines,
 * kube-scheduler's own words (v1.36), and one sentence that says what a person can do about it. Events, conditions,
 * `explain`, `plan` and the dashboard all read these. The words of kube-scheduler are here (`REASONS`), but for those that depend on
 * the case; the filter that refuses gives those, and words the advice (`fix`).
 */

/** Which filter said no, by kube-scheduler's plugin name. */
export type PluginName =
  | 'SchedulingGates'
  | 'NodeUnschedulable'
  | 'NodeName'
  | 'TaintToleration'
  | 'NodeAffinity'
  | 'NodePorts'
  | 'NodeResourcesFit'
  | 'VolumeRestrictions'
  | 'NodeVolumeLimits'
  | 'VolumeBinding'
  | 'VolumeZone'
  | 'PodTopologySpread'
  | 'InterPodAffinity'
  | 'DefaultPreemption';

interface Reason {
  readonly plugin: PluginName;
  /** kube-scheduler's reason string; empty where it depends on the case and the caller supplies it. */
  readonly message: string;
  /** True where removing pods from the node may turn the no into a yes (`Unschedulable`), false where it cannot. */
  readonly preemptionHelps: boolean;
}

const reason = (plugin: PluginName, message: string, preemptionHelps: boolean): Reason => ({
  plugin,
  message,
  preemptionHelps,
});

/** Codes are CamelCase so that they can stand in a condition's `reason`; a code is never renamed. */
export const REASONS = {
  SchedulingGated: reason('SchedulingGates', '', false),
  NodeUnschedulable: reason('NodeUnschedulable', 'node(s) were unschedulable', false),
  NodeNameMismatch: reason('NodeName', "node(s) didn't match the requested node name", false),
  UntoleratedTaint: reason('TaintToleration', 'node(s) had untolerated taint(s)', false),
  NodeAffinityMismatch: reason('NodeAffinity', "node(s) didn't match Pod's node affinity/selector", false),
  NodeAffinityConflict: reason('NodeAffinity', 'pod affinity terms conflict', false),
  NotPinnedHere: reason('NodeAffinity', "node(s) didn't satisfy plugin(s) [NodeAffinity]", false),
  HostPortConflict: reason('NodePorts', "node(s) didn't have free ports for the requested pod ports", true),
  TooManyPods: reason('NodeResourcesFit', 'Too many pods', true),
  InsufficientCpu: reason('NodeResourcesFit', 'Insufficient cpu', true),
  InsufficientMemory: reason('NodeResourcesFit', 'Insufficient memory', true),
  InsufficientEphemeralStorage: reason('NodeResourcesFit', 'Insufficient ephemeral-storage', true),
  InsufficientResource: reason('NodeResourcesFit', '', true),
  DiskConflict: reason('VolumeRestrictions', 'node(s) had no available disk', true),
  ReadWriteOncePodConflict: reason(
    'VolumeRestrictions',
    'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
    true,
  ),
  TooManyVolumes: reason('NodeVolumeLimits', 'node(s) exceed max volume count', true),
  ClaimUnusable: reason('VolumeBinding', '', false),
  ClaimUnbound: reason('VolumeBinding', 'pod has unbound immediate PersistentVolumeClaims', false),
  VolumeNodeAffinityMismatch: reason('VolumeBinding', "node(s) didn't match PersistentVolume's node affinity", false),
  NoVolumeToBind: reason('VolumeBinding', "node(s) didn't find available persistent volumes to bind", false),
  VolumeMissing: reason('VolumeZone', '', false),
  VolumeZoneMismatch: reason('VolumeZone', 'node(s) had no available volume zone', false),
  SpreadLabelMissing: reason(
    'PodTopologySpread',
    "node(s) didn't match pod topology spread constraints (missing required label)",
    false,
  ),
  SpreadUnreadable: reason('PodTopologySpread', '', false),
  SpreadSkew: reason('PodTopologySpread', "node(s) didn't match pod topology spread constraints", true),
  PodAffinityMismatch: reason('InterPodAffinity', "node(s) didn't match pod affinity rules", false),
  PodAffinityUnreadable: reason('InterPodAffinity', '', false),
  PodAntiAffinityConflict: reason('InterPodAffinity', "node(s) didn't match pod anti-affinity rules", true),
  ExistingAntiAffinityConflict: reason(
    'InterPodAffinity',
    "node(s) didn't satisfy existing pods anti-affinity rules",
    true,
  ),
  NoVictims: reason('DefaultPreemption', 'No preemption victims found for incoming pod', false),
} as const satisfies Record<string, Reason>;

export type NoCode = keyof typeof REASONS;

export interface No {
  /** A built-in code, or one a scheduler plugin brings along. */
  readonly code: string;
  readonly plugin: string;
  readonly message: string;
  /** One sentence to act on. Worked out when first read: on the hot path nobody reads it. */
  readonly fix: string;
  readonly preemptionHelps: boolean;
}

export interface Yes {
  readonly ok: true;
}
export interface Refusal {
  readonly ok: false;
  readonly nos: readonly No[];
  /** kube-scheduler's status code: `Unschedulable` when true, `UnschedulableAndUnresolvable` when false. */
  readonly preemptionHelps: boolean;
  /** The pod itself is the obstacle, whatever the node; a summary then says it once and counts no nodes. */
  readonly everywhere?: true;
}
export type Answer = Yes | Refusal;

export const YES: Yes = Object.freeze({ ok: true });

/** A reason with the wording of `REASONS`; `override` replaces the parts that depend on the case. */
export function createNo(
  code: NoCode,
  fix: () => string,
  override?: { readonly message?: string; readonly preemptionHelps?: boolean },
): No {
  const { plugin, message, preemptionHelps } = REASONS[code];
  return describeNo(code, plugin, override?.message ?? message, override?.preemptionHelps ?? preemptionHelps, fix);
}

/** For plugins outside this room, which bring their own codes and words. */
export function describeNo(
  code: string,
  plugin: string,
  message: string,
  preemptionHelps: boolean,
  fix: () => string,
): No {
  let text: string | undefined;
  return {
    code,
    plugin,
    message,
    preemptionHelps,
    get fix(): string {
      return (text ??= fix());
    },
  };
}

/** One unresolvable reason makes the whole answer unresolvable, as in NodeResourcesFit upstream. */
export function refuse(nos: readonly No[]): Refusal {
  return { ok: false, nos, preemptionHelps: nos.every((no) => no.preemptionHelps) };
}

export const refuseEverywhere = (no: No): Refusal => ({ ...refuse([no]), everywhere: true });
