/**
 * nodes/ — what becomes of nodes that stop talking. `node-health.ts` reads signs of life, `zones.ts` says how fast nodes
 * may be given up, `taint-queue.ts` keeps that pace, `node-taints.ts` says which taints a state means, `condition-taints.ts`
 * sets those that only keep new pods away, `taint-eviction.ts` ends pods on nodes with NoExecute taints.
 *
 * Silence is no fact. A node is called Unknown only if we ourselves were awake and listening for the whole grace (a
 * sleeping laptop, a stopped process or a jumping clock starts everybody's grace anew), and if the API server, asked once
 * more, says that the Lease has indeed not moved.
 */
import { FLEET_LEASE } from '../../../core/api/names.ts';
import { LEASES, NODES, PODS } from '../../../core/api/registry/resources.ts';
import type { Node, Pod } from '../../../core/api/types/core-v1.ts';
import { isConditionTrue, setCondition } from '../../../core/kube/conditions.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import { formatTime } from '../../../core/kube/time.ts';
import { wasAborted } from '../../../machinery/time/abort.ts';
import type { Actor } from '../../../machinery/actor.ts';
import { silentLogger } from '../../../machinery/logging/logger.ts';
import { createTokenBucket } from '../../../machinery/controller/workqueue/rate-limiter.ts';
import { forEachBounded } from '../for-each-bounded.ts';
import { eventsFor, type KeeperOptions, together } from '../keeper.ts';
import { createConditionTaints } from './condition-taints.ts';
import {
  heartbeatLease,
  LEASE_NAMESPACE,
  type LeaseSign,
  observe,
  observeLease,
  readyCondition,
  unknownConditions,
  type Health,
} from './node-health.ts';
import { executingKey, isExecuting, withExecuting } from './node-taints.ts';
import { createTaintQueue } from './taint-queue.ts';
import { writeTaints } from './write-taints.ts';
import {
  DEFAULT_RATES,
  isExcluded,
  nextStates,
  zoneOf,
  type ZoneCount,
  type ZoneRates,
  type ZoneState,
} from './zones.ts';

export interface NodeLifecycleOptions extends KeeperOptions {
  /** How often nodes are looked at. */
  readonly periodMs?: number;
  /** So long may a node be silent. */
  readonly graceMs?: number;
  /** So long may a new node take until it first speaks. */
  readonly startupGraceMs?: number;
  readonly rates?: Partial<ZoneRates>;
}

const PERIOD_MS = 5_000;
const GRACE_MS = 50_000;
const STARTUP_GRACE_MS = 60_000;
/** A look that comes so much later than planned, or a wall clock that moved so much more than ours: we were away. */
const AWAY_MS = 5_000;
const AT_ONCE = 32;
/** Nodes looked at before others get a turn. */
const SLICE = 2_000;
/** News of nodes that come and go, at once and in a second: fifty thousand nodes must not become as many events. */
const NEWS_BURST = 100;
const NEWS_PER_SECOND = 10;

