/** The server half of an embedded cluster: store, keys, tokens and the API server, before any controller or network. */
import type { ApiServer } from '../apiserver/api-server.ts';
import { ensureDefaultAccess } from '../apiserver/access/default-roles/reconcile.ts';
import { bootstrap } from '../apiserver/bootstrap.ts';
import { LOOPBACK } from '../apiserver/contract/users.ts';
import { createConversionWebhook } from '../apiserver/custom/conversion-webhook.ts';
import { createInProcessClient } from '../apiserver/inprocess/in-process-client.ts';
import {
  createServiceAccountTokens,
  type ServiceAccountTokens,
  tokenHooks,
} from '../apiserver/service-account-tokens.ts';
import { serviceEndpoint } from '../apiserver/service-endpoint.ts';
import type { HistoryLimits } from '../apiserver/store/history.ts';
import { createEncodedCache, type EncodedCache } from '../apiserver/wire/encoded-cache.ts';
import type { Store } from '../apiserver/store/store.ts';
import { NODES, PODS } from '../core/api/registry/resources.ts';
import type { CustomResourceDefinition } from '../core/api/types/apiextensions-v1.ts';
import type { Client } from '../machinery/client/client.ts';
import { createWebhookCaller } from '../machinery/client/http/webhook-caller.ts';
import type { Logger } from '../machinery/logging/logger.ts';
import { realRandom } from '../machinery/random/real-random.ts';
import { realClock } from '../machinery/time/real-clock.ts';
import { createPodStreams } from '../nodes/fleet/pod-streams.ts';
import { type AdmissionCatalogue, admissionPlugins } from './catalogue/admission.ts';
import type { ControllerRow } from './catalogue/entry.ts';
import type { ServedKinds } from './catalogue/served-kinds.ts';
import { beginClusterStore } from './cluster-store.ts';
import type { Undo } from './common/start-actors.ts';
import { writeDefinitions } from './component-definitions.ts';
import { createEmbeddedApi, type EmbeddedApiOptions } from './embedded-api.ts';
import { clusterKeys, type ClusterKeys } from './pki.ts';

export interface EmbeddedServerOptions {
  /** Absent: everything is in memory. */
  readonly dataDir?: string;
  readonly bind: string;
  readonly history?: Partial<HistoryLimits>;
  /** Ends the process at once: a write failed and could not be taken back. */
  readonly halt?: (error: Error) => void;
}

export interface EmbeddedServer {
  readonly store: Store;
  readonly keys: ClusterKeys;
  readonly tokens: ServiceAccountTokens;
  readonly api: ApiServer;
  /** May do everything. */
  readonly client: Client;
  /** Bytes of objects for answers over the network. */
  readonly encoded: EncodedCache;
}

const ENCODED_CACHE_BYTES = 96 * 1024 * 1024;

/** Controllers that run beside the server and so decide which kinds and admission plugins it has. */
export interface Neighbours {
  readonly rows: readonly ControllerRow[];
  readonly kept: ServedKinds;
  readonly admission?: AdmissionCatalogue | undefined;
}

export async function openServer(
  options: EmbeddedServerOptions,
  neighbours: Neighbours,
  logger: Logger,
  undo: Undo,
): Promise<EmbeddedServer> {
  const { dataDir, bind, history, halt } = options;
  const clock = realClock;
  const disk = await beginClusterStore(dataDir, clock, logger, history, halt);
  const [keys, store] = await Promise.all([clusterKeys(dataDir, bind, clock.now()), disk.open()]);
  undo.push(() => store.close());
  const tokens = createServiceAccountTokens({ store, clock, random: realRandom, signingKey: keys.signingKey });
  const webhooks = createWebhookCaller(clock);
  undo.push(() => webhooks.close());
  const connect = createPodStreams({
    clock,
    current: ({ metadata: { namespace = '', name } }) => client.get(PODS, { namespace, name }).catch(() => undefined),
    node: (name) => client.get(NODES, { name }),
  });
  const api = createEmbeddedApi(store, logger, {
    hooks: { connect, ...tokenHooks(tokens) },
    webhooks,
    convert: createConversionWebhook({
      caller: webhooks,
      random: realRandom,
      connectTo: (service) => serviceEndpoint(service, store),
    }),
    ...besides(neighbours),
  });
  const client = createInProcessClient(api, { user: LOOPBACK });
  return { store, keys, tokens, api, client, encoded: createEncodedCache(ENCODED_CACHE_BYTES) };
}

/** Options of the API server that follow from the controllers that run. */
function besides({ rows, kept, admission }: Neighbours): Pick<EmbeddedApiOptions, 'admission' | 'plugins' | 'kept'> {
  const running = new Set(rows.map(({ name }) => name));
  const removed = rows.flatMap(({ removes }) => removes ?? []);
  return {
    // A taint or a finalizer that no controller takes off again must not be given.
    admission: {
      taintNodesByCondition: removed.some(({ nodeTaints }) => nodeTaints === true),
      protects: removed.flatMap(({ finalizerOf }) => finalizerOf ?? []),
    },
    plugins: admissionPlugins((controller) => running.has(controller), admission),
    kept,
  };
}

/** Writes the objects that every cluster begins with. Resolves with the definitions of ours that will be served. */
export async function fillServer(
  { client }: EmbeddedServer,
  { kept }: Neighbours,
): Promise<readonly CustomResourceDefinition[]> {
  await bootstrap(client);
  await ensureDefaultAccess(client);
  // Before controllers judge names: definitions that an older release wrote are ours, though their text differs.
  return writeDefinitions(client, kept.defined);
}
