/**
 * Which filters refused a pod, as bits of a number. The changes that a pod waits for follow from them: only a removed
 * taint helps a pod that only taints refused.
 */
import type { PluginName } from '../../../core/placement/answer.ts';

export const REJECTOR = {
  NodeUnschedulable: 1 << 0,
  NodeName: 1 << 1,
  TaintToleration: 1 << 2,
  NodeAffinity: 1 << 3,
  NodePorts: 1 << 4,
  NodeResourcesFit: 1 << 5,
  VolumeRestrictions: 1 << 6,
  NodeVolumeLimits: 1 << 7,
  VolumeBinding: 1 << 8,
  VolumeZone: 1 << 9,
  PodTopologySpread: 1 << 10,
  InterPodAffinity: 1 << 11,
  /** There was no node at all. */
  NoNodes: 1 << 12,
  /** A plugin of another room, which does not say what it waits for: any change may help. */
  Plugin: 1 << 13,
} as const;

/** Filters that read pods of other nodes: anywhere in a domain. */
export const ACROSS_NODES = REJECTOR.PodTopologySpread | REJECTOR.InterPodAffinity;
export const ABOUT_STORAGE =
  REJECTOR.VolumeRestrictions | REJECTOR.NodeVolumeLimits | REJECTOR.VolumeBinding | REJECTOR.VolumeZone;

/** Plugins that judge the pod, not a node: gated pods wait apart, and preemption reports its own rejectors. */
const SILENT: readonly PluginName[] = ['SchedulingGates', 'DefaultPreemption'];

const BITS: ReadonlyMap<string, number> = new Map([
  ...Object.entries(REJECTOR),
  ...SILENT.map((name): [string, number] => [name, 0]),
]);

/** A name that is not built in is a plugin of another room. */
export const rejectorBit = (plugin: string): number => BITS.get(plugin) ?? REJECTOR.Plugin;
