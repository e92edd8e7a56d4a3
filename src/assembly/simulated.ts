/**
 * Profile `simulated`: the same API server and the same actors as everywhere, on somebody else's clock and dice, with
 * no wire and no disk. Actors are a list of factories, so that whoever simulates can give each its own client and
 * clock, end it at any moment and begin it anew.
 */
import { createApiServer, type ApiServer } from '../apiserver/api-server.ts';
import { accessAdmission } from '../apiserver/access/admission.ts';
import { createAuthorizer } from '../apiserver/access/authorizer.ts';
import { LOOPBACK } from '../apiserver/contract/users.ts';
import { builtInAdmission, closingAdmission } from '../apiserver/admission/built-in.ts';
import { createInProcessClient } from '../apiserver/inprocess/in-process-client.ts';
import type { HistoryLimits } from '../apiserver/store/history.ts';
import { createStore } from '../apiserver/store/engines/ephemeral-store.ts';
import type { Store } from '../apiserver/store/store.ts';
import { createGarbageCollector } from '../control/housekeeping/garbage-collector.ts';
import { createDisruptionController } from '../control/housekeeping/disruption/disruption-controller.ts';
import { createNodeLifecycle } from '../control/housekeeping/nodes/node-lifecycle.ts';
import { createQuotaController } from '../control/housekeeping/quota/quota-controller.ts';
import { createTaintEviction } from '../control/housekeeping/nodes/taint-eviction.ts';
import { createPodGc } from '../control/housekeeping/pods/pod-gc.ts';
import { collectableResources } from '../control/housekeeping/served-resources.ts';
import { createDaemonSetController } from '../control/daemonset/daemonset-controller.ts';
import { createScheduler } from '../control/scheduler/scheduler.ts';
import { createRegistry } from '../core/api/registry/registry.ts';
import { deepFreeze } from '../core/kube/immutable.ts';
import type { Actor } from '../machinery/actor.ts';
import type { Client } from '../machinery/client/client.ts';
import type { Clock } from '../machinery/time/clock.ts';
import type { Informers } from '../machinery/cache/informers.ts';
import type { Logger } from '../machinery/logging/logger.ts';
import type { Random } from '../machinery/random/random.ts';
import { createFleet } from '../nodes/fleet/fleet.ts';

/** All that an actor may touch. Nothing in it is shared with another actor. */
interface ActorSurroundings {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Makes one process' worth of actors: what it answers with lives and dies together. */
export interface ActorFactory {
  readonly name: string;
  create(surroundings: ActorSurroundings): readonly Actor[];
}

const FLEET: ActorFactory = { name: 'fleet', create: (around) => [createFleet(around)] };
export const SCHEDULER: ActorFactory = { name: 'scheduler', create: (around) => [createScheduler(around)] };

export const DAEMONSET: ActorFactory = { name: 'daemonset', create: (around) => [createDaemonSetController(around)] };

export const GARBAGE_COLLECTOR: ActorFactory = {
  name: 'garbage-collector',
  create: (around) => [createGarbageCollector({ ...around, resources: collectableResources(createRegistry().all()) })],
};

const POD_GC: ActorFactory = { name: 'pod-gc', create: (around) => [createPodGc(around)] };
const TAINT_EVICTION: ActorFactory = {
  name: 'taint-eviction',
  create: (around) => [createTaintEviction(around)],
};

export const NODE_LIFECYCLE: ActorFactory = {
  name: 'node-lifecycle',
  create: (around) => [createNodeLifecycle(around)],
};
export const DISRUPTION: ActorFactory = {
  name: 'disruption',
  create: (around) => [createDisruptionController({ ...around, resources: () => createRegistry().all() })],
};
export const RESOURCE_QUOTA: ActorFactory = {
  name: 'resource-quota',
  create: (around) => [createQuotaController({ ...around, resources: () => createRegistry().all() })],
};

/** Those of an embedded cluster's actors that have to do with nodes and daemons, each a process of its own. */
export const SIMULATED_ACTORS: readonly ActorFactory[] = [
  FLEET,
  DAEMONSET,
  SCHEDULER,
  GARBAGE_COLLECTOR,
  POD_GC,
  TAINT_EVICTION,
];

export interface SimulatedServerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  readonly history?: Partial<HistoryLimits>;
  /** Stands between the API server and its store, to watch what is written. */
  readonly around?: (store: Store) => Store;
}

export interface SimulatedServer {
  readonly store: Store;
  readonly api: ApiServer;
  /** A client that may do everything. */
  client(): Client;
}

export function createSimulatedServer(options: SimulatedServerOptions): SimulatedServer {
  const { clock, random } = options;
  const memory = createStore({
    clock,
    inspect: (object) => void deepFreeze(object),
    ...(options.history === undefined ? {} : { history: options.history }),
  });
  const store = options.around?.(memory) ?? memory;
  const authorizer = createAuthorizer(store);
  const api = createApiServer({
    store,
    registry: createRegistry(),
    clock,
    random,
    authorizer,
    admission: [
      ...builtInAdmission({ store }),
      ...accessAdmission(authorizer, clock),
      ...closingAdmission({ store, clock }),
    ],
    ...(options.logger === undefined ? {} : { logger: options.logger }),
  });
  return { store, api, client: () => createInProcessClient(api, { user: LOOPBACK }) };
}
