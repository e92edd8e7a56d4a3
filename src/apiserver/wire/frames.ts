/** Watch events as the lines that go over the wire. A plain JSON frame is encoded once for all watchers. */
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import { buildTable, partialObject } from '../../core/api/printers/table.ts';
import { encodeObject } from '../../core/api/encoding/object-json.ts';
import { encodeJson } from '../../core/kube/json.ts';
import { apiVersionOf, type KubeObject, type Stored } from '../../core/kube/objects.ts';
import type { Status } from '../../core/kube/status-error.ts';
import type { ApiWatchEvent } from '../contract/request.ts';
import type { EncodedCache } from './encoded-cache.ts';
import type { Accepted } from './negotiate.ts';

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';
const NEWLINE = Buffer.from('}\n');
const PREFIX = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
};

/** Frames of the newest events by event identity: a thousand watchers of one event share one buffer. */
const frames = new WeakMap<ApiWatchEvent, Buffer>();

export interface FrameWriter {
  (event: ApiWatchEvent): Buffer;
}

export function frameWriter(
  kind: KindDefinition,
  accepted: Accepted,
  includeObject: 'None' | 'Metadata' | 'Object',
  encoded: EncodedCache,
  now: () => number,
): FrameWriter {
  if (accepted.as === '') {
    return (event) =>
      event.type === 'BOOKMARK' ? jsonFrame('BOOKMARK', bookmark(kind, event)) : plainFrame(event, encoded);
  }
  if (accepted.as !== 'Table') {
    return (event) =>
      event.type === 'BOOKMARK'
        ? partialFrame('BOOKMARK', bookmark(kind, event), accepted.version)
        : partialFrame(event.type, event.object, accepted.version);
  }
  // Column definitions are sent once; clients read later rows by them.
  let headers = true;
  const transform = (object: KubeObject): object => {
    const table = buildTable(kind, [object], { includeObject, now: now(), version: accepted.version, headers });
    headers = false;
    return table;
  };
  return (event) =>
    event.type === 'BOOKMARK'
      ? jsonFrame('BOOKMARK', transform(bookmark(kind, event)))
      : jsonFrame(event.type, transform(event.object));
}

function plainFrame(
  event: { readonly type: keyof typeof PREFIX; readonly object: Stored },
  encoded: EncodedCache,
): Buffer {
  const known = frames.get(event);
  if (known !== undefined) return known;
  const frame = Buffer.concat([PREFIX[event.type], encoded.bytes(event.object), NEWLINE]);
  frames.set(event, frame);
  return frame;
}

const jsonFrame = (type: string, object: object): Buffer => Buffer.from(`${encodeJson({ type, object } as never)}\n`);

/** With managedFields, which stored objects hold unencoded and `encodeObject` writes out. */
const partialFrame = (type: string, object: KubeObject, version: Accepted['version']): Buffer =>
  Buffer.from(`{"type":"${type}","object":${encodeObject(partialObject(object, version))}}\n`);

export const errorFrame = (status: Status): Buffer => jsonFrame('ERROR', status);

function bookmark(
  kind: KindDefinition,
  event: { readonly resourceVersion: string; readonly initialEventsEnd: boolean },
): KubeObject {
  return {
    kind: kind.kind,
    apiVersion: apiVersionOf(kind),
    metadata: {
      resourceVersion: event.resourceVersion,
      ...(event.initialEventsEnd ? { annotations: { [INITIAL_EVENTS_END]: 'true' } } : {}),
    } as unknown as KubeObject['metadata'],
  };
}
