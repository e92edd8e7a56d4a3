/** `everynode orders`: Orders, the room they hold, and why some of it is missing. */
import { RESERVATION_LABELS } from '../core/api/names.ts';
import { ORDERS, TICKETS } from '../core/api/registry/resources.ts';
import type { Order, Ticket } from '../core/api/types/korder-v1alpha1.ts';
import { printYaml } from '../core/component/print/print-yaml.ts';
import { isStatus } from '../core/kube/status-error.ts';
import type { Client } from '../machinery/client/client.ts';
import { realClock } from '../machinery/time/real-clock.ts';
import { onCluster } from './component/cluster.ts';
import { inPlace } from './reservation/places.ts';
import type { OrdersFlags } from './reservation/flags.ts';
import { noOrderError } from './reservation/no-order.ts';
import { mustBeThere } from './reservation/no-place.ts';
import { orderNotes, ordersTable, orderView, type OrderView } from './reservation/order-view.ts';
import { orNotServed } from './reservation/served.ts';
import { isOrphan } from './reservation/ticket-view.ts';

export async function orders(name: string | undefined, flags: OrdersFlags): Promise<void> {
  await onCluster(flags, {}, async ({ context: { client, signal }, namespace: usual }) => {
    const namespace = flags.allNamespaces === true ? undefined : (flags.namespace ?? usual);
    const options = signal === undefined ? {} : { signal };
    const found = await read(client, name, namespace, options).catch(orNotServed);
    const orphans = name === undefined ? [] : await orphansOf(client, name, namespace, options);
    const orphansIn = (where: string | undefined): number =>
      orphans.filter(({ metadata }) => metadata.namespace === where).length;
    const views = found.map((order) => orderView(order, orphansIn(order.metadata.namespace))).toSorted(inPlace);
    if (name !== undefined && views.length === 0) throw await noOrderError(client, name, namespace);
    if (views.length === 0) await mustBeThere(client, { namespace });
    show(views, flags, namespace);
  });
}

async function read(
  client: Client,
  name: string | undefined,
  namespace: string | undefined,
  options: { readonly signal?: AbortSignal },
): Promise<readonly Order[]> {
  if (name !== undefined && namespace !== undefined) {
    try {
      return [await client.get(ORDERS, { namespace, name }, options)];
    } catch (error) {
      if (isStatus(error, 'NotFound')) return [];
      throw error;
    }
  }
  const { items } = await client.list(ORDERS, { ...options, ...(namespace === undefined ? {} : { namespace }) });
  return name === undefined ? items : items.filter(({ metadata }) => metadata.name === name);
}

/** Tickets that a deleted Order of the name left behind; none where Tickets may not be listed. */
async function orphansOf(
  client: Client,
  name: string,
  namespace: string | undefined,
  options: { readonly signal?: AbortSignal },
): Promise<readonly Ticket[]> {
  const labelSelector = `${RESERVATION_LABELS.order}=${name}`;
  const where = namespace === undefined ? {} : { namespace };
  return client.list(TICKETS, { ...options, ...where, labelSelector }).then(
    ({ items }) => items.filter(isOrphan),
    () => [],
  );
}

function show(views: readonly OrderView[], { output }: OrdersFlags, namespace: string | undefined): void {
  if (output === 'json' || output === 'yaml') {
    const value = { orders: views };
    process.stdout.write(output === 'json' ? `${JSON.stringify(value, null, 2)}\n` : printYaml(value));
    return;
  }
  if (views.length === 0) {
    const where = namespace === undefined ? 'the cluster' : `namespace ${namespace}`;
    process.stderr.write(`There is no Order in ${where}.\n`);
    return;
  }
  if (output === 'name') {
    for (const view of views) process.stdout.write(`order.core.korder.dev/${view.name}\n`);
    return;
  }
  const options = { now: realClock.now(), isWide: output === 'wide', withNamespace: namespace === undefined };
  process.stdout.write(ordersTable(views, options));
  for (const note of orderNotes(views, output === 'wide')) process.stdout.write(`${note}\n`);
}
