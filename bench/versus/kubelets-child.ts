/**
 * The kubelets of simulated nodes: `kubelets-child.ts KUBECONFIG`. One watch for all nodes, one status a pod, no delay,
 * no events and no leases, the same for every contestant.
 */
import { createInformers } from '../../src/machinery/cache/informers.ts';
import { createPinoLogger } from '../../src/machinery/logging/pino-logger.ts';
import { realClock as clock } from '../../src/machinery/time/real-clock.ts';
import { realRandom as random } from '../../src/machinery/random/real-random.ts';
import { createFleet } from '../../src/nodes/fleet/fleet.ts';
import { clientFrom, stay } from './child-client.ts';

const [kubeconfig = ''] = process.argv.slice(2);
const logger = await createPinoLogger({ level: 'warn' });
const client = await clientFrom(kubeconfig);
const informers = createInformers(client, { clock, random, logger, share: true });
const fleet = createFleet({ client, informers, clock, logger });
const stopping = new AbortController();
const running = Promise.all([informers.start(stopping.signal), fleet.start(stopping.signal)]);
await Promise.race([informers.synced(), running]);
await stay();
stopping.abort();
await running;
await client.close();
