/**
 * JSON bytes of stored objects, kept while they are likely to be asked for again: a thousand watchers and a list share
 * one encoding. Bounded in bytes; the oldest entries go first.
 */
import { encodeObject } from '../../core/api/schema/object-json.ts';

export interface EncodedCache {
  /** The object's JSON. Objects are immutable, so identity is the key. */
  bytes(object: object): Buffer;
}

export function createEncodedCache(maxBytes: number): EncodedCache {
  // Two generations instead of a linked list: cheap to keep, and what is used moves on to the young one.
  let young = new Map<object, Buffer>();
  let old = new Map<object, Buffer>();
  let youngBytes = 0;
  return {
    bytes(object) {
      const known = young.get(object);
      if (known !== undefined) return known;
      const encoded = old.get(object) ?? Buffer.from(encodeObject(object));
      young.set(object, encoded);
      youngBytes += encoded.length;
      if (youngBytes > maxBytes / 2) {
        old = young;
        young = new Map();
        youngBytes = 0;
      }
      return encoded;
    },
  };
}
