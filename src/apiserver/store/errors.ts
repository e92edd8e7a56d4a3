/** Everything the store can fail with, in one place. A code is never renamed. */
import { CodedError } from '../../core/kube/coded-error.ts';
import { StatusError, expired } from '../../core/kube/status-error.ts';

export const STORE_ERROR_CODES = {
  EN_STORE_COMMIT_FAILED: 'A batch could not be made durable; its writes and everything accepted after it were undone',
  EN_STORE_READ_ONLY: 'An earlier commit failed and the engine has not recovered; reads go on, writes are refused',
  EN_STORE_CLOSED: 'The store was closed',
  EN_STORE_BAD_DECISION: 'A decision broke the rules of `write` (a programming error)',
  EN_STORE_WATCHER_FAILED: 'A watcher threw while it was handed events; it was cut off so that the others are not hurt',
  EN_STORE_LOCKED: 'Another process holds the data directory',
  EN_STORE_DIRECTORY: 'The data directory cannot be used: wrong type, owner or permissions',
  EN_STORE_SCHEMA: 'The files were written by a version this one does not understand',
  EN_STORE_CORRUPT: 'What is on disk is damaged in a way that a crash cannot explain',
  EN_STORE_INCOMPLETE:
    'A file of the store is missing, is shorter than its record of segments says, or is older than the files beside it',
  EN_STORE_FULL: 'The disk is full; reads go on and deletions are taken, other writes are refused until there is room',
  EN_STORE_UNDO: 'A write failed and could not be taken back; the process stops without answering it',
  EN_STORE_HALTED: 'An earlier write failed and could not be taken back; the process is stopping',
  EN_STORE_BACKUP: 'A backup cannot be made, or is damaged, or cannot be restored to the place that was named',
  EN_STORE_ENGINE: 'The engine failed while opening or closing',
} as const;

export type StoreErrorCode = keyof typeof STORE_ERROR_CODES;

/** A failure outside any request: opening, closing, damaged files. */
export class StoreError extends CodedError<StoreErrorCode> {
  override readonly name = 'StoreError';
}

/** Kubernetes has no reason for 507, and clients read a code without one as `Unknown`. */
const REASONS = { 500: 'InternalError', 503: 'ServiceUnavailable', 507: 'Unknown' } as const;

/** A failure of one write or watch. A Status, so that request handlers can answer with it as it is. */
export class StoreStatusError extends StatusError {
  readonly storeCode: StoreErrorCode;

  constructor(storeCode: StoreErrorCode, httpCode: 500 | 503 | 507, message: string, options?: ErrorOptions) {
    super(
      httpCode,
      REASONS[httpCode],
      `${storeCode}: ${message}`,
      // No `retryAfterSeconds`: kubectl would wait for most of a minute before it shows the reason.
      { causes: [{ reason: storeCode, message }] },
      options,
    );
    this.storeCode = storeCode;
  }
}

export const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

export const commitFailed = (cause: unknown): StoreStatusError =>
  new StoreStatusError('EN_STORE_COMMIT_FAILED', 500, `the write could not be made durable: ${textOf(cause)}`, {
    cause,
  });

export const readOnly = (cause: unknown): StoreStatusError =>
  new StoreStatusError('EN_STORE_READ_ONLY', 503, `the store is read-only until its disk recovers: ${textOf(cause)}`, {
    cause,
  });

export const storageFull = (cause?: unknown): StoreStatusError =>
  new StoreStatusError('EN_STORE_FULL', 507, `${FULL_DISK}; deletions are taken, other writes are not`, { cause });
export const FULL_DISK =
  'the disk of the data directory is full: free some space on it, or delete objects that are not needed';

export const storeHalted = (cause: unknown): StoreStatusError =>
  new StoreStatusError('EN_STORE_HALTED', 503, `the store is stopping: ${textOf(cause)}`, { cause });

export const storeClosed = (): StoreStatusError => new StoreStatusError('EN_STORE_CLOSED', 503, 'the store is closed');

export const badDecision = (message: string): StoreStatusError =>
  new StoreStatusError('EN_STORE_BAD_DECISION', 500, message);

export const watcherFailed = (cause: unknown): StoreStatusError =>
  new StoreStatusError('EN_STORE_WATCHER_FAILED', 500, `the watcher failed: ${textOf(cause)}`, { cause });

/** In the words Kubernetes uses, which clients look for. */
export const tooOld = (revision: number, oldest: number): StatusError =>
  expired(`too old resource version: ${revision} (${oldest})`);

export const tooLarge = (revision: number, current: number): StatusError =>
  new StatusError(504, 'Timeout', `Too large resource version: ${revision}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
