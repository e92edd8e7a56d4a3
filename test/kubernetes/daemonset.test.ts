/**
 * The DaemonSet controller and the scheduler in place of Kubernetes' own, on a real API server, with no more rights than
 * those have there. The same is asked of Kubernetes' own first, so that what is asked is right.
 */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createNodes } from '../../src/assembly/create-nodes.ts';
import { startOperator, type Operator } from '../../src/assembly/operator.ts';
import { createPinoLogger } from '../../src/machinery/pino-logger.ts';
import { realClock } from '../../src/machinery/real-clock.ts';
import { realRandom } from '../../src/machinery/real-random.ts';
import { startControlPlane, type ControlPlane } from './support/control-plane.ts';
import { daemonSetWorld, type DaemonSetWorld } from './support/daemonset-world.ts';
import { missingPrograms } from './support/programs.ts';

const NODES = 20;
const CONTROLLER = { commonName: 'system:serviceaccount:kube-system:daemon-set-controller' };
const SCHEDULER = { commonName: 'system:kube-scheduler' };

describe.skipIf(missingPrograms().length > 0).each(['Kubernetes’ own', 'everynode’s'])(
  '%s DaemonSet controller and scheduler on a kube-apiserver',
  (whose) => {
    const isOurs = whose !== 'Kubernetes’ own';
    let plane: ControlPlane;
    let operator: Operator;
    let world: DaemonSetWorld;

    beforeAll(async () => {
      plane = await startControlPlane(
        isOurs ? { controllers: '*,-daemonset-controller' } : { controllers: '*', scheduler: true },
      );
      const admin = await plane.clientOf(plane.admin);
      const as = async (subject: typeof CONTROLLER) => plane.clientOf(await plane.kubeconfigOf(subject));
      operator = await startOperator({
        clock: realClock,
        random: realRandom,
        logger: await createPinoLogger({
          level: 'info',
          destination: createWriteStream(join(plane.folder, 'operator.log')),
        }),
        instance: 'test',
        fleet: admin,
        ...(isOurs ? { daemonSets: await as(CONTROLLER), scheduler: await as(SCHEDULER) } : {}),
      });
      await createNodes(admin, [{ name: 'node', count: NODES }], [], realClock, undefined, undefined);
      world = daemonSetWorld(admin);
    });
    afterEach(({ task }) => {
      if (task.result?.state === 'fail') plane.keepLogs();
    });
    afterAll(async () => {
      await operator?.stop();
      await plane?.stop();
    });

    const counts = {
      currentNumberScheduled: NODES,
      desiredNumberScheduled: NODES,
      numberAvailable: NODES,
      numberMisscheduled: 0,
      numberReady: NODES,
      updatedNumberScheduled: NODES,
    };

    it('bring a pod to every node', async () => {
      await world.create({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '50%' } } });
      expect(await world.complete(NODES)).toMatchObject({ ...counts, observedGeneration: 1 });
      const pods = await world.pods();
      expect(new Set(pods.map((pod) => pod.spec.nodeName)).size).toBe(NODES);
      expect(pods.length).toBe(NODES);
      const reasons = await world.eventReasons();
      expect([...reasons]).toEqual(expect.arrayContaining(['SuccessfulCreate', 'Scheduled', 'Started']));
    });

    it('roll a new template out', async () => {
      await world.setImage('example.test/agent:2');
      expect(await world.complete(NODES)).toMatchObject({ ...counts, observedGeneration: 2 });
      expect(await world.images()).toEqual(['example.test/agent:2']);
      expect((await world.revisions()).map(({ revision }) => revision)).toEqual([1, 2]);
    });

    it('roll back to the old one, which is a new revision of the same name', async () => {
      const [first] = await world.revisions();
      await world.rollBackTo(1);
      expect(await world.complete(NODES)).toMatchObject({ ...counts, observedGeneration: 3 });
      expect(await world.images()).toEqual(['example.test/agent:1']);
      const revisions = await world.revisions();
      expect(revisions.map(({ revision }) => revision)).toEqual([2, 3]);
      expect(revisions[1]?.metadata.name).toBe(first?.metadata.name);
    });
  },
);
