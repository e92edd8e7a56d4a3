import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../machinery/time/virtual-clock.ts';
import type { EngineChange, StoreEngine } from './engine.ts';
import { StoreStatusError } from './errors.ts';
import { openStore } from './store-over-engine.ts';
import { NODES, PODS, dataOf, keyIn, objectOf, putTo, recordWatch } from './support.contract.ts';

/** An engine whose every commit waits to be told how it went. */
function manualEngine() {
  const batches: { changes: readonly EngineChange[]; succeed(): void; fail(reason: Error): void }[] = [];
  const recoveries: number[] = [];
  let recoverWith: Error | undefined;
  const engine: StoreEngine = {
    load: () => Promise.resolve(0),
    commit: (changes) =>
      new Promise((resolve, reject) => {
        batches.push({ changes, succeed: () => resolve(), fail: reject });
      }),
    recover(revision) {
      recoveries.push(revision);
      return recoverWith === undefined ? Promise.resolve() : Promise.reject(recoverWith);
    },
    close: () => Promise.resolve(),
  };
  return {
    engine,
    batches,
    recoveries,
    refuseRecovery: (reason: Error | undefined): void => {
      recoverWith = reason;
    },
  };
}

async function setUp() {
  const clock = createVirtualClock();
  const manual = manualEngine();
  const notices: string[] = [];
  const store = await openStore({ clock, engine: manual.engine, notice: (message) => notices.push(message) });
  return { clock, store, notices, ...manual };
}

const full = new Error('ENOSPC: no space left on device');
const outcomeOf = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'answered',
    (error: unknown) => (error instanceof StoreStatusError ? error.storeCode : String(error)),
  );

