/**
 * `renew-child.ts NODES REQUESTS-PER-SECOND`: the number of Tickets that lose their room while all of them are renewed by a
 * controller with so few requests that their time runs out before their turn comes. In virtual time: minutes of waiting cost
 * nothing.
 */
import { bootstrap } from '../../src/apiserver/bootstrap.ts';
import { createSimulatedServer, simulatedActors } from '../../src/assembly/simulated.ts';
import { NODES, ORDERS, PODS, TICKETS } from '../../src/core/api/registry/resources.ts';
import { TICKET_PHASES } from '../../src/core/api/names.ts';
import { formatTime } from '../../src/core/kube/time.ts';
import { createInformers } from '../../src/machinery/cache/informers.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { createTokenBucket } from '../../src/machinery/controller/workqueue/rate-limiter.ts';
import { silentLogger } from '../../src/machinery/logging/logger.ts';
import { createSeededRandom } from '../../src/machinery/random/seeded-random.ts';
import type { Clock } from '../../src/machinery/time/clock.ts';
import { createVirtualClock } from '../../src/machinery/time/virtual-clock.ts';
import { nodesOf } from '../../src/nodes/fleet/node-groups.ts';
import { note } from '../support/report.ts';
import { order } from './cluster.ts';

const KINDS = ['orders.core.korder.dev', 'tickets.core.korder.dev', 'quotas.core.korder.dev'];
const MINUTE = 60_000;
const [count = 50_000, perSecond = 100] = process.argv.slice(2).map(Number);
/** A minute less than the renewals take: without care the last Tickets expire before their turn. */
const durationMs = 30 * MINUTE + (count / perSecond) * 1000 - MINUTE;

/** Every write waits for its turn. */
function limited(client: Client, clock: Clock, isOn: () => boolean): Client {
  const bucket = createTokenBucket(clock, perSecond, perSecond);
  const wait = async (): Promise<void> => {
    if (isOn()) await clock.sleep(bucket.reserve());
  };
  return {
    ...client,
    create: async (...args) => (await wait(), client.create(...args)),
    update: async (...args) => (await wait(), client.update(...args)),
    patch: async (...args) => (await wait(), client.patch(...args)),
    delete: async (...args) => (await wait(), client.delete(...args)),
  };
}

const clock = createVirtualClock(Date.UTC(2026, 0, 1, 0, 5));
const random = createSeededRandom(1);
const server = createSimulatedServer({ clock, random, kinds: KINDS });
const admin = server.client();
const drive = async <T>(answer: Promise<T>): Promise<T> => {
  let isSettled = false;
  const settle = (): void => void (isSettled = true);
  answer.then(settle, settle);
  while (!isSettled) await clock.drain();
  return answer;
};
await drive(bootstrap(admin));
for (const node of nodesOf({ name: 'node', count }, formatTime(clock.now()))) await drive(admin.create(NODES, node));
let isSlow = false;
const stop = new AbortController();
for (const factory of simulatedActors(['scheduler', 'reservation'])) {
  const client = limited(server.client(), clock, () => isSlow && factory.name === 'reservation');
  const informers = createInformers(client, { clock, random, logger: silentLogger, watchTimeoutMs: 0 });
  const actors = factory.create({ client, informers, clock, random: random.fork(factory.name), logger: silentLogger });
  for (const actor of [informers, ...actors]) void actor.start(stop.signal);
}
const recurring = order('room');
await drive(
  admin.create(ORDERS, {
    ...recurring,
    spec: {
      ...recurring.spec,
      strategy: { type: 'Recurring', schedule: '*/30 * * * *', refreshPolicy: 'Always' },
      template: { spec: { ...recurring.spec.template?.spec, duration: `${durationMs / 1000}s` } },
    },
  }),
);
const isReserved = (): boolean => {
  for (const stored of server.store.list({ tenant: 'system', group: 'core.korder.dev', resource: 'orders' }))
    if ((stored as { status?: { availableReplicas?: number } }).status?.availableReplicas === count) return true;
  return false;
};
while (!isReserved()) await clock.advance(1000);
note(`all ${count} reserved at ${formatTime(clock.now())}`);
isSlow = true;
/** UIDs of Tickets that were seen without their room. */
const lost = new Set<string>();
const watching = new AbortController();
const follow = async (): Promise<void> => {
  const options = { sendInitialEvents: true, allowWatchBookmarks: true, signal: watching.signal };
  for await (const events of admin.watch(TICKETS, options))
    for (const event of events)
      if (
        event.type !== 'BOOKMARK' &&
        (event.type === 'DELETED' || event.object.status?.phase !== TICKET_PHASES.reserved)
      )
        lost.add(event.object.metadata.uid);
};
const followGuardians = async (): Promise<void> => {
  for await (const events of admin.watch(PODS, { signal: watching.signal }))
    for (const event of events)
      if (event.type === 'DELETED') lost.add(event.object.metadata.ownerReferences?.[0]?.uid ?? '');
};
follow().catch(() => undefined);
followGuardians().catch(() => undefined);
// Past the tick, all renewals, and the moment at which the first of the renewed Tickets would expire without them.
const until = clock.now() + durationMs + 10 * MINUTE;
while (clock.now() < until) await clock.advance(10_000);
let renewed = 0;
for (const stored of server.store.list({ tenant: 'system', group: 'core.korder.dev', resource: 'tickets' }))
  if ((stored as { status?: { renewedTime?: string } }).status?.renewedTime !== undefined) renewed += 1;
note(`${renewed} of ${count} Tickets were renewed, ${lost.size} lost their room`);
watching.abort();
stop.abort();
if (renewed !== count) throw new Error(`only ${renewed} of ${count} Tickets were renewed`);
process.stdout.write(JSON.stringify([lost.size]), () => process.exit(0));
