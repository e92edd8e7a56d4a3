/**
 * The way out when a log is damaged in the middle: reads every frame that is still intact, wherever it stands, and
 * writes the newest record of each key into a new directory. The damaged one is only read. Records that the damage hid are
 * gone: a key may come back at an older revision, or after its removal, which is why no start does this by itself.
 *
 *     node dist/apiserver/store/engines/log/salvage.js DAMAGED-DIRECTORY NEW-DIRECTORY
 *
 * A data directory of `everynode up` is taken as a whole, its keys with it, so that clients get in as before.
 */
import { cpSync, existsSync, readFileSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EngineChange } from '../../engine.ts';
import { decodeObject } from '../object-text.ts';
import { HEADER_BYTES, isIntact, parseHeader } from './frame.ts';
import type { FrameType } from './frame.ts';
import { createLogEngine } from './log-engine.ts';
import { decodeKey, forEachRecord } from './records.ts';

export interface Salvaged {
  readonly objects: number;
  readonly revision: number;
  /** Stretches that held no intact frame. */
  readonly damaged: readonly { readonly file: string; readonly offset: number; readonly bytes: number }[];
}

const NEXT_FRAME = Buffer.from('\nEN1 ', 'latin1');
const BATCH = 200;

/** A data directory as `--data-dir` names it, or the store inside it. */
export async function salvageDirectory(from: string, to: string): Promise<Salvaged> {
  const store = join(from, 'store');
  if (!existsSync(store)) return salvageLog(from, to);
  const salvaged = await salvageLog(store, join(to, 'store'));
  const keys = join(from, 'pki');
  if (existsSync(keys)) cpSync(keys, join(to, 'pki'), { recursive: true, errorOnExist: true, force: false });
  return salvaged;
}

export async function salvageLog(from: string, to: string): Promise<Salvaged> {
  const newest = new Map<string, { revision: number; text: string | undefined }>();
  const damaged: { file: string; offset: number; bytes: number }[] = [];
  let revision = 0;
  const take = (type: FrameType, payload: Buffer): void => {
    if (type === 'H' || type === 'M') revision = Math.max(revision, revisionIn(payload));
    if (type !== 'B') return;
    forEachRecord(payload, (record) => {
      revision = Math.max(revision, record.revision);
      if ((newest.get(record.keyText)?.revision ?? 0) >= record.revision) return;
      const text = record.removed ? undefined : payload.toString('utf8', record.objectStart, record.end);
      newest.set(record.keyText, { revision: record.revision, text });
    });
  };
  const files = readdirSync(from).filter((file) => file.endsWith('.log'));
  // An empty store in the new place would look like a success.
  if (files.length === 0) throw new Error(`${from} holds no store: there is no .log file in it`);
  for (const file of files.sort()) {
    for (const hole of scan(readFileSync(join(from, file)), take)) damaged.push({ file, ...hole });
  }
  const objects = await rewrite(to, newest, revision);
  return { objects, revision, damaged };
}

const revisionIn = (payload: Buffer): number =>
  (JSON.parse(payload.toString('utf8')) as { revision?: number }).revision ?? 0;

/** Hands over every intact frame; returns the gaps between them. */
function scan(bytes: Buffer, take: (type: FrameType, payload: Buffer) => void): { offset: number; bytes: number }[] {
  const holes: { offset: number; bytes: number }[] = [];
  for (let at = 0; at < bytes.length;) {
    const header = parseHeader(bytes.subarray(at, at + HEADER_BYTES));
    const end = at + HEADER_BYTES + (header?.payloadBytes ?? 0);
    if (header !== undefined && end <= bytes.length && isIntact(bytes.subarray(at, end), header)) {
      take(header.type, bytes.subarray(at + HEADER_BYTES, end));
      at = end;
      continue;
    }
    const found = bytes.indexOf(NEXT_FRAME, at);
    const next = found === -1 ? bytes.length : found + 1;
    holes.push({ offset: at, bytes: next - at });
    at = next;
  }
  return holes;
}

async function rewrite(
  to: string,
  newest: ReadonlyMap<string, { readonly revision: number; readonly text: string | undefined }>,
  revision: number,
): Promise<number> {
  const engine = await createLogEngine({ directory: to });
  try {
    let loaded = 0;
    const before = await engine.load(
      (entries) => (loaded += entries.length),
      () => undefined,
    );
    if (before > 0 || loaded > 0) throw new Error(`${to} already holds a store`);
    await engine.recover(revision);
    const changes: EngineChange[] = [];
    for (const [keyText, { revision: at, text }] of newest) {
      if (text === undefined) continue;
      changes.push({ key: decodeKey(keyText), revision: at, object: decodeObject(text), replaces: undefined });
    }
    changes.sort((a, b) => a.revision - b.revision);
    for (let i = 0; i < changes.length; i += BATCH) await engine.commit(changes.slice(i, i + BATCH));
    return changes.length;
  } finally {
    await engine.close();
  }
}

async function main(args: readonly string[]): Promise<void> {
  const [from, to] = args;
  if (from === undefined || to === undefined) throw new Error('usage: salvage DAMAGED-DIRECTORY NEW-DIRECTORY');
  const { objects, revision, damaged } = await salvageDirectory(from, to);
  for (const { file, offset, bytes } of damaged)
    process.stderr.write(`${file}: ${bytes} bytes at ${offset} are lost\n`);
  process.stderr.write(`${objects} objects up to revision ${revision} were written to ${to}\n`);
}

// Not `import.meta.main`: a Node.js that does not know it would do nothing and call that a success.
const [, started] = process.argv;
if (started !== undefined && existsSync(started) && realpathSync(started) === fileURLToPath(import.meta.url)) {
  await main(process.argv.slice(2)).catch((error: unknown) => {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
