import { describe, expect, it } from 'vitest';
import { RESERVATION_ANNOTATIONS, RESERVATION_LABELS } from '../../../core/api/names.ts';
import type { Node, Pod } from '../../../core/api/types/core-v1.ts';
import type { Order, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { guardianHash } from '../../../core/daemons/reservation-hash.ts';
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';
import type { Informer } from '../../../machinery/cache/informer.ts';
import { createObjectStore } from '../../../machinery/cache/object-store.ts';
import { Overlay } from '../../../machinery/children/overlay.ts';
import { GuardianCache } from './guardian-cache.ts';
import { factsOf, indexTickets } from './ticket-facts.ts';

const meta = (name: string) => ({
  name,
  namespace: 'team',
  uid: name,
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
});

const ticket = (name: string, phase: string, predecessor?: string): Stored<Ticket> => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Ticket',
  metadata: {
    ...meta(name),
    ...(predecessor === undefined ? {} : { annotations: { [RESERVATION_ANNOTATIONS.predecessor]: predecessor } }),
  },
  spec: {},
  status: { phase },
});

const guardian = (name: string, owner: string, nodeName?: string): Stored<Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    ...meta(name),
    labels: { [RESERVATION_LABELS.guardianHash]: guardianHash({}) },
    ownerReferences: [
      { apiVersion: 'core.korder.dev/v1alpha1', kind: 'Ticket', name: owner, uid: owner, controller: true },
    ],
  },
  spec: { containers: [{ name: 'guardian' }], ...(nodeName === undefined ? {} : { nodeName }) },
});

/** A cache that shows these objects. */
function informerOf<T extends KubeObject>(): {
  readonly informer: Informer<T>;
  show(objects: readonly Stored<T>[]): void;
} {
  const store = createObjectStore<T>();
  const informer = { lister: store, addIndex: store.addIndex, resourceVersion: '1' } as unknown as Informer<T>;
  return { informer, show: (objects) => store.apply(objects.map((object) => ({ type: 'ADDED', object }))) };
}

/** The heir of an expired Ticket `one`, whose guardian has a node, where `two` follows it and has these guardians. */
function heirWith(
  own: readonly Stored<Pod>[],
  held = guardian('held', 'one', 'node'),
  one = ticket('one', 'Expired'),
  two = ticket('two', 'Pending', 'one'),
): string {
  const pods = informerOf<Pod>();
  const tickets = informerOf<Ticket>();
  indexTickets(tickets.informer);
  const caches = {
    tickets: tickets.informer,
    written: new Overlay<Ticket>(tickets.informer),
    guardians: new GuardianCache(pods.informer),
    orders: createObjectStore<Order>(),
    nodes: createObjectStore<Node>(),
  };
  tickets.show([one, two]);
  pods.show([held, ...own]);
  return factsOf(caches, one, {}, 0).heir;
}

describe('the heir of a Ticket that has expired', () => {
  it('waits while it has no guardian', () => {
    expect(heirWith([])).toBe('waiting');
  });

  it('waits while its own guardian has no node: it gives that up and takes the one that holds the room', () => {
    expect(heirWith([guardian('own', 'two')])).toBe('waiting');
  });

  it('does not where its own guardian has a node, or neither has', () => {
    expect(heirWith([guardian('own', 'two', 'node')])).toBe('served');
    expect(heirWith([guardian('own', 'two')], guardian('held', 'one'))).toBe('served');
  });

  const of = (order: string, each: Stored<Ticket>, spec: Ticket['spec'] = {}): Stored<Ticket> => ({
    ...each,
    metadata: {
      ...each.metadata,
      labels: { [RESERVATION_LABELS.orderUid]: order, [RESERVATION_LABELS.templateHash]: 'same' },
      ownerReferences: [
        { apiVersion: 'core.korder.dev/v1alpha1', kind: 'Order', name: order, uid: order, controller: true },
      ],
    },
    spec,
  });
  const one = ticket('one', 'Expired');
  const two = ticket('two', 'Pending', 'one');

  it('takes a guardian whose labels name no Order, where both Tickets have the same controller', () => {
    expect(heirWith([], undefined, of('order', one), of('order', two))).toBe('waiting');
    expect(heirWith([], undefined, of('other', one), of('order', two))).toBe('served');
  });

  it('takes a guardian that was made for another pin, where both Tickets count as made from one template', () => {
    const spec = { nodeSelector: { 'kubernetes.io/hostname': 'node' } };
    const held = guardian('held', 'one', 'node');
    const labels = { [RESERVATION_LABELS.guardianHash]: guardianHash(spec) };
    const adopted = { ...held, metadata: { ...held.metadata, labels } };
    expect(heirWith([], adopted, of('order', one, spec), of('order', two))).toBe('waiting');
    const newer = of('order', two);
    const changed = { ...newer.metadata.labels, [RESERVATION_LABELS.templateHash]: 'another' };
    const replaced = { ...newer, metadata: { ...newer.metadata, labels: changed } };
    expect(heirWith([], adopted, of('order', one, spec), replaced)).toBe('served');
  });
});
