/**
 * From accepted to committed: gathers writes into batches, gives the engine one at a time, and on success moves the
 * committed head, answers the writers and tells the watchers. When a batch fails, it and everything accepted after
 * it is undone, since that may build on it; writes are then refused until the engine has recovered.
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
import type { StoreEvent, StoreTrouble } from './store.ts';

/**
 * Applying and delivering a batch happens in one turn of the loop, with all that its writers do when answered, so its
 * size bounds how long others wait. Larger where a batch costs a journey to the disk.
 */
const BATCH_LIMIT = 256;
const BATCH_LIMIT_IN_MEMORY = 32;
const RECOVER_FIRST_MS = 500;
const RECOVER_MOST_MS = 15_000;
/** How often a full disk is asked whether there is room. */
const ROOM_EVERY_MS = 5_000;

const NO_CHANGES: readonly EngineChange[] = [];

type Mode =
  /** Nothing is gathered or with the engine. */
  | { readonly type: 'idle' }
  /** A batch is with the engine, or about to be. */
  | { readonly type: 'committing' }
  /** A commit failed; `cause` is why. A timer asks the engine to recover. */
  | { readonly type: 'failed'; readonly cause: unknown; readonly retry: Timer }
  /** A write failed and may come back after a crash. It is not answered, and nothing is written any more. */
  | { readonly type: 'halted'; readonly cause: unknown };

export interface Committer {
  readonly revision: number;
  /** The revision the next accepted change will get. Never given out twice, even when that change fails. */
  readonly nextRevision: number;
  readonly isClosed: boolean;
  readonly trouble: StoreTrouble | undefined;
  /** The disk was just found full: deletions are taken in a moment, when this has resolved. */
  readonly settling: Promise<void> | undefined;
  /** Why no write can be taken now, if so. */
  refusal(): Error | undefined;
  /** Why this change cannot be taken now, if so. */
  refusalOf(event: StoreEvent): Error | undefined;
  accept(state: CollectionState, event: StoreEvent): Promise<Stored>;
  close(): Promise<void>;
}

export interface CommitterParts {
  readonly clock: Clock;
  readonly engine: StoreEngine;
  readonly collections: CollectionMap;
  readonly history: History;
  readonly startRevision: number;
  readonly progressIntervalMs: number;
  /** Told when writes stop being possible and when they are again. */
  readonly notice?: ((message: string) => void) | undefined;
  /** See `StoreOptions.halt`. */
  readonly halt?: ((error: Error) => void) | undefined;
}

