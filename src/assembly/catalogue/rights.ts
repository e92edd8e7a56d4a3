/**
 * Rights of the operator that belong to no single controller, and the words to write rights in. The rights of a controller stand
 * in its row; `operator-rights.ts` lists all of them.
 */
import type { PolicyRule } from '../../core/api/types/rbac-v1.ts';

/** One purpose and the rules that it takes. */
export interface Rights {
  /** The purpose, for the reviewer of the roles. */
  readonly why: string;
  /** In the whole cluster, or in the operator's own namespace only. */
  readonly scope: 'cluster' | 'namespace';
  readonly rules: readonly PolicyRule[];
}

/** Rights with the feature that they belong to; nothing of a feature is needed by another. */
export interface OperatorRights extends Rights {
  /** `base`, which every operator needs, `namespaces`, `webhooks`, or the name of a controller. */
  readonly feature: string;
}

/** The Lease of the operator's leader election, unless another is named; one name a release in the chart. */
export const OPERATOR_LEASE = 'everynode-operator';

/** The Secret, the Service and the webhook configurations of the admission webhooks; one name a release in the chart. */
export const WEBHOOK_NAME = 'everynode-webhook';

export const core = (resources: readonly string[], verbs: readonly string[]): PolicyRule => ({
  apiGroups: [''],
  resources,
  verbs,
});
export const apps = (resources: readonly string[], verbs: readonly string[]): PolicyRule => ({
  apiGroups: ['apps'],
  resources,
  verbs,
});
/** A controller that stands in for a program reads the Lease of that program. */
export const leaseOf = (program: string): PolicyRule => ({
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  resourceNames: [program],
  verbs: ['get'],
});
/** Servers that can stream a list need only `watch` for that; `list` is for the others. */
export const FOLLOW = ['list', 'watch'] as const;

/** Rights of every operator. */
export const BASE_RIGHTS: readonly OperatorRights[] = [
  {
    feature: 'base',
    why: 'Leader election: one Lease in the namespace of the operator says who acts',
    scope: 'namespace',
    rules: [
      // A create cannot be limited to a name: the object does not exist yet.
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        resourceNames: [OPERATOR_LEASE],
        verbs: ['get', 'update'],
      },
    ],
  },
];

/**
 * For installations where a namespace that a component made is deleted with the component. The namespace must be empty of
 * objects of others, of whatever kind, so the operator lists all kinds. Without these rights the namespace stays, and an event says so.
 */
export const NAMESPACE_RIGHTS: readonly OperatorRights[] = [
  {
    feature: 'namespaces',
    why: 'Deletes a namespace that a component made, once nothing of anybody else is seen in it',
    scope: 'cluster',
    rules: [core(['namespaces'], ['delete']), { apiGroups: ['*'], resources: ['*'], verbs: ['list'] }],
  },
];

/** For admission webhooks whose certificates the operator makes itself. */
export const WEBHOOK_RIGHTS: readonly OperatorRights[] = [
  {
    feature: 'webhooks',
    why: 'Keeps the certificates of the admission webhooks in one Secret, made anew when it was deleted',
    scope: 'namespace',
    rules: [
      core(['secrets'], ['create']),
      {
        apiGroups: [''],
        resources: ['secrets'],
        resourceNames: [WEBHOOK_NAME],
        verbs: ['get', 'list', 'update', 'watch'],
      },
    ],
  },
  {
    feature: 'webhooks',
    why: 'Tells API servers which authority has signed those certificates',
    scope: 'cluster',
    rules: [
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resources: ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
        resourceNames: [WEBHOOK_NAME],
        verbs: ['get', 'list', 'update', 'watch'],
      },
    ],
  },
];
