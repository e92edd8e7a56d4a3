/**
 * The process of `everynode operator`: the chosen controllers over one client, acting in one of several processes at a time. Every
 * process follows the cluster, so that the next leader begins at once; only the holder of the Lease acts. A process that is stopped
 * hands the lead over in good order: no new work, writes under way are finished, then the Lease is released. A process that loses
 * the lead drops its fence first, and ends: its caches may be old.
 */
import type { RestConfig } from '../../machinery/client/http/rest-config.ts';
import { fencedClient } from '../../machinery/election/leader-election-fence.ts';
import type { LeaderElection } from '../../machinery/election/leader-election.ts';
import { createServerProbe } from '../../machinery/health/health-probe.ts';
import type { Logger } from '../../machinery/logging/logger.ts';
import { createPrometheusMetrics } from '../../machinery/metrics/prometheus-metrics.ts';
import type { Random } from '../../machinery/random/random.ts';
import { aborted, wasAborted } from '../../machinery/time/abort.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import { type AdmissionCatalogue, webhookPlugins } from '../catalogue/admission.ts';
import type { Catalogue } from '../catalogue/entry.ts';
import { selectControllers } from '../catalogue/select.ts';
import { AssemblyError } from '../common/errors.ts';
import { startActors, type Undo } from '../common/start-actors.ts';
import { connect, reach, runsInServer } from './connection.ts';
import { createOperatorControllers, type InitialState } from './controllers.ts';
import { createElection, type ElectionOptions, type Lead, renewalTimeoutMs } from './election.ts';
import { operatorChecks } from './health.ts';
import { createOperatorMetrics } from './metrics.ts';
import { type Address, serveHealth } from './serve.ts';
import { startWebhooks, type WebhookCertificates, type Webhooks, type WebhooksOptions } from './webhooks.ts';

export interface ServedWebhooks extends Address {
  readonly certificates: WebhookCertificates;
}

export interface OperatorProcessOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly config: RestConfig;
  /** Entries of `--controllers`. */
  readonly controllers: readonly string[];
  /** Name of this process among several, in events. */
  readonly instance: string;
  /** Absent: this process acts at once, and must be the only one. */
  readonly election?: ElectionOptions;
  readonly insteadOfUpstream?: boolean;
  /** Requests a second, and at once, of all controllers together; no limit when absent. */
  readonly qps?: number;
  readonly burst?: number;
  readonly health?: Address;
  /** May be the same as the address for health. */
  readonly metrics?: Address;
  /** Admission webhooks, served on every replica; none unless given. */
  readonly webhooks?: ServedWebhooks;
  readonly initialState?: InitialState;
  /** Image of guardian pods, for clusters that cannot pull the default one. */
  readonly guardianImage?: string;
  /** Controllers and admission plugins to choose from; those of the product unless given. */
  readonly catalogue?: Catalogue;
  readonly admission?: AdmissionCatalogue;
}

export interface OperatorProcess {
  readonly healthPort: number | undefined;
  readonly metricsPort: number | undefined;
  /** The port, once a certificate is there; absent where no webhooks are served. */
  readonly webhookPort: Promise<number> | undefined;
  readonly running: readonly string[];
  isLeading(): boolean;
  /** Resolves only if the process could not go on. */
  readonly failed: Promise<Error>;
  /** In good order, as far as that can be had. */
  stop(): Promise<void>;
}

/** For controllers to notice that the lead is lost. The fence keeps them from writing meanwhile. */
const NOTICE_MS = 2_000;
const NEVER = new AbortController().signal;

