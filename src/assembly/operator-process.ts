/**
 * What `everynode operator` runs: the chosen controllers over one client, one of several processes at a time. Every process
 * follows the cluster, so that whoever is next begins at once; only the one that holds the Lease acts. It gives the lead
 * away in good order when it is stopped: no new work, writes on their way are finished, then the Lease is released. When it
 * loses the lead, the fence falls first, and the process ends: what it believes may be old.
 */
import { VERSION } from '../core/api/version.ts';
import { StatusError } from '../core/kube/status-error.ts';
import { abortAfter, aborted, wasAborted } from '../machinery/time/abort.ts';
import type { Clock } from '../machinery/time/clock.ts';
import { createServerProbe } from '../machinery/health/health-probe.ts';
import { createHealthServer } from '../machinery/health/health-server.ts';
import { createHttpClient, type HttpClient } from '../machinery/client/http/http-client.ts';
import type { RestConfig } from '../machinery/client/http/rest-config.ts';
import { createInformers } from '../machinery/cache/informers.ts';
import { fencedClient } from '../machinery/election/leader-election-fence.ts';
import { createLeaderElection, type LeaderElection } from '../machinery/election/leader-election.ts';
import type { Logger } from '../machinery/logging/logger.ts';
import { createPrometheusMetrics } from '../machinery/metrics/prometheus-metrics.ts';
import type { Random } from '../machinery/random/random.ts';
import { runsIn } from './embedded-runs.ts';
import { AssemblyError } from './errors.ts';
import { OPERATOR_CONTROLLERS, type OperatorController, selectOperatorControllers } from './operator-controllers.ts';
import { operatorChecks } from './operator-health.ts';
import { createOperatorMetrics } from './operator-metrics.ts';
import { createShift, type Worker } from './operator-shift.ts';
import { workerOf } from './operator-worker.ts';
import { startActors, type Undo } from './start-actors.ts';
import { startWebhooks, type WebhookCertificates, webhookPlugins } from './webhooks.ts';

export interface ElectionOptions {
  readonly namespace: string;
  readonly name: string;
  /** Unlike that of any other process. */
  readonly identity: string;
  readonly leaseDurationMs?: number;
  readonly renewDeadlineMs?: number;
  readonly retryPeriodMs?: number;
}

interface Address {
  readonly bind: string;
  /** 0 takes a free one. */
  readonly port: number;
}

export interface ServedWebhooks extends Address {
  readonly certificates: WebhookCertificates;
}

export type InitialState = 'pages' | 'stream' | 'whole';

export interface OperatorProcessOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly config: RestConfig;
  /** As `--controllers`. */
  readonly controllers: readonly string[];
  /** Which of several processes speaks, in events. */
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
  /** Admission webhooks, served on every replica; none unless said. */
  readonly webhooks?: ServedWebhooks;
  /** How the cluster is read at first: in pages unless said; see the reflector. */
  readonly initialState?: InitialState;
  /** For tests: other controllers to choose from. */
  readonly table?: readonly OperatorController[];
}

export interface OperatorProcess {
  readonly healthPort: number | undefined;
  readonly metricsPort: number | undefined;
  /** The port, once a certificate is there; absent where no webhooks are served. */
  readonly webhookPort: Promise<number> | undefined;
  readonly running: readonly string[];
  isLeading(): boolean;
  /** Resolves only if it could not go on. */
  readonly failed: Promise<Error>;
  /** In good order, as far as that can be had. */
  stop(): Promise<void>;
}

/** Servers take what stands before the first slash for the manager of the fields we write, and can tell flows apart by it. */
const USER_AGENT = `everynode-operator/${VERSION.product} (${process.platform}/${process.arch})`;
const RENEW_DEADLINE_MS = 10_000;
const RETRY_PERIOD_MS = 2_000;
/** For controllers to notice that the lead is lost. They cannot write any more, whether they do or not. */
const NOTICE_MS = 2_000;
/** For a server that is busy; one that is not there is told of at once. */
const FIRST_ANSWER_MS = 20_000;
const NEVER = new AbortController().signal;

