/**
 * Limits on unread bytes, of all clients together and of each connection. A watcher that is far behind is cut off by
 * its own limit; this is for the many that are each a little behind, and for answers that no client reads. The slowest
 * stream goes first: a watcher resumes from its last revision, and our memory stays ours.
 */
import type { ByteStream } from './byte-stream.ts';

export interface UnreadBudget {
  /** To be called after a write; `cutOff` may be called at once or later, for this or another stream. */
  wrote(stream: ByteStream, cutOff: () => void): void;
  ended(stream: ByteStream): void;
}

export interface UnreadLimits {
  readonly total: number;
  /** Keeps one client from having the others cut off. */
  readonly perConnection: number;
}

/** Streams with fewer unread bytes than this are not tracked. */
const WORTH_COUNTING = 64 * 1024;

interface Behind {
  readonly stream: ByteStream;
  readonly cutOff: () => void;
  bytes: number;
}

/** Streams that are behind, and the sum of their last known unread bytes: too high where one has caught up since. */
interface Share {
  readonly streams: Map<ByteStream, Behind>;
  bytes: number;
}

const newShare = (): Share => ({ streams: new Map(), bytes: 0 });

export function createUnreadBudget(limits: UnreadLimits): UnreadBudget {
  const all = newShare();
  const connections = new Map<object, Share>();

  const shareOf = (stream: ByteStream): Share => {
    let share = connections.get(stream.connection);
    if (share === undefined) connections.set(stream.connection, (share = newShare()));
    return share;
  };

  function forget(stream: ByteStream): void {
    const known = all.streams.get(stream);
    if (known === undefined) return;
    const share = shareOf(stream);
    for (const each of [all, share]) {
      each.bytes -= known.bytes;
      each.streams.delete(stream);
    }
    if (share.streams.size === 0) connections.delete(stream.connection);
  }

  function update(known: Behind, bytes: number): void {
    all.bytes += bytes - known.bytes;
    shareOf(known.stream).bytes += bytes - known.bytes;
    known.bytes = bytes;
  }

  function keepWithin(share: Share, most: number): void {
    if (share.bytes <= most) return;
    for (const known of share.streams.values()) {
      update(known, known.stream.buffered);
      if (known.bytes < WORTH_COUNTING) forget(known.stream);
    }
    if (share.bytes <= most) return;
    for (const slowest of [...share.streams.values()].sort((a, b) => b.bytes - a.bytes)) {
      forget(slowest.stream);
      slowest.cutOff();
      if (share.bytes <= most) return;
    }
  }

  return {
    wrote(stream, cutOff) {
      const bytes = stream.buffered;
      if (bytes < WORTH_COUNTING) {
        if (all.streams.size > 0) forget(stream);
        return;
      }
      let known = all.streams.get(stream);
      if (known === undefined) {
        known = { stream, cutOff, bytes: 0 };
        all.streams.set(stream, known);
        shareOf(stream).streams.set(stream, known);
      }
      update(known, bytes);
      keepWithin(shareOf(stream), limits.perConnection);
      keepWithin(all, limits.total);
    },
    ended: forget,
  };
}
