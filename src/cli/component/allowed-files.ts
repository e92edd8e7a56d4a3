/**
 * Reads the files that a manifest names for its secrets. The manifest may be from anywhere, so it gets only files below
 * a folder that the caller allows: no `..`, no absolute path or symbolic link that leads out, nothing hidden, no pipe
 * or device. The place that counts is that of the file which was opened, so a link that is changed meanwhile gains
 * nothing.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync, type Stats } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { SecretRefused } from '../../core/component/secrets/secret-source.ts';
import { shellWord } from './text.ts';

export interface AllowedFolder {
  readonly path: string;
  /** Named by a flag, not merely where the manifest lies: hidden files and the root directory count, too. */
  readonly isNamed: boolean;
}

export interface AllowedFile {
  /** Path with all links resolved. */
  readonly path: string;
  readonly content: Buffer;
}

/** The most an API server takes in one Secret. */
export const MOST_BYTES = 1024 * 1024;

// Neither waits for the other end of a pipe, nor makes a terminal ours, nor follows a link that came since.
const CAREFULLY =
  constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** Undefined where there is no file. Throws `SecretRefused` for a file that is not allowed. */
export function readAllowed(file: string, folders: readonly AllowedFolder[]): AllowedFile | undefined {
  const written = resolve(file);
  const real = realPlace(written);
  if (real === undefined) {
    // The answer about a forbidden path must not reveal whether a file exists there.
    requireAllowed(written, written, folders);
    return undefined;
  }
  requireAllowed(real, written, folders);
  requireRegular(lstatSync(real), real);
  const descriptor = openSync(real, CAREFULLY);
  try {
    requireRegular(fstatSync(descriptor), real);
    requireAllowed(placeOfOpened(descriptor, real), written, folders);
    return { path: real, content: readAll(descriptor, real) };
  } finally {
    closeSync(descriptor);
  }
}

function realPlace(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function requireAllowed(place: string, written: string, folders: readonly AllowedFolder[]): void {
  let hidden: string | undefined;
  for (const { path, isNamed } of folders) {
    const root = realPlace(resolve(path));
    if (root === undefined || (!isNamed && dirname(root) === root)) continue;
    // A path that does not exist has no real place; it is compared as it is written, too.
    const below = [root, resolve(path)].map((each) => relative(each, place)).find(isBelow);
    if (below === undefined) continue;
    const secretive = isNamed ? undefined : below.split(sep).find((name) => HIDDEN.test(name));
    if (secretive === undefined) return;
    hidden = secretive;
  }
  const flag = `--allow-files ${shellWord(dirname(place))}`;
  const why =
    hidden !== undefined
      ? `${hidden} is hidden`
      : folders.length === 0
        ? 'a manifest from stdin has no folder'
        : `${place}${place === written ? '' : ', where the link leads,'} is not below ${folders.map(({ path }) => resolve(path)).join(' or ')}`;
  throw new SecretRefused(why, `if that is meant: ${flag}`);
}

/** Names that begin with two dots are how Kubernetes keeps the versions of a mounted Secret. */
const HIDDEN = /^\.[^.]/;

/** The folder itself counts, and is then no file. */
const isBelow = (path: string): boolean => path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);

function requireRegular(stats: Stats, path: string): void {
  if (stats.isFile()) return;
  throw new Error(`${path} is ${stats.isDirectory() ? 'a directory' : 'a pipe, a socket or a device'}, not a file`);
}

/** Linux says which file was opened; elsewhere the file that is there now must be the one that was opened. */
function placeOfOpened(descriptor: number, path: string): string {
  if (process.platform === 'linux') return realpathSync(`/proc/self/fd/${descriptor}`);
  const place = realpathSync(path);
  const [opened, now] = [fstatSync(descriptor), lstatSync(place)];
  if (opened.dev !== now.dev || opened.ino !== now.ino) throw new Error(`${path} was replaced while it was read`);
  return place;
}

/** Sizes of files that grow or are made up (below /proc) are not believed. */
function readAll(descriptor: number, path: string): Buffer {
  const room = Buffer.alloc(MOST_BYTES + 1);
  let length = 0;
  while (length < room.length) {
    const count = readSync(descriptor, room, length, room.length - length, null);
    if (count === 0) return room.subarray(0, length);
    length += count;
  }
  throw new Error(`${path} is larger than 1 MiB, which no Secret can hold`);
}