/** Resolves as soon as health can be asked for; caches fill, and the lead is sought, after that. */
export async function startOperatorProcess(
  options: OperatorProcessOptions,
  signal?: AbortSignal,
): Promise<OperatorProcess> {
  const { clock, random, logger, config, instance, election: electing } = options;
  const rows = selectOperatorControllers(options.controllers, options.table ?? OPERATOR_CONTROLLERS);
  if (rows.length === 0) throw new AssemblyError('EN_ASSEMBLY_NOTHING_RUNS', 'no controller is switched on');
  const undo: Undo = [];
  const undoAll = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    const metrics = await createPrometheusMetrics({ processMetrics: true });
    const renewDeadlineMs = electing?.renewDeadlineMs ?? RENEW_DEADLINE_MS;
    const retryPeriodMs = electing?.retryPeriodMs ?? RETRY_PERIOD_MS;
    const onWarning = (message: string): void => logger.warn('The API server warns', { warning: message });
    const connect = (purpose: string, limits: object): HttpClient => {
      const userAgent = `${config.userAgent ?? USER_AGENT}${purpose}`;
      const made = createHttpClient({ ...config, userAgent }, { clock, random, metrics, onWarning, ...limits });
      undo.push(() => made.close());
      return made;
    };
    let election: LeaderElection | undefined;
    const client = connect('', {
      ...(options.qps === undefined ? {} : { qps: options.qps }),
      ...(options.burst === undefined ? {} : { burst: options.burst }),
      beforeWrite: () => election?.look(),
    });
    // On its own connection and outside the limit: whoever works hard must not lose the lead for it.
    const apart = connect(' leader-election', { timeoutMs: Math.max(1_000, renewDeadlineMs / 2), maxRetries: 1 });
    await reach(client, config.server, clock, signal);

    const informers = createInformers(client, {
      clock,
      random,
      logger,
      share: true,
      dropManagedFields: true,
      streamingList: options.initialState === 'stream',
      ...(options.initialState === 'whole' ? { pageSize: 0 } : {}),
    });
    const fence = new AbortController();
    const writing = fencedClient(client, fence.signal);
    const around = { client: writing, informers, clock, random, logger, metrics, instance };
    const webhooks =
      options.webhooks === undefined
        ? undefined
        : startWebhooks({
            ...{ client: writing, clock, random, logger, metrics, plugins: webhookPlugins() },
            ...{ address: options.webhooks.bind, port: options.webhooks.port },
            certificates: options.webhooks.certificates,
          });
    if (webhooks !== undefined) undo.push(() => webhooks.stop());
    const keeper = webhooks?.keeper();
    const workers: readonly Worker[] = [
      ...rows.map((row) => workerOf(row, around)),
      ...(keeper === undefined ? [] : [{ row: { name: keeper.name }, create: () => keeper }]),
    ];
    const insteadOfUpstream = options.insteadOfUpstream === true;
    const runsInServer = async (limit: AbortSignal): Promise<readonly string[] | undefined> =>
      runsIn(await client.raw('/version', { signal: limit }).catch(unlessAway));
    const shift = createShift(workers, { client, clock, random, logger, metrics, insteadOfUpstream, runsInServer });
    const own = createOperatorMetrics(metrics, informers, electing?.name ?? 'none');

    const lead = async (stop: AbortSignal, lost: AbortSignal): Promise<void> => {
      lost.addEventListener('abort', () => fence.abort(lost.reason), { once: true });
      own.leading(true);
      try {
        await Promise.race([shift.run(stop), aborted(lost).then(() => clock.sleep(NOTICE_MS))]);
      } finally {
        own.leading(false);
      }
    };
    election =
      electing === undefined
        ? undefined
        : createLeaderElection({
            client: apart,
            clock,
            random,
            logger,
            lease: { namespace: electing.namespace, name: electing.name },
            identity: electing.identity,
            ...(electing.leaseDurationMs === undefined ? {} : { leaseDurationMs: electing.leaseDurationMs }),
            renewDeadlineMs,
            retryPeriodMs,
            // Reading is cheap, and whoever waits should not make others wait for it.
            standbyPeriodMs: retryPeriodMs / 2,
            releaseOnStop: true,
            lead,
            onNewLeader: (leader) => logger.info('There is a new leader', { leader }),
          });

    const stopping = new AbortController();
    const probe = createServerProbe(clock, (limit) => apart.raw('/version', { signal: limit }));
    const checks = operatorChecks({ probe, informers, election, shift, webhooks, stopping: stopping.signal });
    const expose = async () => ({ contentType: metrics.contentType, body: await metrics.expose() });
    const { health, metrics: scraped } = options;
    const together = health !== undefined && health.port !== 0 && isSame(health, scraped);
    const serve = async (address: Address | undefined, what: Parameters<typeof createHealthServer>[0]) => {
      if (address === undefined) return undefined;
      const server = createHealthServer(what);
      const port = await server.listen(address.port, address.bind);
      undo.push(() => server.close());
      return port;
    };
    const healthPort = await serve(health, together ? { checks, metrics: expose } : { checks });
    const metricsPort = together ? healthPort : await serve(scraped, { metrics: expose });

    const broken = startActors([informers, probe], undo);
    const { promise: failed, resolve: fail } = Promise.withResolvers<Error>();
    void broken.then(fail);
    void webhooks?.failed.then(fail);
    const working = (async () => {
      // Only somebody who knows the cluster runs for the lead: until then whoever has it goes on.
      await informers.synced(stopping.signal);
      logger.info('The cluster is known', { controllers: rows.map((row) => row.name) });
      await (election === undefined ? lead(stopping.signal, NEVER) : election.start(stopping.signal));
      if (!stopping.signal.aborted) throw new Error('the controllers have ended');
    })().catch((error: unknown) => {
      if (!wasAborted(error, stopping.signal)) fail(error instanceof Error ? error : new Error(String(error)));
    });

    return {
      healthPort,
      metricsPort,
      webhookPort: webhooks?.listening,
      running: rows.map((row) => row.name),
      isLeading: () => (election === undefined ? informers.ready() : election.isLeader()),
      failed,
      async stop() {
        stopping.abort();
        // Meanwhile API servers go over to others: both take a while.
        await Promise.all([working, webhooks?.stop()]);
        await undoAll();
      },
    };
  } catch (error) {
    await undoAll();
    throw error;
  }
}

