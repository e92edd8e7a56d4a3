/**
 * The file that a backup is: a plain tar, so that ordinary tools list and unpack it, whose last member lists what must
 * be in it. Every byte is accounted for: contents by their SHA-256, headers and padding because they must be exactly
 * what this file would write, the last member by a hash of its own. That hash is the hash of the backup.
 */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { StoreError } from '../../../errors.ts';

const BLOCK = 512;
const END = Buffer.alloc(2 * BLOCK);
const PIECE_BYTES = 1024 * 1024;
const LISTING = 'everynode-backup.json';
const FORMAT = 1;
/** The largest number of eleven octal digits. */
const LARGEST_MEMBER = 8 ** 11 - 1;

interface Member {
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
}

/** The last member of a backup: its own description. */
export interface BackupFacts {
  /** The identity of the store. */
  readonly store: string;
  readonly revision: number;
  readonly objects: number;
  /** When it was taken, as an RFC 3339 time. */
  readonly taken: string;
  /** The version that made it. */
  readonly product: string;
}

interface Listing extends BackupFacts {
  readonly format: number;
  readonly files: readonly Member[];
}

export interface ArchiveWriter {
  /** `read` fills the buffer from a position within the member, completely. */
  add(name: string, size: number, read: (into: Buffer, position: number) => Promise<void>): Promise<void>;
  /** Writes the backup's description of itself; returns its hash. */
  finish(facts: BackupFacts): Promise<string>;
}

export function writeArchive(file: FileHandle): ArchiveWriter {
  const files: Member[] = [];
  let position = 0;
  const put = async (bytes: Buffer): Promise<void> => {
    for (let done = 0; done < bytes.length;) {
      done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
    }
    position += bytes.length;
  };
  const pad = (size: number): Promise<void> => put(Buffer.alloc(paddingOf(size)));
  return {
    async add(name, size, read) {
      const hash = createHash('sha256');
      await put(headerOf(name, size));
      for (let at = 0; at < size; at += PIECE_BYTES) {
        const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size - at));
        await read(piece, at);
        hash.update(piece);
        await put(piece);
      }
      await pad(size);
      files.push({ name, size, sha256: hash.digest('hex') });
    },
    async finish(facts) {
      const { text, hash } = encodeListing({ format: FORMAT, ...facts, files });
      await put(headerOf(LISTING, text.length));
      await put(text);
      await pad(text.length);
      await put(END);
      return hash;
    },
  };
}

const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

