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
  /** Pod: its containers end by themselves after this time, or `never`. */
  exitAfter: 'everynode.dev/exit-after',
  /** Pod: the exit code of its containers (default 0). */
  exitCode: 'everynode.dev/exit-code',
  /** Pod: how long its containers take to stop when it is deleted; never longer than the grace period. */
  stopDelay: 'everynode.dev/stop-delay',
} as const;

/** On Nodes: the group of a fleet they were made for. */
export const NODE_GROUP_LABEL = 'everynode.dev/node-group';

/** The one Lease that is the heartbeat of every simulated node. */
export const FLEET_LEASE = 'everynode-fleet';

/**
 * On DaemonSets: what a rollout may do beyond the update strategy. Without them a DaemonSet behaves as on any Kubernetes.
 * Amounts are numbers or percentages of the desired nodes, durations are Go's.
 */
export const ROLLOUT_ANNOTATIONS = {
  /** `true`: the rollout replaces no pod. Missing pods are still made, from the current template. */
  paused: 'everynode.dev/rollout-paused',
  /** Number of nodes that keep their old pods: the last ones in order. */
  partition: 'everynode.dev/rollout-partition',
  /** Number of nodes that are updated first; the other nodes follow when the canary has passed. */
  canary: 'everynode.dev/rollout-canary',
  /** How long the pods of the canary must be available before it passes. Without this, the canary must be approved. */
  canaryFor: 'everynode.dev/rollout-canary-for',
  /** The number of the revision whose canary is approved (`kubectl rollout history` shows it). */
  canaryApproved: 'everynode.dev/rollout-canary-approved',
  /**
   * Number of failing new pods at which the rollout stops. `1` where there is a canary; otherwise the rollout never
   * stops.
   */
  stopAfterCrashes: 'everynode.dev/rollout-stop-after-crashes',
  /** Number of restarts from which a new pod that is not ready counts as failing. */
  maxRestarts: 'everynode.dev/rollout-max-restarts',
  /** `true`: nodes that were down before the rollout came to them do not use up its budget. */
  ignoreDownNodes: 'everynode.dev/rollout-ignore-down-nodes',
  /** A node label: nodes are updated group by group, in the order of the label's values. */
  orderBy: 'everynode.dev/rollout-order-by',
  /** `true`: with strategy OnDelete, everynode deletes the old pods in order. For clusters with a controller of their own. */
  driver: 'everynode.dev/rollout-driver',
  /** How many pods the driver takes down at a time (default 1). */
  driverMaxUnavailable: 'everynode.dev/rollout-max-unavailable',
  /** `true`: the status has the conditions Progressing, Available and Degraded. */
  conditions: 'everynode.dev/status-conditions',
  /** JSON: other resources for containers on groups of nodes. */
  resourceOverrides: 'everynode.dev/resource-overrides',
} as const;

/** On ControllerRevisions: the canary of this revision has passed. */
export const CANARY_PASSED_ANNOTATION = 'everynode.dev/canary-passed';

/** On daemon pods: which of the resource overrides they were made with. */
export const RESOURCES_ANNOTATION = 'everynode.dev/resources';

/** On every object that a component (`KubernetesDaemonSet`) brought to the cluster: the component it belongs to. */
export const COMPONENT_LABELS = {
  /** The component's name. */
  component: 'everynode.dev/component',
  /** The namespace of the component; cluster-scoped objects have no namespace of their own. */
  namespace: 'everynode.dev/component-namespace',
  /** `true` on the ConfigMap that lists what a component has brought. */
  inventory: 'everynode.dev/inventory',
} as const;

export const COMPONENT_ANNOTATIONS = {
  /** `true` on an object of a component: the object stays when the component drops it or is deleted. */
  keep: 'everynode.dev/keep',
  /** On Namespaces: the component (`namespace/name`) that created the Namespace, and may delete it again. */
  createdBy: 'everynode.dev/created-by',
  /** `true` on a KubernetesDaemonSet in the cluster: the controller writes nothing but the status. */
  paused: 'everynode.dev/paused',
  /** On a KubernetesDaemonSet in the cluster: which existing objects it may adopt, `unowned` or `any`. */
  adopt: 'everynode.dev/adopt',
  /** On daemon pods: changes when a Secret changes that they read and that the component did not bring. */
  checksumReferences: 'everynode.dev/checksum-references',
} as const;

/**
 * On definitions that `everynode up` wrote for itself: the hash of that spec. A spec that was changed since is left
 * alone.
 */
export const DEFINITION_HASH_ANNOTATION = 'everynode.dev/definition-hash';