/** A server that shows nobody its version has said as much as it will. */
function unlessAway(error: unknown): undefined {
  if (error instanceof StatusError && error.code < 500 && error.code !== 429) return undefined;
  throw error;
}

const isSame = (a: Address, b: Address | undefined): boolean => a.port === b?.port && a.bind === b.bind;

/** Asks once whether anybody is there and knows us, so that a wrong address is told at once and in plain words. */
async function reach(client: HttpClient, server: string, clock: Clock, signal: AbortSignal | undefined): Promise<void> {
  using limit = abortAfter(clock, FIRST_ANSWER_MS, signal);
  try {
    await client.raw('/version', { signal: limit.signal });
  } catch (error) {
    signal?.throwIfAborted();
    if (limit.signal.aborted)
      throw new AssemblyError('EN_ASSEMBLY_UNREACHABLE', `${server} did not answer within ${FIRST_ANSWER_MS / 1000} s`);
    if (!(error instanceof StatusError)) throw error;
    if (error.code === 401)
      throw new AssemblyError('EN_ASSEMBLY_UNREACHABLE', `${server} does not accept the credentials`, { cause: error });
    if (error.code < 500) return;
    throw new AssemblyError('EN_ASSEMBLY_UNREACHABLE', `${server}: ${error.message}`, { cause: error });
  }
}
