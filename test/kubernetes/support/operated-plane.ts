/** A real control plane whose nodes are simulated, with Kubernetes' DaemonSet controller and scheduler or with ours. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createNodes } from '../../../src/assembly/create-nodes.ts';
import { startOperator } from '../../../src/assembly/operator.ts';
import type { Client } from '../../../src/machinery/client/client.ts';
import { createPinoLogger } from '../../../src/machinery/logging/pino-logger.ts';
import { realClock } from '../../../src/machinery/time/real-clock.ts';
import { realRandom } from '../../../src/machinery/random/real-random.ts';
import { startControlPlane, type ControlPlane } from './control-plane.ts';

/** As whom Kubernetes' own act: ours have the same rights, given by the same roles. */
const CONTROLLER = 'system:serviceaccount:kube-system:daemon-set-controller';
const SCHEDULER = 'system:kube-scheduler';

export interface OperatedPlane extends ControlPlane {
  /** May do everything. */
  readonly client: Client;
}

export async function startOperatedPlane(whose: 'kubernetes' | 'everynode', nodes: number): Promise<OperatedPlane> {
  const isOurs = whose === 'everynode';
  const plane = await startControlPlane(
    isOurs ? { controllers: '*,-daemonset-controller' } : { controllers: '*', scheduler: true },
  );
  try {
    const client = await plane.clientOf(plane.admin);
    const as = async (commonName: string): Promise<Client> => plane.clientOf(await plane.kubeconfigOf({ commonName }));
    const operator = await startOperator({
      clock: realClock,
      random: realRandom,
      logger: await createPinoLogger({ destination: createWriteStream(join(plane.folder, 'operator.log')) }),
      instance: 'test',
      fleet: client,
      // They are off; and who acts as they do may not ask after Leases.
      insteadOfUpstream: true,
      ...(isOurs ? { daemonSets: await as(CONTROLLER), scheduler: await as(SCHEDULER) } : {}),
    });
    await createNodes(client, [{ name: 'node', count: nodes }], [], realClock, undefined, undefined);
    return {
      ...plane,
      client,
      async stop() {
        await operator.stop();
        await plane.stop();
      },
    };
  } catch (error) {
    plane.keepLogs();
    await plane.stop();
    throw error;
  }
}
