import { describe, expect, it } from 'vitest';
import { orderStrategy } from './order.ts';
import { changeRefusals, decoded, orderOf, refusals, ticketOf, warnings } from './testing/orders.ts';
import { ticketStrategy } from './ticket.ts';

const IMMUTABLE =
  "field is immutable: the guardian is made from it; change the Order's template, or make another Ticket";
const PAST = { startTime: '2026-03-01T11:00:00Z' };

describe('a Ticket', () => {
  it('waits when it is new, whatever status comes with it', () => {
    const claimed = { ...ticketOf(), status: { phase: 'Claimed', nodeName: 'n' } };
    expect(ticketStrategy.prepareForCreate(decoded(claimed)).status).toEqual({ phase: 'Pending' });
    expect(orderStrategy.prepareForCreate(decoded({ ...orderOf(), status: { replicas: 3 } }))).not.toHaveProperty(
      'status',
    );
  });

  it('is judged like the template of an Order', () => {
    expect(refusals(ticketOf({ duration: '0s', resources: {}, ...PAST }))).toEqual([
      'spec.duration: Invalid value: "0s": must be at least 1s, such as 24h',
      'spec.startTime: Invalid value: "2026-03-01T11:00:00Z": must not be in the past (it is 2026-03-01T12:00:00Z); name a later time, or leave it out to begin at once',
      'spec.resources.requests: Required value: without requests no room is reserved; name a resource and an amount above zero, such as cpu: 100m',
    ]);
    expect(warnings(ticketOf({ cleanupPolicy: 'Retain', ttlSecondsAfterFinished: 1 }))).toHaveLength(1);
  });

  it('of an Order may begin when the Order has begun', () => {
    const owner = { apiVersion: 'core.korder.dev/v1alpha1', kind: 'Order', name: 'o', uid: 'u' };
    const owned = (more: object) => ticketOf(PAST, { ownerReferences: [{ ...owner, ...more }] });
    expect(refusals(owned({ controller: true }))).toEqual([]);
    expect(refusals(owned({}))).toHaveLength(1);
    expect(refusals(owned({ controller: true, apiVersion: 'apps/v1' }))).toHaveLength(1);
  });

  it('has a name that guardians can carry as a label', () => {
    expect(refusals(ticketOf({}, { name: 'a'.repeat(63) }))).toEqual([]);
    expect(refusals(ticketOf({}, { name: 'a'.repeat(64) }))).toEqual([
      expect.stringContaining('must be no more than 63 characters, to fit the label korder.dev/ticket'),
    ]);
  });

  it('may change how long it holds room, and how long it is kept', () => {
    const old = ticketOf({ duration: '1h', ...PAST });
    const longer = { duration: '2h', ...PAST, cleanupPolicy: 'Retain', lifecycle: { ttlSecondsAfterFinished: 5 } };
    expect(changeRefusals(ticketOf(longer), old)).toEqual([]);
    expect(changeRefusals(ticketOf({ duration: '0s', ...PAST }), old)).toEqual([
      'spec.duration: Invalid value: "0s": must be at least 1s, such as 24h',
    ]);
    // The same start in the other shape is no change.
    expect(changeRefusals(ticketOf({ window: PAST }), old)).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['resources', { resources: { requests: { cpu: '200m' } } }, '{"requests":{"cpu":"200m"}}'],
    ['nodeName', { nodeName: 'n1' }, '"n1"'],
    ['nodeSelector', { nodeSelector: { a: 'b' } }, '{"a":"b"}'],
    ['affinity', { affinity: {} }, '{}'],
    ['tolerations', { tolerations: [] }, '[]'],
    ['topologySpreadConstraints', { topologySpreadConstraints: [] }, '[]'],
    ['schedulerName', { schedulerName: 's' }, '"s"'],
    ['priorityClassName', { priorityClassName: 'p' }, '"p"'],
    ['startTime', { startTime: '2030-01-01T00:00:00Z' }, '"2030-01-01T00:00:00Z"'],
    ['window.startTime', { window: { startTime: '2030-01-01T00:00:00Z' } }, '"2030-01-01T00:00:00Z"'],
  ])('may not change its %s', (name, spec, shown) => {
    expect(changeRefusals(ticketOf(spec), ticketOf())).toEqual([`spec.${name}: Invalid value: ${shown}: ${IMMUTABLE}`]);
    expect(changeRefusals(ticketOf(), ticketOf(spec))).toHaveLength(1);
  });

  it('has a phase that there is', () => {
    const old = ticketOf();
    const inPhase = (phase: string) => ({ ...old, status: { phase } });
    for (const phase of ['Pending', 'Reserved', 'Claiming', 'Claimed', 'Released', 'Expired']) {
      expect(changeRefusals(inPhase(phase), old, 'status')).toEqual([]);
    }
    expect(changeRefusals(inPhase('Ready'), old, 'status')).toEqual([
      'status.phase: Unsupported value: "Ready": supported values: "Pending", "Reserved", "Claiming", "Claimed", "Released", "Expired"',
    ]);
  });

  it('that rules of today refuse can still be reported on, and go', () => {
    const old = ticketOf({ resources: {} });
    const expired: typeof old = { ...old, status: { phase: 'Expired' } };
    expect(changeRefusals(expired, old, 'status')).toEqual([]);
    const { name, namespace, uid, resourceVersion, creationTimestamp } = old.metadata;
    const kept = {
      ...old,
      metadata: { name, namespace, uid, resourceVersion, creationTimestamp, finalizers: ['a.b/c'] },
    };
    expect(changeRefusals(old, kept as typeof old)).toEqual([]);
  });
});
