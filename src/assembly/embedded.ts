/**
 * assembly/ — the one room that knows servers and actors. Here they are built, introduced to each other through ports,
 * started in order and stopped in reverse. `embedded` is the profile behind `everynode up`: everything in one process.
 */
import { createApiServer, type ApiServer } from '../apiserver/api-server.ts';
import { accessAdmission } from '../apiserver/access/admission.ts';
import { createAuthorizer } from '../apiserver/access/authorizer.ts';
import { createControllerClient } from '../apiserver/inprocess/controller-identity.ts';
import { ensureDefaultAccess } from '../apiserver/access/default-roles/reconcile.ts';
import {
  createServiceAccountTokens,
  type ServiceAccountTokens,
  tokenHooks,
} from '../apiserver/service-account-tokens.ts';
import { LOOPBACK } from '../apiserver/contract/users.ts';
import { builtInAdmission, type BuiltInAdmissionOptions, closingAdmission } from '../apiserver/admission/built-in.ts';
import { bootstrap } from '../apiserver/bootstrap.ts';
import type { ConvertObjects } from '../apiserver/custom/conversion.ts';
import { createConversionWebhook } from '../apiserver/custom/conversion-webhook.ts';
import { DEFAULT_SERVICE_CIDR } from '../apiserver/handlers/service-allocation.ts';
import { serviceEndpoint } from '../apiserver/service-endpoint.ts';
import { createInProcessClient } from '../apiserver/inprocess/in-process-client.ts';
import type { ApiHooks } from '../apiserver/contract/hooks.ts';
import type { HistoryLimits } from '../apiserver/store/history.ts';
import type { Store } from '../apiserver/store/store.ts';
import { createEncodedCache } from '../apiserver/wire/encoded-cache.ts';
import { createOpenApi } from '../apiserver/wire/openapi.ts';
import type { Audit } from '../apiserver/audit/audit.ts';
import { advertisedAddress } from './advertised-address.ts';
import { openAuditLog, type AuditLogOptions } from './audit-log.ts';
import type { RequestLimits } from '../apiserver/wire/overload.ts';
import { authorizeExpressions } from '../apiserver/admission/authorize-expressions.ts';
import { createMutatingPolicies } from '../apiserver/admission/policies/mutating-policies.ts';
import { createValidatingPolicies } from '../apiserver/admission/policies/validating-policies.ts';
import { createMutatingWebhooks } from '../apiserver/admission/webhooks/mutating.ts';
import { createValidatingWebhooks } from '../apiserver/admission/webhooks/validating.ts';
import { createWireServer, type WireOptions, type WireServer } from '../apiserver/wire/server.ts';
import { createComponentAdmissionOnDemand } from '../control/component/admission/on-demand.ts';
import { createComponentController } from '../control/component/controller/component-controller.ts';
import { createDefinitionConditions } from '../control/housekeeping/crd-conditions.ts';
import { createDefinitionFinalizer } from '../control/housekeeping/crd-finalizer.ts';
import { createEventExpiry } from '../control/housekeeping/event-expiry.ts';
import { createGarbageCollector } from '../control/housekeeping/garbage-collector.ts';
import { createNamespaceController } from '../control/housekeeping/namespace-controller.ts';
import { collectableResources, customKindsOf, namespacedResources } from '../control/housekeeping/served-resources.ts';
import { STORAGE_GUARDS } from '../control/housekeeping/volumes/storage-protection.ts';
import { createVolumeKeeper } from '../control/housekeeping/volumes/volume-keeper.ts';
import { createServiceAccounts } from '../control/housekeeping/service-accounts.ts';
import { createWorkloads } from '../control/housekeeping/workloads/workloads.ts';
import { createDaemonSetController } from '../control/daemonset/daemonset-controller.ts';
import { createScheduler } from '../control/scheduler/scheduler.ts';
import { builtInKinds } from '../core/api/registry/built-in-kinds.ts';
import { NODES, PODS } from '../core/api/registry/resources.ts';
import { createRegistry } from '../core/api/registry/registry.ts';
import type { CustomResourceDefinition } from '../core/api/types/apiextensions-v1.ts';
import type { Client } from '../machinery/client/client.ts';
import { createWebhookCaller, type WebhookCaller } from '../machinery/client/http/webhook-caller.ts';
import { realClock } from '../machinery/time/real-clock.ts';
import { realRandom } from '../machinery/random/real-random.ts';
import { createEventRecorder, type EventRecorder } from '../machinery/events/event-recorder.ts';
import { createInformers } from '../machinery/cache/informers.ts';
import type { ConnectionLimits } from '../machinery/connections/connection-limits.ts';
import { createLazyMetrics, type LazyMetrics } from '../machinery/metrics/lazy-metrics.ts';
import { silentLogger, type Logger } from '../machinery/logging/logger.ts';
import { createPrometheusMetrics } from '../machinery/metrics/prometheus-metrics.ts';
import type { Actor } from '../machinery/actor.ts';
import { createFleet } from '../nodes/fleet/fleet.ts';
import { createPodStreams } from '../nodes/fleet/pod-streams.ts';
import type { NodeGroup } from '../nodes/fleet/node-groups.ts';
import { accessKeepers } from './catalogue/access.ts';
import { untilServed, writeDefinitions } from './component-definitions.ts';
import { EMBEDDED_RUNS, type EmbeddedRun, versionDocument } from './catalogue/embedded-runs.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { clusterKeys } from './pki.ts';
import { beginClusterStore } from './cluster-store.ts';
import { createStoreMetrics, storeCheck } from './store-health.ts';
import { createRequestMetrics } from './request-metrics.ts';
import { createNodes } from './create-nodes.ts';
import { type ControllerName, selectControllers } from './catalogue/select.ts';
import { houseKeepers } from './catalogue/house-keepers.ts';
import { servedKinds, type ServedKinds } from './catalogue/served-kinds.ts';
import { startActors, type Undo } from './common/start-actors.ts';

