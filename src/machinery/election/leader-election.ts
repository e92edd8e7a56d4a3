/**
 * One leader among many, by a Lease that the leader renews. Whoever watches judges by its own clock how long the lease
 * has not changed, never by the times written in it, so clocks may differ; and a leader stops by itself before
 * anyone else may begin, even when a request hangs.
 */
import { LEASES } from '../../core/api/registry/resources.ts';
import type { Lease } from '../../core/api/types/coordination-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import { formatMicroTime } from '../../core/kube/time.ts';
import { abortAfter, linkAbort, orAborted, wasAborted } from '../time/abort.ts';
import type { Actor } from '../actor.ts';
import type { Client } from '../client/client.ts';
import type { Clock, Timer } from '../time/clock.ts';
import { MachineryError } from '../errors.ts';
import { silentLogger, type Logger } from '../logging/logger.ts';
import type { Random } from '../random/random.ts';

export interface LeaderElectionOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  readonly lease: { readonly namespace: string; readonly name: string };
  /** Unlike that of any other candidate: host name and a UUID, say. */
  readonly identity: string;
  /** Others wait this long without a renewal before they take over. */
  readonly leaseDurationMs?: number;
  /** The leader gives up when it could not renew for this long. Shorter than the lease: the rest is for stopping. */
  readonly renewDeadlineMs?: number;
  readonly retryPeriodMs?: number;
  /** How often somebody who waits looks at the lease, which is a read; as often as the leader renews unless said. */
  readonly standbyPeriodMs?: number;
  /** Let the next one in at once on an orderly stop. Only right if the work has really ended by then, as it has here. */
  readonly releaseOnStop?: boolean;
  /**
   * The leader's work. Its signal fires when the lead is lost or the election is stopped. `lost` fires only in the first case:
   * from then on somebody else may act, and nothing may be written any more, whereas what was begun before an orderly stop may
   * be finished: the lease is renewed until the work has ended.
   */
  lead(signal: AbortSignal, lost: AbortSignal): Promise<void>;
  /** Hears of every leader, oneself included. */
  readonly onNewLeader?: (identity: string) => void;
}

export interface LeaderElection extends Actor {
  isLeader(): boolean;
  /** As far as is known. */
  leader(): string;
  /** Milliseconds since the lease was last renewed by us, while we lead. */
  sinceRenewed(): number | undefined;
  /**
   * Looks at the clock: a lead whose time is over is lost at once. Whoever was suspended may hear of events before any
   * timer runs, so whoever is about to write asks for this first.
   */
  look(): void;
}

/** Spreads candidates that wait for the same lease. */
const JITTER = 0.2;
const RELEASE_TRIES = 3;

const isRace = (error: unknown): boolean =>
  isStatus(error, 'Conflict') || isStatus(error, 'AlreadyExists') || isStatus(error, 'NotFound');

