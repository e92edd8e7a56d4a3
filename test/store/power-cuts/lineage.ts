/**
 * One store's life over many power cuts: opened, written to by several clients at once, cut off at some operation of the
 * disk (also while it opens), opened again and compared with what the clients were told. Segments are tiny, so that
 * rotations and merges go on all the time. Everything follows from the seed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoreEngine } from '../../../src/apiserver/store/engine.ts';
import type { LogFiles } from '../../../src/apiserver/store/engines/log/files.ts';
import { createLogEngine } from '../../../src/apiserver/store/engines/log/log-engine.ts';
import { openStore } from '../../../src/apiserver/store/store-over-engine.ts';
import type { Store } from '../../../src/apiserver/store/store.ts';
import { createSeededRandom } from '../../../src/machinery/random/seeded-random.ts';
import { createVirtualClock } from '../../../src/machinery/time/virtual-clock.ts';
import { SimulatedDisk, type DiskCounts } from './disk.ts';
import { drive } from './drive.ts';
import { Ledger } from './ledger.ts';
import { clearWeather, drawPlan, drawWeather, startClients, type Scene } from './traffic.ts';

/** What is done wrong on purpose, to see that the comparison notices. */
export interface Sabotage {
  readonly files?: (files: LogFiles) => LogFiles;
  readonly engine?: (engine: StoreEngine) => StoreEngine;
}

export interface LineageReport {
  /** What was wrong after the last cut; empty when nothing was, after every one. */
  readonly problems: readonly string[];
  readonly counts: DiskCounts;
  readonly ledger: Ledger;
}

interface Life extends Scene {
  readonly sabotage: Sabotage;
  /** Holds nothing but the lock: the files are on the simulated disk. */
  readonly directory: string;
}

/** Stops at the first problem. */
export async function liveThrough(seed: string, cuts: number, sabotage: Sabotage = {}): Promise<LineageReport> {
  const clock = createVirtualClock();
  const random = createSeededRandom(seed);
  const disk = new SimulatedDisk(clock, random.fork('disk'));
  const directory = mkdtempSync(join(tmpdir(), 'everynode-power-'));
  const life: Life = { clock, random, disk, ledger: new Ledger(), sabotage, directory };
  const problems: string[] = [];
  try {
    while (disk.counts.power < cuts && problems.length === 0) {
      const { power, kill } = disk.counts;
      for (const problem of await oneRound(life)) {
        problems.push(`lineage ${seed}, after ${power} power cuts and ${kill} kills: ${problem}`);
      }
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return { problems, counts: disk.counts, ledger: life.ledger };
}

/** Opens, compares, and lets clients write until the end comes. */
async function oneRound(life: Life): Promise<string[]> {
  const { clock, disk, random, ledger } = life;
  clearWeather(disk);
  const files = disk.mount();
  if (random.next() < 0.25) disk.weather.plan = drawPlan(random, 30);
  let store: Store;
  try {
    store = await drive(clock, open(life, files));
  } catch (error) {
    return disk.isOn ? [`the store does not open: ${(error as Error).message}`] : [];
  }
  const wrong = disk.isOn ? ledger.compare(store) : [];
  if (wrong.length === 0 && disk.isOn) await serve(life, store);
  if (disk.isOn) disk.stop('power');
  await drive(
    clock,
    store.close().catch(() => undefined),
  );
  return wrong;
}

const SERVING_MS = 30_000;

async function serve(life: Life, store: Store): Promise<void> {
  const { clock, disk, random, ledger } = life;
  const isClean = random.next() < 0.1;
  disk.weather.plan = isClean ? undefined : (disk.weather.plan ?? drawPlan(random, 150));
  drawWeather(life);
  // While writes are refused, the disk has little to do: a countdown of its operations would seldom end there.
  const refusals = random.next() < 0.5 ? ledger.refused : Infinity;
  const clients = startClients(life, store);
  const isOver = (): boolean => !disk.isOn || ledger.refused > refusals;
  await clock.runUntil(isOver, isClean ? random.next() * 300 : SERVING_MS);
  if (ledger.refused > refusals) await clock.advance(random.next() * 800);
  clients.stop();
  if (isClean) {
    // Stopped in good order, so nothing is in doubt; the power goes afterwards.
    await drive(clock, clients.ended);
    await drive(
      clock,
      store.close().catch(() => undefined),
    );
  }
  if (disk.isOn) disk.stop(random.next() < 0.8 ? 'power' : 'kill');
  await drive(clock, clients.ended);
}

/** The same engine but for some of its methods. Delegates, since an engine's state is private to it. */
export const derived = (engine: StoreEngine, changes: Partial<StoreEngine>): StoreEngine =>
  Object.assign(
    {
      get isFull() {
        return engine.isFull === true;
      },
      load: (receive, currentRevision) => engine.load(receive, currentRevision),
      commit: (batch) => engine.commit(batch),
      recover: (revision) => engine.recover(revision),
      regainRoom: () => engine.regainRoom?.() ?? Promise.resolve(true),
      close: () => engine.close(),
    } satisfies StoreEngine as StoreEngine,
    changes,
  );

async function open(life: Life, files: LogFiles): Promise<Store> {
  const { clock, random, disk, directory, sabotage, ledger } = life;
  const segmentBytes = 2_000 + random.integer(12_000);
  const engine = await createLogEngine({
    directory,
    segmentBytes,
    random,
    garbageBytes: 1_000 + random.integer(segmentBytes),
    wrapFiles: () => sabotage.files?.(files) ?? files,
  });
  const watched = derived(engine, {
    commit(batch) {
      ledger.batch(batch[0]?.revision ?? 0, batch.at(-1)?.revision ?? 0);
      return engine.commit(batch);
    },
  });
  return openStore({
    clock,
    engine: sabotage.engine?.(watched) ?? watched,
    // The process ends itself: nobody is answered, and the page cache stays.
    halt: () => disk.stop('kill'),
  });
}
