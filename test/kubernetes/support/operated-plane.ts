/** A real control plane whose nodes are simulated, with Kubernetes' DaemonSet controller and scheduler or with ours. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { NODES } from '../../../src/core/api/registry/resources.ts';
import { createNodes } from '../../../src/assembly/create-nodes.ts';
import type { Client } from '../../../src/machinery/client/client.ts';
import { createPinoLogger } from '../../../src/machinery/logging/pino-logger.ts';
import { realClock } from '../../../src/machinery/time/real-clock.ts';
import { eventually } from '../../support/eventually.ts';
import { startKubelets, startOperatorControllers, type Running } from '../../support/operator.ts';
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
  const running: Running[] = [];
  const stopAll = async (): Promise<void> => {
    for (const each of running.toReversed()) await each.stop();
  };
  try {
    const client = await plane.clientOf(plane.admin);
    const as = async (commonName: string): Promise<Client> => plane.clientOf(await plane.kubeconfigOf({ commonName }));
    const logger = await createPinoLogger({ destination: createWriteStream(join(plane.folder, 'operator.log')) });
    running.push(await startKubelets(client, { logger }));
    if (isOurs) {
      running.push(await startOperatorControllers(await as(CONTROLLER), ['daemonset'], { logger }));
      running.push(await startOperatorControllers(await as(SCHEDULER), ['scheduler'], { logger }));
    }
    await createNodes(client, [{ name: 'node', count: nodes }], [], realClock, undefined, undefined);
    // kube-controller-manager takes the taint of new nodes away a moment after they are Ready.
    const taints = async (): Promise<string> =>
      (await client.list(NODES)).items.flatMap(({ spec }) => (spec?.taints ?? []).map(({ key }) => key)).join(' ');
    await eventually(taints, /^$/);
    return {
      ...plane,
      client,
      async stop() {
        await stopAll();
        await plane.stop();
      },
    };
  } catch (error) {
    plane.keepLogs();
    await stopAll();
    await plane.stop();
    throw error;
  }
}
