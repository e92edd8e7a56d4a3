/** On a cluster that everynode does not serve the controller waits for the definitions, and ends when they go. */
import { afterEach, expect, it } from 'vitest';
import { createReservationController } from '../../src/control/reservation/reservation-controller.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, ORDERS, QUOTAS, TICKETS } from '../../src/core/api/registry/resources.ts';
import type { CustomResourceDefinition } from '../../src/core/api/types/apiextensions-v1.ts';
import type { Resource } from '../../src/core/kube/objects.ts';
import type { Actor } from '../../src/machinery/actor.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { createTicketWorld, namespace, ticket, type TicketWorld } from './ticket-world.ts';

let world: TicketWorld;
afterEach(() => world.stop());

const KINDS: readonly Resource[] = [ORDERS, TICKETS, QUOTAS];

const definition = ({ group, version, resource, kind, namespaced }: Resource): CustomResourceDefinition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${resource}.${group}` },
  spec: {
    group,
    scope: namespaced ? 'Namespaced' : 'Cluster',
    names: { plural: resource, kind },
    versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});

/** Counts the requests for the kinds in question. */
function counted(client: Client, asked: string[]): Client {
  const note = ({ group, resource }: Resource): void => void (group === ORDERS.group && asked.push(resource));
  return {
    ...client,
    list: (resource, ...rest) => (note(resource), client.list(resource, ...rest)),
    watch: (resource, ...rest) => (note(resource), client.watch(resource, ...rest)),
  };
}

it('asks for nothing that is not defined, begins when all is, and ends when a definition goes', async () => {
  const asked: string[] = [];
  let controller: Actor | undefined;
  world = await createTicketWorld({
    nodes: 1,
    controller: false,
    more(around) {
      controller = createReservationController({ ...around, client: counted(around.client, asked), areDefined: true });
      return [controller];
    },
  });
  await world.clock.advance(60_000);
  expect(controller?.ready?.()).toBe(true);
  expect(asked).toEqual([]);
  const establish = async (resource: Resource): Promise<void> => {
    const { metadata } = await world.client.create(CUSTOM_RESOURCE_DEFINITIONS, definition(resource));
    const conditions = [{ type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: '' }];
    await world.client.patch(
      CUSTOM_RESOURCE_DEFINITIONS,
      { name: metadata.name },
      { type: 'merge', body: { status: { conditions } } },
      { subresource: 'status' },
    );
  };
  for (const kind of KINDS.slice(0, 2)) await establish(kind);
  await world.clock.advance(10_000);
  expect(asked).toEqual([]);
  await establish(QUOTAS);
  await world.clock.advance(10_000);
  expect(new Set(asked)).toContain('tickets');
  await world.client.create(TICKETS, ticket());
  await world.eventually(async () => (await world.phase()) === 'Reserved');

  const name = 'tickets.core.korder.dev';
  await world.client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name });
  await world.client.patch(
    CUSTOM_RESOURCE_DEFINITIONS,
    { name },
    { type: 'merge', body: { metadata: { finalizers: null } } },
  );
  await world.clock.advance(10_000);
  await world.client.create(TICKETS, ticket({}, { name: 'late' }));
  await world.clock.advance(10_000);
  expect((await world.client.get(TICKETS, { namespace, name: 'late' })).status?.phase).not.toBe('Reserved');

  await establish(TICKETS);
  await world.eventually(async () => (await world.phase('late')) === 'Reserved');
});
