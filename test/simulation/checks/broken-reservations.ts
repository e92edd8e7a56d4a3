/** Reservation controllers with one fault each, so that the invariants of Orders and Tickets can show that they see it. */
import { type ActorFactory, simulatedActors, simulatedControllers } from '../../../src/assembly/simulated.ts';
import { NODES, PODS, TICKETS } from '../../../src/core/api/registry/resources.ts';
import type { Ticket } from '../../../src/core/api/types/korder-v1alpha1.ts';
import type { KubeObject, Resource, Stored } from '../../../src/core/kube/objects.ts';
import type { Client } from '../../../src/machinery/client/client.ts';
import { through, withoutEvents } from './broken-actors.ts';

const [RESERVATION] = simulatedControllers(['reservation']) as [ActorFactory];

export const WITH_RESERVATION: readonly ActorFactory[] = simulatedActors(['*', 'reservation']);

const isOf = (resource: Resource, other: Resource): boolean => resource.resource === other.resource;

/** Makes everything of a kind twice. */
const twice = (client: Client, kind: Resource): Client => ({
  ...client,
  async create(resource, object, options) {
    const answer = await client.create(resource, object, options);
    if (isOf(resource, kind)) {
      const twin = { ...object, metadata: { ...object.metadata, name: `${object.metadata.name}-x` } };
      await client.create(resource, twin, options).catch(() => undefined);
    }
    return answer;
  },
});

type StatusWrite = (ticket: Stored<Ticket>, write: () => Promise<Stored<Ticket>>) => Promise<Stored<Ticket>>;

/** Puts its hand into the writes of a Ticket's status. */
const atStatus = (client: Client, hand: StatusWrite): Client => ({
  ...client,
  update(resource, object, options) {
    const write = () => client.update(resource, object, options);
    if (!isOf(resource, TICKETS) || options?.subresource !== 'status') return write();
    return hand(object as unknown as Stored<Ticket>, write as never) as never;
  },
});

const setPhase = (client: Client, ticket: Stored<Ticket>, phase: string): Promise<unknown> =>
  client
    .update(TICKETS, { ...ticket, status: { ...ticket.status, phase } }, { subresource: 'status' })
    .catch(() => undefined);

export const TWO_TICKETS = through(RESERVATION, (client) => twice(client, TICKETS));

export const TWO_GUARDIANS = through(RESERVATION, (client) => twice(client, PODS));

/** Ends every Ticket as soon as it holds its room. */
export const IMPATIENT = through(RESERVATION, (client) =>
  atStatus(client, async (ticket, write) => {
    const written = await write();
    if (ticket.status?.phase === 'Reserved') await setPhase(client, written, 'Expired');
    return written;
  }),
);

/** Never says that a Ticket has ended. */
export const FOREVER = through(RESERVATION, (client) =>
  atStatus(client, (ticket, write) => (ticket.status?.phase === 'Expired' ? Promise.resolve(ticket) : write())),
);

/** Says that a Ticket is Reserved before its guardian runs. */
export const BOASTFUL = through(RESERVATION, (client) => ({
  ...client,
  async create(resource, object, options) {
    const answer = await client.create(resource, object, options);
    if (isOf(resource, TICKETS)) await setPhase(client, answer as unknown as Stored<Ticket>, 'Reserved');
    return answer;
  },
}));

/** Lets go of the room when a Ticket ends, whoever comes next. */
export const CARELESS = through(RESERVATION, (client) =>
  atStatus(client, async (ticket, write) => {
    const written = await write();
    const [namespace = '', name = ''] = (ticket.status?.guardianPod ?? '').split('/');
    if (ticket.status?.phase === 'Expired') await client.delete(PODS, { namespace, name }).catch(() => undefined);
    return written;
  }),
);

/** Gives a node up the moment it is away. */
export const RASH = through(RESERVATION, (client) => ({
  ...client,
  async patch(resource, key, patch, options) {
    const answer = await client.patch(resource, key, patch, options);
    const { conditions } = (answer as { readonly status?: Ticket['status'] }).status ?? {};
    const isAway = conditions?.some(({ type, status }) => type === 'NodeEligible' && status === 'False') === true;
    if (isOf(resource, TICKETS) && isAway) await client.delete(TICKETS, key).catch(() => undefined);
    return answer;
  },
}));

/** Never hears of a new node. */
export const BLIND = through(RESERVATION, (client) => withoutEvents(client, NODES, 'ADDED'));

/** Never takes the taint off a node. */
export const CLOSED = through(RESERVATION, (client) => ({
  ...client,
  patch: (resource, key, patch, options) =>
    isOf(resource, NODES) ? client.get(resource, key) : client.patch(resource, key, patch, options),
  update: (resource, object, options) =>
    isOf(resource, NODES) ? Promise.resolve(object as never) : client.update(resource, object, options),
}));

/** Counts one Ticket too many. */
export const MISCOUNTING = through(RESERVATION, (client) => ({
  ...client,
  update(resource, object, options) {
    const { status } = object as KubeObject as { readonly status?: { readonly availableReplicas?: number } };
    if (resource.resource !== 'orders' || status === undefined) return client.update(resource, object, options);
    const more = { ...status, availableReplicas: (status.availableReplicas ?? 0) + 1 };
    return client.update(resource, { ...object, status: more }, options);
  },
}));

/** Removes guardians that wait for room, so that nobody can say why. */
export const SILENT = through(RESERVATION, (client) =>
  atStatus(client, (ticket, write) =>
    ticket.status?.phase === 'Pending' && ticket.status.reason !== undefined ? Promise.resolve(ticket) : write(),
  ),
);