describe('group commit', () => {
  it('has one batch with the engine while the next gathers', async () => {
    const { clock, store, batches } = await setUp();
    void putTo(store, PODS, 'a', 'x');
    void putTo(store, PODS, 'a', 'y');
    await clock.drain();
    expect(batches.map((b) => b.changes.map((c) => c.revision))).toEqual([[1, 2]]);
    void putTo(store, PODS, 'a', 'z');
    void putTo(store, NODES, '', 'n');
    await clock.drain();
    expect(batches).toHaveLength(1);
    expect(store.revision).toBe(0);
    batches[0]?.succeed();
    await clock.drain();
    expect(store.revision).toBe(2);
    expect(batches.map((b) => b.changes.map((c) => c.revision))).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('cuts a flood into batches, so that no commit holds up the loop', async () => {
    const { clock, store, batches } = await setUp();
    for (let i = 0; i < 1_200; i++) void putTo(store, PODS, 'a', `p${i}`);
    for (let done = 0; done < 10; done++) {
      await clock.drain();
      batches[done]?.succeed();
    }
    expect(store.count(PODS)).toBe(1_200);
    expect(Math.max(...batches.map((b) => b.changes.length))).toBeLessThanOrEqual(256);
  });

  it('tells the engine which record a change makes superfluous', async () => {
    const { clock, store, batches } = await setUp();
    void putTo(store, PODS, 'a', 'x');
    void putTo(store, PODS, 'a', 'x');
    void store.write(keyIn(PODS, 'a', 'x'), (accepted) => ({ remove: accepted ?? objectOf('a', 'x') }));
    await clock.drain();
    expect(batches[0]?.changes.map((c) => [c.revision, c.replaces, c.object === undefined])).toEqual([
      [1, undefined, false],
      [2, 1, false],
      [3, 2, true],
    ]);
    batches[0]?.succeed();
    await clock.drain();
  });
});

describe('a commit that fails', () => {
  it('undoes its batch and everything accepted after it, and shows none of it', async () => {
    const { clock, store, batches } = await setUp();
    const first = putTo(store, PODS, 'a', 'x', 'committed');
    await clock.drain();
    batches[0]?.succeed();
    await first;
    const watched = recordWatch(store, PODS, 1);
    const failed = outcomeOf(putTo(store, PODS, 'a', 'x', 'lost'));
    await clock.drain();
    const building = outcomeOf(putTo(store, PODS, 'a', 'x', 'built on it'));
    const elsewhere = outcomeOf(putTo(store, NODES, '', 'n'));
    const refused = outcomeOf(
      store.write(keyIn(PODS, 'a', 'x'), () => {
        throw new Error('conflict with what was lost');
      }),
    );
    const kept = outcomeOf(
      store.write(keyIn(PODS, 'a', 'x'), (accepted) => ({ keep: accepted ?? objectOf('a', 'x') })),
    );
    batches[1]?.fail(full);
    expect(await Promise.all([failed, building, elsewhere, refused, kept])).toEqual(
      Array.from({ length: 5 }, () => 'EN_STORE_COMMIT_FAILED'),
    );
    expect(dataOf(store.get(keyIn(PODS, 'a', 'x')))).toBe('committed');
    expect(dataOf(store.accepted(keyIn(PODS, 'a', 'x')))).toBe('committed');
    expect(store.accepted(keyIn(NODES, '', 'n'))).toBeUndefined();
    expect(store.revision).toBe(1);
    expect(watched.events).toEqual([]);
    await store.close();
  });

  it('refuses writes with the reason until the engine recovers, and goes on reading and watching', async () => {
    const { clock, store, batches, notices, recoveries, refuseRecovery } = await setUp();
    refuseRecovery(full);
    const watched = recordWatch(store, PODS, 0);
    const lost = outcomeOf(putTo(store, PODS, 'a', 'x'));
    await clock.drain();
    batches[0]?.fail(full);
    await lost;
    const refusal = await putTo(store, PODS, 'a', 'y').catch((error: unknown) => error);
    expect(refusal).toMatchObject({ storeCode: 'EN_STORE_READ_ONLY', code: 503 });
    // Clients that are told when to try again keep the reason to themselves until they have tried ten times.
    expect((refusal as StoreStatusError).status.details).not.toHaveProperty('retryAfterSeconds');
    expect(String(refusal)).toContain('ENOSPC');
    expect([...store.list(PODS)]).toEqual([]);
    await clock.advance(5_000);
    expect(recoveries.length).toBeGreaterThan(1);
    expect(await outcomeOf(putTo(store, PODS, 'a', 'y'))).toBe('EN_STORE_READ_ONLY');

    refuseRecovery(undefined);
    await clock.advance(15_000);
    expect(notices).toEqual([
      'Writes are refused until the disk recovers: ENOSPC: no space left on device',
      'The disk has recovered; writes are taken again',
    ]);
    const answer = putTo(store, PODS, 'a', 'y');
    await clock.drain();
    batches[1]?.succeed();
    // Revision 1 was given to a change that failed; no other change ever gets it.
    expect((await answer).metadata.resourceVersion).toBe('2');
    await clock.drain();
    expect(watched.events.map((e) => e.revision)).toEqual([2]);
    expect(recoveries.at(-1)).toBe(1);
    await store.close();
  });

  it('can be closed while it is read-only', async () => {
    const { clock, store, batches } = await setUp();
    const lost = outcomeOf(putTo(store, PODS, 'a', 'x'));
    await clock.drain();
    batches[0]?.fail(full);
    await lost;
    await store.close();
    expect(clock.pendingTimers).toBe(0);
    expect(await outcomeOf(putTo(store, PODS, 'a', 'x'))).toBe('EN_STORE_CLOSED');
  });

  it('treats an engine that throws as one that fails', async () => {
    const clock = createVirtualClock();
    const { engine } = manualEngine();
    const store = await openStore({
      clock,
      engine: {
        ...engine,
        commit() {
          throw full;
        },
      },
    });
    expect(await outcomeOf(putTo(store, PODS, 'a', 'x'))).toBe('EN_STORE_COMMIT_FAILED');
    await store.close();
  });
});

describe('opening', () => {
  it('releases the engine when loading fails', async () => {
    let closed = false;
    const { engine } = manualEngine();
    const failing: StoreEngine = {
      ...engine,
      load: () => Promise.reject(new Error('unreadable')),
      close() {
        closed = true;
        return Promise.resolve();
      },
    };
    await expect(openStore({ clock: createVirtualClock(), engine: failing })).rejects.toThrow('unreadable');
    expect(closed).toBe(true);
  });
});
