/**
 * Which filters kept a pod from its nodes, as bits of a number. What a pod waits for follows from them: nothing but a
 * taint that goes helps a pod that only taints refused.
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
  /** A plugin of another room, which tells nobody what it waits for: any change may help. */
  Plugin: 1 << 13,
} as const;

/** These look beyond the one node: at pods anywhere in a domain. */
export const ACROSS_NODES = REJECTOR.PodTopologySpread | REJECTOR.InterPodAffinity;
export const ABOUT_STORAGE =
  REJECTOR.VolumeRestrictions | REJECTOR.NodeVolumeLimits | REJECTOR.VolumeBinding | REJECTOR.VolumeZone;

/** They speak of the pod, not of a node; what they want is said elsewhere. */
const SILENT: readonly PluginName[] = ['SchedulingGates', 'DefaultPreemption'];

const BITS: ReadonlyMap<string, number> = new Map([
  ...Object.entries(REJECTOR),
  ...SILENT.map((name): [string, number] => [name, 0]),
]);

/** A name that is not built in is a plugin of another room. */
export const rejectorBit = (plugin: string): number => BITS.get(plugin) ?? REJECTOR.Plugin;
