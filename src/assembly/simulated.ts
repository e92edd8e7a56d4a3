/**
 * Profile `simulated`: the same API server and the same controllers as everywhere, on the clock and random numbers of a simulation,
 * with no wire and no disk. Actors are a list of factories, so that a simulation can give each its own client and clock, end it at
 * any moment and begin it anew.
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
import { builtInKinds, ownKinds } from '../core/api/registry/built-in-kinds.ts';
import { createRegistry, type Registry } from '../core/api/registry/registry.ts';
import { deepFreeze } from '../core/kube/immutable.ts';
import type { Actor } from '../machinery/actor.ts';
import type { Client } from '../machinery/client/client.ts';
import type { Surroundings } from '../machinery/controller/surroundings.ts';
import type { Clock } from '../machinery/time/clock.ts';
import type { Logger } from '../machinery/logging/logger.ts';
import type { Random } from '../machinery/random/random.ts';
import { createFleet } from '../nodes/fleet/fleet.ts';
import { type AdmissionCatalogue, admissionPlugins } from './catalogue/admission.ts';
import type { Catalogue } from './catalogue/entry.ts';
import { selectControllers } from './catalogue/select.ts';

/** All that an actor may touch. Nothing in it but the kinds of the server is shared with another actor. */
type ActorSurroundings = Surroundings & {
  readonly logger: Logger;
  /** Kinds as the server serves them; those of Kubernetes unless given. */
  readonly registry?: Registry;
};

/** Makes the actors of one process, which live and die together. */
export interface ActorFactory {
  readonly name: string;
  /** Kinds of ours that a server serves for these actors (`orders.core.korder.dev`). */
  readonly kinds?: readonly string[];
  create(surroundings: ActorSurroundings): readonly Actor[];
}

export const FLEET: ActorFactory = { name: 'fleet', create: (around) => [createFleet(around)] };

/** The selected controllers of the catalogue, each a process of its own; `*` is those that have to do with nodes and daemons. */
export const simulatedControllers = (selection?: readonly string[], catalogue?: Catalogue): readonly ActorFactory[] =>
  selectControllers('simulated', selection, catalogue).map(({ row, place }) => ({
    name: place.actor ?? row.name,
    ...(row.kinds?.builtIn === undefined ? {} : { kinds: row.kinds.builtIn }),
    create: (around) => [place.create({ ...around, registry: around.registry ?? createRegistry() })],
  }));

/** The actors of a simulation unless it names others: simulated nodes and the controllers that run by default. */
export const SIMULATED_ACTORS: readonly ActorFactory[] = [FLEET, ...simulatedControllers()];

/** Simulated nodes and the selected controllers, in the syntax of `--controllers`. */
export const simulatedActors = (selection: readonly string[]): readonly ActorFactory[] => [
  FLEET,
  ...simulatedControllers(selection),
];

export interface SimulatedServerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  readonly history?: Partial<HistoryLimits>;
  /** Stands between the API server and its store, to watch what is written. */
  readonly around?: (store: Store) => Store;
  /** Admission plugins of ours; all of them unless given. */
  readonly admission?: AdmissionCatalogue;
  /** Kinds of ours to serve beside those of Kubernetes, by the names that definitions of them would have. */
  readonly kinds?: readonly string[];
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
    registry: createRegistry([...builtInKinds(), ...ownKinds(options.kinds ?? [])]),
    clock,
    random,
    authorizer,
    admission: [
      ...builtInAdmission({ store }),
      ...accessAdmission(authorizer, clock),
      ...admissionPlugins(undefined, options.admission),
      ...closingAdmission({ store, clock }),
    ],
    ...(options.logger === undefined ? {} : { logger: options.logger }),
  });
  return { store, api, client: () => createInProcessClient(api, { user: LOOPBACK }) };
}
