/** `everynode orders`: Orders, the room they hold, and why some of it is missing. */
import { ORDERS } from '../core/api/registry/resources.ts';
import type { Order } from '../core/api/types/korder-v1alpha1.ts';
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

export async function orders(name: string | undefined, flags: OrdersFlags): Promise<void> {
  await onCluster(flags, {}, async ({ context: { client, signal }, namespace: usual }) => {
    const namespace = flags.allNamespaces === true ? undefined : (flags.namespace ?? usual);
    const options = signal === undefined ? {} : { signal };
    const found = await read(client, name, namespace, options).catch(orNotServed);
    const views = found.map(orderView).toSorted(inPlace);
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
