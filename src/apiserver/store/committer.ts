/**
 * From accepted to committed: gathers writes into batches, gives the engine one at a time, and on success moves the
 * committed head, answers the writers and tells the watchers. When a batch fails, the batch and everything accepted after
 * it are undone, since later writes may build on it; writes are then refused until the engine has recovered.
 */
import type { Stored } from '../../core/kube/objects.ts';
import type { Clock, Timer } from '../../machinery/time/clock.ts';
import type { CollectionMap } from './collection-map.ts';
import type { CollectionState, PendingWrite } from './collection-state.ts';
import type { EngineChange, StoreEngine } from './engine.ts';
import { belongsToDeletion } from './deletions.ts';
import {
  FULL_DISK,
  StoreError,
  commitFailed,
  readOnly,
  storageFull,
  storeClosed,
  storeHalted,
  textOf,
} from './errors.ts';
import type { History } from './history.ts';
import { RoomWatch } from './room-watch.ts';
import type { StoreEvent, StoreTrouble } from './store.ts';
import { WatchProgress } from './watch-progress.ts';

/**
 * Applying and delivering a batch happens in one turn of the loop, with all that its writers do when answered, so its
 * size bounds how long others wait. Larger where a batch costs a journey to the disk.
 */
const BATCH_LIMIT = 256;
const BATCH_LIMIT_IN_MEMORY = 32;
const RECOVER_FIRST_MS = 500;
const RECOVER_MOST_MS = 15_000;

const NO_CHANGES: readonly EngineChange[] = [];

type Mode =
  /** Nothing is gathered or with the engine. */
  | { readonly type: 'idle' }
  /** A batch is with the engine, or about to be. */
  | { readonly type: 'committing' }
  /** A commit failed; `cause` is why. A timer asks the engine to recover. */
  | { readonly type: 'failed'; readonly cause: unknown; readonly retry: Timer }
  /** A write failed and may come back after a crash: that write is not answered, and nothing is written any more. */
  | { readonly type: 'halted'; readonly cause: unknown };

export interface CommitterParts {
  readonly clock: Clock;
  readonly engine: StoreEngine;
  readonly collections: CollectionMap;
  readonly history: History;
  readonly startRevision: number;
  readonly progressIntervalMs: number;
  /** Receives a message when writes stop being possible and when they are again. */
  readonly notice?: ((message: string) => void) | undefined;
  /** See `StoreOptions.halt`. */
  readonly halt?: ((error: Error) => void) | undefined;
}

export class Committer {
  readonly #parts: CommitterParts;
  readonly #engine: StoreEngine;
  readonly #collections: CollectionMap;
  readonly #history: History;
  /** Most writes of one batch. */
  readonly #limit: number;
  /** Revision of the committed head; grows by whole batches, once the engine has them. */
  #committed: number;
  /** Revision of the accepted head. Never goes back, even when a batch fails: a revision is given out once. */
  #accepted: number;
  #mode: Mode = { type: 'idle' };
  /** Accepted writes that are not with the engine yet, in revision order. Empty while idle, failed or halted. */
  #gathering: PendingWrite[] = [];
  /** Called, once each, when the batches under way have ended, in whatever way. */
  #whenIdle: (() => void)[] = [];
  /** Set between a commit that found the disk full and the engine's recovery on its reserve. */
  #settling: PromiseWithResolvers<void> | undefined = undefined;
  /** Set when `close` was called; nothing is accepted from then on. */
  #closing: Promise<void> | undefined = undefined;
  readonly #room: RoomWatch;
  readonly #progress: WatchProgress;

  constructor(parts: CommitterParts) {
    const { clock, engine, collections, history, startRevision, progressIntervalMs, notice } = parts;
    this.#parts = parts;
    this.#engine = engine;
    this.#collections = collections;
    this.#history = history;
    this.#limit = engine.keepsNothing === true ? BATCH_LIMIT_IN_MEMORY : BATCH_LIMIT;
    this.#committed = startRevision;
    this.#accepted = startRevision;
    this.#room = new RoomWatch({ clock, engine, notice, isClosing: () => this.isClosed });
    this.#progress = new WatchProgress(clock, collections, progressIntervalMs, () => this.#committed);
  }

  get revision(): number {
    return this.#committed;
  }

  /** The revision the next accepted change will get. Never given out twice, even when that change fails. */
  get nextRevision(): number {
    return this.#accepted + 1;
  }

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /** The disk was just found full: deletions are taken in a moment, when this has resolved. */
  get settling(): Promise<void> | undefined {
    return this.#settling?.promise;
  }

  get trouble(): StoreTrouble | undefined {
    const mode = this.#mode;
    if (mode.type === 'halted') return { kind: 'halted', message: textOf(mode.cause) };
    if (this.#engine.isFull === true) {
      // The engine may have found the disk full while it filled its reserve, with no write since.
      this.#room.start();
      return { kind: 'full', message: `only deletions are taken: ${FULL_DISK}` };
    }
    return mode.type === 'failed' ? { kind: 'failed', message: readOnly(mode.cause).message } : undefined;
  }

