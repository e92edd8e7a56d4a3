/** The state of a running log, shared by its writer, its merging and its engine, and the sums that decisions rest on. */
import type { ActiveSegment } from './active-segment.ts';
import type { ClosedSegment } from './compact.ts';
import { recordedOf } from './record.ts';
import type { RecordState, SegmentRecord } from './record.ts';

export interface LogState {
  /** Segments that nothing is written to any more, in order: first the merged ones. */
  closed: readonly ClosedSegment[];
  /** The record of segments; open from `load` on. */
  record: SegmentRecord | undefined;
  /** The segment being written; none before the first commit. */
  active: ActiveSegment | undefined;
  /** The record of segments names the active one: before that nothing may be committed to it. */
  isActiveRecorded: boolean;
  /** The highest revision given out; and the highest that a crash cannot take back. */
  revision: number;
  durableRevision: number;
  /** Records on disk, and how many of them are superseded (or tell of a removal). */
  records: number;
  deadRecords: number;
  /** Of the newest merge. */
  generation: number;
  /** Files that were merged into others and are still there. */
  readonly leftOver: Set<string>;
  /** No room but the reserve, which was given up: only deletions are written. */
  isFull: boolean;
  /** A refused write may come back after a crash: nothing more is written. */
  isBroken: boolean;
}

export const newLogState = (): LogState => ({
  closed: [],
  record: undefined,
  active: undefined,
  isActiveRecorded: true,
  revision: 0,
  durableRevision: 0,
  records: 0,
  deadRecords: 0,
  generation: 0,
  leftOver: new Set(),
  isFull: false,
  isBroken: false,
});

export const bytesOnDisk = ({ closed, active }: LogState): number =>
  closed.reduce((sum, { length }) => sum + length, active?.length() ?? 0);

export const garbageBytes = (state: LogState): number =>
  state.records === 0 ? 0 : bytesOnDisk(state) * (state.deadRecords / state.records);

/** The content of the record of segments as the log stands. */
export function recordStateOf({ closed, active, revision }: LogState, clean: boolean): RecordState {
  const all = active === undefined ? closed : [...closed, active.closed()];
  return { segments: all.map(recordedOf), revision, clean };
}
