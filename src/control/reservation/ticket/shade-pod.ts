/**
 * The shade: a mirror pod without a static pod that stands on a slot while one pod leaves it and another comes. Every scheduler
 * counts it; no kubelet admits or runs it. Kubelets delete it again and again, and our finalizer keeps it counted all the same. Tried on
 * an unmodified kube-scheduler and a real kubelet: docs/decisions, "handover".
 */
import { GUARDIAN_PRIORITY_CLASS, RESERVATION_LABELS as LABEL, SHADE_FINALIZER } from '../../../core/api/names.ts';
import { MIRROR_POD } from '../../../core/api/kinds/pod/validate-annotations.ts';
import { TICKETS } from '../../../core/api/registry/resources.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { childName } from '../../../core/kube/hash.ts';
import { labelOf } from '../../../core/kube/labels.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { controllerReference } from '../../../core/kube/owner-references.ts';
import { formatQuantity } from '../../../core/kube/quantity.ts';
import { podRequests } from '../../../core/placement/requests.ts';
import { withType } from '../../../machinery/children/with-type.ts';
import { CONTAINER_SECURITY, ownerLabels, POD_SECURITY } from './guardian-pod.ts';

const ROLE = 'shade';

export const isShade = ({ metadata }: Pod): boolean => labelOf(metadata.labels, LABEL.role) === ROLE;

/** Name of the shade that stands while the claimant of the Ticket leaves. */
export const endShadeName = ({ metadata: { name, uid } }: Stored<Ticket>, claimantUid: string): string =>
  childName(name, [uid, claimantUid, 'end']);

/** @param like the pod whose effective requests the shade has. */
export function shadePod(ticket: Stored<Ticket>, name: string, nodeName: string, like: Pod, image: string): Pod {
  const { namespace } = ticket.metadata;
  const requests = Object.fromEntries(
    [...podRequests(like.spec)].map(([resource, amount]) => [resource, formatQuantity(amount)]),
  );
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...ownerLabels(ticket), [LABEL.role]: ROLE },
      annotations: { [MIRROR_POD]: name },
      finalizers: [SHADE_FINALIZER],
      ownerReferences: [controllerReference(withType(TICKETS, ticket))],
    },
    spec: {
      nodeName,
      containers: [
        {
          name: 'shade',
          image,
          resources: { requests, limits: extendedOf(requests) },
          securityContext: CONTAINER_SECURITY,
        },
      ],
      securityContext: POD_SECURITY,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 0,
      priorityClassName: GUARDIAN_PRIORITY_CLASS,
      tolerations: [{ operator: 'Exists' }],
    },
  };
}

/** Extended resources and huge pages cannot be overcommitted: their limits must equal their requests. */
const extendedOf = (requests: { readonly [name: string]: string }): { readonly [name: string]: string } =>
  Object.fromEntries(Object.entries(requests).filter(([name]) => name.includes('/') || name.startsWith('hugepages-')));
