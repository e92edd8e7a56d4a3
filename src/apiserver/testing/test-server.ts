/** An API server over memory for tests: bootstrapped, deep-frozen, with a client that may do everything. */
import { createRegistry } from '../../core/api/registry/registry.ts';
import { deepFreeze } from '../../core/kube/immutable.ts';
import type { AdmissionPlugin } from '../../machinery/ports/admission.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import { realClock } from '../../machinery/time/real-clock.ts';
import { realRandom } from '../../machinery/random/real-random.ts';
import type { Random } from '../../machinery/random/random.ts';
import { accessAdmission } from '../access/admission.ts';
import { createAuthorizer } from '../access/authorizer.ts';
import { ensureDefaultAccess } from '../access/default-roles/reconcile.ts';
import { LOOPBACK } from '../contract/users.ts';
import { builtInAdmission, closingAdmission } from '../admission/built-in.ts';
import { type ApiServer, type ApiServerOptions, createApiServer } from '../api-server.ts';
import { bootstrap } from '../bootstrap.ts';
import { createInProcessClient } from '../inprocess/in-process-client.ts';
import type { HistoryLimits } from '../store/history.ts';
import { createStore } from '../store/engines/ephemeral-store.ts';
import type { Store } from '../store/store.ts';

export interface TestServerOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly history?: Partial<HistoryLimits>;
  /** Plugins that run after the built-in ones. */
  readonly plugins?: readonly AdmissionPlugin[];
  readonly hooks?: ApiServerOptions['hooks'];
  /** With the default roles of every cluster; clients that may do everything need none. */
  readonly defaultRoles?: boolean;
}

export interface TestServer {
  readonly server: ApiServer;
  readonly store: Store;
  readonly client: Client;
}

export async function createTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { clock = realClock, random = realRandom } = options;
  const store = createStore({
    clock,
    inspect: (object) => void deepFreeze(object),
    ...(options.history === undefined ? {} : { history: options.history }),
  });
  const authorizer = createAuthorizer(store);
  const server = createApiServer({
    store,
    registry: createRegistry(),
    clock,
    random,
    authorizer,
    admission: [
      ...builtInAdmission({ store }),
      ...(options.plugins ?? []),
      ...accessAdmission(authorizer, clock),
      ...closingAdmission({ store, clock }),
    ],
    ...(options.hooks === undefined ? {} : { hooks: options.hooks }),
  });
  const client = createInProcessClient(server, { user: LOOPBACK });
  await bootstrap(client);
  if (options.defaultRoles === true) await ensureDefaultAccess(client);
  return { server, store, client };
}
