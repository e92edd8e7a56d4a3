/**
 * One file of the simulated disk, sector by sector: what programs read (the page cache) and what a power cut leaves (the
 * platter). Between the two stand every content that an unsynced sector has had and every length that the file has had
 * since its last sync; a cut picks among them, for each sector on its own, so unsynced writes are dropped, torn and
 * reordered in every way.
 */
import type { Random } from '../../../src/machinery/random/random.ts';

const SECTOR_BYTES = 512;

/** How a power cut treats what was not synced; one mood for a whole cut, so that all-old and all-new happen too. */
export interface CutMood {
  /** Chance that a sector, a length or a directory entry is the newest one. With 0 all of them are the oldest. */
  readonly newest: number;
  /** Chance that a sector that was not newest is torn: two of its contents, joined somewhere in the middle. */
  readonly torn: number;
}

/** Bytes with room to grow; everything from `length` on is zero. */
class Bytes {
  buffer = Buffer.alloc(4096);
  length = 0;

  resize(length: number): void {
    if (length > this.buffer.length) {
      const larger = Buffer.alloc(Math.max(length, this.buffer.length * 2));
      this.buffer.copy(larger, 0, 0, this.length);
      this.buffer = larger;
    }
    if (length < this.length) this.buffer.fill(0, length, this.length);
    this.length = length;
  }

  sector(index: number): Buffer {
    return this.sectors(index, index + 1);
  }

  /** A copy; what lies beyond the end is zero. */
  sectors(from: number, to: number): Buffer {
    const copy = Buffer.alloc((to - from) * SECTOR_BYTES);
    const start = from * SECTOR_BYTES;
    if (start < this.length) this.buffer.copy(copy, 0, start, Math.min(to * SECTOR_BYTES, this.length));
    return copy;
  }

  /** Writes as much of a sector as lies within the length. */
  putSector(index: number, content: Buffer): void {
    const start = index * SECTOR_BYTES;
    content.copy(this.buffer, start, 0, Math.min(SECTOR_BYTES, Math.max(0, this.length - start)));
  }
}

export class SectoredFile {
  readonly #cache = new Bytes();
  readonly #platter = new Bytes();
  /** Of each sector that is not synced: every content it has had since, the newest last. */
  readonly #unsynced = new Map<number, Buffer[]>();
  /** Every length since the last sync, the newest last. */
  #lengths: number[] = [];

  get size(): number {
    return this.#cache.length;
  }

  read(into: Uint8Array, position: number): number {
    const end = Math.min(this.#cache.length, position + into.length);
    if (end <= position) return 0;
    into.set(this.#cache.buffer.subarray(position, end));
    return end - position;
  }

  write(bytes: Uint8Array, position: number): void {
    if (bytes.length === 0) return;
    const end = position + bytes.length;
    if (end > this.#cache.length) this.#resize(end);
    this.#cache.buffer.set(bytes, position);
    this.#remember(position, end);
  }

  truncate(length: number): void {
    const before = this.#cache.length;
    if (length === before) return;
    this.#resize(length);
    this.#remember(Math.min(length, before), Math.max(length, before));
  }

  sync(): void {
    if (this.#lengths.length > 0) this.#platter.resize(this.#cache.length);
    for (const index of this.#unsynced.keys()) this.#platter.putSector(index, this.#cache.sector(index));
    this.#unsynced.clear();
    this.#lengths = [];
  }

  /**
   * A sync that failed, as Linux does it: some sectors reached the platter, all count as clean, so that no later sync
   * writes the others, and programs go on reading what was lost. The length is metadata and stays to be written.
   */
  failSync(random: Random, mood: CutMood): void {
    this.#settle(random, mood);
    this.#unsynced.clear();
  }

  /** Only what the platter has, and for whatever was not synced, chance. */
  cut(random: Random, mood: CutMood): void {
    this.#settle(random, mood);
    this.#unsynced.clear();
    this.#lengths = [];
    this.#cache.resize(0);
    this.#cache.resize(this.#platter.length);
    this.#platter.buffer.copy(this.#cache.buffer, 0, 0, this.#platter.length);
  }

  #resize(length: number): void {
    this.#cache.resize(length);
    this.#lengths.push(length);
  }

  #remember(start: number, end: number): void {
    const first = Math.floor(start / SECTOR_BYTES);
    const after = Math.ceil(end / SECTOR_BYTES);
    const copy = this.#cache.sectors(first, after);
    for (let index = first; index < after; index += 1) {
      const content = copy.subarray((index - first) * SECTOR_BYTES, (index - first + 1) * SECTOR_BYTES);
      const contents = this.#unsynced.get(index);
      if (contents === undefined) this.#unsynced.set(index, [content]);
      else contents.push(content);
    }
  }

  #settle(random: Random, mood: CutMood): void {
    this.#platter.resize(pick(random, mood, [this.#platter.length, ...this.#lengths]));
    for (const [index, contents] of this.#unsynced) {
      const all = [this.#platter.sector(index), ...contents];
      const chosen = pick(random, mood, all);
      if (chosen === all.at(-1) || random.next() >= mood.torn) this.#platter.putSector(index, chosen);
      else this.#platter.putSector(index, joined(chosen, pick(random, mood, all), random.integer(SECTOR_BYTES)));
    }
  }
}

/** Two contents of one sector, joined at a byte: what both have in common is never damaged. */
const joined = (first: Buffer, second: Buffer, at: number): Buffer =>
  Buffer.concat([first.subarray(0, at), second.subarray(at)]);

function pick<T>(random: Random, mood: CutMood, oldestFirst: readonly T[]): T {
  if (mood.newest === 0) return oldestFirst[0] as T;
  const at = random.next() < mood.newest ? oldestFirst.length - 1 : random.integer(oldestFirst.length);
  return oldestFirst[at] as T;
}
