/**
 * The guardian of a Ticket: a pause pod that requests what the Ticket reserves and may go where the Ticket may. Guardians pass the
 * Pod Security level `restricted`, so that an Order works in any namespace. Guardians of one Order share all parts but metadata and pin.
 */
import {
  GUARDIAN_PRIORITY_CLASS,
  RESERVATION_ANNOTATIONS,
  RESERVATION_LABELS as LABEL,
  UNRESERVED_TAINT,
} from '../../../core/api/names.ts';
import { TICKETS } from '../../../core/api/registry/resources.ts';
import type {
  Affinity,
  Container,
  NodeSelectorTerm,
  Pod,
  PodSecurityContext,
  PodSpec,
  SecurityContext,
  Toleration,
} from '../../../core/api/types/core-v1.ts';
import type { Ticket, TicketSpec } from '../../../core/api/types/korder-v1alpha1.ts';
import { guardianHash } from '../../../core/daemons/reservation-hash.ts';
import { childName } from '../../../core/kube/hash.ts';
import { labelOf, type Labels } from '../../../core/kube/labels.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { controllerOf, controllerReference } from '../../../core/kube/owner-references.ts';
import { withType } from '../../../machinery/children/with-type.ts';

export const GUARDIAN_IMAGE = 'registry.k8s.io/pause:3.10';

/** The user that the pause image runs as. */
const USER = 65_535;
/** Not 0: a pod that is deleted without grace is gone from the API before its containers are gone from the node. */
const GRACE_SECONDS = 1;
const LONGEST_LABEL = 63;

export const CONTAINER_SECURITY: SecurityContext = Object.freeze({
  allowPrivilegeEscalation: false,
  capabilities: Object.freeze({ drop: Object.freeze(['ALL']) }),
  readOnlyRootFilesystem: true,
});

export const POD_SECURITY: PodSecurityContext = Object.freeze({
  runAsNonRoot: true,
  runAsUser: USER,
  runAsGroup: USER,
  seccompProfile: Object.freeze({ type: 'RuntimeDefault' }),
});

const TOLERATES_UNRESERVED: Toleration = Object.freeze({
  key: UNRESERVED_TAINT,
  operator: 'Exists',
  effect: 'NoSchedule',
});

const AUTOSCALER = 'cluster-autoscaler.kubernetes.io';
/** The autoscaler reckons with a copy of such a pod on every node, and drains a node in spite of it. */
const OVERHEAD: Labels = Object.freeze({ [`${AUTOSCALER}/daemonset-pod`]: 'true' });
const WORKLOAD: Labels = Object.freeze({ [`${AUTOSCALER}/safe-to-evict`]: 'true' });

/** @param predecessor UID of the guardian that this one follows; empty for the first. */
export function guardianPod(ticket: Stored<Ticket>, predecessor: string, image: string = GUARDIAN_IMAGE): Pod {
  const { name, namespace, uid } = ticket.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: childName(name, [uid, predecessor]),
      ...(namespace === undefined ? {} : { namespace }),
      labels: guardianLabels(ticket),
      annotations: isOverhead(ticket) ? OVERHEAD : WORKLOAD,
      ownerReferences: [controllerReference(withType(TICKETS, ticket))],
    },
    spec: guardianSpec(ticket.spec, image),
  };
}

/** Labels that name the Ticket. */
export const ownerLabels = ({ metadata: { name, uid } }: Stored<Ticket>): Labels => ({
  [LABEL.ticket]: labelValue(name),
  [LABEL.ticketUid]: uid,
});

/** A guardian that is passed on gets those of its new Ticket. */
export function guardianLabels(ticket: Stored<Ticket>): Labels {
  const { labels } = ticket.metadata;
  const order = labelOf(labels, LABEL.order);
  const orderUid = labelOf(labels, LABEL.orderUid);
  return {
    ...(order === undefined ? {} : { [LABEL.order]: order }),
    ...(orderUid === undefined ? {} : { [LABEL.orderUid]: orderUid }),
    ...ownerLabels(ticket),
    [LABEL.guardian]: 'true',
    [LABEL.role]: 'guardian',
    [LABEL.guardianHash]: guardianHash(ticket.spec),
  };
}

/** Names of objects may be longer than a label value. */
const labelValue = (name: string): string => (name.length <= LONGEST_LABEL ? name : childName(name, [name]));

/** A Ticket of an Order in daemonSet mode: its guardian is part of what every node costs. Tickets of replicas have a slot. */
export const isOverhead = (ticket: Ticket): boolean =>
  controllerOf(ticket)?.kind === 'Order' &&
  labelOf(ticket.metadata.annotations, RESERVATION_ANNOTATIONS.slot) === undefined;

function guardianSpec(spec: TicketSpec, image: string): PodSpec {
  const { nodeName, nodeSelector, schedulerName, topologySpreadConstraints } = spec;
  const affinity = nodeName === undefined ? spec.affinity : alsoOn(spec.affinity, nodeName);
  return {
    containers: containersOf(spec.resources ?? NO_RESOURCES, image),
    securityContext: POD_SECURITY,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: GRACE_SECONDS,
    priorityClassName: spec.priorityClassName ?? GUARDIAN_PRIORITY_CLASS,
    tolerations: tolerationsOf(spec.tolerations ?? NO_TOLERATIONS),
    ...(affinity === undefined ? {} : { affinity }),
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
    ...(schedulerName === undefined ? {} : { schedulerName }),
    ...(topologySpreadConstraints === undefined ? {} : { topologySpreadConstraints }),
  };
}

const NO_RESOURCES: NonNullable<TicketSpec['resources']> = Object.freeze({});
const NO_TOLERATIONS: readonly Toleration[] = Object.freeze([]);
const containers = new WeakMap<object, { readonly image: string; readonly list: readonly Container[] }>();
const tolerations = new WeakMap<readonly Toleration[], readonly Toleration[]>();

/** The same list for the same resources, so that the server checks and counts one list for all guardians of an Order. */
function containersOf(resources: NonNullable<TicketSpec['resources']>, image: string): readonly Container[] {
  const known = containers.get(resources);
  if (known?.image === image) return known.list;
  const list = [{ name: 'guardian', image, resources, securityContext: CONTAINER_SECURITY }];
  containers.set(resources, { image, list });
  return list;
}

function tolerationsOf(given: readonly Toleration[]): readonly Toleration[] {
  let all = tolerations.get(given);
  if (all === undefined) tolerations.set(given, (all = [...given, TOLERATES_UNRESERVED]));
  return all;
}

/** The affinity that also requires the node, by its name: the scheduler still judges whether the pod fits there. */
function alsoOn(affinity: Affinity | undefined, nodeName: string): Affinity {
  const field = { key: 'metadata.name', operator: 'In', values: [nodeName] };
  const terms: readonly NodeSelectorTerm[] =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const nodeSelectorTerms =
    terms.length === 0
      ? [{ matchFields: [field] }]
      : terms.map((term) => ({ ...term, matchFields: [...(term.matchFields ?? []), field] }));
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
    },
  };
}
