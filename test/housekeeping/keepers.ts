/** House-keepers of nodes, pods, budgets and quotas on a world in virtual time. */
import type { KeeperOptions } from '../../src/control/housekeeping/keeper.ts';
import { NODES, PODS } from '../../src/core/api/registry/resources.ts';
import type { Node, Pod, PodSpec } from '../../src/core/api/types/core-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import type { Actor } from '../../src/machinery/actor.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import type { Clock } from '../../src/machinery/time/clock.ts';
import { createInformers } from '../../src/machinery/cache/informers.ts';
import { createSeededRandom } from '../../src/machinery/random/seeded-random.ts';
import type { World } from '../daemonset/world.ts';

export interface Keeping {
  readonly client?: Client;
  readonly clock?: Clock;
}

/** Begins keepers, each on caches of their own; ended by what it returns. */
export function keep(world: World, make: (around: KeeperOptions) => readonly Actor[], own: Keeping = {}) {
  const { clock, direct } = world;
  const random = createSeededRandom(5);
  const client = own.client ?? direct;
  const informers = createInformers(client, { clock, random });
  const actors = make({ client, informers, clock: own.clock ?? clock, random });
  const stopping = new AbortController();
  const running = Promise.all([informers, ...actors].map((actor) => actor.start(stopping.signal)));
  return async (): Promise<void> => {
    stopping.abort();
    await clock.advance(100);
    await running;
  };
}

export const getNode = (world: World, name: string): Promise<Stored<Node>> => world.client.get(NODES, { name });

/** One after the other: each answer moves time. */
export async function getNodes(world: World, names: readonly string[]): Promise<readonly Stored<Node>[]> {
  const nodes: Stored<Node>[] = [];
  for (const name of names) nodes.push(await getNode(world, name));
  return nodes;
}

export const readyOf = (node: Stored<Node>): string | undefined =>
  node.status?.conditions?.find(({ type }) => type === 'Ready')?.status;

export const taintsOf = (node: Stored<Node>): readonly string[] =>
  (node.spec?.taints ?? []).map(({ key, effect }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`).toSorted();

/** The fleet lets go of the node: from now on nobody speaks for it. */
export async function silence(world: World, name: string): Promise<void> {
  await annotate(world, name, 'false');
}

export async function wake(world: World, name: string): Promise<void> {
  await annotate(world, name, 'true');
}

async function annotate(world: World, name: string, simulated: string): Promise<void> {
  const body = { metadata: { annotations: { 'everynode.dev/simulated': simulated } } };
  await world.client.patch(NODES, { name }, { type: 'merge', body });
}

export const podOn = (name: string, nodeName: string, spec: Partial<PodSpec> = {}, labels = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', labels },
  spec: {
    containers: [{ name: 'main', image: 'example.test/app:1' }],
    ...(nodeName === '' ? {} : { nodeName }),
    ...spec,
  },
});

export const findPod = (world: World, name: string): Promise<Stored<Pod> | undefined> =>
  world.client.get(PODS, { namespace: 'default', name }).catch(() => undefined);

export const podReady = (pod: Stored<Pod> | undefined): string | undefined =>
  pod?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
