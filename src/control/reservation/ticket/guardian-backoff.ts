/**
 * How soon a Ticket may try again after its guardian was lost or refused: a second at first, twice as long each time, five minutes
 * at most, and from the beginning again after the Ticket was Reserved for a while.
 */
const FIRST_MS = 1000;
const MOST_MS = 5 * 60_000;
const RESET_AFTER_MS = 10 * 60_000;

/** Times are monotonic. Changed by the functions below alone. */
export interface GuardianBackoff {
  /** Failures in a row. */
  failures: number;
  /** No guardian is made before; -Infinity: at any time. */
  notBefore: number;
  /** When the Ticket was last seen to become Reserved; undefined: never. */
  reservedAt: number | undefined;
}

export const newBackoff = (): GuardianBackoff => ({ failures: 0, notBefore: -Infinity, reservedAt: undefined });

/** Whether the next failure would count as the first. */
export const isOver = ({ failures, reservedAt }: GuardianBackoff, now: number): boolean =>
  failures === 0 || (reservedAt !== undefined && now - reservedAt >= RESET_AFTER_MS);

export function noteFailure(backoff: GuardianBackoff, now: number): void {
  if (isOver(backoff, now)) backoff.failures = 0;
  backoff.notBefore = now + Math.min(FIRST_MS * 2 ** backoff.failures, MOST_MS);
  backoff.failures += 1;
  backoff.reservedAt = undefined;
}

export function noteReserved(backoff: GuardianBackoff, now: number): void {
  backoff.reservedAt ??= now;
}