export function createLeaderElection(options: LeaderElectionOptions): LeaderElection {
  const { client, clock, random, lease, identity } = options;
  const logger = (options.logger ?? silentLogger).with({ ...lease, identity });
  const leaseDurationMs = options.leaseDurationMs ?? 15_000;
  const renewDeadlineMs = options.renewDeadlineMs ?? 10_000;
  const retryPeriodMs = options.retryPeriodMs ?? 2_000;
  const standbyPeriodMs = options.standbyPeriodMs ?? retryPeriodMs;
  if (!(leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs * (1 + JITTER) && retryPeriodMs > 0)) {
    throw new MachineryError(
      'EN_MACHINERY_LEASE_TIMES',
      `the lease (${leaseDurationMs} ms) must outlast the renew deadline (${renewDeadlineMs} ms), and that the retry period (${retryPeriodMs} ms)`,
    );
  }
  if (identity === '') throw new MachineryError('EN_MACHINERY_LEASE_TIMES', 'a candidate needs an identity');

  /** The lease as last seen, and when *we* first saw it that way. */
  let observed: { readonly lease: Stored<Lease>; readonly at: number } | undefined;
  let reported = '';
  let leading = false;
  let renewedAt = 0;
  let lost = new AbortController();
  const expire = (): void => lost.abort(new Error('the lease could not be renewed'));

  const observe = (seen: Stored<Lease>, at: number): void => {
    if (observed?.lease.metadata.resourceVersion !== seen.metadata.resourceVersion) observed = { lease: seen, at };
    const holder = seen.spec.holderIdentity ?? '';
    if (holder === reported || holder === '') return;
    reported = holder;
    options.onNewLeader?.(holder);
  };

  const wantedSpec = (old: Lease['spec'] | undefined): Lease['spec'] => {
    const now = formatMicroTime(clock.now());
    const mine = old?.holderIdentity === identity;
    return {
      ...old,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
      acquireTime: mine ? (old.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: (old?.leaseTransitions ?? 0) + (mine || old === undefined ? 0 : 1),
    };
  };

  /** Tries once to become or stay leader. Throws when it could not be found out. */
  async function tryAcquireOrRenew(signal: AbortSignal): Promise<boolean> {
    const began = clock.monotonic();
    // A leader's own last write is the newest it can know: renewing on top of it spares the read.
    const held = leading ? observed?.lease : undefined;
    if (held !== undefined) {
      try {
        observe(await write(held, signal), began);
        return true;
      } catch (error) {
        if (!isRace(error)) throw error;
        // Someone else wrote, or an earlier renewal of ours whose answer was lost. Reading tells.
      }
    }
    const current = await read(signal);
    if (current === undefined) observed = undefined;
    else observe(current, clock.monotonic());
    if (current !== undefined && !mayTake(current)) return false;
    try {
      observe(await write(current, signal), began);
      return true;
    } catch (error) {
      if (leading || !isRace(error)) throw error;
      return false;
    }
  }

  function write(current: Stored<Lease> | undefined, signal: AbortSignal): Promise<Stored<Lease>> {
    const where = { namespace: lease.namespace, signal };
    if (current !== undefined) return client.update(LEASES, { ...current, spec: wantedSpec(current.spec) }, where);
    const metadata = { ...lease };
    const spec = wantedSpec(undefined);
    return client.create(LEASES, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec }, where);
  }

  async function read(signal: AbortSignal): Promise<Stored<Lease> | undefined> {
    try {
      return await client.get(LEASES, lease, { signal });
    } catch (error) {
      if (isStatus(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  function mayTake(current: Stored<Lease>): boolean {
    const holder = current.spec.holderIdentity ?? '';
    if (holder === '' || holder === identity) return true;
    // The holder's own duration, as it may have been configured otherwise.
    const duration = (current.spec.leaseDurationSeconds ?? leaseDurationMs / 1000) * 1000;
    return observed !== undefined && clock.monotonic() >= observed.at + duration;
  }

  async function acquire(signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        using limit = abortAfter(clock, renewDeadlineMs, signal);
        if (await orAborted(tryAcquireOrRenew(limit.signal), limit.signal)) return;
      } catch (error) {
        signal.throwIfAborted();
        logger.warn('Trying to become leader failed', { error });
      }
      await clock.sleep(standbyPeriodMs * (1 + JITTER * random.next()), signal);
    }
  }

  /** Renews until that fails for too long, or the work is over. Fires `lost` when the lead is lost. */
  async function keep(over: Promise<void>): Promise<void> {
    let watchdog: Timer | undefined;
    // Armed from the moment the last good renewal was *sent*: from then on others count.
    const arm = (since: number): void => {
      renewedAt = since;
      watchdog?.cancel();
      watchdog = clock.after(since + renewDeadlineMs - clock.monotonic(), expire);
    };
    arm(renewedAt);
    using renewing = linkAbort(lost.signal);
    const stop = (): void => renewing.abort();
    over.then(stop, stop);
    try {
      while (!renewing.signal.aborted) {
        await clock.sleep(retryPeriodMs, renewing.signal);
        const began = clock.monotonic();
        try {
          if (!(await orAborted(tryAcquireOrRenew(renewing.signal), renewing.signal))) {
            lost.abort(new Error('another candidate holds the lease'));
            return;
          }
          arm(began);
        } catch (error) {
          if (!renewing.signal.aborted) logger.warn('Renewing the lease failed', { error });
        }
      }
    } catch (error) {
      if (!renewing.signal.aborted) throw error;
    } finally {
      watchdog?.cancel();
    }
  }

  async function release(): Promise<void> {
    using limit = abortAfter(clock, renewDeadlineMs);
    try {
      let current = observed?.lease;
      for (let tries = 1; current?.spec.holderIdentity === identity; tries += 1) {
        try {
          const now = formatMicroTime(clock.now());
          const spec = {
            ...current.spec,
            holderIdentity: '',
            leaseDurationSeconds: 1,
            renewTime: now,
            acquireTime: now,
          };
          await client.update(LEASES, { ...current, spec }, { namespace: lease.namespace, signal: limit.signal });
          return;
        } catch (error) {
          if (!isRace(error) || tries >= RELEASE_TRIES) throw error;
          // A renewal was on its way when the work ended, and has been done.
          current = await read(limit.signal);
        }
      }
    } catch (error) {
      logger.warn('Releasing the lease failed; the next leader has to wait it out', { error });
    }
  }

  return {
    name: `leader-election ${lease.namespace}/${lease.name}`,
    isLeader: () => leading,
    leader: () => observed?.lease.spec.holderIdentity ?? '',
    sinceRenewed: () => (leading ? clock.monotonic() - renewedAt : undefined),
    look() {
      if (leading && clock.monotonic() - renewedAt >= renewDeadlineMs) expire();
    },

    /** Resolves when stopped; rejects when the lead was lost, since a process that led may hold stale beliefs. */
    async start(signal) {
      try {
        await acquire(signal);
      } catch (error) {
        if (wasAborted(error, signal)) return;
        throw error;
      }
      renewedAt = observed?.at ?? clock.monotonic();
      lost = new AbortController();
      leading = true;
      logger.info('Became leader');
      using work = linkAbort(signal);
      lost.signal.addEventListener(
        'abort',
        () => {
          leading = false;
          work.abort(lost.signal.reason);
        },
        { once: true },
      );
      const led = options.lead(work.signal, lost.signal);
      try {
        await keep(
          led.then(
            () => undefined,
            () => undefined,
          ),
        );
        await led.catch((error: unknown) => {
          if (!work.signal.aborted) throw error;
        });
      } finally {
        leading = false;
      }
      // The work has ended: only now may someone else begin.
      if (!lost.signal.aborted) {
        if (options.releaseOnStop === true) await release();
        logger.info('Stopped leading');
        return;
      }
      logger.error('Lost the lead', { error: lost.signal.reason });
      throw lost.signal.reason;
    },
  };
}