/** Resolves as soon as health is served; caches fill, and the process stands for election, after that. */
export async function startOperatorProcess(
  options: OperatorProcessOptions,
  signal?: AbortSignal,
): Promise<OperatorProcess> {
  const { clock, random, logger, config, instance, election: electing } = options;
  const controllers = selectControllers('operator', options.controllers, options.catalogue);
  const running = controllers.map(({ row }) => row.name);
  if (running.length === 0) throw new AssemblyError('EN_ASSEMBLY_NOTHING_RUNS', 'no controller is switched on');
  const undo: Undo = [];
  const undoAll = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    const metrics = await createPrometheusMetrics({ processMetrics: true });
    const onWarning = (message: string): void => logger.warn('The API server warns', { warning: message });
    const link = { clock, random, metrics, onWarning };
    let election: LeaderElection | undefined;
    const limits = {
      ...(options.qps === undefined ? {} : { qps: options.qps }),
      ...(options.burst === undefined ? {} : { burst: options.burst }),
    };
    const client = connect(config, '', { ...link, ...limits, beforeWrite: () => election?.checkRenewDeadline() }, undo);
    // On its own connection and outside the limit: a busy controller must not cost the lead.
    const timeoutMs = renewalTimeoutMs(electing);
    const apart = connect(config, ' leader-election', { ...link, timeoutMs, maxRetries: 1 }, undo);
    await reach(client, config.server, clock, signal);

    const fence = new AbortController();
    const writer = fencedClient(client, fence.signal);
    const around = { client: writer, clock, random, logger, metrics };
    const webhooks = openWebhooks(options, around, undo);
    const keeper = webhooks?.keeper();
    const { informers, shift } = createOperatorControllers({
      ...{ client, writer, clock, random, logger, metrics, instance, controllers },
      others: keeper === undefined ? [] : [{ row: { name: keeper.name }, create: () => keeper }],
      initialState: options.initialState,
      guardianImage: options.guardianImage,
      insteadOfUpstream: options.insteadOfUpstream === true,
      runsInServer: runsInServer(client),
    });
    const own = createOperatorMetrics(metrics, informers, electing?.name ?? 'none');

    const lead: Lead = async (stop, lost) => {
      lost.addEventListener('abort', () => fence.abort(lost.reason), { once: true });
      own.leading(true);
      try {
        await Promise.race([shift.run(stop), aborted(lost).then(() => clock.sleep(NOTICE_MS))]);
      } finally {
        own.leading(false);
      }
    };
    if (electing !== undefined) election = createElection(electing, lead, { client: apart, clock, random, logger });

    const stopping = new AbortController();
    const probe = createServerProbe(clock, (limit) => apart.raw('/version', { signal: limit }));
    const checks = operatorChecks({ probe, informers, election, shift, webhooks, stopping: stopping.signal });
    const ports = await serveHealth({ health: options.health, metrics: options.metrics }, checks, metrics, undo);

    const broken = startActors([informers, probe], undo);
    const { promise: failed, resolve: fail } = Promise.withResolvers<Error>();
    void broken.then(fail);
    void webhooks?.failed.then(fail);
    const working = (async () => {
      // Only a process that knows the cluster stands for election: until then another leader goes on.
      await informers.synced(stopping.signal);
      logger.info('The cluster is known', { controllers: running });
      await (election === undefined ? lead(stopping.signal, NEVER) : election.start(stopping.signal));
      if (!stopping.signal.aborted) throw new Error('the controllers have ended');
    })().catch((error: unknown) => {
      if (!wasAborted(error, stopping.signal)) fail(error instanceof Error ? error : new Error(String(error)));
    });

    return {
      ...ports,
      webhookPort: webhooks?.listening,
      running,
      isLeading: () => (election === undefined ? informers.ready() : election.isLeader()),
      failed,
      async stop() {
        stopping.abort();
        // API servers go over to other webhook servers meanwhile: both take a while.
        await Promise.all([working, webhooks?.stop()]);
        await undoAll();
      },
    };
  } catch (error) {
    await undoAll();
    throw error;
  }
}

/** Serves the admission webhooks where an address for them is given. */
function openWebhooks(
  { webhooks: served, admission }: OperatorProcessOptions,
  around: Pick<WebhooksOptions, 'client' | 'clock' | 'random' | 'logger' | 'metrics'>,
  undo: Undo,
): Webhooks | undefined {
  if (served === undefined) return undefined;
  const { bind: address, port, certificates } = served;
  const plugins = webhookPlugins(admission, around);
  const webhooks = startWebhooks({ ...around, plugins, address, port, certificates });
  undo.push(() => webhooks.stop());
  return webhooks;
}
