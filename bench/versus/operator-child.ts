/** Our DaemonSet controller and our scheduler on a real API server: `operator-child.ts CONTROLLER SCHEDULER QPS BURST`, two kubeconfigs and limits. */
import { startOperator } from '../../src/assembly/operator.ts';
import { createPinoLogger } from '../../src/machinery/pino-logger.ts';
import { realClock } from '../../src/machinery/real-clock.ts';
import { realRandom } from '../../src/machinery/real-random.ts';
import { clientFrom, stay } from './child-client.ts';

const [controller = '', scheduler = '', qps, burst] = process.argv.slice(2);
const limits = { qps: Number(qps), burst: Number(burst) };
const daemonSets = await clientFrom(controller, limits);
const placing = await clientFrom(scheduler, limits);
const operator = await startOperator({
  clock: realClock,
  random: realRandom,
  logger: await createPinoLogger({ level: 'info' }),
  instance: 'bench',
  daemonSets,
  scheduler: placing,
  insteadOfUpstream: true,
});
const failure = await Promise.race([stay(), operator.failed]);
await operator.stop();
await Promise.all([daemonSets.close(), placing.close()]);
if (failure instanceof Error) throw failure;
