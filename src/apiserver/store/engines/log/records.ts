/**
 * The lines of a batch: `revision TAB key TAB object`, where the key is a JSON array and a removed key has `-` for an
 * object. JSON text holds neither raw tabs nor line ends, so splitting is exact whatever a name contains.
 */
import type { EngineChange } from '../../engine.ts';
import type { StoreKey } from '../../store.ts';
import type { ObjectEncoder } from '../object-text.ts';

const TAB = 0x09;
const NEWLINE = 0x0a;
const DASH = 0x2d;

export function encodeRecord({ key, revision, object }: EngineChange, encode: ObjectEncoder): string {
  return `${revision}\t${encodeKey(key)}\t${object === undefined ? '-' : encode(object)}\n`;
}

const encodeKey = ({ tenant, group, resource, namespace, name }: StoreKey): string =>
  JSON.stringify([tenant, group, resource, namespace, name]);

export function decodeKey(text: string): StoreKey {
  const parts: unknown = JSON.parse(text);
  if (!Array.isArray(parts) || parts.length !== 5 || !parts.every((part) => typeof part === 'string')) {
    throw new SyntaxError(`not a key: ${text}`);
  }
  const [tenant, group, resource, namespace, name] = parts as [string, string, string, string, string];
  return { tenant, group, resource, namespace, name };
}

export interface RawRecord {
  readonly revision: number;
  readonly keyText: string;
  readonly removed: boolean;
  /** Where the object's text begins and the line ends, in the payload; the line begins at `start`. */
  readonly start: number;
  readonly objectStart: number;
  readonly end: number;
}

/** Calls `visit` for every line. Throws a SyntaxError for a line that is no record. */
export function forEachRecord(payload: Buffer, visit: (record: RawRecord) => void): void {
  for (let start = 0; start < payload.length;) {
    const firstTab = payload.indexOf(TAB, start);
    const secondTab = firstTab === -1 ? -1 : payload.indexOf(TAB, firstTab + 1);
    const end = secondTab === -1 ? -1 : payload.indexOf(NEWLINE, secondTab + 1);
    if (end === -1) throw new SyntaxError('a record is not complete');
    const revision = Number(payload.toString('latin1', start, firstTab));
    if (!Number.isSafeInteger(revision) || revision <= 0) throw new SyntaxError('a record has no revision');
    visit({
      revision,
      keyText: payload.toString('utf8', firstTab + 1, secondTab),
      removed: payload[secondTab + 1] === DASH,
      start,
      objectStart: secondTab + 1,
      end,
    });
    start = end + 1;
  }
}
