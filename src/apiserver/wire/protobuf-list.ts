/**
 * Lists as protobuf, in which the length of the whole stands before the first item: items are encoded once to learn their
 * sizes. The bytes are kept for sending while there is room for them, in all such lists together; where there is none,
 * an item is encoded again when its turn to be sent has come. Slow readers cost time then, and not memory.
 */
import { protobufListFrame, type ListFrame } from '../../core/api/schema/protobuf/envelope.ts';
import type { Pace } from '../contract/request.ts';
import type { Bits } from './send-bits.ts';

const MOST_KEPT_BYTES = 48 * 1024 * 1024;
let keptBytes = 0;

export interface ProtobufListBits extends Bits {
  /** Gives back the room of what was not sent. */
  forget(): void;
}

export async function protobufListBits(
  head: { readonly apiVersion: string; readonly kind: string; readonly metadata: object },
  length: number,
  encode: (index: number) => Buffer,
  pace: Pace,
): Promise<ProtobufListBits> {
  const sizes: number[] = [];
  const kept = new Map<number, Buffer>();
  const take = (index: number): Buffer => {
    const bytes = kept.get(index);
    if (bytes === undefined) return encode(index);
    kept.delete(index);
    keptBytes -= bytes.length;
    return bytes;
  };
  const forget = (): void => {
    for (const bytes of kept.values()) keptBytes -= bytes.length;
    kept.clear();
  };
  try {
    for (let index = 0; index < length; index += 1) {
      const bytes = encode(index);
      sizes.push(bytes.length);
      if (keptBytes + bytes.length <= MOST_KEPT_BYTES) {
        kept.set(index, bytes);
        keptBytes += bytes.length;
      }
      const wait = pace.turn();
      if (wait !== undefined) await wait;
    }
  } catch (error) {
    forget();
    throw error;
  }
  return { ...framed(protobufListFrame(head, sizes), sizes, take), forget };
}

function framed(frame: ListFrame, sizes: readonly number[], item: (index: number) => Buffer): Bits {
  /** -1 before the first item. */
  let index = -2;
  let start: Buffer = Buffer.alloc(0);
  return {
    next() {
      index += 1;
      if (index === -1) return frame.before.length;
      const size = sizes[index];
      if (size === undefined) return index === sizes.length ? frame.after.length : -1;
      start = frame.item(size);
      return start.length + size;
    },
    take(target, at) {
      if (index === -1) frame.before.copy(target, at);
      else if (index === sizes.length) frame.after.copy(target, at);
      else item(index).copy(target, at + start.copy(target, at));
    },
  };
}
