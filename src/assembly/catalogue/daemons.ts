/** Rows of the controllers of node daemons and their pods: those that the operator can run. */
import { createComponentController } from '../../control/component/controller/component-controller.ts';
import { createDaemonSetController } from '../../control/daemonset/daemonset-controller.ts';
import { createRolloutDriver } from '../../control/daemonset/rollout-driver.ts';
import { createScheduler } from '../../control/scheduler/scheduler.ts';
import { CLAIM_SCHEDULER } from '../../core/api/names.ts';
import { TICKETS } from '../../core/api/registry/resources.ts';
import { componentDefinitions } from '../../core/api/component/definitions.ts';
import { COMPONENT_PLURAL, GENERATIONS } from '../../core/api/component/generations.ts';
import { createClaimScheduler, createSchedulerOfClaimants } from './claim-scheduler.ts';
import type { Catalogue } from './entry.ts';
import { apps, core, FOLLOW, leaseOf } from './rights.ts';

const COMPONENT_GROUPS: readonly string[] = [...new Set(GENERATIONS.map(({ group }) => group))];

export const DAEMON_CONTROLLERS: Catalogue = [
  {
    name: 'rollout-driver',
    aliases: [],
    about:
      'rolls out DaemonSets with the annotation everynode.dev/rollout-driver, beside the controller that runs DaemonSets',
    rights: [
      {
        why: 'Replaces pods of DaemonSets that ask for it (everynode.dev/rollout-driver), in order, with canary and stops',
        scope: 'cluster',
        rules: [
          apps(['daemonsets'], FOLLOW),
          // A canary that passed is recorded on its revision, so that no restart forgets it.
          apps(['controllerrevisions'], ['list', 'patch', 'watch']),
          core(['nodes'], FOLLOW),
          // Reading one pod tells how a deletion without an answer has ended.
          core(['pods'], ['delete', 'get', 'list', 'watch']),
          core(['events'], ['create', 'patch']),
        ],
      },
    ],
    profiles: { operator: { runs: 'default', create: createRolloutDriver } },
  },
  {
    name: 'component',
    aliases: ['component-controller', 'kubernetesdaemonset'],
    about: 'keeps KubernetesDaemonSets: everything a node daemon needs, from one custom resource',
    rights: [
      {
        why: 'Keeps KubernetesDaemonSets, of whichever of the groups are defined, and tells how they are',
        scope: 'cluster',
        rules: [
          {
            apiGroups: ['apiextensions.k8s.io'],
            resources: ['customresourcedefinitions'],
            resourceNames: COMPONENT_GROUPS.map((group) => `${COMPONENT_PLURAL}.${group}`),
            verbs: FOLLOW,
          },
          // The finalizer: a component's objects go before it does.
          { apiGroups: COMPONENT_GROUPS, resources: [COMPONENT_PLURAL], verbs: ['list', 'patch', 'watch'] },
          { apiGroups: COMPONENT_GROUPS, resources: [`${COMPONENT_PLURAL}/status`], verbs: ['update'] },
          core(['events'], ['create', 'list', 'patch']),
          core(['nodes', 'pods'], FOLLOW),
        ],
      },
      {
        why: 'Brings what components stand for, puts it right and takes it away; Secrets that pods name are watched by name, for a change rolls the pods',
        scope: 'cluster',
        rules: [
          core(['configmaps'], ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch']),
          // A namespace is created, and left: to delete it the operator must see all objects in it. See
          // NAMESPACE_RIGHTS in rights.ts.
          core(['namespaces'], ['create', 'get', 'list', 'patch', 'watch']),
          // A custom resource brings no Secret. A component that it takes over may have brought some, which are
          // deleted.
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
    ],
    kinds: { defined: componentDefinitions },
    profiles: {
      embedded: { runs: 'default', create: (parts) => createComponentController({ ...parts, keepsNames: true }) },
      operator: { runs: 'default', create: createComponentController },
    },
  },
  {
    name: 'daemonset',
    aliases: ['daemonset-controller'],
    about: 'runs DaemonSets',
    insteadOf: {
      name: 'daemonset-controller',
      fixEmbedded: "start everynode up with --controllers '*,-daemonset-controller', or the operator without daemonset",
      lease: 'kube-controller-manager',
      program: 'the DaemonSet controller of kube-controller-manager',
      fix: 'start kube-controller-manager with --controllers=*,-daemonset-controller, and the operator with --instead-of-upstream',
    },
    rights: [
      {
        why: 'Runs DaemonSets in place of the controller in kube-controller-manager',
        scope: 'cluster',
        rules: [
          apps(['daemonsets'], ['get', 'list', 'watch']),
          apps(['daemonsets/status'], ['update']),
          // OwnerReferencesPermissionEnforcement, where it is on, requires this of a writer of `blockOwnerDeletion`.
          apps(['daemonsets/finalizers'], ['update']),
          apps(['controllerrevisions'], ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch']),
          core(['nodes'], FOLLOW),
          core(['pods'], ['create', 'delete', 'get', 'list', 'patch', 'watch']),
          core(['events'], ['create', 'patch']),
          // The controller does not act beside kube-controller-manager, whose leader keeps this Lease in kube-system.
          leaseOf('kube-controller-manager'),
        ],
      },
    ],
    profiles: {
      embedded: { runs: 'default', create: createDaemonSetController },
      // The operator has checked by then whether another DaemonSet controller acts.
      operator: { runs: 'named', create: (around) => createDaemonSetController({ ...around, besideAnother: true }) },
      simulated: { runs: 'default', create: createDaemonSetController },
    },
  },
  {
    name: 'scheduler',
    aliases: ['kube-scheduler'],
    about: 'gives pods their nodes',
    insteadOf: {
      name: 'kube-scheduler',
      fixEmbedded: 'everynode up schedules by itself: start the operator without scheduler',
      lease: 'kube-scheduler',
      fix: 'stop kube-scheduler; or, where it schedules other pods only, start the operator with --instead-of-upstream',
    },
    rights: [
      {
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
          // The scheduler does not act beside kube-scheduler.
          leaseOf('kube-scheduler'),
        ],
      },
    ],
    profiles: {
      // Claims need Tickets, which are served where the reservation controller keeps them.
      embedded: {
        runs: 'always',
        create: (given) =>
          given.registry.byStorage(TICKETS.group, TICKETS.resource) === undefined
            ? createScheduler(given)
            : createClaimScheduler(given),
      },
      operator: { runs: 'named', create: createScheduler },
      simulated: { runs: 'default', create: createScheduler },
    },
  },
  {
    name: 'claim-scheduler',
    aliases: [CLAIM_SCHEDULER],
    about: 'gives pods that claim a Ticket their nodes, beside kube-scheduler',
    rights: [
      {
        why: 'Gives pods that claim a Ticket their nodes',
        scope: 'cluster',
        rules: [
          core(['nodes', 'namespaces', 'services', 'replicationcontrollers'], FOLLOW),
          apps(['replicasets', 'statefulsets'], FOLLOW),
          { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: FOLLOW },
          { apiGroups: ['storage.k8s.io'], resources: ['storageclasses', 'csinodes'], verbs: FOLLOW },
          // A pod that prefers a Ticket and finds none is scheduled like any other: bound, and given the room of less important ones.
          core(['pods'], ['delete', 'get', 'list', 'watch']),
          core(['pods/binding'], ['create']),
          core(['pods/status'], ['patch']),
          core(['persistentvolumes', 'persistentvolumeclaims'], ['list', 'update', 'watch']),
          { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
          {
            apiGroups: ['apiextensions.k8s.io'],
            resources: ['customresourcedefinitions'],
            resourceNames: ['orders', 'tickets', 'quotas'].map((plural) => `${plural}.${TICKETS.group}`),
            verbs: FOLLOW,
          },
          { apiGroups: [TICKETS.group], resources: ['orders'], verbs: FOLLOW },
          // Reading one Ticket tells how a claim without an answer has ended.
          { apiGroups: [TICKETS.group], resources: ['tickets'], verbs: ['get', 'list', 'watch'] },
          { apiGroups: [TICKETS.group], resources: ['tickets/status'], verbs: ['update'] },
        ],
      },
    ],
    profiles: {
      operator: { runs: 'default', create: createSchedulerOfClaimants },
      simulated: {
        runs: 'named',
        create: (given) => createClaimScheduler({ ...given, schedulerName: CLAIM_SCHEDULER }),
      },
    },
  },
];