/** Always the same for a name and a size: no user, no time. */
function headerOf(name: string, size: number): Buffer {
  if (Buffer.byteLength(name) > 99) throw new StoreError('EN_STORE_BACKUP', `${name} is too long a name for a backup`);
  if (size > LARGEST_MEMBER)
    throw new StoreError('EN_STORE_BACKUP', `${name} is too large for a backup: ${size} bytes`);
  const header = Buffer.alloc(BLOCK);
  const field = (text: string, at: number): number => header.write(text, at, 'utf8');
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
  field(name, 0);
  field(octal(0o600, 7), 100);
  field(octal(0, 7), 108);
  field(octal(0, 7), 116);
  field(octal(size, 11), 124);
  field(octal(0, 11), 136);
  field('        0', 148);
  field('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  field(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

function encodeListing(listing: Listing): { text: Buffer; hash: string } {
  const line = JSON.stringify(listing);
  const hash = createHash('sha256').update(line).digest('hex');
  return { text: Buffer.from(`${line}\nsha256:${hash}\n`), hash };
}

export interface OpenArchive {
  readonly facts: BackupFacts;
  readonly hash: string;
  readonly members: readonly Member[];
  /** Fills the buffer from a position within a member. */
  read(name: string, into: Buffer, position: number): Promise<void>;
  close(): Promise<void>;
}

const damaged = (path: string, why: string): StoreError =>
  new StoreError(
    'EN_STORE_BACKUP',
    `${path} is not a whole backup: ${why}. Take another copy of it, or an older backup`,
  );

/** Opens a backup and checks every byte of it. Throws a StoreError that says exactly what is wrong. */
export async function openArchive(path: string): Promise<OpenArchive> {
  const file = await open(path, 'r').catch((cause: unknown) => {
    throw new StoreError('EN_STORE_BACKUP', `cannot read ${path}: ${(cause as Error).message}`, { cause });
  });
  try {
    return await checkArchive(path, file);
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function checkArchive(path: string, file: FileHandle): Promise<OpenArchive> {
  const { size: total } = await file.stat();
  let position = 0;
  const take = async (length: number, what: string): Promise<Buffer> => {
    const bytes = Buffer.alloc(length);
    for (let done = 0; done < length;) {
      const { bytesRead } = await file.read(bytes, done, length - done, position + done);
      if (bytesRead === 0) throw damaged(path, `it ends at byte ${total}, within ${what}`);
      done += bytesRead;
    }
    position += length;
    return bytes;
  };
  const takeHeader = async (): Promise<{ name: string; size: number }> => {
    const at = position;
    const header = await take(BLOCK, 'the header of a file');
    const member = decodeHeader(header);
    if (member === undefined) throw damaged(path, `there is no file of a backup at byte ${at}`);
    return member;
  };
  const skipPadding = async (name: string, size: number): Promise<void> => {
    const padding = await take(paddingOf(size), `the padding of ${name}`);
    if (padding.some((byte) => byte !== 0)) throw damaged(path, `the padding behind ${name} is damaged`);
  };

  const found = new Map<string, { start: number } & Member>();
  for (;;) {
    const { name, size } = await takeHeader();
    const start = position;
    if (name === LISTING) {
      const text = await take(size, LISTING);
      await skipPadding(name, size);
      if (!(await take(END.length, 'its end')).equals(END)) throw damaged(path, 'its end is damaged');
      if (position !== total) throw damaged(path, `${total - position} bytes stand behind its end`);
      const { listing, hash } = readListing(path, text);
      requireListed(path, listing.files, [...found.values()]);
      return openArchiveOf(file, listing, hash, found);
    }
    const hash = createHash('sha256');
    for (let left = size; left > 0; left -= PIECE_BYTES) hash.update(await take(Math.min(PIECE_BYTES, left), name));
    await skipPadding(name, size);
    found.set(name, { name, size, start, sha256: hash.digest('hex') });
  }
}

/** The name and size, when these are exactly the bytes that would have been written for them. */
function decodeHeader(header: Buffer): { name: string; size: number } | undefined {
  const name = header.toString('utf8', 0, header.indexOf(0));
  const size = Number.parseInt(header.toString('latin1', 124, 135), 8);
  if (name === '' || !Number.isSafeInteger(size) || Buffer.byteLength(name) > 99) return undefined;
  return headerOf(name, size).equals(header) ? { name, size } : undefined;
}

function readListing(path: string, text: Buffer): { listing: Listing; hash: string } {
  const [line = '', sum = ''] = text.toString('utf8').split('\n');
  const hash = createHash('sha256').update(line).digest('hex');
  if (sum !== `sha256:${hash}`) throw damaged(path, `the hash of ${LISTING} does not match`);
  const listing = JSON.parse(line) as Listing;
  if (listing.format !== FORMAT) {
    throw new StoreError('EN_STORE_SCHEMA', `${path} has format ${listing.format}; use the version that wrote it`);
  }
  return { listing, hash };
}

function requireListed(path: string, listed: readonly Member[], found: readonly Member[]): void {
  for (const [at, { name, size, sha256 }] of listed.entries()) {
    const member = found[at];
    if (member?.name !== name) throw damaged(path, `${name} is missing`);
    if (member.size !== size || member.sha256 !== sha256) throw damaged(path, `the hash of ${name} does not match`);
  }
  const extra = found[listed.length];
  if (extra !== undefined) throw damaged(path, `${extra.name} does not belong to it`);
}

function openArchiveOf(
  file: FileHandle,
  { files, store, revision, objects, taken, product }: Listing,
  hash: string,
  found: ReadonlyMap<string, { readonly start: number } & Member>,
): OpenArchive {
  return {
    facts: { store, revision, objects, taken, product },
    hash,
    members: files,
    async read(name, into, position) {
      const { start = 0 } = found.get(name) ?? {};
      for (let done = 0; done < into.length;) {
        const { bytesRead } = await file.read(into, done, into.length - done, start + position + done);
        if (bytesRead === 0) throw new StoreError('EN_STORE_BACKUP', `${name} ended while it was read`);
        done += bytesRead;
      }
    },
    close: () => file.close(),
  };
}
