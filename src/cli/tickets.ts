/** `everynode tickets`: Tickets node by node. */
import { RESERVATION_LABELS } from '../core/api/names.ts';
import { NODES, ORDERS, TICKETS } from '../core/api/registry/resources.ts';
import type { Node } from '../core/api/types/core-v1.ts';
import type { Ticket } from '../core/api/types/korder-v1alpha1.ts';
import { printYaml } from '../core/component/print/print-yaml.ts';
import { isUnschedulable } from '../core/daemons/ticket-phase.ts';
import { isStatus } from '../core/kube/status-error.ts';
import type { Client } from '../machinery/client/client.ts';
import { realClock } from '../machinery/time/real-clock.ts';
import { onCluster } from './component/cluster.ts';
import { count } from './component/text.ts';
import type { TicketsFlags } from './reservation/flags.ts';
import { noOrderError } from './reservation/no-order.ts';
import { mustBeThere } from './reservation/no-place.ts';
import { inPlace } from './reservation/places.ts';
import { orNotServed } from './reservation/served.ts';
import { ticketNotes } from './reservation/ticket-notes.ts';
import { presentTickets, ticketsTable, ticketView, type TicketView } from './reservation/ticket-view.ts';

export async function tickets(order: string | undefined, flags: TicketsFlags): Promise<void> {
  await onCluster(flags, {}, async ({ context: { client, signal }, namespace: usual }) => {
    const namespace = flags.allNamespaces === true ? undefined : (flags.namespace ?? usual);
    const { items } = await client
      .list(TICKETS, {
        ...(signal === undefined ? {} : { signal }),
        ...(namespace === undefined ? {} : { namespace }),
        ...(order === undefined ? {} : { labelSelector: `${RESERVATION_LABELS.order}=${order}` }),
      })
      .catch(orNotServed);
    const around = { now: realClock.now(), nodes: await nodesOf(client, items) };
    const views = items
      .map((ticket) => ticketView(ticket, around))
      .filter(({ node }) => flags.node === undefined || node === flags.node)
      .toSorted(inPlace);
    if (views.length === 0 && order !== undefined && !(await isThere(client, order, namespace)))
      throw await noOrderError(client, order, namespace);
    if (views.length === 0) await mustBeThere(client, { namespace, node: flags.node });
    show(views, order, flags, namespace);
  });
}

/** Sizes of nodes tell whether a Ticket without room could ever have some. Users who may not list nodes are told less. */
async function nodesOf(client: Client, items: readonly Ticket[]): Promise<readonly Node[]> {
  if (!items.some(isUnschedulable)) return [];
  return client.list(NODES).then(
    ({ items: nodes }) => nodes,
    () => [],
  );
}

async function isThere(client: Client, name: string, namespace: string | undefined): Promise<boolean> {
  if (namespace === undefined) return (await client.list(ORDERS)).items.some(({ metadata }) => metadata.name === name);
  try {
    await client.get(ORDERS, { namespace, name });
    return true;
  } catch (error) {
    if (isStatus(error, 'NotFound')) return false;
    throw error;
  }
}

function show(
  views: readonly TicketView[],
  order: string | undefined,
  { output, node }: TicketsFlags,
  namespace: string | undefined,
): void {
  if (output === 'json' || output === 'yaml') {
    const value = { tickets: views };
    process.stdout.write(output === 'json' ? `${JSON.stringify(value, null, 2)}\n` : printYaml(value));
    return;
  }
  if (views.length === 0) {
    const whose = order === undefined ? '' : ` of Order ${order}`;
    const where = namespace === undefined ? 'the cluster' : `namespace ${namespace}`;
    const on = node === undefined ? '' : ` on node ${node}`;
    process.stderr.write(`There is no Ticket${whose}${on} in ${where}.\n`);
    if (order !== undefined)
      process.stderr.write(
        `  everynode orders ${order}${namespace === undefined ? ' -A' : ` -n ${namespace}`} says why\n`,
      );
    return;
  }
  if (output === 'name') {
    for (const view of views) process.stdout.write(`ticket.core.korder.dev/${view.name}\n`);
    return;
  }
  const isWide = output === 'wide';
  const shown = isWide ? views : presentTickets(views);
  const options = { now: realClock.now(), isWide, withNamespace: namespace === undefined };
  process.stdout.write(ticketsTable(shown, options));
  for (const note of ticketNotes(shown, isWide)) process.stdout.write(`${note}\n`);
  const hidden = views.length - shown.length;
  if (hidden > 0) process.stderr.write(`${count(hidden, 'finished Ticket')} with a successor: -o wide shows them\n`);
}
