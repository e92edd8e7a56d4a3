/**
 * Answers that may be large, from bits to bytes on the network. Every list and every large object goes through here,
 * whatever its format: bits are gathered in blocks, a block is made only when its reader has taken the one before, and
 * between two bits other requests may have their turn. So an answer holds two blocks, however large it is and however
 * slowly it is read, and holds up no request for longer than its largest bit takes.
 */
import type { ByteStream, Exchange } from './exchange.ts';
import type { RequestPace } from './fair-work.ts';

/** An answer in its order. */
export interface Bits {
  /** How many bytes the next bit takes; -1 when there are no more. Asked once a bit. */
  next(): number;
  /** Writes that bit, for which there is room. */
  take(target: Buffer, at: number): void;
}

const BLOCK_BYTES = 160 * 1024;
/** Blocks are used again once they are sent: a large list would otherwise leave hundreds to the garbage collector. */
const free: Buffer[] = [];
const MOST_FREE = 16;

const newBlock = (atLeast: number): Buffer =>
  atLeast > BLOCK_BYTES ? Buffer.allocUnsafeSlow(atLeast) : (free.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES));

function giveBack(block: Buffer): void {
  if (block.length === BLOCK_BYTES && free.length < MOST_FREE) free.push(block);
}

/** An answer that fits into one block is sent with its length, a larger one as a stream. */
export async function sendBits(
  exchange: Exchange,
  status: number,
  contentType: string,
  bits: Bits,
  pace: RequestPace,
): Promise<void> {
  let size = bits.next();
  let block = newBlock(size);
  let used = 0;
  let stream: ByteStream | undefined;
  for (; size >= 0; size = bits.next()) {
    if (block.length - used < size) {
      if (stream === undefined) {
        pace.enter();
        stream = exchange.stream(status, contentType);
      }
      write(stream, block, used);
      await stream.drained();
      if (exchange.closed) return;
      block = newBlock(size);
      used = 0;
    }
    bits.take(block, used);
    used += size;
    const wait = pace.turn();
    if (wait !== undefined) await wait;
  }
  if (stream !== undefined) {
    write(stream, block, used);
    stream.end();
    return;
  }
  exchange.send(status, contentType, Buffer.from(block.subarray(0, used)));
  giveBack(block);
}

function write(stream: ByteStream, block: Buffer, used: number): void {
  stream.write(block.subarray(0, used), () => giveBack(block));
}

/** Bits that are there as a whole, one after the other. */
export function bitsOf(next: () => Buffer | undefined): Bits {
  let bit: Buffer | undefined;
  return {
    next: () => (bit = next())?.length ?? -1,
    take: (target, at) => void bit?.copy(target, at),
  };
}
