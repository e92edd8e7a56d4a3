/** Row of the controller of Orders, Tickets and guardians. */
import { createReservationController } from '../../control/reservation/reservation-controller.ts';
import type { PolicyRule } from '../../core/api/types/rbac-v1.ts';
import type { Catalogue } from './entry.ts';
import { core, FOLLOW } from './rights.ts';

const GROUP = 'core.korder.dev';
const KINDS: readonly string[] = ['orders', 'tickets', 'quotas'].map((plural) => `${plural}.${GROUP}`);

const korder = (resources: readonly string[], verbs: readonly string[]): PolicyRule => ({
  apiGroups: [GROUP],
  resources,
  verbs,
});

export const RESERVATION_CONTROLLERS: Catalogue = [
  {
    name: 'reservation',
    aliases: ['reservations', 'korder', 'orders'],
    about: 'reserves room on nodes: makes the Tickets of Orders and the guardian pods of Tickets',
    rights: [
      {
        why: 'Keeps Orders and their Tickets, once they are defined, and tells how they are',
        scope: 'cluster',
        rules: [
          {
            apiGroups: ['apiextensions.k8s.io'],
            resources: ['customresourcedefinitions'],
            resourceNames: KINDS,
            verbs: FOLLOW,
          },
          // Reading one Order tells whether it is still there before a Ticket is adopted for it.
          korder(['orders'], ['get', 'list', 'watch']),
          korder(['orders/status'], ['update']),
          // Adoption changes the owner of a Ticket; reading one tells how a write without an answer has ended.
          korder(['tickets'], ['create', 'delete', 'get', 'list', 'patch', 'watch']),
          // A patch renews or marks a Ticket, an update moves it to another phase.
          korder(['tickets/status'], ['patch', 'update']),
          // OwnerReferencesPermissionEnforcement, where it is on, requires this of a writer of `blockOwnerDeletion`.
          korder(['orders/finalizers', 'tickets/finalizers'], ['update']),
          korder(['quotas'], FOLLOW),
          core(['events'], ['create', 'patch']),
        ],
      },
      {
        why: 'Makes the guardians of Tickets, passes them on from one Ticket to the next and removes them; hands their room over to claimants',
        scope: 'cluster',
        rules: [
          core(['pods'], ['create', 'delete', 'get', 'list', 'patch', 'watch']),
          // Binds a claimant, or the guardian that takes its place, while a shade holds the room.
          core(['pods/binding'], ['create']),
          // The class of guardians is created, never changed. A create cannot be limited to a name.
          { apiGroups: ['scheduling.k8s.io'], resources: ['priorityclasses'], verbs: ['create'] },
        ],
      },
      {
        why: 'Follows nodes, and takes the taint everynode.dev/unreserved off a node whose room is reserved',
        scope: 'cluster',
        // A node is read once more before a claimant is bound to it.
        rules: [core(['nodes'], ['get', 'list', 'patch', 'watch'])],
      },
    ],
    kinds: { builtIn: KINDS },
    profiles: {
      embedded: { runs: 'default', create: createReservationController },
      operator: { runs: 'default', create: (around) => createReservationController({ ...around, areDefined: true }) },
      // Scenarios with Orders name it, so that a seed of any other one goes on meaning the same run.
      simulated: { runs: 'named', create: createReservationController },
    },
  },
];
