/**
 * Every label, annotation, Lease name, condition type and event reason of our own, in one place. The reference in docs
 * is made from here; a name that was published once is never renamed.
 */

/** On Nodes and Pods: how a simulated node treats them. Durations are Go's (`500ms`, `1m30s`). */
export const FLEET_ANNOTATIONS = {
  /** Node: simulated by the fleet. Anything but `false` counts. */
  simulated: 'everynode.dev/simulated',
  /** Node: from creation until its kubelet is up. */
  startupDelay: 'everynode.dev/startup-delay',
  /** Node: from a pod's admission until it runs. */
  podStartDelay: 'everynode.dev/pod-start-delay',
  /** Node: `namespace/name` of a DaemonSet whose pod must be Ready here before the node is. */
  readyWhenDaemon: 'everynode.dev/ready-when-daemon',
  /** Node: the Lease, in kube-node-lease, that carries its heartbeat. */
  heartbeatLease: 'everynode.dev/heartbeat-lease',
  /** Pod: its containers end by themselves after this time. */
  exitAfter: 'everynode.dev/exit-after',
  /** Pod: the code they end with (default 0). */
  exitCode: 'everynode.dev/exit-code',
  /** Pod: how long its containers take to stop when it is deleted; never longer than the grace period. */
  stopDelay: 'everynode.dev/stop-delay',
} as const;

/** On Nodes: the group of a fleet they were made for. */
export const NODE_GROUP_LABEL = 'everynode.dev/node-group';

/** The one Lease that is the heartbeat of every simulated node. */
export const FLEET_LEASE = 'everynode-fleet';