/** On KubernetesDaemonSets in the cluster, until everything they brought is gone. */
export const COMPONENT_FINALIZER = 'everynode.dev/component';

/** Field managers under which components are applied and undone; `kubectl get --show-managed-fields` shows them. */
export const COMPONENT_FIELD_MANAGERS = {
  apply: 'everynode',
  /** Creates Namespaces; their fields pass to `apply` at once. */
  create: 'everynode-create',
  undo: 'everynode-undo',
  /** Writes the status and the finalizer of custom resources; the rendered objects are applied by `apply`. */
  controller: 'everynode-component',
} as const;

/** Conditions in the status of a KubernetesDaemonSet. All are always there, but Paused. */
export const COMPONENT_CONDITIONS = {
  /** Everything is as the spec says, and every node that should run the daemon does. */
  ready: 'Ready',
  /** The rollout is under way, or the component waits for objects it needs. */
  progressing: 'Progressing',
  /** Every node that should have an available pod has one, possibly an old one. */
  available: 'Available',
  /**
   * Ready cannot be reached without intervention: the message names the nodes and why, or what the API server rejects.
   */
  degraded: 'Degraded',
  /** The spec has mistakes, and the message lists all of them; the cluster stays as it was. */
  invalid: 'Invalid',
  /** Other field managers own fields that the component would change. Nothing is overwritten. */
  conflict: 'Conflict',
  /** Present only while the annotation pauses the component. */
  paused: 'Paused',
} as const;

/** Reasons of events about KubernetesDaemonSets. */
export const COMPONENT_EVENTS = {
  applied: 'Applied',
  ready: 'Ready',
  degraded: 'Degraded',
  invalid: 'Invalid',
  conflict: 'Conflict',
  failed: 'ApplyFailed',
  paused: 'Paused',
  undone: 'Undone',
  deleted: 'Deleted',
} as const;

/** On Tickets and guardians: what they belong to. The names that begin with `korder.dev` are those of the existing operator. */
export const RESERVATION_LABELS = {
  /** Ticket and guardian: name of the Order. */
  order: 'korder.dev/order',
  /** Ticket and guardian: UID of the Order. */
  orderUid: 'korder.dev/order-uid',
  /** Guardian: name of the Ticket. */
  ticket: 'korder.dev/ticket',
  /** Guardian: UID of the Ticket. */
  ticketUid: 'korder.dev/ticket-uid',
  /** Guardian: `true`. */
  guardian: 'korder.dev/guardian',
  /** Guardian: `guardian`; shade: `shade`. */
  role: 'korder.dev/role',
  /** Ticket: hash of the Order's template that the Ticket was made from. */
  templateHash: 'everynode.dev/template-hash',
  /** Guardian: hash of the fields of the Ticket that the guardian was made from. */
  guardianHash: 'everynode.dev/guardian-hash',
} as const;

export const RESERVATION_ANNOTATIONS = {
  /** Order: how long a Ticket stays on a node that is not Ready, unreachable or cordoned (default `5m`). */
  nodeGrace: 'everynode.dev/node-grace',
  /** Order: number or percentage of Tickets whose room may be free at a time while a changed template replaces them (default 1). */
  maxUnavailable: 'everynode.dev/rollout-max-unavailable',
  /** Ticket of an Order with replicas: which of them the Ticket is, from 0 on. */
  slot: 'everynode.dev/slot',
  /** Ticket: UID of the Ticket whose guardian it takes over, so that the room is never free. */
  predecessor: 'everynode.dev/predecessor',
  /** Ticket: name of a labelled pod that becomes its guardian instead of a new one (`everynode orders adopt`). */
  adoptedGuardian: 'everynode.dev/adopted-guardian',
  /** Ticket of an Order in daemonSet mode: UID of the node it was made for. A node created again under the name is another one. */
  nodeUid: 'everynode.dev/node-uid',
  /** Order, or Ticket without one: namespaces whose pods may claim, separated by commas; `*` for all. Its own may always. */
  claimableFrom: 'everynode.dev/claimable-from',
  /** Ticket: the group that pods may ask for instead of a name; also read as a label. */
  ticketGroup: 'korder.dev/ticket-group',
} as const;

/** Annotations by which a pod claims the room of a Ticket. */
export const CLAIM_ANNOTATIONS = {
  /** The Ticket: a name, `name:NAME`, `selector:KEY=VALUE,…` or `group:GROUP`; with `NAMESPACE/` in front, of that namespace. */
  ticketRequest: 'korder.dev/ticket-request',
  /** Any Ticket of the Order: a name, `name:NAME` or `group:GROUP`; with `NAMESPACE/` in front, of that namespace. */
  orderRequest: 'korder.dev/order-request',
  /** `Required`: the pod waits for a Ticket. `Preferred` (default): without a Ticket it is scheduled like any pod. */
  claim: 'everynode.dev/claim',
} as const;

