import { describe, expect, it } from 'vitest';
import { RESERVATION_ANNOTATIONS } from '../api/names.ts';
import { isSameOrderDefinition, maxUnavailableOf, orderDefinition } from './order-definition.ts';
import { makeOrder, MINUTE, SECOND } from './testing/ticket-samples.ts';

describe('the definition of an Order', () => {
  it.each([
    [undefined, 5 * MINUTE],
    ['90s', 90 * SECOND],
    ['0', 0],
    ['-1s', 5 * MINUTE],
    ['soon', 5 * MINUTE],
  ])('has the grace period that the annotation says: %s', (text, graceMs) => {
    const order = makeOrder({}, text === undefined ? {} : { [RESERVATION_ANNOTATIONS.nodeGrace]: text });
    expect(orderDefinition(order, undefined).graceMs).toBe(graceMs);
  });

  it.each([
    [undefined, 1],
    ['3', 3],
    ['25%', '25%'],
    ['many', 1],
    ['-2', 1],
  ])('replaces as many Tickets at a time as the annotation says: %s', (text, expected) => {
    const annotations = text === undefined ? {} : { [RESERVATION_ANNOTATIONS.maxUnavailable]: text };
    expect(maxUnavailableOf(makeOrder({}, annotations))).toBe(expected);
  });

  it('is the same for the same wishes, whatever else of the Order changes', () => {
    const template = { spec: { resources: { requests: { cpu: '1' } } } };
    const first = orderDefinition(makeOrder({ template }), undefined);
    const isSame = (spec: object, tick?: number): boolean =>
      isSameOrderDefinition(first, orderDefinition(makeOrder({ template, ...spec }), tick));
    expect(isSame({})).toBe(true);
    expect(isSame({ paused: true, replicas: 4 })).toBe(true);
    expect(isSame({ refreshPolicy: 'Never' })).toBe(false);
    expect(isSame({ minReadySeconds: 1 })).toBe(false);
    expect(isSame({ template: { spec: { nodeSelector: { zone: 'a' } } } })).toBe(false);
    expect(isSame({ strategy: { type: 'Recurring', schedule: '* * * * *' } })).toBe(false);
    expect(isSame({}, 1)).toBe(false);
  });
});
