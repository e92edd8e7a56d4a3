import { parseJson } from '../../../core/kube/json.ts';
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';
import { internalError, type StatusError } from '../../../core/kube/status-error.ts';
import type { WatchEvent } from '../client.ts';
import { MachineryError } from '../../errors.ts';
import { errorFromStatus, isStatusBody } from './status-body.ts';

const NEWLINE = 0x0a;
/** Objects end at a few MiB; a line beyond this is not an event and must not fill the memory. */
const MAX_EVENT_BYTES = 32 << 20;
const END_OF_INITIAL = 'k8s.io/initial-events-end';

export interface WatchDecoder<T extends KubeObject> {
  /** The events that this chunk completes. Throws `WatchBroken`, with those that came before. */
  push(chunk: Uint8Array): readonly WatchEvent<T>[];
}

/** The failure of a watch (the cause, a `StatusError`), and the events before it: those came first and must not be lost. */
export class WatchBroken<T extends KubeObject> extends Error {
  override readonly name = 'WatchBroken';
  override readonly cause: StatusError;
  readonly events: readonly WatchEvent<T>[];

  constructor(events: readonly WatchEvent<T>[], cause: StatusError) {
    super('the watch broke');
    this.events = events;
    this.cause = cause;
  }
}

/** One JSON document a line; a chunk may end anywhere, even inside a character. */
export function createWatchDecoder<T extends KubeObject>(maxEventBytes: number = MAX_EVENT_BYTES): WatchDecoder<T> {
  /** The pieces of the line that is not complete yet, and their size. Joined once, when the line ends. */
  let pieces: Uint8Array[] = [];
  let size = 0;

  return {
    push(chunk) {
      const end = chunk.lastIndexOf(NEWLINE);
      const events: WatchEvent<T>[] = [];
      if (end >= 0) {
        const complete = chunk.subarray(0, end);
        const bytes = pieces.length === 0 ? complete : Buffer.concat([...pieces, complete]);
        pieces = [];
        size = 0;
        decodeLines(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'), events);
      }
      const rest = end < 0 ? chunk : chunk.subarray(end + 1);
      if (rest.length === 0) return events;
      size += rest.length;
      if (size > maxEventBytes) throw malformed(events, `a watch event is larger than ${maxEventBytes} bytes`);
      pieces.push(rest);
      return events;
    },
  };
}

function decodeLines<T extends KubeObject>(text: string, events: WatchEvent<T>[]): void {
  let start = 0;
  while (start < text.length) {
    const newline = text.indexOf('\n', start);
    const stop = newline < 0 ? text.length : newline;
    if (stop > start) events.push(decode<T>(text.slice(start, stop), events));
    start = stop + 1;
  }
}

function decode<T extends KubeObject>(line: string, before: readonly WatchEvent<T>[]): WatchEvent<T> {
  let document: { readonly type?: unknown; readonly object?: unknown } | null;
  try {
    document = parseJson(line) as typeof document;
  } catch (cause) {
    throw malformed(before, `a watch event is not JSON: ${String(cause)}`, cause);
  }
  const { type, object } = document ?? {};
  if (type === 'ERROR' && isStatusBody(object))
    throw new WatchBroken(before, errorFromStatus(object, object.code ?? 500));
  const metadata = (object as Partial<KubeObject> | null | undefined)?.metadata;
  if (metadata === undefined || metadata === null) throw malformed(before, 'a watch event carries no object');
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: object as Stored<T> };
    case 'BOOKMARK':
      return {
        type,
        resourceVersion: metadata.resourceVersion ?? '',
        initialEventsEnd: metadata.annotations?.[END_OF_INITIAL] === 'true',
      };
    default:
      throw malformed(before, `a watch event has the unknown type ${JSON.stringify(type)}`);
  }
}

function malformed<T extends KubeObject>(
  before: readonly WatchEvent<T>[],
  why: string,
  cause?: unknown,
): WatchBroken<T> {
  return new WatchBroken(before, internalError(new MachineryError('EN_MACHINERY_WATCH_DECODE', why, { cause })));
}