export function createCommitter(parts: CommitterParts): Committer {
  const { clock, engine, collections, history } = parts;
  const limit = engine.keepsNothing === true ? BATCH_LIMIT_IN_MEMORY : BATCH_LIMIT;
  let committed = parts.startRevision;
  let accepted = parts.startRevision;
  let mode: Mode = { type: 'idle' };
  let closing: Promise<void> | undefined;
  let gathering: PendingWrite[] = [];
  let whenIdle: (() => void)[] = [];
  let progressTimer: Timer | undefined;
  /** Runs from when the disk was found full until there is room. */
  let roomTimer: Timer | undefined;
  let settling: PromiseWithResolvers<void> | undefined;

  function schedule(): void {
    if (mode.type !== 'idle') return;
    mode = { type: 'committing' };
    // Not at once: whatever else is written in this turn shares the batch, and nothing is ever answered synchronously.
    queueMicrotask(() => void pump());
  }

  /** Without a pause in between: while one batch was on its way the next has gathered. */
  async function pump(): Promise<void> {
    while (gathering.length > 0) {
      const batch = gathering.length <= limit ? gathering : gathering.slice(0, limit);
      gathering = gathering.length <= limit ? [] : gathering.slice(limit);
      try {
        await engine.commit(engine.keepsNothing === true ? NO_CHANGES : batch.map(changeOf));
      } catch (cause) {
        fail(batch, cause);
        return;
      }
      apply(batch);
    }
    mode = { type: 'idle' };
    for (const resolve of whenIdle.splice(0)) resolve();
  }

  function apply(batch: readonly PendingWrite[]): void {
    const touched = new Map<CollectionState, StoreEvent[]>();
    for (const write of batch) {
      const { state, event } = write;
      state.commit(write);
      history.record(state.log, event);
      const events = touched.get(state);
      if (events === undefined) touched.set(state, [event]);
      else events.push(event);
      committed = event.revision;
    }
    for (const write of batch) write.resolve(write.event.object);
    for (const [state, events] of touched) state.hub.deliver(events);
    armProgress();
  }

  function fail(batch: readonly PendingWrite[], cause: unknown): void {
    if (cause instanceof StoreError && cause.code === 'EN_STORE_UNDO') {
      halt(cause);
      return;
    }
    const lost = [...batch, ...gathering];
    gathering = [];
    for (const state of collections) state.rollBack();
    const isFull = engine.isFull === true;
    // What was kept back for a full disk is there at once.
    mode = { type: 'failed', cause, retry: recoverLater(isFull ? 0 : RECOVER_FIRST_MS) };
    if (isFull) settling = Promise.withResolvers();
    if (isFull) watchRoom();
    else parts.notice?.(`Writes are refused until the disk recovers: ${textOf(cause)}`);
    const reason = isFull ? storageFull(cause) : commitFailed(cause);
    for (const write of lost) write.reject(reason);
    for (const resolve of whenIdle.splice(0)) resolve();
  }

  /** Nobody is told that a write was refused when a crash could bring it back: they learn that the server is gone. */
  function halt(error: Error): void {
    mode = { type: 'halted', cause: error };
    gathering = [];
    for (const resolve of whenIdle.splice(0)) resolve();
    if (parts.halt !== undefined) {
      parts.halt(error);
      return;
    }
    queueMicrotask(() => {
      throw error;
    });
  }

  function recoverLater(delayMs: number): Timer {
    return clock.after(delayMs, () => void tryToRecover(Math.max(delayMs, RECOVER_FIRST_MS)));
  }

  async function tryToRecover(delayMs: number): Promise<void> {
    try {
      await engine.recover(accepted);
      if (closing !== undefined) return;
      mode = { type: 'idle' };
      if (engine.isFull !== true) parts.notice?.('The disk has recovered; writes are taken again');
    } catch (cause) {
      if (closing === undefined) {
        mode = { type: 'failed', cause, retry: recoverLater(Math.min(delayMs * 2, RECOVER_MOST_MS)) };
      }
    } finally {
      settle();
    }
  }

  function settle(): void {
    settling?.resolve();
    settling = undefined;
  }

  /** Told once, however many writes find the disk full, and asked after until there is room. */
  function watchRoom(): void {
    if (roomTimer !== undefined || closing !== undefined) return;
    parts.notice?.(`Only deletions are taken: ${FULL_DISK}`);
    roomTimer = clock.after(ROOM_EVERY_MS, () => void askForRoom());
  }

  async function askForRoom(): Promise<void> {
    const hasRoom = await engine.regainRoom?.().catch(() => false);
    if (closing !== undefined) return;
    roomTimer = hasRoom === true ? undefined : clock.after(ROOM_EVERY_MS, () => void askForRoom());
    if (hasRoom === true) parts.notice?.('There is room on the disk again; writes are taken again');
  }

  function trouble(): StoreTrouble | undefined {
    if (mode.type === 'halted') return { kind: 'halted', message: textOf(mode.cause) };
    // It may be the reserve that found no room, and no write since.
    if (engine.isFull === true) watchRoom();
    if (engine.isFull === true) return { kind: 'full', message: `only deletions are taken: ${FULL_DISK}` };
    return mode.type === 'failed' ? { kind: 'failed', message: readOnly(mode.cause).message } : undefined;
  }

  /** Only armed while the store moves and somebody listens: a quiet world needs no timer. */
  function armProgress(): void {
    if (progressTimer !== undefined || !anyoneWatching()) return;
    progressTimer = clock.after(parts.progressIntervalMs, () => {
      progressTimer = undefined;
      for (const state of collections) state.hub.progress(committed);
    });
  }

  function anyoneWatching(): boolean {
    for (const state of collections) if (!state.hub.isEmpty) return true;
    return false;
  }

  async function shutDown(): Promise<void> {
    if (mode.type === 'committing') {
      await new Promise<void>((resolve) => {
        whenIdle.push(resolve);
      });
    }
    if (mode.type === 'failed') mode.retry.cancel();
    settle();
    progressTimer?.cancel();
    roomTimer?.cancel();
    for (const state of collections) state.hub.close(storeClosed());
    await engine.close();
  }

  return {
    get revision() {
      return committed;
    },
    get nextRevision() {
      return accepted + 1;
    },
    get isClosed() {
      return closing !== undefined;
    },
    refusal() {
      if (closing !== undefined) return storeClosed();
      if (mode.type === 'halted') return storeHalted(mode.cause);
      if (mode.type !== 'failed') return undefined;
      return engine.isFull === true ? storageFull(mode.cause) : readOnly(mode.cause);
    },
    refusalOf(event) {
      if (engine.isFull !== true) return undefined;
      watchRoom();
      return event.type === 'DELETED' || belongsToDeletion(event.object) ? undefined : storageFull();
    },
    get trouble() {
      return trouble();
    },
    get settling() {
      return settling?.promise;
    },
    accept(state, event) {
      accepted = event.revision;
      let resolve!: (object: Stored) => void;
      let reject!: (reason: Error) => void;
      const settled = new Promise<Stored>((yes, no) => {
        resolve = yes;
        reject = no;
      });
      const write: PendingWrite = { state, event, settled, resolve, reject };
      state.accept(write);
      gathering.push(write);
      schedule();
      return settled;
    },
    close: () => (closing ??= shutDown()),
  };
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
