/**
 * The operator works with the rights it is given and no others, and needs every one of them: each verb is taken away by itself,
 * and each time the server refuses something that the operator needs and tells of.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATOR_LEASE } from '../../src/assembly/catalogue/rights.ts';
import { selectableNames } from '../../src/assembly/catalogue/select.ts';
import { LEASES } from '../../src/core/api/registry/resources.ts';
import { loadKubeconfig } from '../../src/machinery/client/http/kubeconfig.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import {
  createAccount,
  giveRights,
  NAMESPACE,
  type Right,
  rightsOf,
  rightsOneByOne,
  without,
} from './support/account.ts';
import { defineReservations } from './support/reservation-definitions.ts';
import { NODE_COUNT, rolloutDriver, type Scenario, SCENARIOS } from './support/scenarios.ts';
import { saysRefused, startWatched, type WatchedOperator, withToken } from './support/watched-operator.ts';

const LIMIT_MS = 45_000;

/** Needed only where an admission plugin is on that the embedded API server does not have; see test/kubernetes/operator.test.ts. */
const isElsewhere = ({ resource }: Right): boolean => resource.endsWith('/finalizers');

/** Controllers that the operator runs there: the embedded ones would do their work first. */
const BARE_WITHOUT = SCENARIOS.filter(({ ground, feature }) => ground === 'bare' && feature !== 'scheduler').map(
  ({ feature }) => `-${feature}`,
);

const grounds = new Map<Scenario['ground'], { readonly cluster: TestCluster; readonly token: string }>();

const GROUNDS = {
  driven: {},
  bare: { controllers: ['*', ...BARE_WITHOUT], scheduler: false },
  defined: { controllers: ['*', '-reservation'] },
};

beforeAll(async () => {
  const groups = [{ name: 'node', count: NODE_COUNT }];
  for (const ground of ['driven', 'bare', 'defined'] as const) {
    const cluster = await startTestCluster({ groups, ...GROUNDS[ground] });
    if (ground === 'defined') await defineReservations(cluster.client);
    grounds.set(ground, { cluster, token: await createAccount(cluster.client) });
  }
}, 120_000);
afterAll(async () => {
  for (const { cluster } of grounds.values()) await cluster.stop();
});

interface Outcome {
  readonly isDone: boolean;
  readonly refusals: readonly string[];
  /** What somebody who looks after it would see. */
  readonly complaints: readonly string[];
}

/** Runs a scenario until it is done, or until the operator was refused what is looked for. */
async function play(scenario: Scenario, rights: ReturnType<typeof rightsOf>, gone?: Right): Promise<Outcome> {
  const { cluster, token } = grounds.get(scenario.ground) as { cluster: TestCluster; token: string };
  const { client: admin } = cluster;
  await giveRights(admin, rights);
  await admin.delete(LEASES, { namespace: NAMESPACE, name: OPERATOR_LEASE }).catch(() => undefined);
  const config = withToken(await loadKubeconfig({ path: cluster.kubeconfigFile, clock: realClock }), token);
  const isFollowing = gone?.verb === 'list' || gone?.verb === 'watch' || gone?.feature === 'base';
  const operator = await startWatched({ config, controllers: [scenario.feature], through: scenario.through });
  try {
    if (!isFollowing) await scenario.begin(admin);
    const isRefused = (): boolean => gone !== undefined && operator.refusals().some((each) => saysRefused(each, gone));
    const end = Date.now() + LIMIT_MS;
    let isDone = false;
    while (!isRefused() && operator.failure() === undefined && Date.now() < end) {
      await realClock.sleep(100);
      if (isFollowing) continue;
      if (!isDone) await scenario.nudge?.(admin);
      isDone = await scenario.isDone(admin);
      if (isDone && gone === undefined) break;
      if (isDone) await scenario.again?.(admin);
    }
    // What comes of a refusal is told when everything else that was under way has ended.
    for (let i = 0; i < 50 && gone !== undefined && complaintsOf(operator).length === 0; i += 1)
      await realClock.sleep(100);
    if (!isFollowing) isDone = await scenario.isDone(admin);
    return { isDone, refusals: operator.refusals(), complaints: complaintsOf(operator) };
  } finally {
    await operator.stop();
  }
}

const complaintsOf = ({ lines, failure }: WatchedOperator): readonly string[] => [
  ...lines
    // An event that is not written is told quietly, counted, and missing.
    .filter(({ level, message }) => level === 'warn' || level === 'error' || message.startsWith('An event'))
    .map(({ message }) => message),
  ...(failure() === undefined ? [] : [String(failure())]),
];

describe.each(SCENARIOS)('$feature', (scenario) => {
  const rights = rightsOf('base', scenario.feature);

  it('works with exactly the rights that are listed', { timeout: 60_000 }, async () => {
    expect(await play(scenario, rights)).toMatchObject({ isDone: true, refusals: [] });
  });

  it.each(rightsOneByOne(rightsOf(scenario.feature)).filter((right) => !isElsewhere(right)))(
    'needs to $verb $resource $group',
    { timeout: 60_000 },
    async (gone) => {
      const { isDone, refusals, complaints } = await play(scenario, without(rights, gone), gone);
      expect(refusals.filter((each) => saysRefused(each, gone)).length, refusals.join('\n')).toBeGreaterThan(0);
      // It tells of it, or what was wanted does not come about.
      expect(complaints.length > 0 || !isDone).toBe(true);
    },
  );
});

/** Its scenario is a file of its own, component-rights.test.ts. */
const ELSEWHERE = ['component'];

it('has a scenario for every controller that the operator can run', () => {
  expect([...SCENARIOS.map(({ feature }) => feature), ...ELSEWHERE].toSorted()).toEqual(
    selectableNames('operator').toSorted(),
  );
});

describe('base', () => {
  const rights = rightsOf('base', rolloutDriver.feature);

  it.each(rightsOneByOne(rightsOf('base')))('needs to $verb $resource $name', { timeout: 60_000 }, async (gone) => {
    const { refusals, complaints } = await play(rolloutDriver, without(rights, gone), gone);
    expect(refusals.filter((each) => saysRefused(each, gone)).length, refusals.join('\n')).toBeGreaterThan(0);
    expect(complaints.length).toBeGreaterThan(0);
  });
});
