/**
 * From accepted to committed: gathers writes into batches, gives the engine one at a time, and on success moves the
 * committed head, answers the writers and tells the watchers. When a batch fails, it and everything accepted after
 * it is undone, since that may build on it; writes are then refused until the engine has recovered.
 */
import type { Stored } from '../../core/kube/objects.ts';
import type { Clock, Timer } from '../../machinery/clock.ts';
import type { CollectionMap } from './collection-map.ts';
import type { CollectionState, PendingWrite } from './collection-state.ts';
import type { EngineChange, StoreEngine } from './engine.ts';
import { commitFailed, readOnly, storeClosed, textOf } from './errors.ts';
import type { History } from './history.ts';
import type { StoreEvent } from './store.ts';

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
  | { readonly type: 'failed'; readonly cause: unknown; readonly retry: Timer };

export interface Committer {
  readonly revision: number;
  /** The revision the next accepted change will get. Never given out twice, even when that change fails. */
  readonly nextRevision: number;
  readonly isClosed: boolean;
  /** Why a write cannot be taken now, if so. */
  refusal(): Error | undefined;
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
    const lost = [...batch, ...gathering];
    gathering = [];
    for (const state of collections) state.rollBack();
    mode = { type: 'failed', cause, retry: recoverLater(RECOVER_FIRST_MS) };
    parts.notice?.(`Writes are refused until the disk recovers: ${textOf(cause)}`);
    const reason = commitFailed(cause);
    for (const write of lost) write.reject(reason);
    for (const resolve of whenIdle.splice(0)) resolve();
  }

  function recoverLater(delayMs: number): Timer {
    return clock.after(delayMs, () => void tryToRecover(delayMs));
  }

  async function tryToRecover(delayMs: number): Promise<void> {
    try {
      await engine.recover(accepted);
      if (closing === undefined) {
        mode = { type: 'idle' };
        parts.notice?.('The disk has recovered; writes are taken again');
      }
    } catch (cause) {
      if (closing === undefined) {
        mode = { type: 'failed', cause, retry: recoverLater(Math.min(delayMs * 2, RECOVER_MOST_MS)) };
      }
    }
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
    progressTimer?.cancel();
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
      return mode.type === 'failed' ? readOnly(mode.cause) : undefined;
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
