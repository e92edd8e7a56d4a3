/**
 * The DaemonSet controller and the scheduler in place of Kubernetes' own, on a real API server, with no more rights than
 * those have there. The same is asked of Kubernetes' own first, so that what is asked is right.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { daemonSetWorld, type DaemonSetWorld } from './support/daemonset-world.ts';
import { startOperatedPlane, type OperatedPlane } from './support/operated-plane.ts';
import { missingPrograms } from './support/programs.ts';

const NODES = 20;

describe.skipIf(missingPrograms().length > 0).each(['kubernetes', 'everynode'] as const)(
  'DaemonSet controller and scheduler of %s on a kube-apiserver',
  (whose) => {
    let plane: OperatedPlane | undefined;
    let world: DaemonSetWorld;

    beforeAll(async () => {
      plane = await startOperatedPlane(whose, NODES);
      world = daemonSetWorld(plane.client);
    });
    afterEach(({ task }) => {
      if (task.result?.state === 'fail') plane?.keepLogs();
    });
    afterAll(() => plane?.stop());

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
