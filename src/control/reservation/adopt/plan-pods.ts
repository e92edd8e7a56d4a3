/** Which placeholder pods an Order can adopt, as guardians of which Tickets, and why not the others. Pure. */
import { GUARDIAN_PRIORITY_CLASS, RESERVATION_ANNOTATIONS } from '../../../core/api/names.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { isConditionTrue } from '../../../core/kube/conditions.ts';
import { labelOf } from '../../../core/kube/labels.ts';
import type { OwnerReference } from '../../../core/kube/meta-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { controllerOf, isControlledBy } from '../../../core/kube/owner-references.ts';
import { isTerminal } from '../../../core/placement/pod-record.ts';
import { shortResources } from '../ticket/guardian-state.ts';
import { type PodAdoption, refused, type Refusal } from './adoption.ts';
import { type OrderState, placesOf } from './places.ts';

export interface PodPlanState extends OrderState {
  readonly pods: readonly Stored<Pod>[];
  /** Names of Deployments by UID of their ReplicaSets. */
  readonly deployments: ReadonlyMap<string, string>;
}

export function planPods(state: PodPlanState): readonly PodAdoption[] {
  const { order, tickets, nodes, deployments } = state;
  const places = placesOf(state);
  const own = new Map(
    tickets.filter((ticket) => isControlledBy(ticket, order)).map((ticket) => [ticket.metadata.uid, ticket]),
  );
  const plan = (pod: Stored<Pod>): PodAdoption => {
    const owner = own.get(controllerOf(pod)?.uid ?? '');
    if (owner !== undefined) return { pod, outcome: 'already', ticketName: owner.metadata.name };
    const no = unfit(pod, deployments);
    if (no !== undefined) return { pod, ...no };
    const node = nodes.get(pod.spec.nodeName ?? '');
    if (node === undefined) return { pod, ...refused(`there is no node ${pod.spec.nodeName}`) };
    const short = tooSmall(places.sample(node), pod);
    if (short !== undefined) return { pod, ...short };
    const place = places.take(node);
    if (place.outcome === 'refused') return { pod, ...place };
    const { model, present } = place;
    const ticket = present ?? withGuardian(model, pod.metadata.name);
    return { pod, outcome: 'adopt', ticket, isThere: present !== undefined, notes: notesOn(pod) };
  };
  return state.pods.map(plan);
}

/** The Ticket controller makes no guardian of its own for a Ticket that names one. */
const withGuardian = (model: Ticket, podName: string): Ticket => ({
  ...model,
  metadata: {
    ...model.metadata,
    annotations: { ...model.metadata.annotations, [RESERVATION_ANNOTATIONS.adoptedGuardian]: podName },
  },
});

/** Why the pod can be nobody's guardian. */
function unfit(pod: Stored<Pod>, deployments: ReadonlyMap<string, string>): Refusal | undefined {
  const { metadata, spec, status } = pod;
  const { namespace = '', ownerReferences = [] } = metadata;
  const [owner] = ownerReferences;
  if (labelOf(metadata.annotations, 'kubernetes.io/config.mirror') !== undefined || owner?.kind === 'Node')
    return refused('is a static pod of its kubelet', 'remove its file from the node once the Order holds the room');
  if (owner !== undefined) return ownedBy(controllerOf(pod) ?? owner, namespace, deployments);
  if (metadata.deletionTimestamp !== undefined) return refused('is being deleted');
  if ((spec.nodeName ?? '') === '')
    return refused('has no node, so it holds no room', 'delete it: the Order reserves room itself');
  if (isTerminal(pod)) return refused(`has ended (${status?.phase})`, 'delete it: the Order reserves room itself');
  if (status?.phase !== 'Running' || !isConditionTrue(status.conditions, 'Ready'))
    return refused('is not running and Ready yet', 'repeat the command when it is');
  return undefined;
}

function ownedBy(
  { kind, name, uid }: OwnerReference,
  namespace: string,
  deployments: ReadonlyMap<string, string>,
): Refusal {
  if (kind === 'Ticket') return refused(`is the guardian of Ticket ${name}`, 'adopt that Ticket: --tickets SELECTOR');
  const orphan = (what: string): string => `kubectl delete ${what} -n ${namespace} --cascade=orphan`;
  const deployment = kind === 'ReplicaSet' ? deployments.get(uid) : undefined;
  const own = orphan(`${kind.toLowerCase()} ${name}`);
  // The Deployment first: it would make its ReplicaSet again.
  const fix = deployment === undefined ? own : `${orphan(`deployment ${deployment}`)} && ${own}`;
  const whose = deployment === undefined ? `${kind} ${name}` : `Deployment ${deployment} (${kind} ${name})`;
  return refused(
    `belongs to ${whose}, which would replace it`,
    `orphan it first, which leaves the pod running: ${fix}`,
  );
}

function tooSmall(model: Ticket, pod: Pod): Refusal | undefined {
  const short = shortResources(model, pod);
  if (short.length === 0) return undefined;
  const list = short.map(({ name, have, want }) => `${name} ${have} of ${want}`).join(', ');
  return refused(
    `requests less than the template: ${list}`,
    'lower the requests of the template, or leave the pod out',
  );
}

const GUARDIAN_PRIORITY = 1_000_000_000;

function notesOn({ spec }: Pod): readonly string[] {
  const { priority = 0, activeDeadlineSeconds } = spec;
  return [
    ...(priority < GUARDIAN_PRIORITY
      ? [`priority ${priority}, below ${GUARDIAN_PRIORITY_CLASS}: pods above it can preempt it, and a guardian follows`]
      : []),
    ...(activeDeadlineSeconds === undefined ? [] : [`ends after ${activeDeadlineSeconds} s, and a guardian follows`]),
  ];
}
