/** Clients that never rest, and the weather that they write in: full disks, failing disks, no descriptors. */
import type { Store } from '../../../src/apiserver/store/store.ts';
import type { Random } from '../../../src/machinery/random/random.ts';
import type { VirtualClock } from '../../../src/machinery/time/virtual-clock.ts';
import type { DiskOperation, EndPlan, Faults, SimulatedDisk } from './disk.ts';
import { THINGS, thing, type Change, type Ledger } from './ledger.ts';

export interface Scene {
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly disk: SimulatedDisk;
  readonly ledger: Ledger;
}

const NAMES = 12;
const MOST_CLIENTS = 6;
const SHORT = 400;
const LONG = 9_000;

/** Several clients that write until the disk goes off or `stop` is called; resolves when all have ended. */
export function startClients(scene: Scene, store: Store): { stop(): void; readonly ended: Promise<unknown> } {
  const state = { isStopped: false };
  const clients = Array.from({ length: 1 + scene.random.integer(MOST_CLIENTS) }, () => client(scene, store, state));
  return { stop: () => void (state.isStopped = true), ended: Promise.all(clients) };
}

async function client(scene: Scene, store: Store, state: { readonly isStopped: boolean }): Promise<void> {
  const { clock, random, disk, ledger } = scene;
  while (disk.isOn && !state.isStopped) {
    const outcome = await writeOnce(scene, store);
    if (disk.isOn) ledger.saw(store.revision);
    await clock.sleep(outcome === 'acknowledged' ? random.next() * 4 : 100 + random.next() * 900);
  }
}

/** No two are alike, and half of one would show. */
function drawContent(random: Random): string {
  const piece = `${random.suffix(8)}.`;
  const length = 1 + random.integer(random.next() < 0.9 ? SHORT : LONG);
  return piece.repeat(Math.ceil(length / piece.length));
}

async function writeOnce({ random, disk, ledger }: Scene, store: Store): Promise<Change['outcome']> {
  const name = `t${random.integer(NAMES)}`;
  const content = drawContent(random);
  const isRemoval = random.next() < 0.2;
  let change: Change | undefined;
  let outcome: 'acknowledged' | 'refused';
  try {
    const written = store.write({ ...THINGS, namespace: 'default', name }, (accepted, revision) => {
      const isGone = isRemoval && accepted !== undefined;
      change = ledger.ordered(name, revision, isGone ? undefined : content);
      return isGone ? { remove: accepted } : { put: thing(name, content) };
    });
    // A store that has to stop leaves its writers without an answer.
    await Promise.race([written, disk.off]);
    outcome = 'acknowledged';
  } catch {
    outcome = 'refused';
  }
  // What comes after the power has gone reaches no client.
  if (!disk.isOn) return 'doubtful';
  if (change !== undefined) ledger.settle(change, outcome);
  return outcome;
}

const KINDS: readonly DiskOperation[] = ['create', 'rename', 'remove', 'syncDirectory', 'truncate', 'sync', 'write'];

/** When the end comes: at any operation, or at one of a kind that a fair draw would seldom hit. */
export function drawPlan(random: Random, within: number): EndPlan {
  const end = random.next() < 0.8 ? 'power' : 'kill';
  const atLatest = 2 * within;
  if (random.next() < 0.5) return { end, operation: undefined, countdown: 1 + random.integer(within), atLatest };
  return { end, operation: KINDS[random.integer(KINDS.length)], countdown: 1 + random.integer(4), atLatest };
}

export function clearWeather({ weather }: SimulatedDisk): void {
  weather.plan = undefined;
  weather.faults = () => undefined;
  weather.capacity = Infinity;
}

const STORM_MS = 4_000;

/** What goes wrong besides; it passes after some seconds, unless the power goes first. */
export function drawWeather({ clock, random, disk }: Scene): void {
  const kind = random.next();
  if (kind < 0.5) return;
  const until = clock.monotonic() + random.next() * STORM_MS;
  const during =
    (faults: Faults): Faults =>
    (operation) =>
      clock.monotonic() < until ? faults(operation) : undefined;
  if (kind < 0.7) {
    disk.weather.capacity = disk.used + random.integer(20_000);
    clock.after(until - clock.monotonic(), () => void (disk.weather.capacity = Infinity));
  } else if (kind < 0.9) {
    const chance = random.next() < 0.5 ? 0.02 : 0.3;
    disk.weather.faults = during((operation) =>
      operation !== 'read' && operation !== 'open' && random.next() < chance ? 'EIO' : undefined,
    );
  } else {
    disk.weather.faults = during((operation) =>
      (operation === 'open' || operation === 'create') && random.next() < 0.7 ? 'EMFILE' : undefined,
    );
  }
}
