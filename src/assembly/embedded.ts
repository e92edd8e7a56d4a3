/**
 * assembly/ — the one room that knows servers and actors. Here they are built, introduced to each other through ports,
 * started in order and stopped in reverse. `embedded` is the profile behind `everynode up`: everything in one process.
 */
import type { ApiServer } from '../apiserver/api-server.ts';
import { bootstrap } from '../apiserver/bootstrap.ts';
import { DEFAULT_SERVICE_CIDR } from '../apiserver/handlers/service-allocation.ts';
import type { RequestLimits } from '../apiserver/wire/overload.ts';
import type { CustomResourceDefinition } from '../core/api/types/apiextensions-v1.ts';
import type { Client } from '../machinery/client/client.ts';
import type { ConnectionLimits } from '../machinery/connections/connection-limits.ts';
import { silentLogger, type Logger } from '../machinery/logging/logger.ts';
import type { LazyMetrics } from '../machinery/metrics/lazy-metrics.ts';
import { realClock } from '../machinery/time/real-clock.ts';
import type { NodeGroup } from '../nodes/fleet/node-groups.ts';
import { advertisedAddress } from './advertised-address.ts';
import { openAuditLog, type AuditLogOptions } from './audit-log.ts';
import type { AdmissionCatalogue } from './catalogue/admission.ts';
import { embeddedRuns } from './catalogue/embedded-runs.ts';
import type { Catalogue } from './catalogue/entry.ts';
import { type Chosen, selectControllers } from './catalogue/select.ts';
import { servedKinds, type ServedKinds } from './catalogue/served-kinds.ts';
import type { Undo } from './common/start-actors.ts';
import { untilServed } from './component-definitions.ts';
import { createNodes } from './create-nodes.ts';
import { startControllers } from './embedded-controllers.ts';
import { type EmbeddedServer, type EmbeddedServerOptions, fillServer, openServer } from './embedded-server.ts';
import { createEmbeddedWire } from './embedded-wire.ts';
import { kubeconfigText } from './kubeconfig.ts';

export interface EmbeddedOptions extends EmbeddedServerOptions {
  readonly port: number;
  /** Nodes to have; absent: five, in a cluster that has none. */
  readonly groups?: readonly NodeGroup[];
  /** Path of the audit log (`-` for stdout) and its policy; no log unless given. */
  readonly audit?: AuditLogOptions;
  /** How many requests over HTTP may be under way; as a kube-apiserver has it unless given. */
  readonly limits?: Partial<RequestLimits>;
  /** How many connections are taken and how long they may be idle; from the descriptors of the process unless given. */
  readonly connections?: Partial<ConnectionLimits>;
  /** Whether kubelets, scheduler, workloads and house-keepers emit events; they do unless this is false. */
  readonly events?: boolean;
  /** Which controllers run, as kube-controller-manager's `--controllers`; all of them unless given. */
  readonly controllers?: readonly string[];
  /** Time between the deletion of a namespace and that of its content; five seconds unless given, as in Kubernetes. */
  readonly namespaceGraceMs?: number;
  /** `false` leaves out the scheduler, which `controllers` cannot: for tests where another scheduler takes its place. */
  readonly scheduler?: boolean;
  /** Controllers and admission plugins to choose from; those of the product unless given. */
  readonly catalogue?: Catalogue;
  readonly admission?: AdmissionCatalogue;
  /** The process serves this cluster alone, so its memory may be given back after a load; false unless given. */
  readonly ownsProcess?: boolean;
  readonly logger?: Logger;
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

export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedCluster> {
  const { signal, admission } = options;
  const logger = options.logger ?? silentLogger;
  const running = runningControllers(options);
  const rows = running.map(({ row }) => row);
  const kept = servedKinds(rows);
  const undo: Undo = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    const neighbours = { rows, kept, admission };
    const server = await openServer(options, neighbours, logger, undo);
    const { api, client, keys } = server;
    signal?.throwIfAborted();
    const definitions = await fillServer(server, neighbours);
    const { informers, metrics, failed } = startControllers(
      server,
      {
        running,
        kept,
        hasEvents: options.events !== false,
        ownsProcess: options.ownsProcess === true,
        namespaceGraceMs: options.namespaceGraceMs,
        logger,
      },
      undo,
    );
    await informers.synced(signal);
    const port = await listen(server, options, running, metrics, logger, undo);
    await publish(server, options.bind, port, kept);
    const [nodeCount] = await Promise.all([
      createNodes(client, options.groups, DEFAULT_GROUPS, realClock, options.onProgress, signal),
      untilServed({ client, clock: realClock, registry: api.registry }, definitions, signal),
    ]);
    const url = `https://${hostName(options.bind)}:${port}`;
    const authority = keys.authority.certificate;
    const kubeconfig = kubeconfigText({ server: url, authority, client: keys.admin, name: 'everynode' });
    return { server: url, kubeconfig, nodeCount, api, client, failed, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function runningControllers({ controllers, catalogue, scheduler }: EmbeddedOptions): readonly Chosen<'embedded'>[] {
  const chosen = selectControllers('embedded', controllers, catalogue);
  return scheduler === false ? chosen.filter(({ row }) => row.name !== 'scheduler') : chosen;
}

/** Opens the network side; resolves with the port. */
async function listen(
  { api, store, keys, tokens, encoded }: EmbeddedServer,
  { bind, port: wanted, limits = {}, connections = {}, audit }: EmbeddedOptions,
  running: readonly Chosen<'embedded'>[],
  metrics: LazyMetrics,
  logger: Logger,
  undo: Undo,
): Promise<number> {
  let port = wanted;
  const wire = createEmbeddedWire({
    ...{ api, store, keys, tokens, encoded, metrics, limits, connections, logger },
    serverAddress: () => `${hostName(bind)}:${port}`,
    audit: audit === undefined ? undefined : await openAuditLog(audit, undo),
    runs: embeddedRuns(running),
  });
  port = await wire.listen(wanted, bind);
  undo.push(() => wire.close());
  return port;
}

/** Writes the objects that name the port, which is known only now; everything else that a cluster begins with is left alone. */
async function publish(
  { api, client, keys }: EmbeddedServer,
  bind: string,
  port: number,
  kept: ServedKinds,
): Promise<void> {
  await bootstrap(client, {
    apiService: {
      ...API_SERVICE,
      targetPort: port,
      address: advertisedAddress(bind),
      range: { cidr: DEFAULT_SERVICE_CIDR, now: realClock.now() },
    },
    clientAuthority: keys.authority.certificate,
    served: [...api.registry.all(), ...kept.defined.flatMap(groupVersionsOf)],
  });
}

const groupVersionsOf = ({ spec: { group, versions } }: CustomResourceDefinition) =>
  versions.map(({ name }) => ({ group, version: name }));

/** Host name for clients of a bound address: "all addresses" is no place to go to. */
function hostName(bind: string): string {
  if (bind === '0.0.0.0' || bind === '::') return '127.0.0.1';
  return bind.includes(':') ? `[${bind}]` : bind;
}
