/** A world in virtual time with its house-keepers, which can be ended and begun anew. */
import { createGarbageCollector } from '../../src/control/housekeeping/garbage-collector.ts';
import { createNamespaceController } from '../../src/control/housekeeping/namespace-controller.ts';
import { collectableResources, namespacedResources } from '../../src/control/housekeeping/served-resources.ts';
import { createServiceAccounts } from '../../src/control/housekeeping/service-accounts.ts';
import { createRegistry } from '../../src/core/api/registry/registry.ts';
import { CONFIG_MAPS } from '../../src/core/api/registry/resources.ts';
import type { ConfigMap } from '../../src/core/api/types/core-v1.ts';
import type { ObjectMeta, OwnerReference } from '../../src/core/kube/meta-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { createInformers } from '../../src/machinery/cache/informers.ts';
import { createSeededRandom } from '../../src/machinery/random/seeded-random.ts';
import { createWorld, type World, type WorldOptions } from '../daemonset/world.ts';

export interface House {
  readonly world: World;
  readonly client: Client;
  /** Begins the house-keepers; ended by what it returns. */
  keep(through?: (client: Client) => Client): () => Promise<void>;
  create(name: string, metadata?: Partial<ObjectMeta>): Promise<Stored<ConfigMap>>;
  find(name: string): Promise<Stored<ConfigMap> | undefined>;
  names(): Promise<readonly string[]>;
  end(): Promise<void>;
}

const KINDS = createRegistry().all();

export async function createHouse(options: WorldOptions = {}): Promise<House> {
  const world = await createWorld({ scheduler: false, fleet: false, controller: false, ...options });
  const { client, clock, direct } = world;
  const random = createSeededRandom(11);
  const stops = new Set<() => Promise<void>>();

  return {
    world,
    client,
    keep(through = (plain) => plain) {
      const own = through(direct);
      const informers = createInformers(own, { clock, random });
      const around = { client: own, informers, clock, random };
      const actors = [
        createGarbageCollector({ ...around, resources: collectableResources(KINDS) }),
        createNamespaceController({ ...around, resources: () => namespacedResources(KINDS) }),
        createServiceAccounts(around),
        informers,
      ];
      const stopping = new AbortController();
      const running = Promise.all(actors.map((actor) => actor.start(stopping.signal)));
      const stop = async (): Promise<void> => {
        stops.delete(stop);
        stopping.abort();
        await clock.advance(100);
        await running;
      };
      stops.add(stop);
      return stop;
    },
    create: (name, metadata = {}) =>
      client.create(CONFIG_MAPS, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: 'default', ...metadata, name },
      }),
    find: (name) => client.get(CONFIG_MAPS, { namespace: 'default', name }).catch(() => undefined),
    async names() {
      const { items } = await client.list(CONFIG_MAPS, { namespace: 'default' });
      return items.map(({ metadata }) => metadata.name);
    },
    async end() {
      for (const stop of stops) await stop();
      await world.stop();
    },
  };
}

export const ownedBy = (owner: Stored, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: owner.apiVersion ?? 'v1',
  kind: owner.kind ?? 'ConfigMap',
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  ...more,
});
