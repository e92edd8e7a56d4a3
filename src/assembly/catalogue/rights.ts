/**
 * What the operator may do on a cluster, and why: the one source of its roles. The Helm chart, the plain manifests and the
 * page for people are made from it, and a test takes away each verb by itself and looks for what then fails.
 *
 * A feature is what `--controllers` switches, or `base`, which every operator needs. Somebody who runs fewer controllers may
 * leave out the rights of the others; nothing of a feature is needed by another.
 */
import { COMPONENT_PLURAL, GENERATIONS } from '../../core/api/component/generations.ts';
import type { PolicyRule } from '../../core/api/types/rbac-v1.ts';

export interface OperatorRights {
  /** `base`, or the name of a controller. */
  readonly feature: string;
  /** For whoever reviews the roles. */
  readonly why: string;
  /** In the whole cluster, or in the operator's own namespace only. */
  readonly scope: 'cluster' | 'namespace';
  readonly rules: readonly PolicyRule[];
}

/** The Lease over which operators agree who acts, unless another is named; one name a release in the chart. */
export const OPERATOR_LEASE = 'everynode-operator';

/** The Secret, the Service and the webhook configurations of the admission webhooks; one name a release in the chart. */
export const WEBHOOK_NAME = 'everynode-webhook';

const core = (resources: readonly string[], verbs: readonly string[]): PolicyRule => ({
  apiGroups: [''],
  resources,
  verbs,
});
const apps = (resources: readonly string[], verbs: readonly string[]): PolicyRule => ({
  apiGroups: ['apps'],
  resources,
  verbs,
});
const leaseOf = (program: string): PolicyRule => ({
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  resourceNames: [program],
  verbs: ['get'],
});
const COMPONENT_GROUPS: readonly string[] = [...new Set(GENERATIONS.map(({ group }) => group))];
/** Servers that can stream a list need only `watch` for that; `list` is for the others. */
const FOLLOW = ['list', 'watch'] as const;

export const OPERATOR_RIGHTS: readonly OperatorRights[] = [
  {
    feature: 'base',
    why: 'Leader election: one Lease in the namespace of the operator says who acts',
    scope: 'namespace',
    rules: [
      // A name cannot be asked for at a creation: the object is not there yet.
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        resourceNames: [OPERATOR_LEASE],
        verbs: ['get', 'update'],
      },
    ],
  },
  {
    feature: 'rollout-driver',
    why: 'Replaces pods of DaemonSets that ask for it (everynode.dev/rollout-driver), in order, with canary and stops',
    scope: 'cluster',
    rules: [
      apps(['daemonsets'], FOLLOW),
      // A canary that passed is written down on its revision, so that no restart forgets it.
      apps(['controllerrevisions'], ['list', 'patch', 'watch']),
      core(['nodes'], FOLLOW),
      // Reading one pod tells how a deletion without an answer has ended.
      core(['pods'], ['delete', 'get', 'list', 'watch']),
      core(['events'], ['create', 'patch']),
    ],
  },
  {
    feature: 'component',
    why: 'Keeps KubernetesDaemonSets, of whichever of the groups are defined, and tells how they are',
    scope: 'cluster',
    rules: [
      {
        apiGroups: ['apiextensions.k8s.io'],
        resources: ['customresourcedefinitions'],
        resourceNames: COMPONENT_GROUPS.map((group) => `${COMPONENT_PLURAL}.${group}`),
        verbs: FOLLOW,
      },
      // The finalizer: what a component brought goes before it does.
      { apiGroups: COMPONENT_GROUPS, resources: [COMPONENT_PLURAL], verbs: ['list', 'patch', 'watch'] },
      { apiGroups: COMPONENT_GROUPS, resources: [`${COMPONENT_PLURAL}/status`], verbs: ['update'] },
      core(['events'], ['create', 'list', 'patch']),
      core(['nodes', 'pods'], FOLLOW),
    ],
  },
  {
    feature: 'component',
    why: 'Brings what components stand for, puts it right and takes it away; Secrets that pods name are watched by name, for a change rolls the pods',
    scope: 'cluster',
    rules: [
      core(['configmaps'], ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch']),
      // A namespace is made, and left: to delete it one must see who else lives there. See NAMESPACE_RIGHTS.
      core(['namespaces'], ['create', 'get', 'list', 'patch', 'watch']),
      // A custom resource brings no Secret. One that it takes over may have brought some, which go.
      core(['secrets'], ['delete', 'get', 'list', 'watch']),
      core(['serviceaccounts'], ['create', 'delete', 'get', 'list', 'patch', 'watch']),
      apps(['daemonsets'], ['create', 'delete', 'get', 'list', 'patch', 'watch']),
      // Neither `escalate` nor `bind`: a component can be given no right that the operator does not have.
      {
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'],
        verbs: ['create', 'delete', 'get', 'list', 'patch', 'watch'],
      },
    ],
  },
  {
    feature: 'daemonset',
    why: 'Runs DaemonSets in place of the controller in kube-controller-manager',
    scope: 'cluster',
    rules: [
      apps(['daemonsets'], ['get', 'list', 'watch']),
      apps(['daemonsets/status'], ['update']),
      // Where OwnerReferencesPermissionEnforcement is on, whoever makes owners wait for their pods must have this.
      apps(['daemonsets/finalizers'], ['update']),
      apps(['controllerrevisions'], ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch']),
      core(['nodes'], FOLLOW),
      core(['pods'], ['create', 'delete', 'get', 'list', 'patch', 'watch']),
      core(['events'], ['create', 'patch']),
      // It does not act beside kube-controller-manager, whose leader keeps this Lease in kube-system.
      leaseOf('kube-controller-manager'),
    ],
  },
  {
    feature: 'scheduler',
    why: 'Gives pods their nodes in place of kube-scheduler',
    scope: 'cluster',
    rules: [
      core(['nodes', 'namespaces', 'services', 'replicationcontrollers'], FOLLOW),
      apps(['replicasets', 'statefulsets'], FOLLOW),
      { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: FOLLOW },
      { apiGroups: ['storage.k8s.io'], resources: ['storageclasses', 'csinodes'], verbs: FOLLOW },
      // Reading one pod tells how a binding without an answer has ended; deleting is preemption.
      core(['pods'], ['delete', 'get', 'list', 'watch']),
      core(['pods/binding'], ['create']),
      core(['pods/status'], ['patch']),
      core(['persistentvolumes', 'persistentvolumeclaims'], ['list', 'update', 'watch']),
      { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
      // It does not act beside kube-scheduler.
      leaseOf('kube-scheduler'),
    ],
  },
];

/**
 * For whoever wants namespaces that a component made to go with it. Nobody else may live in one that is deleted, whatever their
 * kind is, so all kinds must be seen. That is much; without it such a namespace stays, and an event says so.
 */
export const NAMESPACE_RIGHTS: readonly OperatorRights[] = [
  {
    feature: 'namespaces',
    why: 'Deletes a namespace that a component made, once nothing of anybody else is seen in it',
    scope: 'cluster',
    rules: [core(['namespaces'], ['delete']), { apiGroups: ['*'], resources: ['*'], verbs: ['list'] }],
  },
];

/** What serving admission webhooks takes besides, where the operator makes their certificates itself. */
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
