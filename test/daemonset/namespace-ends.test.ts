/** A namespace that is being deleted takes nothing new. Its DaemonSets are told so once, and leave it at that. */
import { afterEach, describe, expect, it } from 'vitest';
import { CONTROLLER_REVISIONS, DAEMON_SETS, NAMESPACES, PODS } from '../../src/core/api/registry/resources.ts';
import type { Resource } from '../../src/core/kube/objects.ts';
import { loggerFrom } from '../../src/machinery/logging/logger.ts';
import { inWeather } from './bad-weather.ts';
import { createWorld, daemonSet, type World } from './world.ts';

let world: World;
afterEach(() => world.stop());

const NAMESPACE = 'going';
const NODES = 9;

interface Heard {
  readonly complaints: string[];
  attempts(resource: Resource): number;
}

/** A DaemonSet at rest in a namespace that then begins to end; nobody empties it. */
async function endingNamespace(): Promise<Heard> {
  const complaints: string[] = [];
  const created: string[] = [];
  const logger = loggerFrom((level, message) => {
    if (level === 'warn' || level === 'error') complaints.push(message);
  });
  world = await createWorld({
    nodes: NODES,
    controller: { logger },
    through: (client, clock) =>
      inWeather(client, clock, {
        fate(verb, resource) {
          if (verb === 'create') created.push(resource.resource);
          return 'fine';
        },
      }),
  });
  const set = daemonSet();
  await world.client.create(NAMESPACES, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: NAMESPACE },
    spec: {},
  });
  await world.client.create(DAEMON_SETS, { ...set, metadata: { ...set.metadata, namespace: NAMESPACE } });
  await world.eventually(async () => (await numberAvailable()) === NODES);
  await world.settle(60_000);
  await world.client.delete(NAMESPACES, { name: NAMESPACE });
  created.length = 0;
  return { complaints, attempts: ({ resource }) => created.filter((each) => each === resource).length };
}

const numberAvailable = async (): Promise<number> =>
  (await world.client.get(DAEMON_SETS, { namespace: NAMESPACE, name: 'agent' })).status?.numberAvailable ?? 0;

const deletePods = async (): Promise<void> => {
  const { items } = await world.client.list(PODS, { namespace: NAMESPACE });
  for (const { metadata } of items)
    await world.client.delete(PODS, { namespace: NAMESPACE, name: metadata.name }, { gracePeriodSeconds: 0 });
};

describe('a DaemonSet in a namespace that ends', () => {
  it('tries one pod at a time, when one goes, complains to nobody, and counts what is left', async () => {
    const { complaints, attempts } = await endingNamespace();
    await deletePods();
    await world.settle(1_000);
    const soon = attempts(PODS);
    expect(soon).toBeGreaterThan(0);
    expect(soon).toBeLessThanOrEqual(NODES);
    expect(await numberAvailable()).toBe(0);
    await world.settle(3_600_000);
    expect(attempts(PODS)).toBe(soon);
    expect(complaints).toEqual([]);
    expect(await world.client.list(PODS, { namespace: NAMESPACE })).toMatchObject({ items: [] });
  });

  it('tries a lost revision once, and complains to nobody', async () => {
    const { complaints, attempts } = await endingNamespace();
    const { items } = await world.client.list(CONTROLLER_REVISIONS, { namespace: NAMESPACE });
    for (const { metadata } of items)
      await world.client.delete(CONTROLLER_REVISIONS, { namespace: NAMESPACE, name: metadata.name });
    await world.settle(3_600_000);
    expect(attempts(CONTROLLER_REVISIONS)).toBe(1);
    expect(complaints).toEqual([]);
  });
});
