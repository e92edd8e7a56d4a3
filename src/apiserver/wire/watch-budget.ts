/**
 * What all watchers together may leave unread. One that is far behind is cut off by its own limit; this is for the many
 * that are each a little behind. The slowest goes first: it resumes from its last revision, and our memory stays ours.
 */
import type { ByteStream } from './exchange.ts';

export interface WatchBudget {
  /** To be called after a write; `cutOff` may be called at once or later, for this or another stream. */
  wrote(stream: ByteStream, cutOff: () => void): void;
  ended(stream: ByteStream): void;
}

/** Who is less behind than this is not worth a look. */
const WORTH_COUNTING = 64 * 1024;

interface Behind {
  bytes: number;
  readonly cutOff: () => void;
}

export function createWatchBudget(maxBytes: number): WatchBudget {
  const behind = new Map<ByteStream, Behind>();
  /** Of what `behind` says; too high where a stream has caught up since its last write. */
  let total = 0;

  function forget(stream: ByteStream): void {
    const known = behind.get(stream);
    if (known === undefined) return;
    total -= known.bytes;
    behind.delete(stream);
  }

  function lookAgain(): void {
    for (const [stream, known] of behind) {
      total += stream.buffered - known.bytes;
      known.bytes = stream.buffered;
      if (known.bytes < WORTH_COUNTING) forget(stream);
    }
  }

  function cutOffSlowest(): void {
    const [slowest] = [...behind].sort(([, a], [, b]) => b.bytes - a.bytes);
    if (slowest === undefined) return;
    forget(slowest[0]);
    slowest[1].cutOff();
  }

  return {
    wrote(stream, cutOff) {
      const bytes = stream.buffered;
      if (bytes < WORTH_COUNTING) {
        if (behind.size > 0) forget(stream);
        return;
      }
      const known = behind.get(stream);
      total += bytes - (known?.bytes ?? 0);
      if (known === undefined) behind.set(stream, { bytes, cutOff });
      else known.bytes = bytes;
      if (total <= maxBytes) return;
      lookAgain();
      while (total > maxBytes && behind.size > 0) cutOffSlowest();
    },
    ended: forget,
  };
}