  /** Why no write can be taken now, if so. */
  refusal(): Error | undefined {
    const mode = this.#mode;
    if (this.#closing !== undefined) return storeClosed();
    if (mode.type === 'halted') return storeHalted(mode.cause);
    if (mode.type !== 'failed') return undefined;
    return this.#engine.isFull === true ? storageFull(mode.cause) : readOnly(mode.cause);
  }

  /** Why this change cannot be taken now, if so. */
  refusalOf(event: StoreEvent): Error | undefined {
    if (this.#engine.isFull !== true) return undefined;
    this.#room.start();
    return event.type === 'DELETED' || belongsToDeletion(event.object) ? undefined : storageFull();
  }

  /** Moves the accepted head over this change; resolves when the committed head has moved over it too. */
  accept(state: CollectionState, event: StoreEvent): Promise<Stored> {
    this.#accepted = event.revision;
    let resolve!: (object: Stored) => void;
    let reject!: (reason: Error) => void;
    const settled = new Promise<Stored>((yes, no) => {
      resolve = yes;
      reject = no;
    });
    const write: PendingWrite = { state, event, settled, resolve, reject };
    state.accept(write);
    this.#gathering.push(write);
    this.#schedule();
    return settled;
  }

  /** Waits for the batches under way, then closes the watches and the engine. */
  close(): Promise<void> {
    return (this.#closing ??= this.#shutDown());
  }

  #schedule(): void {
    if (this.#mode.type !== 'idle') return;
    this.#mode = { type: 'committing' };
    // Not at once: all writes of this turn share the batch, and nothing is ever answered synchronously.
    queueMicrotask(() => void this.#pump());
  }

  /** Commits batch after batch without a pause: while one was with the engine the next has gathered. */
  async #pump(): Promise<void> {
    const engine = this.#engine;
    while (this.#gathering.length > 0) {
      const batch = this.#takeBatch();
      try {
        await engine.commit(engine.keepsNothing === true ? NO_CHANGES : batch.map(changeOf));
      } catch (cause) {
        this.#fail(batch, cause);
        return;
      }
      this.#apply(batch);
    }
    this.#mode = { type: 'idle' };
    this.#resolveIdle();
  }

  #takeBatch(): readonly PendingWrite[] {
    const gathered = this.#gathering;
    if (gathered.length <= this.#limit) {
      this.#gathering = [];
      return gathered;
    }
    this.#gathering = gathered.slice(this.#limit);
    return gathered.slice(0, this.#limit);
  }

  /** Order matters: the whole batch is readable before any writer is answered, and writers are answered before watchers. */
  #apply(batch: readonly PendingWrite[]): void {
    const touched = new Map<CollectionState, StoreEvent[]>();
    for (const write of batch) {
      const { state, event } = write;
      state.commit(write);
      this.#history.record(state.log, event);
      const events = touched.get(state);
      if (events === undefined) touched.set(state, [event]);
      else events.push(event);
      this.#committed = event.revision;
    }
    for (const write of batch) write.resolve(write.event.object);
    for (const [state, events] of touched) state.hub.deliver(events);
    this.#progress.arm();
  }

  #fail(batch: readonly PendingWrite[], cause: unknown): void {
    if (cause instanceof StoreError && cause.code === 'EN_STORE_UNDO') {
      this.#halt(cause);
      return;
    }
    const lost = [...batch, ...this.#gathering];
    this.#gathering = [];
    for (const state of this.#collections) state.rollBack();
    const isFull = this.#engine.isFull === true;
    // On a full disk the engine has its reserve, so that it recovers without a delay.
    this.#mode = { type: 'failed', cause, retry: this.#recoverLater(isFull ? 0 : RECOVER_FIRST_MS) };
    if (isFull) {
      this.#settling = Promise.withResolvers();
      this.#room.start();
    } else this.#parts.notice?.(`Writes are refused until the disk recovers: ${textOf(cause)}`);
    const reason = isFull ? storageFull(cause) : commitFailed(cause);
    for (const write of lost) write.reject(reason);
    this.#resolveIdle();
  }

  /** No writer is told that its write was refused when a crash could bring it back: writers learn that the server is gone. */
  #halt(error: Error): void {
    this.#mode = { type: 'halted', cause: error };
    this.#gathering = [];
    this.#resolveIdle();
    if (this.#parts.halt !== undefined) {
      this.#parts.halt(error);
      return;
    }
    queueMicrotask(() => {
      throw error;
    });
  }

  #recoverLater(delayMs: number): Timer {
    return this.#parts.clock.after(delayMs, () => void this.#tryToRecover(Math.max(delayMs, RECOVER_FIRST_MS)));
  }

  async #tryToRecover(delayMs: number): Promise<void> {
    try {
      await this.#engine.recover(this.#accepted);
      if (this.#closing !== undefined) return;
      this.#mode = { type: 'idle' };
      if (this.#engine.isFull !== true) this.#parts.notice?.('The disk has recovered; writes are taken again');
    } catch (cause) {
      if (this.#closing === undefined) {
        this.#mode = { type: 'failed', cause, retry: this.#recoverLater(Math.min(delayMs * 2, RECOVER_MOST_MS)) };
      }
    } finally {
      this.#settle();
    }
  }

  #settle(): void {
    this.#settling?.resolve();
    this.#settling = undefined;
  }

  #resolveIdle(): void {
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  async #shutDown(): Promise<void> {
    if (this.#mode.type === 'committing') {
      await new Promise<void>((resolve) => {
        this.#whenIdle.push(resolve);
      });
    }
    if (this.#mode.type === 'failed') this.#mode.retry.cancel();
    this.#settle();
    this.#progress.cancel();
    this.#room.cancel();
    for (const state of this.#collections) state.hub.close(storeClosed());
    await this.#engine.close();
  }
}

function changeOf({ state, event }: PendingWrite): EngineChange {
  const { tenant, group, resource } = state.key;
  const { namespace, name, revision, previous } = event;
  return {
    key: { tenant, group, resource, namespace, name },
    revision,
    object: event.type === 'DELETED' ? undefined : event.object,
    replaces: previous === undefined ? undefined : Number(previous.metadata.resourceVersion),
  };
}
