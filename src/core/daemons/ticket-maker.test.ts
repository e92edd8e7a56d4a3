import { describe, expect, it } from 'vitest';
import { RESERVATION_ANNOTATIONS, RESERVATION_LABELS } from '../api/names.ts';
import type { OrderSpec } from '../api/types/korder-v1alpha1.ts';
import { orderDefinition } from './order-definition.ts';
import { guardianHash, templateHash } from './reservation-hash.ts';
import { makeOrder } from './testing/ticket-samples.ts';
import { pinOfTicket } from './ticket-child.ts';
import { createSlotTicketMaker, createTicketMaker } from './ticket-maker.ts';
import type { Ticket } from '../api/types/korder-v1alpha1.ts';
import type { DaemonTicket } from './ticket-child.ts';

const spec: OrderSpec = {
  template: {
    metadata: { labels: { app: 'x' }, annotations: { note: 'y' } },
    spec: {
      resources: { requests: { cpu: '1' } },
      nodeName: 'n9',
      nodeSelector: { zone: 'a' },
      affinity: {
        podAntiAffinity: {},
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'Exists' }] }],
          },
        },
      },
    },
  },
};
const stored = (ticket: Ticket): DaemonTicket => ({
  ...ticket,
  metadata: { ...ticket.metadata, uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
});
const node = (name: string) => ({ name, uid: `uid-of-${name}` });

describe('a Ticket for a node', () => {
  const order = makeOrder(spec);
  const make = createTicketMaker(order);
  const ticket = make(node('n0'), '', undefined);

  it('is pinned by the name of the node and keeps the rest of the affinity', () => {
    expect(pinOfTicket(stored(ticket))).toEqual({ by: 'name', value: 'n0' });
    expect(ticket.spec.affinity?.podAntiAffinity).toEqual({});
    expect(ticket.spec.nodeName).toBeUndefined();
    expect(ticket.spec.nodeSelector).toEqual({ zone: 'a' });
  });

  it('says what it belongs to', () => {
    expect(ticket.metadata.labels).toEqual({
      app: 'x',
      [RESERVATION_LABELS.order]: 'room',
      [RESERVATION_LABELS.orderUid]: 'order-uid',
      [RESERVATION_LABELS.templateHash]: templateHash(order.spec),
    });
    expect(ticket.metadata.annotations).toEqual({ note: 'y', [RESERVATION_ANNOTATIONS.nodeUid]: 'uid-of-n0' });
    expect(ticket.metadata.ownerReferences).toEqual([
      expect.objectContaining({ kind: 'Order', name: 'room', uid: 'order-uid', controller: true }),
    ]);
  });

  it('has a name that follows from Order, node and predecessor, and from nothing else', () => {
    expect(createTicketMaker(makeOrder(spec))(node('n0'), '', undefined).metadata.name).toBe(ticket.metadata.name);
    const others = [
      make(node('n1'), '', undefined),
      make({ name: 'n0', uid: 'created again' }, '', undefined),
      make(node('n0'), 'u1', undefined),
    ];
    const names = new Set([ticket, ...others].map(({ metadata }) => metadata.name));
    expect(names.size).toBe(4);
    expect(make(node('n0'), 'u1', 'u1').metadata.name).toBe(others[2]?.metadata.name);
  });

  it('names the Ticket whose guardian it takes over', () => {
    expect(make(node('n0'), 'u1', 'u1').metadata.annotations?.[RESERVATION_ANNOTATIONS.predecessor]).toBe('u1');
    expect(ticket.metadata.annotations?.[RESERVATION_ANNOTATIONS.predecessor]).toBeUndefined();
  });

  it('shares all but metadata and pin with the others', () => {
    const other = make(node('n1'), '', undefined);
    expect(other.metadata.labels).toBe(ticket.metadata.labels);
    expect(other.metadata.ownerReferences).toBe(ticket.metadata.ownerReferences);
    expect(other.spec.resources).toBe(ticket.spec.resources);
  });

  it('has the time that the Order gives to Tickets without one: a day, or none with Never', () => {
    const durationOf = (more: OrderSpec) =>
      createTicketMaker(makeOrder({ ...spec, ...more }))(node('n0'), '', undefined).spec.duration;
    expect(durationOf({})).toBe('24h0m0s');
    expect(durationOf({ refreshPolicy: 'Never' })).toBeUndefined();
    expect(durationOf({ template: { spec: { duration: '8h' } } })).toBe('8h');
    expect(durationOf({ template: { spec: { window: { duration: '8h' } } } })).toBeUndefined();
  });

  it('fits into a label by the name of its Order, however long that is', () => {
    const long = makeOrder(spec);
    const named = { ...long, metadata: { ...long.metadata, name: 'a'.repeat(200) } };
    const label = createTicketMaker(named)(node('n0'), '', undefined).metadata.labels?.[RESERVATION_LABELS.order] ?? '';
    expect(label.length).toBeLessThanOrEqual(63);
    expect(label).not.toBe('');
  });

  it('makes the guardian that the definition of the Order expects', () => {
    expect(guardianHash(ticket.spec)).toBe(orderDefinition(order, undefined).guardianHash);
    const replicas = makeOrder({ ...spec, daemonSet: false });
    const slot = createSlotTicketMaker(replicas)(0, '', undefined);
    expect(guardianHash(slot.spec)).toBe(orderDefinition(replicas, undefined).guardianHash);
  });
});

describe('a Ticket for a replica', () => {
  const template = { spec: { resources: { requests: { cpu: '1' } } } };
  const order = makeOrder({ daemonSet: false, replicas: 3, template });
  it('has a slot, no pin, and is kept apart from its siblings', () => {
    const ticket = createSlotTicketMaker(order)(2, '', undefined);
    expect(ticket.metadata.annotations).toEqual({ [RESERVATION_ANNOTATIONS.slot]: '2' });
    expect(pinOfTicket(stored(ticket))).toBeUndefined();
    expect(ticket.spec.topologySpreadConstraints).toEqual([
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: { [RESERVATION_LABELS.orderUid]: 'order-uid' } },
      },
    ]);
  });
  it('is spread as the template says where it says so', () => {
    const own = [{ maxSkew: 2, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }];
    const spread = makeOrder({
      daemonSet: false,
      template: { spec: { ...template.spec, topologySpreadConstraints: own } },
    });
    expect(createSlotTicketMaker(spread)(0, '', undefined).spec.topologySpreadConstraints).toBe(own);
  });
  it('has a name of its own for each slot and predecessor', () => {
    const make = createSlotTicketMaker(order);
    const names = [make(0, '', undefined), make(1, '', undefined), make(0, 'u', undefined)].map(
      (each) => each.metadata.name,
    );
    expect(new Set(names).size).toBe(3);
  });
});

describe('the node of a Ticket', () => {
  it('is read from the pin of an Order, one made by hand, or the node that its guardian is on', () => {
    const ticket = (own: Ticket['spec'], status: Ticket['status'] = {}) =>
      stored({ apiVersion: 'core.korder.dev/v1alpha1', kind: 'Ticket', metadata: { name: 't' }, spec: own, status });
    expect(pinOfTicket(ticket({ nodeName: 'n1' }))).toEqual({ by: 'name', value: 'n1' });
    expect(pinOfTicket(ticket({ nodeSelector: { 'kubernetes.io/hostname': 'h' } }))).toEqual({
      by: 'hostname',
      value: 'h',
    });
    expect(pinOfTicket(ticket({}, { nodeName: 'n2' }))).toEqual({ by: 'name', value: 'n2' });
    expect(pinOfTicket(ticket({}))).toBeUndefined();
  });
});
