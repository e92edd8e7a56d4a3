/**
 * A disk in memory with a power switch, for the log engine to stand on. It keeps exactly what POSIX promises: a file's
 * bytes survive a power cut once that file was synced, its name once the directory was synced; everything else may
 * survive or not, each sector, length and directory entry on its own. Operations take virtual time, so that merges and
 * commits overlap, and everything follows from one seed.
 */
import type { LogFile, LogFiles } from '../../../src/apiserver/store/engines/log/files.ts';
import type { Clock } from '../../../src/machinery/time/clock.ts';
import type { Random } from '../../../src/machinery/random/random.ts';
import { SectoredFile, type CutMood } from './sectors.ts';

export type DiskOperation =
  | 'open'
  | 'create'
  | 'write'
  | 'read'
  | 'truncate'
  | 'sync'
  | 'rename'
  | 'remove'
  | 'syncDirectory';

/** Whether an operation fails, and with what. */
export type Faults = (operation: DiskOperation) => 'EIO' | 'EMFILE' | undefined;

/** `power`: what was not synced is left to chance. `kill`: the process is gone, the page cache stays. */
export type End = 'power' | 'kill';

/** When the end comes: with the `countdown`th operation, of this kind if one is named, or after so many of all kinds. */
export interface EndPlan {
  readonly end: End;
  readonly operation: DiskOperation | undefined;
  countdown: number;
  atLatest: number;
}

type DirectoryChange =
  | { readonly type: 'link'; readonly name: string; readonly file: SectoredFile }
  | { readonly type: 'rename'; readonly from: string; readonly to: string; readonly file: SectoredFile }
  | { readonly type: 'unlink'; readonly name: string; readonly file: SectoredFile };

type Directory = Map<string, SectoredFile>;

const LATENCY_MS: { readonly [operation in DiskOperation]: number } = {
  open: 0.2,
  create: 0.5,
  write: 1,
  read: 0.2,
  truncate: 0.5,
  sync: 6,
  rename: 0.5,
  remove: 0.5,
  syncDirectory: 4,
};

/** Everything that was not synced is gone. */
export const LOSE_ALL: CutMood = { newest: 0, torn: 0 };

const MOODS: readonly CutMood[] = [
  LOSE_ALL,
  { newest: 0.2, torn: 0.3 },
  { newest: 0.5, torn: 0.1 },
  { newest: 0.8, torn: 0.3 },
  { newest: 0.95, torn: 0.5 },
  { newest: 1, torn: 0 },
];

/** What `SimulatedDisk` may be told to do wrong, and when it goes off. */
export interface Weather {
  plan: EndPlan | undefined;
  faults: Faults;
  /** Bytes that all files together may hold. */
  capacity: number;
}

export interface DiskCounts {
  power: number;
  kill: number;
  /** Operations that failed on purpose. */
  failures: number;
  readonly done: Map<DiskOperation, number>;
  /** How often each kind of operation was the one that the end came with. */
  readonly endedIn: Map<DiskOperation, number>;
}

const countIn = (counts: Map<DiskOperation, number>, operation: DiskOperation): void =>
  void counts.set(operation, (counts.get(operation) ?? 0) + 1);

export class SimulatedDisk {
  readonly weather: Weather = { plan: undefined, faults: () => undefined, capacity: Infinity };
  readonly #clock: Clock;
  readonly #random: Random;
  #entries: Directory = new Map();
  #syncedEntries: Directory = new Map();
  /** Since the directory was last synced, in order. */
  #changes: DirectoryChange[] = [];
  /** Counts mounts: whatever was opened in an earlier one fails. */
  #mount = 0;
  #isOn = false;
  #off = Promise.withResolvers<void>();
  readonly counts: DiskCounts = { power: 0, kill: 0, failures: 0, done: new Map(), endedIn: new Map() };

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Off from the moment of a power cut or kill until the next `mount`: nothing that a client is told then was told. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** Resolves when it goes off. */
  get off(): Promise<void> {
    return this.#off.promise;
  }

  get used(): number {
    let sum = 0;
    for (const file of this.#entries.values()) sum += file.size;
    return sum;
  }

  /** The files as a new process sees them. */
  mount(): LogFiles {
    this.#isOn = true;
    this.#off = Promise.withResolvers<void>();
    const mount = (this.#mount += 1);
    return {
      list: () => this.#run(mount, 'read', () => [...this.#entries.keys()]),
      open: (name, mode) =>
        this.#run(mount, mode === 'create' ? 'create' : 'open', () => this.#handle(mount, this.#open(name, mode))),
      rename: (from, to) => this.#run(mount, 'rename', () => this.#rename(from, to)),
      remove: (name) => this.#run(mount, 'remove', () => this.#remove(name)),
      syncDirectory: () => this.#run(mount, 'syncDirectory', () => this.#syncDirectory()),
      free: () => this.#run(mount, 'read', () => Math.max(0, this.weather.capacity - this.used)),
    };
  }

  #handle(mount: number, file: SectoredFile): LogFile {
    const partOf = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, this.#random.integer(bytes.length + 1));
    return {
      write: (bytes, position) =>
        this.#run(
          mount,
          'write',
          () => this.#write(file, bytes, position),
          () => file.write(partOf(bytes), position),
        ),
      read: (into, position) => this.#run(mount, 'read', () => file.read(into, position)),
      size: () => this.#run(mount, 'read', () => file.size),
      truncate: (length) => this.#run(mount, 'truncate', () => file.truncate(length)),
      sync: () =>
        this.#run(
          mount,
          'sync',
          () => file.sync(),
          () => file.failSync(this.#random, this.#mood()),
        ),
      close: () => Promise.resolve(),
    };
  }

