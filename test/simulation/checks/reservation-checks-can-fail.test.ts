/** Every check of Orders and Tickets is shown a controller that breaks what it checks. */
import { describe, expect, it } from 'vitest';
import type { ActorFactory } from '../../../src/assembly/simulated.ts';
import { expiresOnTime } from '../../../src/foresight/simulation/invariants/expires-on-time.ts';
import { graceKept } from '../../../src/foresight/simulation/invariants/grace-kept.ts';
import type { InvariantFactory } from '../../../src/foresight/simulation/invariants/invariant.ts';
import { oneGuardian } from '../../../src/foresight/simulation/invariants/one-guardian.ts';
import { oneTicketPerNode } from '../../../src/foresight/simulation/invariants/one-ticket-per-node.ts';
import { ordersComplete } from '../../../src/foresight/simulation/invariants/orders-complete.ts';
import { roomNeverFree } from '../../../src/foresight/simulation/invariants/room-never-free.ts';
import { runSeed } from '../../../src/foresight/simulation/run/run-seed.ts';
import type { Scenario } from '../../../src/foresight/simulation/scenario/scenario.ts';
import {
  BLIND,
  BOASTFUL,
  CARELESS,
  CLOSED,
  FOREVER,
  IMPATIENT,
  MISCOUNTING,
  RASH,
  SILENT,
  TWO_GUARDIANS,
  TWO_TICKETS,
  WITH_RESERVATION,
} from './broken-reservations.ts';
import { scenarioFrom } from './scenarios.ts';

/** Three small nodes and one Order with a Ticket on each; steps as YAML. */
const smallOrder = (duration: string, steps: string): Scenario =>
  scenarioFrom(`
actors: ['*', reservation]
nodes:
  - name: worker
    count: 3
    capacity: { cpu: '1', memory: 1Gi, pods: '10' }
    taints: [{ key: everynode.dev/unreserved, effect: NoSchedule }]
objects:
  - apiVersion: core.korder.dev/v1alpha1
    kind: Order
    metadata: { name: room, namespace: default }
    spec:
      daemonSet: true
      strategy: { type: OneTime, refreshPolicy: OnClaim }
      template: { spec: { duration: ${duration}, resources: { requests: { cpu: 300m } } } }
steps:
${steps}
`);

const JOINING = smallOrder('24h', '  - { at: 30s, join: worker }');
const AWAY = smallOrder('24h', `  - { at: 30s, fail: worker-1 }\n  - { at: 60s, recover: worker-1 }`);
const ENDING = smallOrder(
  '40s',
  `  - { at: 100s, patch: { kind: Order, name: room, merge: { spec: { template: { spec: { duration: 24h } } } } } }`,
);
const FULL = smallOrder(
  '24h',
  `  - { at: 30s, patch: { kind: Order, name: room, merge: { spec: { template: { spec: { resources: { requests: { cpu: '2' } } } } } } } }`,
);

async function broken(
  actor: ActorFactory | undefined,
  scenario: Scenario,
  invariants?: readonly InvariantFactory[],
): Promise<string | undefined> {
  const actors = [
    ...WITH_RESERVATION.filter(({ name }) => name !== actor?.name),
    ...(actor === undefined ? [] : [actor]),
  ];
  const request = { seed: 1, scenario, withFaults: false, actors, ...(invariants === undefined ? {} : { invariants }) };
  return (await runSeed(request)).violation?.problem;
}

describe('a check of reservations can fail', () => {
  it('one-ticket-per-node sees a controller that makes every Ticket twice', async () => {
    expect(await broken(TWO_TICKETS, JOINING, [oneTicketPerNode])).toMatch(/^room has two Tickets for worker-/);
  });

  it('one-guardian sees a controller that makes every guardian twice', async () => {
    expect(await broken(TWO_GUARDIANS, JOINING, [oneGuardian])).toMatch(/ has 2 live guardians: /);
  });

  it('one-guardian sees a controller that calls a Ticket Reserved without a guardian', async () => {
    expect(await broken(BOASTFUL, JOINING, [oneGuardian])).toMatch(/is Reserved on no node/);
  });

  it('expires-on-time sees Tickets that end too early', async () => {
    expect(await broken(IMPATIENT, JOINING, [expiresOnTime])).toMatch(/ expired at .*, its time was until /);
  });

  it('expires-on-time sees Tickets that do not end', async () => {
    expect(await broken(FOREVER, ENDING, [expiresOnTime])).toMatch(/ is still Reserved at .*, its time was until /);
  });

  it('room-never-free sees guardians that go with their Tickets', async () => {
    expect(await broken(CARELESS, ENDING, [roomNeverFree])).toMatch(/ let go of the room on worker-/);
  });

  it('grace-kept sees a controller that gives a node up at once', async () => {
    expect(await broken(RASH, AWAY, [graceKept])).toMatch(/was deleted, and worker-1 had been away for \d s only/);
  });

  it('orders-complete sees a controller that does not hear of new nodes', async () => {
    expect(await broken(BLIND, JOINING, [ordersComplete])).toBe('room has no Ticket on worker-3');
  });

  it('orders-complete sees nodes that stay closed to workload', async () => {
    expect(await broken(CLOSED, JOINING, [ordersComplete])).toMatch(/still has the taint everynode.dev\/unreserved/);
  });

  it('orders-complete sees a status that is not true', async () => {
    expect(await broken(MISCOUNTING, JOINING, [ordersComplete])).toBe('room: status.availableReplicas is 5, counted 4');
  });

  it('orders-complete sees Tickets that wait and do not say why', async () => {
    expect(await broken(SILENT, FULL, [ordersComplete])).toMatch(/is Pending and says no reason/);
  });

  it('none of them complains of the controllers as they are', async () => {
    for (const scenario of [JOINING, AWAY, ENDING, FULL]) expect(await broken(undefined, scenario)).toBeUndefined();
  });
});
