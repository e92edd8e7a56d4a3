/** The operator on a real API server, as a service account with the rights that are listed and no others. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createNodes } from '../../src/assembly/create-nodes.ts';
import { LEASES, SERVICE_ACCOUNTS } from '../../src/core/api/registry/resources.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { loadKubeconfig } from '../../src/machinery/client/http/kubeconfig.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { createAccount, giveRights, NAMESPACE, rightsOf, without } from '../operator/support/account.ts';
import { daemonSets, NODE_COUNT, rolloutDriver, scheduler, type Scenario } from '../operator/support/scenarios.ts';
import { startWatched, type WatchedOperator, withToken } from '../operator/support/watched-operator.ts';
import { startKubelets, startOperatorControllers, type Running } from '../support/operator.ts';
import { startControlPlane, type ControlPlane } from './support/control-plane.ts';
import { until } from './support/daemonset-world.ts';
import { missingPrograms } from './support/programs.ts';

describe.skipIf(missingPrograms().length > 0)('the operator on a kube-apiserver', () => {
  let plane: ControlPlane | undefined;
  let admin: Client;
  let kubelets: Running | undefined;
  let token = '';
  const started: WatchedOperator[] = [];

  beforeAll(async () => {
    plane = await startControlPlane({
      controllers: '*,-daemonset-controller',
      // On in some distributions: whoever says that an owner waits for its children must be allowed to let it wait.
      apiServer: ['--enable-admission-plugins=OwnerReferencesPermissionEnforcement'],
    });
    admin = await plane.clientOf(plane.admin);
    kubelets = await startKubelets(admin);
    await createNodes(admin, [{ name: 'node', count: NODE_COUNT }], [], realClock, undefined, undefined);
    token = await createAccount(admin);
    // Pods can be made when kube-controller-manager has made the account they act as.
    await until(
      () => admin.get(SERVICE_ACCOUNTS, { namespace: 'default', name: 'default' }).catch(() => undefined),
      (account) => account !== undefined,
    );
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') plane?.keepLogs();
    for (const operator of started.splice(0)) await operator.stop();
  });
  afterAll(async () => {
    await kubelets?.stop();
    await plane?.stop();
  });

  async function start(features: readonly string[], through?: (client: Client) => Client): Promise<WatchedOperator> {
    const config = withToken(await loadKubeconfig({ path: plane?.admin ?? '', clock: realClock }), token);
    const operator = await startWatched({
      config,
      controllers: features,
      insteadOfUpstream: true,
      ...(through === undefined ? {} : { through }),
    });
    started.push(operator);
    return operator;
  }

  const play = async (operator: WatchedOperator, scenario: Scenario): Promise<void> => {
    await scenario.begin(admin);
    await until(
      async () => {
        await scenario.nudge?.(admin);
        return { isDone: await scenario.isDone(admin), refusals: operator.refusals(), failure: operator.failure() };
      },
      ({ isDone, failure }) => isDone || failure !== undefined,
    );
  };

  it.each([daemonSets, scheduler])('runs $feature with exactly the rights that are listed', async (scenario) => {
    await giveRights(admin, rightsOf('base', scenario.feature));
    const operator = await start([scenario.feature], scenario.through);
    await play(operator, scenario);
    expect([operator.refusals(), operator.failure()]).toEqual([[], undefined]);
  });

  it('drives rollouts of DaemonSets that somebody else runs, with exactly the rights that are listed', async () => {
    // In the place of the cluster's own: both with all that they need.
    const other = await startOperatorControllers(admin, ['daemonset', 'scheduler'], { instance: 'other' });
    try {
      await giveRights(admin, rightsOf('base', 'rollout-driver'));
      const operator = await start(['rollout-driver'], rolloutDriver.through);
      await play(operator, rolloutDriver);
      expect([operator.refusals(), operator.failure()]).toEqual([[], undefined]);
    } finally {
      await other.stop();
    }
  });

  it('needs to update daemonsets/finalizers where owner references are guarded', async () => {
    const gone = {
      feature: 'daemonset',
      verb: 'update',
      group: 'apps',
      resource: 'daemonsets/finalizers',
      name: undefined,
    };
    await giveRights(admin, without(rightsOf('base', 'daemonset'), gone));
    const operator = await start(['daemonset'], daemonSets.through);
    await daemonSets.begin(admin);
    const refusals = await until(
      () => Promise.resolve(operator.refusals()),
      (told) => told.length > 0,
    );
    expect(refusals.join('\n')).toContain('cannot set blockOwnerDeletion');
  });

  it('hands the lead over in good order', async () => {
    await giveRights(admin, rightsOf('base', 'rollout-driver'));
    const first = await start(['rollout-driver']);
    await until(
      () => Promise.resolve(first.isLeading()),
      (isLeading) => isLeading,
    );
    const second = await start(['rollout-driver']);
    const ready = async (): Promise<number> => (await fetch(`http://127.0.0.1:${second.healthPort}/readyz`)).status;
    await until(ready, (status) => status === 200);
    await first.stop();
    await until(
      () => Promise.resolve(second.isLeading()),
      (isLeading) => isLeading,
    );
    const { spec } = await admin.get(LEASES, { namespace: NAMESPACE, name: 'everynode-operator' });
    expect(spec.leaseTransitions).toBeGreaterThan(0);
    expect(first.failure()).toBe(undefined);
  });
});
