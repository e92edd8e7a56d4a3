/**
 * The Lease as one candidate sees it: reads it, writes its own claim into it, and remembers when it last changed. A
 * candidate judges by its own clock how long the lease has not changed, never by the times written in it, so clocks may
 * differ.
 */
import { LEASES } from '../../core/api/registry/resources.ts';
import type { Lease } from '../../core/api/types/coordination-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import { formatMicroTime } from '../../core/kube/time.ts';
import type { Client } from '../client/client.ts';
import type { Clock } from '../time/clock.ts';

const RELEASE_TRIES = 3;

/** Another candidate wrote first, or an earlier write of this one whose answer was lost. */
export const isRace = (error: unknown): boolean =>
  isStatus(error, 'Conflict') || isStatus(error, 'AlreadyExists') || isStatus(error, 'NotFound');

export interface LeaseLockOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly identity: string;
  readonly leaseDurationMs: number;
  /** Called with every new holder, this candidate included. */
  readonly onNewLeader: ((identity: string) => void) | undefined;
}

export class LeaseLock {
  readonly #options: LeaseLockOptions;
  /** The lease as last seen, and when this candidate first saw that version; undefined while there is none. */
  #observed: { readonly lease: Stored<Lease>; readonly at: number } | undefined = undefined;
  /** The holder that `onNewLeader` was last told of. */
  #reported = '';

  constructor(options: LeaseLockOptions) {
    this.#options = options;
  }

  /** The newest version this candidate knows. */
  get lease(): Stored<Lease> | undefined {
    return this.#observed?.lease;
  }

  /** When the newest version was first seen, or sent, in the clock's monotonic milliseconds. */
  get observedAt(): number | undefined {
    return this.#observed?.at;
  }

  get holder(): string {
    return this.#observed?.lease.spec.holderIdentity ?? '';
  }

  async read(signal: AbortSignal): Promise<Stored<Lease> | undefined> {
    const current = await this.#get(signal);
    if (current === undefined) this.#observed = undefined;
    else this.#observe(current, this.#options.clock.monotonic());
    return current;
  }

  /** Writes this candidate's claim over `current`, which counts from `sentAt`: other candidates count from then on too. */
  async claim(current: Stored<Lease> | undefined, sentAt: number, signal: AbortSignal): Promise<void> {
    this.#observe(await this.#write(current, signal), sentAt);
  }

  canBeTaken(current: Stored<Lease>): boolean {
    const { clock, identity, leaseDurationMs } = this.#options;
    const holder = current.spec.holderIdentity ?? '';
    if (holder === '' || holder === identity) return true;
    // The holder's own duration, as it may have been configured otherwise.
    const duration = (current.spec.leaseDurationSeconds ?? leaseDurationMs / 1000) * 1000;
    return this.#observed !== undefined && clock.monotonic() >= this.#observed.at + duration;
  }

  /** Empties the holder, so that the next candidate need not wait for the lease to expire. */
  async release(signal: AbortSignal): Promise<void> {
    const { client, clock, lease, identity } = this.#options;
    let current = this.#observed?.lease;
    for (let tries = 1; current?.spec.holderIdentity === identity; tries += 1) {
      try {
        const now = formatMicroTime(clock.now());
        const spec = { ...current.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: now, acquireTime: now };
        await client.update(LEASES, { ...current, spec }, { namespace: lease.namespace, signal });
        return;
      } catch (error) {
        if (!isRace(error) || tries >= RELEASE_TRIES) throw error;
        // A renewal was on its way when the work ended, and has been done.
        current = await this.#get(signal);
      }
    }
  }

  #observe(seen: Stored<Lease>, at: number): void {
    if (this.#observed?.lease.metadata.resourceVersion !== seen.metadata.resourceVersion) {
      this.#observed = { lease: seen, at };
    }
    const holder = seen.spec.holderIdentity ?? '';
    if (holder === this.#reported || holder === '') return;
    this.#reported = holder;
    this.#options.onNewLeader?.(holder);
  }

  async #get(signal: AbortSignal): Promise<Stored<Lease> | undefined> {
    const { client, lease } = this.#options;
    try {
      return await client.get(LEASES, lease, { signal });
    } catch (error) {
      if (isStatus(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  #write(current: Stored<Lease> | undefined, signal: AbortSignal): Promise<Stored<Lease>> {
    const { client, lease } = this.#options;
    const where = { namespace: lease.namespace, signal };
    const spec = this.#claimedSpec(current?.spec);
    if (current !== undefined) return client.update(LEASES, { ...current, spec }, where);
    const metadata = { ...lease };
    return client.create(LEASES, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec }, where);
  }

  #claimedSpec(old: Lease['spec'] | undefined): Lease['spec'] {
    const { clock, identity, leaseDurationMs } = this.#options;
    const now = formatMicroTime(clock.now());
    const isOwn = old?.holderIdentity === identity;
    return {
      ...old,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
      acquireTime: isOwn ? (old.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: (old?.leaseTransitions ?? 0) + (isOwn || old === undefined ? 0 : 1),
    };
  }
}
