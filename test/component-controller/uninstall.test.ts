/** Definitions that are deleted are no wish to delete the daemons: what components brought stays, and nothing hangs. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  CLUSTER_ROLES,
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  DAEMON_SETS,
  PODS,
} from '../../src/core/api/registry/resources.ts';
import { COMPONENT_FINALIZER } from '../../src/core/api/names.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import {
  COMPONENTS,
  find,
  getComponent,
  GROUP,
  installDefinitions,
  manifest,
  openSetting,
  startController,
  until,
  untilTrue,
  type Setting,
} from './setting.ts';

const NODES = 2;
const DEFINITION = `kubernetesdaemonsets.${GROUP}`;
const KEY = { namespace: 'default', name: 'agent' };

let setting: Setting;
let client: Client;
const stops: (() => Promise<void>)[] = [];
beforeEach(async () => {
  setting = await openSetting(NODES);
  client = setting.client;
  await client.create(COMPONENTS, manifest());
  await untilTrue(client, 'Ready');
}, 60_000);
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await setting.stop();
});

const start = (): void => void stops.push(startController(client).stop);
const deleteDefinition = () => client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: DEFINITION });
const definitionGone = () =>
  until(
    () => find(client, CUSTOM_RESOURCE_DEFINITIONS, DEFINITION),
    (found) => found === undefined,
    30_000,
  );
/** The very same objects, and pods that nobody has touched. */
async function everything(): Promise<readonly (string | undefined)[]> {
  const pods = await client.list(PODS, { namespace: 'logging' });
  return [
    (await find(client, DAEMON_SETS, 'agent', 'logging'))?.metadata.uid,
    (await find(client, CONFIG_MAPS, 'everynode-inventory-agent', 'logging'))?.metadata.uid,
    (await find(client, CLUSTER_ROLES, 'logging:agent'))?.metadata.uid,
    ...pods.items.map(({ metadata }) => metadata.uid).toSorted(),
  ];
}

describe('a definition that is deleted', () => {
  it('goes with its components, which leave running what they brought', async () => {
    const before = await everything();
    expect(before.filter((uid) => uid !== undefined)).toHaveLength(3 + NODES);
    await deleteDefinition();
    await definitionGone();
    await realClock.sleep(500);
    expect(await everything()).toEqual(before);
  }, 60_000);

  it('while nobody keeps the components: who comes later lets go of them, also of a paused one', async () => {
    const before = await everything();
    await setting.controller.stop();
    const paused = { metadata: { annotations: { 'everynode.dev/paused': 'true' } } };
    await client.patch(COMPONENTS, KEY, { type: 'merge', body: paused });
    await deleteDefinition();
    const waiting = await until(
      () => getComponent(client),
      ({ metadata }) => metadata.deletionTimestamp !== undefined,
    );
    expect(waiting.metadata.finalizers).toContain(COMPONENT_FINALIZER);
    start();
    await definitionGone();
    await realClock.sleep(500);
    expect(await everything()).toEqual(before);
  }, 60_000);

  it('does not save what somebody has deleted before', async () => {
    await setting.controller.stop();
    await client.delete(COMPONENTS, KEY);
    // Times are of whole seconds.
    await realClock.sleep(1_100);
    await deleteDefinition();
    start();
    await definitionGone();
    expect(await find(client, DAEMON_SETS, 'agent', 'logging')).toBe(undefined);
    expect(await find(client, CLUSTER_ROLES, 'logging:agent')).toBe(undefined);
  }, 60_000);

  it('and comes again: a component takes up what was left when it is told to, and nothing is started anew', async () => {
    const before = await everything();
    await deleteDefinition();
    await definitionGone();
    await installDefinitions(client);
    await client.create(COMPONENTS, manifest());
    await untilTrue(client, 'Conflict');
    const adopt = { metadata: { annotations: { 'everynode.dev/adopt': 'any' } } };
    await client.patch(COMPONENTS, KEY, { type: 'merge', body: adopt });
    await untilTrue(client, 'Ready');
    expect(await everything()).toEqual(before);
  }, 60_000);
});
