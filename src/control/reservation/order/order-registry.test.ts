import { describe, expect, it } from 'vitest';
import type { Node } from '../../../core/api/types/core-v1.ts';
import type { Order, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { orderDefinition } from '../../../core/daemons/order-definition.ts';
import { FINISHED } from '../../../core/daemons/ticket-child.ts';
import { createSlotTicketMaker, createTicketMaker } from '../../../core/daemons/ticket-maker.ts';
import { WANTED, WORK } from '../../../core/daemons/ticket-rules.ts';
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';
import type { Informer } from '../../../machinery/cache/informer.ts';
import { createVirtualClock } from '../../../machinery/time/virtual-clock.ts';
import { addSlot, slotsFor } from './board.ts';
import { OrderRegistry } from './order-registry.ts';
import { selectorOf } from './ticket-claims.ts';

const stored = <T extends KubeObject>(object: T, resourceVersion = '1'): Stored<T> => ({
  ...object,
  metadata: { uid: object.metadata.name, creationTimestamp: '', ...object.metadata, resourceVersion },
});

const nodeNamed = (name: string): Stored<Node> => {
  const status = { conditions: [{ type: 'Ready', status: 'True' }] };
  return stored<Node>({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: {}, status });
};

const orderWith = (spec: Order['spec']): Stored<Order> =>
  stored<Order>({
    apiVersion: 'core.korder.dev/v1alpha1',
    kind: 'Order',
    metadata: { name: 'rooms', namespace: 'default' },
    spec: { template: { spec: { resources: { requests: { cpu: '1' } } } }, ...spec },
  });

function setUp(order: Stored<Order>) {
  const told: string[] = [];
  const cache = new Map<string, Stored<Ticket>>();
  const tickets = { lister: { get: (name: string) => cache.get(name) }, resourceVersion: '1' };
  const registry = new OrderRegistry({
    clock: createVirtualClock(),
    tickets: tickets as unknown as Informer<Ticket>,
    onChange: ({ key }) => told.push(key.name),
  });
  const isDaemon = order.spec.daemonSet === true;
  const definition = isDaemon ? orderDefinition(order, undefined) : orderDefinition(order, undefined, slotsFor(2));
  const register = () => registry.register(order, isDaemon ? 'nodes' : 'slots', selectorOf(order), definition);
  const shows = (ticket: Stored<Ticket>): void => {
    const old = cache.get(ticket.metadata.name);
    cache.set(ticket.metadata.name, ticket);
    tickets.resourceVersion = ticket.metadata.resourceVersion;
    registry.seeTickets([
      old === undefined ? { type: 'add', object: ticket, old } : { type: 'update', object: ticket, old },
    ]);
  };
  const showsEnd = (ticket: Stored<Ticket>, resourceVersion: string): void => {
    cache.delete(ticket.metadata.name);
    tickets.resourceVersion = resourceVersion;
    registry.seeTickets([{ type: 'delete', object: ticket, old: ticket }]);
  };
  return { told, registry, register, shows, showsEnd };
}

const daemonSet = orderWith({ daemonSet: true });
const ticketFor = (node: string, version = '2'): Stored<Ticket> =>
  stored(createTicketMaker(daemonSet)({ name: node, uid: node }, '', undefined), version);

describe('the registry', () => {
  it('counts the answer to a write at once, and the same state from the watch not again', () => {
    const { registry, register, shows, told } = setUp(daemonSet);
    registry.seeNode(nodeNamed('a'), undefined);
    const order = register();
    expect([...registry.view(order).listed(WORK)]).toHaveLength(1);
    const ticket = ticketFor('a');
    order.children.wrote(ticket);
    expect([...registry.view(order).listed(WORK)]).toHaveLength(0);
    told.length = 0;
    shows(ticket);
    expect([told, [...registry.view(order).allChildren()].length]).toEqual([[], 1]);
  });

  it('believes a delete before the watch shows it, and wants another Ticket', () => {
    const { registry, register, shows, showsEnd, told } = setUp(daemonSet);
    registry.seeNode(nodeNamed('a'), undefined);
    const order = register();
    const ticket = ticketFor('a');
    shows(ticket);
    told.length = 0;
    order.children.gone(ticket);
    expect([told, registry.view(order).listed(WORK).size]).toEqual([['rooms'], 1]);
    shows({ ...ticket, metadata: { ...ticket.metadata, resourceVersion: '3' } });
    expect(registry.view(order).listed(WORK).size).toBe(1);
    showsEnd(ticket, '4');
    expect(registry.view(order).predecessor(order.board.engine.placeOf('a') ?? -1)).toBe(ticket.metadata.uid);
  });

  it('notices that a Ticket has come and gone before its creation was answered', () => {
    const { registry, register, showsEnd } = setUp(daemonSet);
    registry.seeNode(nodeNamed('a'), undefined);
    const order = register();
    const ticket = ticketFor('a');
    showsEnd(ticket, '5');
    order.children.wrote(ticket);
    expect([...registry.view(order).allChildren()]).toEqual([]);
  });

  it('does not bring back a Ticket that was created and deleted before the watch told of either', () => {
    const { registry, register, shows, showsEnd } = setUp(daemonSet);
    registry.seeNode(nodeNamed('a'), undefined);
    const order = register();
    const ticket = ticketFor('a', '5');
    order.children.wrote(ticket);
    order.children.gone(ticket);
    shows(ticket);
    expect([...registry.view(order).allChildren()]).toEqual([]);
    showsEnd(ticket, '6');
    expect(registry.view(order).listed(WORK).size).toBe(1);
  });

  it('tells of every finished Ticket that comes or goes, also where there are others', () => {
    const { registry, register, shows, showsEnd, told } = setUp(daemonSet);
    registry.seeNode(nodeNamed('a'), undefined);
    const order = register();
    const ended = (name: string, version: string): Stored<Ticket> => {
      const ticket = ticketFor('a', version);
      const metadata = { ...ticket.metadata, name, uid: name };
      return { ...ticket, metadata, status: { phase: 'Expired', finishedTime: '2026-01-01T00:00:00Z' } };
    };
    shows(ticketFor('a'));
    shows(ended('one', '3'));
    told.length = 0;
    shows(ended('two', '4'));
    expect([told, registry.view(order).ofRevision(FINISHED)]).toEqual([['rooms'], 2]);
    showsEnd(ended('one', '3'), '5');
    expect([told, registry.view(order).ofRevision(FINISHED)]).toEqual([['rooms', 'rooms'], 1]);
  });

  it('keeps Tickets of an Order that it does not know yet, or has forgotten', () => {
    const { registry, register, shows } = setUp(daemonSet);
    registry.seeNode(nodeNamed('a'), undefined);
    shows(ticketFor('a'));
    const order = register();
    expect([...registry.view(order).allChildren()]).toHaveLength(1);
    registry.forget(order);
    expect([...registry.view(register()).allChildren()]).toHaveLength(1);
  });

  it('tells Orders without an eligible node of nodes that do not concern them otherwise', () => {
    const { registry, register, told } = setUp(daemonSet);
    const order = register();
    registry.withoutNodes.add(order);
    const node = nodeNamed('a');
    const cordoned: Stored<Node> = { ...node, spec: { unschedulable: true } };
    registry.seeNode(cordoned, undefined);
    expect(told).toEqual(['rooms']);
    registry.seeNode({ ...cordoned, metadata: { ...cordoned.metadata, resourceVersion: '2' } }, cordoned);
    expect(told).toEqual(['rooms']);
    registry.nodeGone(cordoned);
    expect(told).toEqual(['rooms', 'rooms']);
  });

  it('has places for replicas, and Tickets without a slot are strays', () => {
    const replicas = orderWith({ replicas: 2 });
    const { registry, register, shows } = setUp(replicas);
    const order = register();
    for (const slot of [0, 1]) addSlot(order.board, slot);
    expect(registry.view(order).count(WANTED)).toBe(2);
    const made = createSlotTicketMaker(replicas)(1, '', undefined);
    shows(stored(made, '2'));
    expect(registry.view(order).listed(WORK).size).toBe(1);
    const { annotations: _slot, ...metadata } = made.metadata;
    shows(stored({ ...made, metadata: { ...metadata, name: 'stray', uid: 'stray' } }, '3'));
    expect([...order.claims.strays.keys()]).toEqual(['stray']);
    expect([...registry.view(order).allChildren()]).toHaveLength(1);
  });
});