  /** The end, now. */
  stop(end: End, mood: CutMood = this.#mood()): void {
    this.#isOn = false;
    this.#off.resolve();
    this.counts[end] += 1;
    this.weather.plan = undefined;
    if (end === 'kill') return;
    const entries: Directory = new Map(this.#syncedEntries);
    for (const change of this.#changes) if (this.#random.next() < mood.newest) apply(change, entries);
    for (const file of new Set(entries.values())) file.cut(this.#random, mood);
    this.#entries = entries;
    this.#syncDirectory();
  }

  #mood(): CutMood {
    return MOODS[this.#random.integer(MOODS.length)] as CutMood;
  }

  /** `half` is what has happened when it fails: a part of the bytes written, some sectors synced. */
  async #run<T>(mount: number, operation: DiskOperation, act: () => T, half?: () => void): Promise<T> {
    await this.#clock.sleep(this.#random.next() * LATENCY_MS[operation]);
    if (mount !== this.#mount || !this.#isOn) throw failure('EIO', operation, 'the power is off');
    if (this.#isTheEnd(operation)) {
      // Done or not done, nobody was told.
      const { end } = this.weather.plan as EndPlan;
      if (this.#random.next() < 0.5) act();
      this.stop(end);
      countIn(this.counts.endedIn, operation);
      throw failure('EIO', operation, 'the power is off');
    }
    const fault = this.weather.faults(operation);
    if (fault !== undefined) {
      this.counts.failures += 1;
      half?.();
      throw failure(fault, operation, 'made to fail');
    }
    countIn(this.counts.done, operation);
    return act();
  }

  #isTheEnd(operation: DiskOperation): boolean {
    const { plan } = this.weather;
    if (plan === undefined) return false;
    plan.atLatest -= 1;
    if (plan.operation === undefined || plan.operation === operation) plan.countdown -= 1;
    return plan.countdown <= 0 || plan.atLatest <= 0;
  }

  #open(name: string, mode: 'create' | 'existing'): SectoredFile {
    const there = this.#entries.get(name);
    if (mode === 'existing') {
      if (there === undefined) throw failure('ENOENT', 'open', name);
      return there;
    }
    // As O_TRUNC does it: the same file, and its old bytes may come back until it is synced.
    there?.truncate(0);
    return there ?? this.#change({ type: 'link', name, file: new SectoredFile() });
  }

  #rename(from: string, to: string): void {
    const file = this.#entries.get(from);
    if (file === undefined) throw failure('ENOENT', 'rename', from);
    this.#change({ type: 'rename', from, to, file });
  }

  #remove(name: string): void {
    const file = this.#entries.get(name);
    if (file !== undefined) this.#change({ type: 'unlink', name, file });
  }

  #change(change: DirectoryChange): SectoredFile {
    this.#changes.push(change);
    apply(change, this.#entries);
    return change.file;
  }

  #syncDirectory(): void {
    this.#syncedEntries = new Map(this.#entries);
    this.#changes = [];
  }

  /** On a disk that is full, the part that there was room for is written. */
  #write(file: SectoredFile, bytes: Uint8Array, position: number): void {
    const growth = Math.max(0, position + bytes.length - file.size);
    const room = Math.max(0, this.weather.capacity - this.used);
    if (growth <= room) {
      file.write(bytes, position);
      return;
    }
    file.write(bytes.subarray(0, Math.max(0, bytes.length - (growth - room))), position);
    this.counts.failures += 1;
    throw failure('ENOSPC', 'write', 'no space left on device');
  }
}

function apply(change: DirectoryChange, entries: Directory): void {
  switch (change.type) {
    case 'link':
      entries.set(change.name, change.file);
      break;
    case 'rename':
      if (entries.get(change.from) === change.file) entries.delete(change.from);
      entries.set(change.to, change.file);
      break;
    case 'unlink':
      if (entries.get(change.name) === change.file) entries.delete(change.name);
      break;
  }
}

const failure = (code: string, operation: DiskOperation, why: string): Error =>
  Object.assign(new Error(`${code}: ${why}, ${operation}`), { code, syscall: operation });
