/**
 * Bytes cut from larger blocks. Asking the system for a block a body costs more than filling it, and Node's own pool
 * serves only what is under four kilobytes. A block lives as long as anything cut from it, so what is cut from one slab
 * should be forgotten together.
 */
export interface Slab {
  /** The text as UTF-8. */
  text(text: string): Buffer;
  /** All parts, one after the other. */
  joined(parts: readonly Buffer[]): Buffer;
}

/** Most bytes of a character in UTF-8, by UTF-16 code unit. */
const WIDEST = 3;

export function createSlab(blockBytes: number): Slab {
  let block = Buffer.alloc(0);
  let used = 0;

  /** Whether a block has room for the bytes; a text that would take much of a block is not cut from one. */
  const hasRoom = (bytes: number): boolean => {
    if (bytes > blockBytes / 4) return false;
    if (block.length - used < bytes) {
      block = Buffer.allocUnsafeSlow(blockBytes);
      used = 0;
    }
    return true;
  };
  const cut = (bytes: number): Buffer => {
    const piece = block.subarray(used, used + bytes);
    used += bytes;
    return piece;
  };

  return {
    text: (text) => (hasRoom(text.length * WIDEST) ? cut(block.write(text, used)) : Buffer.from(text)),
    joined(parts) {
      let size = 0;
      for (const part of parts) size += part.length;
      if (!hasRoom(size)) return Buffer.concat(parts, size);
      let at = used;
      for (const part of parts) {
        block.set(part, at);
        at += part.length;
      }
      return cut(size);
    },
  };
}
