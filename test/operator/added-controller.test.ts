/**
 * A row is all that a new controller or admission plugin needs: with one more row in the catalogue, and nothing else edited, it runs
 * in every profile and appears in help, roles, chart and documentation.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { operatorRights } from '../../src/assembly/catalogue/operator-rights.ts';
import { createSimulatedServer, simulatedControllers } from '../../src/assembly/simulated.ts';
import type { ControllerRow, EmbeddedParts } from '../../src/assembly/catalogue/entry.ts';
import { CONFIG_MAPS, NODES } from '../../src/core/api/registry/resources.ts';
import type { Actor } from '../../src/machinery/actor.ts';
import { createInformers } from '../../src/machinery/cache/informers.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { loadKubeconfig } from '../../src/machinery/client/http/kubeconfig.ts';
import { silentLogger } from '../../src/machinery/logging/logger.ts';
import { createSeededRandom } from '../../src/machinery/random/seeded-random.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { createVirtualClock } from '../../src/machinery/time/virtual-clock.ts';
import {
  between,
  controllersHelp,
  embeddedTable,
  generateControllers,
  operatorTable,
} from '../../tools/generate/controllers.ts';
import { rightsFile, webhooksFile } from '../../tools/generate/deploy-rights.ts';
import { generateDeploy } from '../../tools/generate/deploy.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { createAccount, giveRights, type Right, without } from './support/account.ts';
import { GREETED } from './support/added-controller/greeter.ts';
import { WITH_GREETER, WITH_GUARD } from './support/added-controller/rows.ts';
import { saysRefused, startWatched, withToken } from './support/watched-operator.ts';

const greeted = async (client: Client): Promise<string> =>
  (await client.list(NODES)).items.map(({ metadata }) => metadata.labels?.[GREETED] ?? 'no').join();
const configMap = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
});

describe('a controller with a row in the catalogue', () => {
  const groups = [{ name: 'node', count: 2 }];
  let cluster: TestCluster;
  let token: string;
  beforeAll(async () => {
    // Without the embedded one, so that the operator's is the only one that greets.
    const controllers = ['*', '-node-greeter'];
    cluster = await startTestCluster({ groups, catalogue: WITH_GREETER, admission: WITH_GUARD, controllers });
    token = await createAccount(cluster.client);
  });
  afterAll(() => cluster?.stop());

  const start = async () =>
    startWatched({
      config: withToken(await loadKubeconfig({ path: cluster.kubeconfigFile, clock: realClock }), token),
      controllers: ['greeter'],
      catalogue: WITH_GREETER,
    });
  const RIGHTS = operatorRights(WITH_GREETER).filter(({ feature }) => ['base', 'greeter'].includes(feature));

  it('runs in everynode up', async () => {
    const own = await startTestCluster({ groups, catalogue: WITH_GREETER });
    try {
      await eventually(() => greeted(own.client), /^yes,yes$/);
    } finally {
      await own.stop();
    }
  });

  it('is refused where a right of its row is missing', async () => {
    const gone: Right = { feature: 'greeter', verb: 'patch', group: '', resource: 'nodes', name: undefined };
    await giveRights(cluster.client, without(RIGHTS, gone));
    const operator = await start();
    try {
      await eventually(
        () => Promise.resolve(String(operator.refusals().some((refusal) => saysRefused(refusal, gone)))),
        /true/,
      );
      expect(await greeted(cluster.client)).toBe('no,no');
    } finally {
      await operator.stop();
    }
  });

  it('runs in the operator with the rights of its row and no others', async () => {
    await giveRights(cluster.client, RIGHTS);
    const operator = await start();
    try {
      await eventually(() => greeted(cluster.client), /^yes,yes$/);
      expect([operator.refusals(), operator.failure()]).toEqual([[], undefined]);
    } finally {
      await operator.stop();
    }
  });

  it('runs in a simulation', async () => {
    const clock = createVirtualClock();
    const random = createSeededRandom(1);
    const client = createSimulatedServer({ clock, random }).client();
    const informers = createInformers(client, { clock, random });
    const around = { client, informers, clock, random, logger: silentLogger };
    const actors = simulatedControllers(['greeter'], WITH_GREETER).flatMap((factory) => factory.create(around));
    const stopping = new AbortController();
    const runs = [informers, ...actors].map((actor) => actor.start(stopping.signal));
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' }, spec: {} });
    await clock.advance(1_000);
    expect(await greeted(client)).toBe('yes');
    stopping.abort();
    await clock.drain();
    await Promise.all(runs);
  });

  it('appears in help, chart values, roles and documentation', () => {
    for (const profile of ['embedded', 'operator'] as const)
      expect(controllersHelp(profile, WITH_GREETER)).toMatch(/^ {2}greeter +greets nodes with a label/m);
    for (const table of [operatorTable(WITH_GREETER), embeddedTable(WITH_GREETER)])
      expect(table).toContain('| `greeter` |');
    const facts = parse(rightsFile(WITH_GREETER)) as { controllers: unknown; rights: unknown };
    expect(facts.controllers).toContainEqual({ name: 'greeter', aliases: ['node-greeter'], onByDefault: false });
    expect(facts.rights).toContainEqual(expect.objectContaining({ feature: 'greeter', why: 'Labels nodes' }));
    for (const [path, text] of [...generateControllers(WITH_GREETER), ...generateDeploy(WITH_GREETER)])
      if (!/crds|webhooks/.test(path)) expect(text, path).toContain('greeter');
  });

  it('cannot ask for parts that a profile does not have: the type of its row refuses', () => {
    const signs = (parts: EmbeddedParts): Actor => ({
      name: parts.authority.certificate,
      start: () => Promise.resolve(),
    });
    const embedded: ControllerRow['profiles'] = { embedded: { runs: 'default', create: signs } };
    // @ts-expect-error: the operator has no signing authority to give.
    const misplaced: ControllerRow['profiles'] = { operator: { runs: 'default', create: signs } };
    expect([Object.keys(embedded), Object.keys(misplaced)]).toEqual([['embedded'], ['operator']]);
  });
});

describe('an admission plugin with a row in the catalogue', () => {
  it('decides in everynode up and in simulations, and is in the webhook configuration', async () => {
    const cluster = await startTestCluster({ groups: [], admission: WITH_GUARD });
    const clock = createVirtualClock();
    const simulated = createSimulatedServer({ clock, random: createSeededRandom(1), admission: WITH_GUARD }).client();
    try {
      await expect(cluster.client.create(CONFIG_MAPS, configMap('rude'))).rejects.toThrow('the name is rude');
      await cluster.client.create(CONFIG_MAPS, configMap('polite'));
    } finally {
      await cluster.stop();
    }
    await simulated.create(
      { group: '', version: 'v1', resource: 'namespaces', kind: 'Namespace', namespaced: false },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } },
    );
    await expect(simulated.create(CONFIG_MAPS, configMap('rude'))).rejects.toThrow('the name is rude');
    const { webhooks } = parse(webhooksFile(WITH_GUARD)) as { readonly webhooks: readonly object[] };
    const guard = { name: 'name-guard.everynode.dev', path: '/validate/name-guard', failurePolicy: 'Fail' };
    expect(webhooks.at(-1)).toMatchObject(guard);
  });
});

describe('pages with a generated part', () => {
  it('must have the markers', () => {
    expect(() => between('# A page\n', 'table')).toThrow('has no');
  });
});