export interface EmbeddedOptions {
  /** Absent: nothing is kept. */
  readonly dataDir?: string;
  readonly port: number;
  readonly bind: string;
  /** Nodes to have; absent: five, in a cluster that has none. */
  readonly groups?: readonly NodeGroup[];
  /** How much of the past is kept for watches; the store's own limits unless said. */
  readonly history?: Partial<HistoryLimits>;
  /** Where to write down who did what over HTTP (`-` for stdout), and how much; nothing unless said. */
  readonly audit?: AuditLogOptions;
  /** How many requests over HTTP may be under way; as a kube-apiserver has it unless said. */
  readonly limits?: Partial<RequestLimits>;
  /** How many connections are taken and how long they may be idle; from the descriptors of the process unless said. */
  readonly connections?: Partial<ConnectionLimits>;
  /** Whether kubelets and the scheduler record events; they do unless told otherwise. */
  readonly events?: boolean;
  /** Which controllers run, as kube-controller-manager's `--controllers`; all of them unless said. */
  readonly controllers?: readonly string[];
  /** Time between the deletion of a namespace and that of its content; five seconds unless said, as in Kubernetes. */
  readonly namespaceGraceMs?: number;
  /** Whether the default scheduler runs here; it does unless another one takes its place. */
  readonly scheduler?: boolean;
  readonly logger?: Logger;
  /** Ends the process at once, without a word to clients: a write failed and could not be taken back. */
  readonly halt?: (error: Error) => void;
  readonly onProgress?: (label: string, done: number, total: number) => void;
  /** Gives up the start; a running cluster is stopped with `stop`. */
  readonly signal?: AbortSignal;
}

export interface EmbeddedCluster {
  /** https://host:port */
  readonly server: string;
  readonly kubeconfig: string;
  readonly nodeCount: number;
  readonly api: ApiServer;
  readonly client: Client;
  /** Resolves only if something that must run could not go on. */
  readonly failed: Promise<Error>;
  stop(): Promise<void>;
}

const DEFAULT_GROUPS: readonly NodeGroup[] = [{ name: 'node', count: 5 }];
/** Where pods find the API server; its certificate names this address. */
const API_SERVICE = { clusterIP: '10.96.0.1', port: 443 };
/** Not at the start, which people wait for. */
const LOAD_METRICS_AFTER_MS = 3_000;
const NO_EVENTS: EventRecorder = { event: () => undefined };
/** So few nodes renew a Lease each, as kubelets do; more share one, which is all that anybody here needs. */
const MOST_OWN_LEASES = 20;
const ENCODED_CACHE_BYTES = 96 * 1024 * 1024;

