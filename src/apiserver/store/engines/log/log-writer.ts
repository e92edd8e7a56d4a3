/**
 * Writes batches to the active segment, and begins a new one when that is full, or when a failed write in it cannot be cut
 * off. The record of segments names a segment before anything is committed to it.
 */
import type { EngineChange } from '../../engine.ts';
import { StoreError, textOf } from '../../errors.ts';
import { createObjectEncoder } from '../object-text.ts';
import { createActiveSegment } from './active-segment.ts';
import type { ActiveSegment } from './active-segment.ts';
import type { DiskRoom } from './disk-room.ts';
import type { LogFiles } from './files.ts';
import { recordStateOf } from './log-state.ts';
import type { LogState } from './log-state.ts';
import type { SegmentRecord } from './record.ts';
import { encodeRecord } from './records.ts';
import { createSpareFile, isOutOfDescriptors } from './spare-file.ts';
import type { SpareFile } from './spare-file.ts';

/** A frame is written and checked as one piece; a batch of huge objects is split so that none gets out of hand. */
const FRAME_CHARACTERS = 8 * 1024 * 1024;

export interface LogWriterParts {
  readonly files: LogFiles;
  readonly state: LogState;
  readonly room: DiskRoom;
  /** A segment is closed when it has grown to this. */
  readonly segmentBytes: number;
  /** Merging needs a closed segment, and would gain by one. */
  readonly isMergingWorthIt: () => boolean;
}

export class LogWriter {
  readonly #parts: LogWriterParts;
  readonly #state: LogState;
  readonly #encode = createObjectEncoder();
  /** The open file of the next segment. */
  readonly #spare: SpareFile;

  constructor(parts: LogWriterParts) {
    this.#parts = parts;
    this.#state = parts.state;
    this.#spare = createSpareFile(parts.files);
  }

  /** Opens the file of the next segment ahead of need. */
  keepSpare(): void {
    this.#spare.keep();
  }

  closeSpare(): Promise<void> {
    return this.#spare.close();
  }

  /** Writes the record of segments as the log stands; `clean` marks an orderly stop. */
  async writeRecord(clean = false): Promise<void> {
    const state = this.#state;
    const { active } = state;
    await state.record?.write(recordStateOf(state, clean));
    if (active === state.active) state.isActiveRecorded = true;
  }

  /** Begins a new segment. Its header says how much of the one before counts. */
  async rotate(): Promise<ActiveSegment> {
    const state = this.#state;
    const old = state.active;
    const { store } = state.record as SegmentRecord;
    const after = old?.closed() ?? state.closed.at(-1);
    const origin = { after, revision: state.revision, store };
    const next = await createActiveSegment(this.#parts.files, origin, await this.#spare.take());
    this.#spare.keep();
    state.active = next;
    state.isActiveRecorded = false;
    state.durableRevision = state.revision;
    if (old !== undefined) {
      state.closed = [...state.closed, old.closed()];
      // Everything that counts in it is synced, so a failing close loses nothing.
      await old.close().catch(() => undefined);
    }
    return next;
  }

  /** Makes a batch durable, or takes it back and rejects. */
  async append(batch: readonly EngineChange[]): Promise<void> {
    let segment: ActiveSegment | undefined;
    try {
      segment = await this.#writableSegment();
      await this.#write(segment, batch);
      segment.keep();
    } catch (error) {
      await this.#parts.room.releaseIfFull(error);
      if (segment !== undefined) await this.#takeBack(segment, error);
      throw error;
    }
  }

  /** The segment that the next batch goes to. */
  async #writableSegment(): Promise<ActiveSegment> {
    const state = this.#state;
    const { segmentBytes, isMergingWorthIt, room } = this.#parts;
    let segment = state.active;
    if (segment === undefined) segment = await this.rotate();
    else if (segment.length() >= segmentBytes || (state.closed.length === 0 && isMergingWorthIt())) {
      // A segment may grow beyond its size, until there is a descriptor for the next.
      const { active } = state;
      segment = await this.rotate().catch((error: unknown) => {
        if (active === undefined || !isOutOfDescriptors(error)) throw error;
        return active;
      });
    }
    if (!state.isActiveRecorded) {
      await this.writeRecord();
      room.keepReserve();
    }
    return segment;
  }

  async #write(segment: ActiveSegment, batch: readonly EngineChange[]): Promise<void> {
    let lines = '';
    let count = 0;
    for (const change of batch) {
      lines += encodeRecord(change, this.#encode);
      count++;
      if (lines.length < FRAME_CHARACTERS) continue;
      await segment.append('B', lines, count);
      lines = '';
      count = 0;
    }
    if (count > 0) await segment.append('B', lines, count);
  }

  /**
   * A refused batch must not come back after a crash: it is cut off, or a new segment says that it does not count.
   * Where neither can be made durable, the batch may not be refused at all.
   */
  async #takeBack(segment: ActiveSegment, cause: unknown): Promise<void> {
    try {
      await segment.undo();
    } catch {
      try {
        await this.rotate();
      } catch (error) {
        this.#state.isBroken = true;
        const text = `a write failed (${textOf(cause)}) and could not be taken back (${textOf(error)})`;
        throw new StoreError('EN_STORE_UNDO', text, { cause });
      }
    }
  }
}
