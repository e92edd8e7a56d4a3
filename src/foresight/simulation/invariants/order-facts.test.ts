import { describe, expect, it } from 'vitest';
import type { Node, Taint, Toleration } from '../../../core/api/types/core-v1.ts';
import type { Order, OrderSpec, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { extensionOf, graceOf, renewsExpired, standing } from './order-facts.ts';

const order = (spec: Partial<OrderSpec>, tolerations: readonly Toleration[] = []): Order => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Order',
  metadata: { name: 'room' },
  spec: { daemonSet: true, template: { spec: { duration: '90s', nodeSelector: { pool: 'a' }, tolerations } }, ...spec },
});

const node = (facts: { pool?: string; ready?: string; cordoned?: boolean; taints?: readonly Taint[] } = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', labels: { pool: facts.pool ?? 'a' } },
  spec: {
    ...(facts.cordoned === true ? { unschedulable: true } : {}),
    ...(facts.taints === undefined ? {} : { taints: facts.taints }),
  },
  status: { conditions: [{ type: 'Ready', status: facts.ready ?? 'True' }] },
});

const taint = (key: string, effect: string, timeAdded?: string): Taint => ({
  key,
  effect,
  ...(timeAdded === undefined ? {} : { timeAdded }),
});

const WANTED = { isWanted: true, isUnwanted: false, isAway: false, until: Infinity };
const AWAY = { ...WANTED, isWanted: false, isAway: true };
const CLOSED = { ...WANTED, isWanted: false };

describe('how an Order stands to a node', () => {
  it('wants nodes that are Ready, schedulable and suit the template', () => {
    expect(standing(order({}), node())).toEqual(WANTED);
    expect(standing(order({}), node({ taints: [taint('everynode.dev/unreserved', 'NoSchedule')] }))).toEqual(WANTED);
    expect(standing(order({}), node({ taints: [taint('x', 'PreferNoSchedule')] }))).toEqual(WANTED);
  });

  it('gives up at once what does not suit', () => {
    expect(standing(order({}), node({ pool: 'b' }))).toMatchObject({ isWanted: false, isUnwanted: true });
    expect(standing(order({}), node({ taints: [taint('x', 'NoExecute')] })).isUnwanted).toBe(true);
  });

  it.each<[string, Node]>([
    ['not Ready', node({ ready: 'False' })],
    ['of unknown state', node({ ready: 'Unknown' })],
    ['cordoned', node({ cordoned: true })],
    ['unreachable', node({ taints: [taint('node.kubernetes.io/unreachable', 'NoExecute')] })],
    ['not Ready by taint', node({ taints: [taint('node.kubernetes.io/not-ready', 'NoSchedule')] })],
  ])('has patience with a node that is %s', (_, away) => {
    expect(standing(order({}), away)).toEqual(AWAY);
  });

  it('does not take a toleration of the cordon for a reason to stay', () => {
    const all = order({}, [{ operator: 'Exists' }]);
    const cordoned = node({ cordoned: true, taints: [taint('node.kubernetes.io/unschedulable', 'NoSchedule')] });
    expect(standing(all, cordoned)).toEqual(AWAY);
  });

  it('makes nothing new under a taint that only closes the node', () => {
    expect(standing(order({}), node({ taints: [taint('x', 'NoSchedule')] }))).toEqual(CLOSED);
  });

  it('stays for as long as it tolerates a taint', () => {
    const patient = order({}, [{ key: 'x', operator: 'Exists', tolerationSeconds: 20 }]);
    const tainted = node({ taints: [taint('x', 'NoExecute', '2026-01-01T00:00:00Z')] });
    expect(standing(patient, tainted)).toEqual({ ...CLOSED, until: Date.UTC(2026, 0, 1, 0, 0, 20) });
    expect(standing(order({}, [{ key: 'x', operator: 'Exists' }]), tainted)).toEqual(WANTED);
  });
});

describe('what an Order asks for', () => {
  it('has a grace period of five minutes unless it says otherwise', () => {
    expect(graceOf(order({}))).toBe(300_000);
    const metadata = { name: 'room', annotations: { 'everynode.dev/node-grace': '20s' } };
    expect(graceOf({ ...order({}), metadata })).toBe(20_000);
  });

  it.each<[OrderSpec['strategy'], boolean, boolean]>([
    [{ type: 'OneTime' }, false, true],
    [{ type: 'OneTime', refreshPolicy: 'Never' }, false, false],
    [{ type: 'OneTime' }, true, false],
    [{ type: 'Scheduled', schedule: '* * * * *' }, false, false],
    [{ type: 'Recurring', schedule: '* * * * *', refreshPolicy: 'Always' }, false, true],
  ])('goes on after the end of a Ticket: %j, paused %s: %s', (strategy, paused, expected) => {
    expect(renewsExpired(order({ strategy, paused } as OrderSpec))).toBe(expected);
  });

  it('extends Tickets by the last tick since they were extended', () => {
    const at = (text: string): number => Date.parse(`2026-01-01T00:${text}Z`);
    const ticket: Ticket = {
      apiVersion: 'core.korder.dev/v1alpha1',
      kind: 'Ticket',
      metadata: { name: 'room-x' },
      spec: {},
      status: { activationTime: '2026-01-01T00:00:30Z', renewedTime: '2026-01-01T00:01:00Z' },
    };
    const every = order({ strategy: { type: 'Recurring', schedule: '* * * * *', refreshPolicy: 'Always' } });
    expect(extensionOf(every, ticket, 0, at('01:59'))).toBeUndefined();
    expect(extensionOf(every, ticket, 0, at('03:10'))).toEqual({ tick: at('03:00'), until: at('04:30') });
    expect(extensionOf(every, ticket, at('03:05'), at('03:10'))).toBeUndefined();
    expect(extensionOf(order({ strategy: { type: 'OneTime' } }), ticket, 0, at('03:10'))).toBeUndefined();
  });
});