export function createNodeLifecycle(options: NodeLifecycleOptions): Actor {
  const { client, informers, clock } = options;
  const periodMs = options.periodMs ?? PERIOD_MS;
  const graceMs = options.graceMs ?? GRACE_MS;
  const startupGraceMs = options.startupGraceMs ?? STARTUP_GRACE_MS;
  const rates: ZoneRates = { ...DEFAULT_RATES, ...options.rates };
  const logger = (options.logger ?? silentLogger).with({ controller: 'node-lifecycle' });
  const nodes = informers.for(NODES);
  const leases = informers.for(LEASES);
  const pods = informers.for(PODS);
  const { recorder, actors } = eventsFor(options, 'node-controller');
  const news = createTokenBucket(clock, NEWS_PER_SECOND, NEWS_BURST);

  const healths = new Map<string, Health>();
  const signs = new Map<string, LeaseSign>();
  /** Nobody's silence began before this. */
  let listeningSince = Number.NEGATIVE_INFINITY;
  let states: ReadonlyMap<string, ZoneState> = new Map();
  /** Nodes whose pods could not all be marked. */
  const unmarked = new Set<string>();
  const queue = createTaintQueue({ clock, rate: rates.rate, give: giveUp });
  const nowText = (): string => formatTime(clock.now());

  /** A node of the fleet may have a Lease of its own as well as the one all share: either is a sign of life. */
  const hasBoth = (lease: string, name: string): boolean =>
    lease === FLEET_LEASE && leases.lister.get(name, LEASE_NAMESPACE) !== undefined;

  /** One look at all nodes. */
  async function look(signal: AbortSignal): Promise<void> {
    const now = clock.monotonic();
    const looked = new Set<string>();
    const signOf = (lease: string): LeaseSign => {
      const known = signs.get(lease);
      if (known !== undefined && looked.has(lease)) return known;
      looked.add(lease);
      const renewTime = leases.lister.get(lease, LEASE_NAMESPACE)?.spec?.renewTime ?? undefined;
      const sign = observeLease(known, renewTime, now);
      if (sign !== known) signs.set(lease, sign);
      return sign;
    };
    const counts = new Map<string, ZoneCount>();
    const silent: Stored<Node>[] = [];
    const down: Stored<Node>[] = [];
    const all = [...nodes.lister.list()];
    for (let at = 0; at < all.length; at += 1) {
      if (at > 0 && at % SLICE === 0) await clock.sleep(0, signal);
      const node = all[at] as Stored<Node>;
      const { name } = node.metadata;
      const known = healths.get(name);
      if (known === undefined) announce(node, 'RegisteredNode', `Registered Node ${name} in Controller`);
      const health = observe(known, node, now, signOf);
      if (health !== known) healths.set(name, health);
      let aliveAt = Math.max(health.aliveAt, signOf(health.lease).aliveAt, listeningSince);
      if (hasBoth(health.lease, name)) aliveAt = Math.max(aliveAt, signOf(name).aliveAt);
      if (now - aliveAt > (health.reports ? graceMs : startupGraceMs)) silent.push(node);
      const ready = readyCondition(node)?.status;
      if (ready === 'True') {
        if (node.spec?.taints?.some(isExecuting) === true) await healed(node, signal);
        queue.remove(name);
      } else if (ready !== undefined) down.push(node);
      if (!isExcluded(node)) countIn(counts, zoneOf(node), ready === 'True');
    }
    if (healths.size > all.length) forgetGone(all);
    await callUnknown(silent, counts, signal);
    for (const node of down) await consider(node, signal);
    await disrupted(counts, all, signal);
  }

  function forgetGone(all: readonly Stored<Node>[]): void {
    const present = new Set(all.map(({ metadata }) => metadata.name));
    for (const [name, { uid }] of healths) {
      if (present.has(name)) continue;
      healths.delete(name);
      signs.delete(name);
      queue.remove(name);
      unmarked.delete(name);
      announce({ metadata: { name, uid } }, 'RemovingNode', `Removing Node ${name} from Controller`);
    }
  }

  function countIn(counts: Map<string, ZoneCount>, zone: string, ready: boolean): void {
    let count = counts.get(zone);
    if (count === undefined) counts.set(zone, (count = { ready: 0, notReady: 0 }));
    if (ready) count.ready += 1;
    else count.notReady += 1;
  }

  /** Those who were silent for too long, after a last question. */
  async function callUnknown(
    silent: readonly Stored<Node>[],
    counts: ReadonlyMap<string, ZoneCount>,
    signal: AbortSignal,
  ): Promise<void> {
    const asked = new Map<string, Promise<string | undefined>>();
    /** Leases that were renewed without our having heard of it. */
    const behind = new Set<string>();
    const fell = new Set<string>();
    await forEachBounded(silent, AT_ONCE, async (node) => {
      const { name } = node.metadata;
      const conditions = unknownConditions(node, nowText());
      if (conditions === node.status?.conditions) return;
      const shared = heartbeatLease(node);
      for (const lease of hasBoth(shared, name) ? [shared, name] : [shared]) {
        let answer = asked.get(lease);
        if (answer === undefined) asked.set(lease, (answer = liveRenewal(lease, signal)));
        const renewTime = await answer;
        const seen = signs.get(lease);
        if (renewTime !== undefined && renewTime !== seen?.renewTime) {
          // The cache was behind, not the node.
          signs.set(lease, { renewTime, aliveAt: clock.monotonic() });
          behind.add(lease);
        }
        if (behind.has(lease)) return;
      }
      const wasReady = readyCondition(node)?.status === 'True';
      const told: Stored<Node> = { ...node, status: { ...node.status, conditions } };
      await client.update(NODES, told, { subresource: 'status', signal }).catch(ignoreLost);
      if (!wasReady) return;
      fell.add(name);
      const count = isExcluded(node) ? undefined : counts.get(zoneOf(node));
      if (count !== undefined) {
        count.ready -= 1;
        count.notReady += 1;
      }
      const note = `Node ${name} status is now: NodeNotReady`;
      recorder.event(node, { type: 'Normal', reason: 'NodeNotReady', note });
      logger.info('A node is no longer heard of', { node: name });
    });
    for (const name of unmarked) fell.add(name);
    if (fell.size > 0) await markPods(fell, signal);
  }

  async function liveRenewal(name: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      const lease = await client.get(LEASES, { namespace: LEASE_NAMESPACE, name }, { signal });
      return lease.spec?.renewTime ?? undefined;
    } catch (error) {
      if (isStatus(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** Nobody can vouch for these pods any more. One walk over all pods, however many nodes fell. */
  async function markPods(on: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const affected: Stored<Pod>[] = [];
    for (const pod of pods.lister.list()) {
      if (on.has(pod.spec?.nodeName ?? '') && isConditionTrue(pod.status?.conditions, 'Ready')) affected.push(pod);
    }
    for (const name of on) unmarked.delete(name);
    await forEachBounded(affected, AT_ONCE, (pod) => markNotReady(pod, signal));
  }

  async function markNotReady(pod: Stored<Pod>, signal: AbortSignal): Promise<void> {
    const conditions = setCondition(
      pod.status?.conditions,
      {
        ...pod.status?.conditions?.find(({ type }) => type === 'Ready'),
        type: 'Ready',
        status: 'False',
        lastTransitionTime: nowText(),
      },
      nowText(),
    );
    try {
      const marked: Stored<Pod> = { ...pod, status: { ...pod.status, conditions } };
      await client.update(PODS, marked, { subresource: 'status', signal });
      recorder.event(pod, { type: 'Warning', reason: 'NodeNotReady', note: 'Node is not ready' });
    } catch (error) {
      if (isStatus(error, 'NotFound')) return;
      unmarked.add(pod.spec?.nodeName ?? '');
      if (!isStatus(error, 'Conflict')) throw error;
    }
  }

  /** A node that is down: it waits for its turn, unless it is only down in another way than before. */
  async function consider(node: Stored<Node>, signal: AbortSignal): Promise<void> {
    const wanted = executingKey(readyCondition(node)?.status);
    const present = node.spec?.taints?.find(isExecuting)?.key;
    if (present === undefined) queue.add(zoneOf(node), node.metadata.name);
    else if (present !== wanted) await taint(node, wanted, signal);
  }

  /** A node's turn in its zone. */
  async function giveUp(name: string): Promise<boolean> {
    const node = nodes.lister.get(name);
    const key = node === undefined ? undefined : executingKey(readyCondition(node)?.status);
    if (node === undefined || key === undefined || !running || running.aborted) return true;
    try {
      return await taint(node, key, running);
    } catch (error) {
      if (!wasAborted(error, running)) logger.warn('Could not taint a node', { node: name, error });
      return false;
    }
  }

  const healed = (node: Stored<Node>, signal: AbortSignal): Promise<boolean> => taint(node, undefined, signal);

  const taint = (node: Stored<Node>, key: string | undefined, signal: AbortSignal): Promise<boolean> =>
    writeTaints(client, node, withExecuting(node.spec?.taints ?? [], key, nowText()), signal);

  async function disrupted(
    counts: ReadonlyMap<string, ZoneCount>,
    all: readonly Stored<Node>[],
    signal: AbortSignal,
  ): Promise<void> {
    const next = nextStates(states, counts, rates);
    states = next.states;
    for (const [zone, rate] of next.rates) queue.setRate(zone, rate);
    if (next.entersBlackout) {
      logger.warn('No node is ready: nobody is given up until one is', { nodes: all.length });
      const tainted = all.filter((node) => node.spec?.taints?.some(isExecuting) === true);
      for (const node of all) queue.remove(node.metadata.name);
      await forEachBounded(tainted, AT_ONCE, async (node) => {
        await healed(node, signal);
      });
    }
    if (next.leavesBlackout) {
      logger.info('Some nodes are ready again');
      refreshAll();
    }
  }

  /** Everybody's grace begins anew. */
  function refreshAll(): void {
    listeningSince = clock.monotonic();
  }

  function announce(
    node: { readonly metadata: { readonly name: string; readonly uid: string } },
    reason: string,
    what: string,
  ): void {
    const { name, uid } = node.metadata;
    if (!news.tryTake()) return;
    const regarding = { apiVersion: 'v1', kind: 'Node', name, uid };
    recorder.event(regarding, { type: 'Normal', reason, note: `Node ${name} event: ${what}` });
  }

  let running: AbortSignal | undefined;

  const monitor: Actor = {
    name: 'node-lifecycle',
    ready: () => nodes.hasSynced() && leases.hasSynced() && pods.hasSynced(),
    async start(signal) {
      running = signal;
      try {
        await Promise.all([nodes.synced(signal), leases.synced(signal), pods.synced(signal)]);
        let looked = clock.monotonic();
        let wall = clock.now();
        while (!signal.aborted) {
          const [late, jump] = [
            clock.monotonic() - looked - periodMs,
            clock.now() - wall - (clock.monotonic() - looked),
          ];
          looked = clock.monotonic();
          wall = clock.now();
          if (late > AWAY_MS || Math.abs(jump) > AWAY_MS) {
            logger.info('We were away ourselves: every node gets its full grace once more', { late, jump });
            refreshAll();
          }
          await look(signal).catch((error: unknown) => {
            if (!wasAborted(error, signal)) logger.warn('Could not look after all nodes', { error });
          });
          // Counted from the end of the look: a slow API server is no absence of ours.
          looked = clock.monotonic();
          wall = clock.now();
          await clock.sleep(periodMs, signal).catch(() => undefined);
        }
      } catch (error) {
        if (!wasAborted(error, signal)) throw error;
      } finally {
        queue.stop();
      }
    },
  };
  return together('node-lifecycle', [monitor, createConditionTaints(options), ...actors]);
}

/** Somebody else wrote the node in this moment, or it is gone: the next look sees. */
function ignoreLost(error: unknown): void {
  if (!isStatus(error, 'Conflict') && !isStatus(error, 'NotFound')) throw error;
}
