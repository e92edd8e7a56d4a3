import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderOf, quotaOf, refusals, ticketOf } from '../../../core/api/kinds/reservation/testing/orders.ts';
import { PUBLISHED, published } from '../../../core/api/kinds/reservation/testing/published.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';
import type { AdmissionResponse } from '../../../machinery/ports/admission.ts';
import { createReservationAdmission } from './reservation-admission.ts';

const plugin = createReservationAdmission();
const GROUP = { group: 'core.korder.dev', version: 'v1alpha1' };

function ask(object: KubeObject, oldObject?: KubeObject): AdmissionResponse {
  const answer = plugin.validate?.({
    operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
    resource: { ...GROUP, resource: `${object.kind.toLowerCase()}s` },
    kind: object.kind,
    ...{ subresource: '', tenant: 'system', namespace: 'default', name: 'buffer', dryRun: false },
    object,
    ...(oldObject === undefined ? {} : { oldObject }),
    user: { name: 'someone', groups: [] },
  });
  if (answer === undefined || answer instanceof Promise) throw new Error('it answers at once');
  return answer;
}

const causesOf = (answer: AdmissionResponse): readonly string[] =>
  answer.allowed ? [] : (answer.error.status.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);

describe('reservations on a cluster that everynode does not serve', () => {
  it('are judged when they are made and changed, not their statuses or scales', () => {
    for (const resource of ['orders', 'tickets', 'quotas']) {
      const about = { resource: { ...GROUP, resource }, subresource: '' };
      expect(plugin.handles({ ...about, operation: 'CREATE' })).toBe(true);
      expect(plugin.handles({ ...about, operation: 'UPDATE' })).toBe(true);
      expect(plugin.handles({ ...about, operation: 'DELETE' })).toBe(false);
      expect(plugin.handles({ ...about, operation: 'UPDATE', subresource: 'status' })).toBe(false);
    }
    const other = { operation: 'CREATE', subresource: '' } as const;
    expect(plugin.handles({ ...other, resource: { ...GROUP, resource: 'blacklists' } })).toBe(false);
    expect(plugin.handles({ ...other, resource: { group: '', version: 'v1', resource: 'quotas' } })).toBe(false);
  });

  it.each(PUBLISHED)('may be the published example %s', (name) => {
    const order = published(name);
    expect(ask({ ...order, metadata: { ...orderOf().metadata, ...order.metadata } })).toEqual({ allowed: true });
  });

  it.each<[string, KubeObject]>([
    ['an Order', orderOf({ replicas: -1, strategy: { type: 'OneTime', schedule: '@daily' } }, { duration: '0s' })],
    ['a Ticket', ticketOf({ startTime: '2020-01-01T00:00:00Z', resources: {} })],
    ['a Quota', quotaOf({ hard: {}, scope: { type: 'NamespaceList' } })],
  ])('get the findings of the embedded server: %s', (_, object) => {
    const answer = ask(object);
    expect(causesOf(answer).length).toBeGreaterThan(1);
    expect(causesOf(answer)).toEqual(refusals(object));
    if (!answer.allowed) expect(answer.error.status).toMatchObject({ code: 422, reason: 'Invalid' });
  });

  it('may not change what is immutable; unchanged parts are not judged again', () => {
    expect(causesOf(ask(orderOf({ daemonSet: true }), orderOf()))).toEqual([
      expect.stringMatching(/^spec\.daemonSet: Invalid value: true: field is immutable/),
    ]);
    expect(causesOf(ask(ticketOf({ nodeName: 'n' }), ticketOf()))).toHaveLength(1);
    const stale = ticketOf({ resources: {} });
    expect(ask({ ...stale, metadata: { ...stale.metadata, labels: { a: 'b' } } }, stale)).toEqual({
      allowed: true,
    });
    // One amount in two spellings is no change.
    const whole = (cpu: string) => ticketOf({ resources: { requests: { cpu } } });
    expect(ask(whole('1000m'), whole('1'))).toEqual({ allowed: true });
  });

  it('with replicas beside daemonSet are warned about, once', () => {
    const beside = orderOf({ daemonSet: true, replicas: 2 });
    expect(ask(beside)).toEqual({ allowed: true, warnings: [expect.stringMatching(/^spec\.replicas: has no effect/)] });
    expect(ask({ ...beside, metadata: { ...beside.metadata, labels: {} } }, beside)).toEqual({
      allowed: true,
    });
  });

  it('of another shape are refused, and replaced', () => {
    const odd = { ...orderOf(), spec: { template: 7 } } as unknown as KubeObject;
    expect(ask(odd)).toMatchObject({ allowed: false, error: { status: { code: 400 } } });
    expect(ask(orderOf(), odd)).toEqual({ allowed: true });
  });

  it('are answered whatever they are', () => {
    const spec = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom('template', 'strategy', 'hard'), fc.jsonValue()),
    );
    fc.assert(
      fc.property(fc.constantFrom('Order', 'Ticket', 'Quota'), spec, spec, (kind, now, before) => {
        const object = (value: unknown) => ({ ...orderOf(), kind, spec: value }) as unknown as KubeObject;
        expect(typeof ask(object(now)).allowed).toBe('boolean');
        expect(typeof ask(object(now), object(before)).allowed).toBe('boolean');
      }),
    );
  });
});