export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedCluster> {
  const logger = options.logger ?? silentLogger;
  const clock = realClock;
  const runs = selectControllers(options.controllers);
  const kept = servedKinds(runs);
  const undo: Undo = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    const disk = await beginClusterStore(options.dataDir, clock, logger, options.history, options.halt);
    const [keys, store] = await Promise.all([clusterKeys(options.dataDir, options.bind, clock.now()), disk.open()]);
    undo.push(() => store.close());
    const connect = createPodStreams({
      clock,
      current: ({ metadata: { namespace = '', name } }) => client.get(PODS, { namespace, name }).catch(() => undefined),
      node: (name) => client.get(NODES, { name }),
    });
    const tokens = createServiceAccountTokens({ store, clock, random: realRandom, signingKey: keys.signingKey });
    const webhooks = createWebhookCaller(clock);
    undo.push(() => webhooks.close());
    const api = createEmbeddedApi(
      store,
      logger,
      { connect, ...tokenHooks(tokens) },
      // Whoever gives a taint or a finalizer must also be there to take it away.
      {
        taintNodesByCondition: runs('node-lifecycle-controller'),
        protects: storageGuards(runs).map(([, { resource }]) => resource),
      },
      createConversionWebhook({
        caller: webhooks,
        random: realRandom,
        connectTo: (service) => serviceEndpoint(service, store),
      }),
      webhooks,
      kept,
    );
    const client = createInProcessClient(api, { user: LOOPBACK });
    options.signal?.throwIfAborted();
    await bootstrap(client);
    await ensureDefaultAccess(client);
    // Before anybody judges names: what an older release wrote is ours, though it says something else.
    const definitions = await writeDefinitions(client, kept.defined);

    const informers = createInformers(client, { clock, random: realRandom, logger });
    const metrics = createLazyMetrics(
      () => createPrometheusMetrics({ processMetrics: true }),
      () => clock.sleep(0),
    );
    const loading = clock.after(LOAD_METRICS_AFTER_MS, () => {
      metrics.load().catch((error: unknown) => logger.warn('Metrics could not be loaded', { error }));
    });
    undo.push(() => loading.cancel());
    createStoreMetrics(metrics, store);
    const told = { metrics, client, clock, random: realRandom, logger, instance: 'everynode', api: 'core' } as const;
    const kubelet = createEventRecorder({ ...told, controller: 'kubelet' });
    const around = { client, informers, clock, random: realRandom, logger, metrics };
    const quiet = options.events === false ? { ...around, events: NO_EVENTS } : around;
    const actors: readonly Actor[] = [
      informers,
      kubelet,
      createFleet({
        client,
        informers,
        clock,
        logger,
        ownLeases: MOST_OWN_LEASES,
        events: options.events === false ? undefined : kubelet,
      }),
      ...(runs('daemonset-controller') ? [createDaemonSetController(around)] : []),
      ...(runs('component-controller') ? [createComponentController({ ...around, keepsNames: true })] : []),
      ...(options.scheduler === false ? [] : [createScheduler(quiet)]),
      createEventExpiry({ client, clock, logger }),
      createDefinitionConditions({ ...around, held: kept.held }),
      createDefinitionFinalizer({ ...around, served: () => api.registry.all() }),
      ...(runs('garbage-collector-controller')
        ? [
            createGarbageCollector({
              ...around,
              resources: collectableResources(api.registry.all()),
              changing: customKindsOf(api.registry),
            }),
          ]
        : []),
      ...(runs('namespace-controller')
        ? [
            createNamespaceController({
              ...around,
              resources: () => namespacedResources(api.registry.all()),
              ...(options.namespaceGraceMs === undefined ? {} : { graceMs: options.namespaceGraceMs }),
            }),
          ]
        : []),
      ...(runs('serviceaccount-controller') ? [createServiceAccounts(around)] : []),
      ...(runs('persistentvolume-binder-controller') ? [createVolumeKeeper(around)] : []),
      ...storageGuards(runs).map(([, { create }]) => create(around)),
      ...accessKeepers(
        { ...around, authority: keys.authority, clientOf: (account) => createControllerClient(api, account) },
        runs,
      ),
      ...createWorkloads(quiet, runs),
      ...houseKeepers(quiet, api.registry, runs),
    ];
    const failed = startActors(actors, undo);
    await informers.synced(options.signal);

    const address = { port: options.port };
    const auditLog = options.audit === undefined ? undefined : await openAuditLog(options.audit, undo);
    const wire = createEmbeddedWire(
      api,
      store,
      keys,
      tokens,
      metrics,
      () => `${hostName(options.bind)}:${address.port}`,
      { limits: options.limits ?? {}, connections: options.connections ?? {}, logger },
      auditLog,
      EMBEDDED_RUNS.filter((name) => (name === 'kube-scheduler' ? options.scheduler !== false : runs(name))),
    );
    address.port = await wire.listen(options.port, options.bind);
    undo.push(() => wire.close());
    // Only now is the port known; everything else that a cluster begins with is there, and is left alone.
    await bootstrap(client, {
      apiService: {
        ...API_SERVICE,
        targetPort: address.port,
        address: advertisedAddress(options.bind),
        range: { cidr: DEFAULT_SERVICE_CIDR, now: clock.now() },
      },
      clientAuthority: keys.authority.certificate,
      served: [...api.registry.all(), ...kept.defined.flatMap(groupVersionsOf)],
    });

    const [nodeCount] = await Promise.all([
      createNodes(client, options.groups, DEFAULT_GROUPS, clock, options.onProgress, options.signal),
      untilServed({ client, clock, registry: api.registry }, definitions, options.signal),
    ]);
    const server = `https://${hostName(options.bind)}:${address.port}`;
    return {
      server,
      kubeconfig: kubeconfigText({
        server,
        authority: keys.authority.certificate,
        client: keys.admin,
        name: 'everynode',
      }),
      nodeCount,
      api,
      client,
      failed,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The controllers that keep storage in use from going, of those that run. */
const storageGuards = (runs: (name: ControllerName) => boolean) =>
  (
    Object.entries(STORAGE_GUARDS) as [
      keyof typeof STORAGE_GUARDS,
      (typeof STORAGE_GUARDS)[keyof typeof STORAGE_GUARDS],
    ][]
  ).filter(([name]) => runs(name));

const groupVersionsOf = ({ spec: { group, versions } }: CustomResourceDefinition) =>
  versions.map(({ name }) => ({ group, version: name }));

/** How clients reach an address we listen on: "all addresses" is no place to go to. */
function hostName(bind: string): string {
  if (bind === '0.0.0.0' || bind === '::') return '127.0.0.1';
  return bind.includes(':') ? `[${bind}]` : bind;
}

/** The API server of the embedded profile over a given store; benchmarks measure exactly this one. */
export function createEmbeddedApi(
  store: Store,
  logger: Logger,
  hooks: Partial<ApiHooks> = {},
  admission: Omit<BuiltInAdmissionOptions, 'store'> = {},
  convert?: ConvertObjects,
  /** Without it nobody outside the process is asked. */
  webhooks?: WebhookCaller,
  /** Kinds of ours that controllers keep; none unless said. */
  kept?: ServedKinds,
): ApiServer {
  const authorizer = createAuthorizer(store);
  const registry = createRegistry([...builtInKinds(), ...(kept?.builtIn ?? [])]);
  const own = builtInAdmission({ ...admission, store });
  const asking = { store, registry, random: realRandom, logger, authorize: authorizeExpressions(authorizer) };
  const policies = createMutatingPolicies(asking, own);
  return createApiServer({
    store,
    registry,
    clock: realClock,
    random: realRandom,
    authorizer,
    admission: [
      ...own,
      policies.plugin,
      ...(webhooks === undefined
        ? []
        : [createMutatingWebhooks({ ...asking, caller: webhooks }, [...own, policies.again])]),
      // After everything that may change an object: who asks for a certificate is not for others to say.
      ...accessAdmission(authorizer, realClock),
      createValidatingPolicies(asking),
      // Where nobody here keeps them they are judged by the webhook of whoever does, and may be something else altogether.
      ...(kept === undefined || kept.defined.length > 0 ? [createComponentAdmissionOnDemand()] : []),
      ...(webhooks === undefined ? [] : [createValidatingWebhooks({ ...asking, caller: webhooks })]),
      ...closingAdmission({ store, clock: realClock }),
    ],
    hooks,
    logger,
    heldNames: kept?.held ?? [],
    ...(convert === undefined ? {} : { convert }),
  });
}

type Keys = Awaited<ReturnType<typeof clusterKeys>>;

function createEmbeddedWire(
  api: ApiServer,
  store: Store,
  keys: Keys,
  tokens: ServiceAccountTokens,
  metrics: LazyMetrics,
  serverAddress: () => string,
  guarding: Pick<WireOptions, 'limits' | 'connections' | 'logger'>,
  audit: Audit | undefined,
  runs: readonly EmbeddedRun[],
): WireServer {
  const measure = createRequestMetrics(metrics, (...names) => api.registry.byResource(...names));
  return createWireServer({
    api,
    kinds: api.registry,
    clock: realClock,
    encoded: createEncodedCache(ENCODED_CACHE_BYTES),
    keys: { ...keys.server, clientAuthority: keys.authority.certificate },
    tokens: { authenticate: (token) => tokens.read(token).user },
    authorizer: api.authorizer,
    ...guarding,
    metrics,
    ...(audit === undefined ? {} : { audit }),
    onAnswered: (exchange, _user, _error, elapsedMs) => measure(exchange, elapsedMs),
    meta: {
      version: versionDocument(runs),
      serverAddress,
      checks: new Map([
        ['ping', () => undefined],
        ['store', storeCheck(store)],
      ]),
      metrics: metrics.expose,
      openapi: createOpenApi(api.registry),
      openid: tokens,
    },
  });
}
