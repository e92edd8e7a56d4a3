/**
 * Reads DER, the one encoding of ASN.1 in which a value has a single form. An encoding that could be read in two ways (lengths that are
 * longer than needed, lengths left open) is refused, so that two readers cannot disagree about the same bytes.
 */

export interface DerElement {
  /** The whole identifier: class, whether it is constructed, and number. */
  readonly tag: number;
  readonly content: Buffer;
}

export const DER = {
  objectIdentifier: 0x06,
  octetString: 0x04,
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Numbers of 31 and more take further bytes. Nothing of X.509 has one. */
const LONG_NUMBER = 0x1f;
/** Lengths of up to four bytes; whatever is read here is far shorter. */
const MOST_LENGTH_BYTES = 4;

/** The elements that stand one after the other in `bytes`, to the last byte. Throws where they do not. */
export function readElements(bytes: Buffer): readonly DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length;) {
    const tag = bytes[at] ?? 0;
    if ((tag & LONG_NUMBER) === LONG_NUMBER) throw malformed();
    const { length, start } = readLength(bytes, at + 1);
    if (start + length > bytes.length) throw malformed();
    elements.push({ tag, content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return elements;
}

function readLength(bytes: Buffer, at: number): { readonly length: number; readonly start: number } {
  const first = bytes[at];
  if (first === undefined) throw malformed();
  if (first < 0x80) return { length: first, start: at + 1 };
  const count = first & 0x7f;
  const start = at + 1 + count;
  if (count === 0 || count > MOST_LENGTH_BYTES || start > bytes.length) throw malformed();
  const length = bytes.readUIntBE(at + 1, count);
  const isShortest = length >= 0x80 && length >= 2 ** (8 * (count - 1));
  if (!isShortest) throw malformed();
  return { length, start };
}

/** The content of an element that must be there and be of this tag. */
export function contentOf(element: DerElement | undefined, tag: number): Buffer {
  if (element?.tag !== tag) throw malformed();
  return element.content;
}

/** The elements inside the one element that `bytes` are. */
export function readOnly(bytes: Buffer, tag: number): readonly DerElement[] {
  const [only, ...more] = readElements(bytes);
  if (more.length > 0) throw malformed();
  return readElements(contentOf(only, tag));
}

/** Bytes that are no DER, or not the structure they should be. */
export class DerError extends Error {}

export const malformed = (): DerError => new DerError('malformed DER');