/** Scheduler of claimants on clusters with a kube-scheduler. */
export const CLAIM_SCHEDULER = 'everynode-claims';

/** Finalizer of shades: it keeps them counted on their node although kubelets delete them. */
export const SHADE_FINALIZER = 'everynode.dev/shade';

/** Reasons of a Ticket's condition NodeEligible while it is False. */
export const NODE_INELIGIBLE_REASONS = {
  /** The node is not Ready, or unreachable. The grace period of the Order runs. */
  notReady: 'NodeNotReady',
  /** The node is cordoned. The grace period of the Order runs. */
  cordoned: 'NodeCordoned',
  /** The node has a NoExecute taint that the Ticket tolerates for a time. */
  toleratedForATime: 'TaintToleratedForATime',
} as const;

/** Taint of nodes that register with it: no workload until every Order that wants the node holds its room there. */
export const UNRESERVED_TAINT = 'everynode.dev/unreserved';

/** PriorityClass of guardians: above all user classes, preempting nobody. */
export const GUARDIAN_PRIORITY_CLASS = 'everynode-guardian';

/** Phases of a Ticket, in `status.phase`. */
export const TICKET_PHASES = {
  /** No guardian runs yet; `reason` and `message` say why. */
  pending: 'Pending',
  /** The guardian runs and covers the requests of the Ticket. */
  reserved: 'Reserved',
  /** The slot is being handed over to the pod in `claim`. */
  claiming: 'Claiming',
  /** The pod in `claim` runs on the slot. */
  claimed: 'Claimed',
  /** The pod that had the slot has ended. */
  released: 'Released',
  /** The time is over. */
  expired: 'Expired',
} as const;

/** Conditions in the status of an Order. */
export const ORDER_CONDITIONS = {
  /** Every wanted Ticket is available. */
  ready: 'Ready',
  /** Tickets are being made, replaced or removed. */
  progressing: 'Progressing',
  /** The API server refuses Tickets or their guardians, or the Order cannot be carried out as written; the message has the reason. */
  failure: 'Failure',
  /** daemonSet mode: at least one node is eligible; otherwise the message counts nodes by reason. */
  nodesEligible: 'NodesEligible',
  /** Room for every wanted Ticket was found; otherwise the message names nodes and what is short there. */
  fits: 'Fits',
  /** Other daemonSet Orders want the same nodes; the message names them. */
  overlaps: 'Overlaps',
} as const;

/** Conditions in the status of a Ticket. */
export const TICKET_CONDITIONS = {
  /** The room is held. */
  ready: 'Ready',
  /** The node of the Ticket is Ready and schedulable; the time of the last change begins the grace period. */
  nodeEligible: 'NodeEligible',
} as const;

/** Reasons in the status of a Ticket, and of its condition Ready. */
export const TICKET_REASONS = {
  reserved: 'GuardianRunning',
  /** No node has room, in the words of the scheduler. */
  unschedulable: 'Unschedulable',
  /** The API server refused the guardian, in its own words. */
  createFailed: 'GuardianCreateFailed',
  /** The guardian requests less than the Ticket: something changed it on its way in. */
  tooSmall: 'GuardianTooSmall',
  /** The guardian was deleted, evicted or has failed; another follows. */
  lost: 'GuardianLost',
  expired: 'Expired',
  /** A pod takes over the room. */
  claiming: 'Claiming',
  claimed: 'Claimed',
  /** The pod did not get the room, in which the Ticket is held or gets another guardian. */
  claimFailed: 'ClaimFailed',
  /** The pod that had the room has ended. */
  released: 'Released',
} as const;

/** Reasons of events about Orders and Tickets. */
export const RESERVATION_EVENTS = {
  ticketCreated: 'TicketCreated',
  ticketDeleted: 'TicketDeleted',
  ticketFailed: 'TicketFailed',
  ticketReserved: 'TicketReserved',
  ticketRenewed: 'TicketRenewed',
  ticketExpired: 'TicketExpired',
  ticketClaimed: 'TicketClaimed',
  ticketReleased: 'TicketReleased',
  claimFailed: 'ClaimFailed',
  guardianLost: 'GuardianLost',
  guardianCreateFailed: 'GuardianCreateFailed',
  guardianTooSmall: 'GuardianTooSmall',
  guardianUnschedulable: 'GuardianUnschedulable',
  noEligibleNodes: 'NoEligibleNodes',
  nodeReleased: 'NodeUnreservedTaintRemoved',
} as const;
