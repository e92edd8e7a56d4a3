/**
 * One leader among many, by a Lease that the leader renews. A standby judges by its own clock how long the lease has not
 * changed (lease-lock.ts), and a leader stops by itself before any standby may begin, even when a request hangs.
 */
import { abortAfter, linkAbort, orAborted, wasAborted } from '../time/abort.ts';
import type { Actor } from '../actor.ts';
import type { Client } from '../client/client.ts';
import type { Clock, Timer } from '../time/clock.ts';
import { MachineryError } from '../errors.ts';
import { silentLogger, type Logger } from '../logging/logger.ts';
import type { Random } from '../random/random.ts';
import { isRace, LeaseLock } from './lease-lock.ts';

export interface LeaderElectionOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  readonly lease: { readonly namespace: string; readonly name: string };
  /** Unlike that of any other candidate: host name and a UUID, say. */
  readonly identity: string;
  /** Time a standby waits before it takes over an unrenewed lease. */
  readonly leaseDurationMs?: number;
  /** Time without a successful renewal after which the leader gives up. Shorter than the lease: the rest is for stopping. */
  readonly renewDeadlineMs?: number;
  readonly retryPeriodMs?: number;
  /** How often a standby reads the lease; by default as often as the leader renews it. */
  readonly standbyPeriodMs?: number;
  /** Let the next candidate in at once on an orderly stop. Only right if the work has really ended by then, as it has here. */
  readonly releaseOnStop?: boolean;
  /**
   * The leader's work. `signal` fires when the lead is lost or the election is stopped. `lost` fires only in the first case:
   * from then on another leader may act, and nothing may be written any more, whereas writes begun before an orderly stop
   * may be finished: the lease is renewed until the work has ended.
   */
  lead(signal: AbortSignal, lost: AbortSignal): Promise<void>;
  /** Called with every new leader, this candidate included. */
  readonly onNewLeader?: (identity: string) => void;
}

export interface LeaderElection extends Actor {
  isLeader(): boolean;
  /** The holder of the lease as last seen; empty while none is known. */
  leader(): string;
  /** Milliseconds since this candidate last renewed the lease, while it leads. */
  sinceRenewed(): number | undefined;
  /**
   * Loses the lead at once when its renew deadline has passed. To be called before every write: a process that was
   * suspended may handle events before any timer runs.
   */
  checkRenewDeadline(): void;
}

/** Spreads candidates that wait for the same lease. */
const JITTER = 0.2;

interface ElectionTimes {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  readonly standbyPeriodMs: number;
}

export const createLeaderElection = (options: LeaderElectionOptions): LeaderElection =>
  new Candidate(options, timesOf(options));

function timesOf(options: LeaderElectionOptions): ElectionTimes {
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 } = options;
  const { standbyPeriodMs = retryPeriodMs } = options;
  if (!(leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs * (1 + JITTER) && retryPeriodMs > 0)) {
    throw new MachineryError(
      'EN_MACHINERY_LEASE_TIMES',
      `the lease (${leaseDurationMs} ms) must outlast the renew deadline (${renewDeadlineMs} ms), and that the retry period (${retryPeriodMs} ms)`,
    );
  }
  if (options.identity === '') throw new MachineryError('EN_MACHINERY_LEASE_TIMES', 'a candidate needs an identity');
  return { leaseDurationMs, renewDeadlineMs, retryPeriodMs, standbyPeriodMs };
}

class Candidate implements LeaderElection {
  readonly name: string;
  readonly #options: LeaderElectionOptions;
  readonly #times: ElectionTimes;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #lock: LeaseLock;
  /** True from the acquisition until the lead is lost or its work has ended. */
  #leading = false;
  /** When the last successful renewal was sent; the renew deadline counts from here. Meaningful while leading. */
  #renewedAt = 0;
  /** Fires when this lead is lost; a new one for every lead. */
  #lost = new AbortController();

  constructor(options: LeaderElectionOptions, times: ElectionTimes) {
    const { client, clock, lease, identity, onNewLeader, logger = silentLogger } = options;
    this.name = `leader-election ${lease.namespace}/${lease.name}`;
    this.#options = options;
    this.#times = times;
    this.#clock = clock;
    this.#logger = logger.with({ ...lease, identity });
    const { leaseDurationMs } = times;
    this.#lock = new LeaseLock({ client, clock, lease, identity, leaseDurationMs, onNewLeader });
  }

  isLeader(): boolean {
    return this.#leading;
  }

  leader(): string {
    return this.#lock.holder;
  }

  sinceRenewed(): number | undefined {
    return this.#leading ? this.#clock.monotonic() - this.#renewedAt : undefined;
  }

