/**
 * JSON bytes of stored objects, kept while they are likely to be asked for again: a thousand watchers and a list share
 * one encoding. The owners of fields, often half of an object's bytes, are kept once for all objects that share them.
 * Bounded in bytes; the oldest entries go first.
 */
import { encodeManaged, type ManagedFields } from '../../core/api/apply/managed.ts';
import { splitObject } from '../../core/api/encoding/object-json.ts';
import { takeText } from '../store/fresh-texts.ts';
import { writtenObject } from './written-object.ts';
import { createSlab } from './slab.ts';

export interface EncodedCache {
  /** The object's JSON. Objects are immutable, so identity is the key. */
  bytes(object: object): Buffer;
  /** The number of those bytes. */
  size(object: object): number;
  /** Copies those bytes into a buffer that must have room for them; allocates nothing. */
  copyTo(target: Buffer, at: number, object: object): void;
  /** `size` and `copyTo` of an object as a list item: items of built-in kinds have no `apiVersion` and `kind`. */
  readonly items: ListedBytes;
  /** Gives up all bytes; those that are asked for again are encoded again. */
  clear(): void;
}

type ListedBytes = Pick<EncodedCache, 'size' | 'copyTo'>;

/** An object's bytes, and where in them the bytes of its owners belong. */
interface Kept {
  readonly own: Buffer;
  /**
   * Bytes of `apiVersion` and `kind` after the opening brace, which a list item leaves out; 0 where items keep them.
   */
  readonly typeBytes: number;
  readonly ownersAt: number;
  readonly owners: Buffer;
  /** The owners that `owners` encodes, where the bytes are kept for several objects. */
  readonly shared: ManagedFields | undefined;
}

const BLOCK_BYTES = 256 * 1024;
const NOBODY = Buffer.alloc(0);

export function createEncodedCache(maxBytes: number): EncodedCache {
  // Two generations instead of a linked list: cheap to keep, and what is used moves on to the young one.
  let young = new Map<object, Kept>();
  let old = new Map<object, Kept>();
  let youngOwners = new Map<ManagedFields, Buffer>();
  let oldOwners = new Map<ManagedFields, Buffer>();
  let youngBytes = 0;
  let kept = createSlab(BLOCK_BYTES);
  /** The young generation becomes the old one, which goes. */
  const age = (): void => {
    old = young;
    young = new Map();
    oldOwners = youngOwners;
    youngOwners = new Map();
    youngBytes = 0;
    kept = createSlab(BLOCK_BYTES);
  };
  /** Answers are forgotten as soon as they are sent. */
  const passing = createSlab(BLOCK_BYTES);

  const ownersOf = (managed: ManagedFields): Buffer => {
    const known = youngOwners.get(managed);
    if (known !== undefined) return known;
    const before = oldOwners.get(managed);
    const bytes = before === undefined ? kept.text(encodeManaged(managed)) : kept.joined([before]);
    youngOwners.set(managed, bytes);
    youngBytes += bytes.length;
    return bytes;
  };

  const encode = (object: object): Kept => {
    const text = takeText(object);
    const written = writtenObject(object);
    const { before, managed, after } =
      text !== undefined && written.object === object ? text : splitObject(written.object);
    const { typeBytes } = written;
    // Several owners are mostly those of this object alone.
    if (managed === undefined || managed.length > 1) {
      const whole = managed === undefined ? before + after : before + encodeManaged(managed) + after;
      return { own: kept.text(whole), typeBytes, ownersAt: 0, owners: NOBODY, shared: undefined };
    }
    const own = kept.text(before + after);
    return { own, typeBytes, ownersAt: Buffer.byteLength(before), owners: ownersOf(managed), shared: managed };
  };

  /** Copied, so that the bytes that stay do not keep the block of evicted ones alive. */
  const movedOn = (known: Kept): Kept => ({
    ...known,
    own: kept.joined([known.own]),
    owners: known.shared === undefined ? NOBODY : ownersOf(known.shared),
  });

  const find = (object: object): Kept => {
    const known = young.get(object);
    if (known !== undefined) return known;
    const before = old.get(object);
    const found = before === undefined ? encode(object) : movedOn(before);
    young.set(object, found);
    youngBytes += found.own.length;
    if (youngBytes > maxBytes / 2) age();
    return found;
  };

  return {
    bytes(object) {
      const { own, owners: managed, ownersAt } = find(object);
      if (managed.length === 0) return own;
      return passing.joined([own.subarray(0, ownersAt), managed, own.subarray(ownersAt)]);
    },
    size(object) {
      const { own, owners: managed } = find(object);
      return own.length + managed.length;
    },
    copyTo: (target, at, object) => copy(find(object), 0, target, at),
    clear() {
      age();
      age();
    },
    items: {
      size(object) {
        const { own, owners: managed, typeBytes } = find(object);
        return own.length + managed.length - typeBytes;
      },
      copyTo(target, at, object) {
        const found = find(object);
        if (found.typeBytes > 0) target[at] = BRACE;
        copy(found, found.typeBytes === 0 ? 0 : found.typeBytes + 1, target, found.typeBytes === 0 ? at : at + 1);
      },
    },
  };
}

const BRACE = 0x7b;

/** The bytes from a place on, owners included. */
function copy({ own, owners, ownersAt }: Kept, from: number, target: Buffer, at: number): void {
  if (owners.length === 0) own.copy(target, at, from);
  else {
    own.copy(target, at, from, ownersAt);
    owners.copy(target, at + ownersAt - from);
    own.copy(target, at + ownersAt - from + owners.length, ownersAt);
  }
}
