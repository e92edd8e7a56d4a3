/**
 * nodes/ — what becomes of nodes that stop talking. Every few seconds `monitor-node-health.ts` reads the signs of life
 * (`node-health.ts`); silent nodes become Unknown (`unknown-nodes.ts`) and their pods not ready (`mark-pods-not-ready.ts`),
 * nodes that are down get a NoExecute taint (`not-ready-taints.ts`), no faster than their zone allows (`zones.ts`,
 * `taint-queue.ts`). `node-taints.ts` says which taints a state means, `condition-taints.ts` sets those that only keep new
 * pods away, `taint-eviction.ts` evicts pods from nodes with NoExecute taints. The state is one record
 * (`lifecycle-state.ts`).
 *
 * Silence is no fact. A node is called Unknown only if this process was awake and listening for the whole grace (a
 * sleeping laptop, a stopped process or a jumping clock restarts the grace of every node), and if the API server, asked
 * once more, says that the Lease has indeed not moved.
 */
import { LEASES, NODES, PODS } from '../../../core/api/registry/resources.ts';
import { wasAborted } from '../../../machinery/time/abort.ts';
import type { Actor } from '../../../machinery/actor.ts';
import { silentLogger } from '../../../machinery/logging/logger.ts';
import { createTokenBucket } from '../../../machinery/controller/workqueue/rate-limiter.ts';
import { eventsFor, type KeeperOptions, together } from '../keeper.ts';
import { createConditionTaints } from './condition-taints.ts';
import { type LifecycleState, restartGrace } from './lifecycle-state.ts';
import { monitorNodeHealth } from './monitor-node-health.ts';
import { taintInTurn } from './not-ready-taints.ts';
import { createTaintQueue } from './taint-queue.ts';
import { DEFAULT_RATES, type ZoneRates } from './zones.ts';

export interface NodeLifecycleOptions extends KeeperOptions {
  /** Time between two passes over all nodes. */
  readonly periodMs?: number;
  /** Time that a node may be silent before it is called Unknown. */
  readonly graceMs?: number;
  /** Time that a new node may take until its first status. */
  readonly startupGraceMs?: number;
  readonly rates?: Partial<ZoneRates>;
}

const PERIOD_MS = 5_000;
const GRACE_MS = 50_000;
const STARTUP_GRACE_MS = 60_000;
/** A pass this much later than planned, or a wall clock that moved this much more than the steady one: the process was away. */
const AWAY_MS = 5_000;
/** RegisteredNode and RemovingNode events. */
const ANNOUNCEMENT_BURST = 100;
const ANNOUNCEMENTS_PER_SECOND = 10;

export function createNodeLifecycle(options: NodeLifecycleOptions): Actor {
  const { client, informers, clock } = options;
  const periodMs = options.periodMs ?? PERIOD_MS;
  const rates: ZoneRates = { ...DEFAULT_RATES, ...options.rates };
  const nodes = informers.for(NODES);
  const leases = informers.for(LEASES);
  const pods = informers.for(PODS);
  const { recorder, actors } = eventsFor(options, 'node-controller');
  const lifecycle: LifecycleState = {
    client,
    clock,
    logger: (options.logger ?? silentLogger).with({ controller: 'node-lifecycle' }),
    recorder,
    nodes: nodes.lister,
    leases: leases.lister,
    pods: pods.lister,
    graceMs: options.graceMs ?? GRACE_MS,
    startupGraceMs: options.startupGraceMs ?? STARTUP_GRACE_MS,
    rates,
    announcements: createTokenBucket(clock, ANNOUNCEMENTS_PER_SECOND, ANNOUNCEMENT_BURST),
    healths: new Map(),
    signs: new Map(),
    unmarked: new Set(),
    queue: createTaintQueue({ clock, rate: rates.rate, taint: (name) => taintInTurn(lifecycle, name) }),
    graceSince: Number.NEGATIVE_INFINITY,
    zones: new Map(),
    running: undefined,
  };

  const monitor: Actor = {
    name: 'node-lifecycle',
    ready: () => nodes.hasSynced() && leases.hasSynced() && pods.hasSynced(),
    async start(signal) {
      lifecycle.running = signal;
      try {
        await Promise.all([nodes.synced(signal), leases.synced(signal), pods.synced(signal)]);
        await monitorPeriodically(lifecycle, periodMs, signal);
      } catch (error) {
        if (!wasAborted(error, signal)) throw error;
      } finally {
        lifecycle.queue.stop();
      }
    },
  };
  return together('node-lifecycle', [monitor, createConditionTaints(options), ...actors]);
}

/** A pass every `periodMs`. Where the clocks say that this process was away, every node gets its full grace first. */
async function monitorPeriodically(lifecycle: LifecycleState, periodMs: number, signal: AbortSignal): Promise<void> {
  const { clock, logger } = lifecycle;
  let steady = clock.monotonic();
  let wall = clock.now();
  while (!signal.aborted) {
    const late = clock.monotonic() - steady - periodMs;
    const jump = clock.now() - wall - (clock.monotonic() - steady);
    if (late > AWAY_MS || Math.abs(jump) > AWAY_MS) {
      logger.info('This process was away: every node gets its full grace once more', { late, jump });
      restartGrace(lifecycle);
    }
    await monitorNodeHealth(lifecycle, signal).catch((error: unknown) => {
      if (!wasAborted(error, signal)) logger.warn('Could not monitor all nodes', { error });
    });
    // Counted from the end of the pass: a slow API server is no absence of this process.
    steady = clock.monotonic();
    wall = clock.now();
    await clock.sleep(periodMs, signal).catch(() => undefined);
  }
}