  checkRenewDeadline(): void {
    if (this.#leading && this.#clock.monotonic() - this.#renewedAt >= this.#times.renewDeadlineMs) this.#expire();
  }

  /** Resolves when stopped; rejects when the lead was lost, since a process that led may hold stale beliefs. */
  async start(signal: AbortSignal): Promise<void> {
    try {
      await this.#acquire(signal);
    } catch (error) {
      if (wasAborted(error, signal)) return;
      throw error;
    }
    const lost = await this.#lead(signal).catch(async (error: unknown) => {
      // The work has failed, and no write of it is left: a standby need not wait for the lease to run out.
      if (!this.#lost.signal.aborted && this.#options.releaseOnStop === true) await this.#release();
      throw error;
    });
    // The work has ended: only now may another leader begin.
    if (!lost.aborted) {
      if (this.#options.releaseOnStop === true) await this.#release();
      this.#logger.info('Stopped leading');
      return;
    }
    this.#logger.error('Lost the lead', { error: lost.reason });
    throw lost.reason;
  }

  /** Tries until this candidate holds the lease. */
  async #acquire(signal: AbortSignal): Promise<void> {
    const { renewDeadlineMs, standbyPeriodMs } = this.#times;
    for (;;) {
      try {
        using limit = abortAfter(this.#clock, renewDeadlineMs, signal);
        if (await orAborted(this.#tryAcquireOrRenew(limit.signal), limit.signal)) return;
      } catch (error) {
        signal.throwIfAborted();
        this.#logger.warn('Trying to become leader failed', { error });
      }
      await this.#clock.sleep(standbyPeriodMs * (1 + JITTER * this.#options.random.next()), signal);
    }
  }

  /** Runs the leader's work and renews beside it, until the work has ended. Answers with the signal of a lost lead. */
  async #lead(signal: AbortSignal): Promise<AbortSignal> {
    this.#renewedAt = this.#lock.observedAt ?? this.#clock.monotonic();
    this.#lost = new AbortController();
    this.#leading = true;
    const lost = this.#lost.signal;
    this.#logger.info('Became leader');
    using work = linkAbort(signal);
    const onLost = (): void => {
      this.#leading = false;
      work.abort(lost.reason);
    };
    lost.addEventListener('abort', onLost, { once: true });
    const led = this.#options.lead(work.signal, lost);
    try {
      await this.#renewUntil(
        led.then(
          () => undefined,
          () => undefined,
        ),
      );
      await led.catch((error: unknown) => {
        if (!work.signal.aborted) throw error;
      });
    } finally {
      this.#leading = false;
    }
    return lost;
  }

  /** Renews until that fails for too long, or the work is over. Fires `lost` when the lead is lost. */
  async #renewUntil(over: Promise<void>): Promise<void> {
    const clock = this.#clock;
    const { renewDeadlineMs, retryPeriodMs } = this.#times;
    let watchdog: Timer | undefined;
    // Armed from the moment the last good renewal was *sent*: from then on standbys count.
    const arm = (since: number): void => {
      this.#renewedAt = since;
      watchdog?.cancel();
      watchdog = clock.after(since + renewDeadlineMs - clock.monotonic(), () => this.#expire());
    };
    arm(this.#renewedAt);
    using renewing = linkAbort(this.#lost.signal);
    const stop = (): void => renewing.abort();
    over.then(stop, stop);
    try {
      while (!renewing.signal.aborted) {
        await clock.sleep(retryPeriodMs, renewing.signal);
        const began = clock.monotonic();
        try {
          if (!(await orAborted(this.#tryAcquireOrRenew(renewing.signal), renewing.signal))) {
            this.#lost.abort(new Error('another candidate holds the lease'));
            return;
          }
          arm(began);
        } catch (error) {
          if (!renewing.signal.aborted) this.#logger.warn('Renewing the lease failed', { error });
        }
      }
    } catch (error) {
      if (!renewing.signal.aborted) throw error;
    } finally {
      watchdog?.cancel();
    }
  }

  /** Tries once to become or stay leader; false when another candidate holds the lease. Throws when that is unknown. */
  async #tryAcquireOrRenew(signal: AbortSignal): Promise<boolean> {
    const lock = this.#lock;
    const began = this.#clock.monotonic();
    // A leader's own last write is the newest it can know: renewing on top of it spares the read.
    const held = this.#leading ? lock.lease : undefined;
    if (held !== undefined) {
      try {
        await lock.claim(held, began, signal);
        return true;
      } catch (error) {
        if (!isRace(error)) throw error;
        // Another candidate wrote, or an earlier renewal whose answer was lost. Reading tells.
      }
    }
    const current = await lock.read(signal);
    if (current !== undefined && !lock.canBeTaken(current)) return false;
    try {
      await lock.claim(current, began, signal);
      return true;
    } catch (error) {
      if (this.#leading || !isRace(error)) throw error;
      return false;
    }
  }

  async #release(): Promise<void> {
    using limit = abortAfter(this.#clock, this.#times.renewDeadlineMs);
    try {
      await this.#lock.release(limit.signal);
    } catch (error) {
      this.#logger.warn('Releasing the lease failed; the next leader has to wait it out', { error });
    }
  }

  #expire(): void {
    this.#lost.abort(new Error('the lease could not be renewed'));
  }
}
