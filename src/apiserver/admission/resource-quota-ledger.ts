/**
 * Usage of the quotas of one namespace by one kind of object: committed objects, followed by a watch, and reservations
 * of requests that were admitted but are not committed yet. A reservation counts from the moment it is made, so that
 * two requests at the same time can never both have the last of a quota; if the write fails, the reservation is
 * released.
 */
import { compileQuota, countedNames, type QuotaEvaluator } from '../../core/placement/quota/evaluators.ts';
import { addTo, NOTHING, takeFrom, type Usage } from '../../core/placement/quota/amounts-by-name.ts';
import type { ResourceQuota } from '../../core/api/types/core-v1.ts';
import { addQuantities, type Quantity, subtractQuantities, ZERO } from '../../core/kube/quantity.ts';
import type { Stored } from '../../core/kube/objects.ts';
import type { Clock, Timer } from '../../machinery/time/clock.ts';
import type { CollectionKey, Store, StoreEvent, StoreKey } from '../store/store.ts';

interface Reservation {
  readonly key: StoreKey;
  readonly uid: string;
  readonly isNew: boolean;
  /** The amounts reserved of each quota, by UID. */
  readonly given: ReadonlyMap<string, Usage>;
}

export interface Ledger {
  /** Total usage that counts against the quota now. Valid only until the next call. */
  used(quota: Stored<ResourceQuota>): Usage;
  reserve(reservation: Reservation): void;
  /** Counts anew, at most once a second: pods that are overdue to be gone stop counting without an event. */
  recount(): void;
  close(): void;
}

interface Account {
  quota: Stored<ResourceQuota>;
  readonly used: Map<string, Quantity>;
}

interface Held extends Reservation {
  readonly since: number;
}

/** How long the reservation of an update is kept without a write; a create is accepted at once or never. */
const CHANGE_MS = 1_000;
const RECOUNT_MS = 1_000;

export function createLedger(
  store: Store,
  clock: Clock,
  collection: CollectionKey,
  namespace: string,
  evaluator: QuotaEvaluator,
): Ledger {
  /** By the UID of the quota. All are counted together, so that they agree on what has been counted. */
  const accounts = new Map<string, Account>();
  /** By the UID of the object. Every account holds its share of each. */
  const held = new Map<string, Held>();
  /** Events up to this revision are in the accounts already. */
  let countedAt = store.revision;
  let recountedAt = Number.NEGATIVE_INFINITY;
  let sweep: Timer | undefined;
  let isFollowed = true;

  function charge({ quota, used }: Account, object: Stored, book: typeof addQuantities): void {
    const names = countedNames(compileQuota(quota), evaluator, object);
    if (names.length === 0) return;
    const usage = evaluator.usage(object, clock.now());
    for (const name of names) {
      const amount = usage.get(name);
      if (amount !== undefined) used.set(name, book(used.get(name) ?? ZERO, amount));
    }
  }

  function countAll(): void {
    countedAt = store.revision;
    recountedAt = clock.monotonic();
    for (const [uid, { key }] of held) {
      const committed = store.get(key);
      if (committed?.metadata.uid === uid && committed === store.accepted(key)) held.delete(uid);
    }
    for (const account of accounts.values()) {
      account.used.clear();
      for (const object of store.list(collection, { namespace })) charge(account, object, addQuantities);
      for (const { given } of held.values()) {
        const usage = given.get(account.quota.metadata.uid);
        if (usage !== undefined) addTo(account.used, usage);
      }
    }
  }

  function release(uid: string, { given }: Reservation): void {
    held.delete(uid);
    for (const [quota, usage] of given) {
      const account = accounts.get(quota);
      if (account !== undefined) takeFrom(account.used, usage);
    }
  }

  function follow(batch: readonly StoreEvent[]): void {
    for (const event of batch) {
      if (event.revision <= countedAt) continue;
      const { object, previous, type } = event;
      const { uid } = object.metadata;
      const reservation = held.get(uid);
      // A reservation is settled only by the newest accepted state: with a newer write under way, it stays.
      const accepted = reservation === undefined ? undefined : store.accepted(reservation.key);
      const isSettled = reservation !== undefined && (accepted === object || accepted?.metadata.uid !== uid);
      // The reservation of a new object is exactly its usage: the amount stays in the accounts, from now on as
      // committed usage.
      const isAsHeld = isSettled && reservation.isNew && type === 'ADDED';
      if (isAsHeld) held.delete(uid);
      for (const account of accounts.values()) {
        if (isAsHeld && reservation.given.has(account.quota.metadata.uid)) continue;
        if (previous !== undefined) charge(account, previous, subtractQuantities);
        if (type !== 'DELETED') charge(account, object, addQuantities);
      }
      if (isSettled && !isAsHeld) release(uid, reservation);
    }
  }

  /** Releases reservations whose write did not happen. */
  function sweepHeld(): void {
    sweep?.cancel();
    const now = clock.monotonic();
    for (const [uid, reservation] of held) {
      const { isNew, key, since } = reservation;
      const accepted = store.accepted(key);
      const isOver = !isNew && now - since >= CHANGE_MS && accepted === store.get(key);
      if (accepted?.metadata.uid !== uid || isOver) release(uid, reservation);
    }
    sweep = held.values().some(({ isNew }) => !isNew) ? clock.after(CHANGE_MS, sweepHeld) : undefined;
  }

  const watch = store.watch(
    collection,
    { namespace, since: countedAt },
    { events: follow, closed: () => (isFollowed = false) },
  );

  return {
    used(quota) {
      const { uid } = quota.metadata;
      const account = accounts.get(uid);
      if (account === undefined || account.quota.spec !== quota.spec) {
        accounts.set(uid, { quota, used: new Map() });
        countAll();
      } else if (!isFollowed) countAll();
      return accounts.get(uid)?.used ?? NOTHING;
    },
    reserve(reservation) {
      const before = held.get(reservation.uid);
      if (before !== undefined) release(reservation.uid, before);
      held.set(reservation.uid, { ...reservation, since: clock.monotonic() });
      for (const [quota, usage] of reservation.given) {
        const account = accounts.get(quota);
        if (account !== undefined) addTo(account.used, usage);
      }
      sweep ??= clock.after(0, sweepHeld);
    },
    recount() {
      sweepHeld();
      if (clock.monotonic() - recountedAt >= RECOUNT_MS) countAll();
    },
    close() {
      sweep?.cancel();
      watch.stop();
    },
  };
}
