/**
 * Answers, from values to bytes: single objects, lists (streamed in slices, so that a large one neither blocks the
 * process nor doubles in memory), tables and errors.
 */
import { encodeObject } from '../../core/api/schema/object-json.ts';
import { encodeProtobufObject } from '../../core/api/schema/protobuf/envelope.ts';
import type { KindDefinition } from '../../core/api/kind-definition.ts';
import { withPlainManaged } from '../../core/api/apply/managed.ts';
import { scalePrinter } from '../../core/api/printers/autoscaling.ts';
import { buildTable, partialObject, type TableOptions } from '../../core/api/printers/table.ts';
import { encodeJson } from '../../core/kube/json.ts';
import { apiVersionOf, type KubeObject } from '../../core/kube/objects.ts';
import { internalError, StatusError, type Status } from '../../core/kube/status-error.ts';
import { stringify as stringifyYaml } from 'yaml';
import type { ApiList } from '../request.ts';
import type { EncodedCache } from './encoded-cache.ts';
import type { ByteStream, Exchange } from './exchange.ts';
import { JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE, type Accepted } from './negotiate.ts';
import type { WireContext } from './wire-context.ts';

/** Bytes written between two looks at the clock. */
const SLICE_BYTES = 128 * 1024;
/** How long encoding may hold the process before others get their turn. */
const SLICE_MS = 4;

/** As Go writes it: sorted, nothing folded, and every string quoted that a reader of YAML 1.1 would take for something else. */
const YAML_FORM = {
  version: '1.1',
  aliasDuplicateObjects: false,
  indentSeq: false,
  lineWidth: 0,
  sortMapEntries: true,
} as const;

export function sendObject(
  exchange: Exchange,
  status: number,
  object: object,
  accepted: Accepted,
  context?: WireContext,
): void {
  switch (accepted.format) {
    case 'json':
      exchange.send(status, JSON_TYPE, context?.encoded.bytes(object) ?? encodeObject(object));
      return;
    case 'yaml':
      exchange.send(status, YAML_TYPE, stringifyYaml(withPlainManaged(object as KubeObject), YAML_FORM));
      return;
    case 'protobuf':
      exchange.send(status, PROTOBUF_TYPE, Buffer.from(encodeProtobufObject(withPlainManaged(object as KubeObject))));
  }
}

/** Everything that goes wrong ends here, as a Status; what is not one is a 500 that gives nothing away but its message. */
export function sendError(exchange: Exchange, error: unknown): StatusError {
  const failure = error instanceof StatusError ? error : internalError(error);
  const { status } = failure;
  if (status.details?.retryAfterSeconds !== undefined)
    exchange.setHeader('retry-after', String(status.details.retryAfterSeconds));
  if (status.code === 401) exchange.setHeader('www-authenticate', 'Bearer realm="everynode"');
  exchange.send(status.code, JSON_TYPE, encodeJson(status as never));
  return failure;
}

export const sendStatus = (exchange: Exchange, status: Status, accepted: Accepted): void =>
  sendObject(exchange, status.code === 0 ? 200 : status.code, status, { ...accepted, as: '' });

export interface TransformOptions {
  readonly accepted: Accepted;
  readonly includeObject: TableOptions['includeObject'];
}

/** One object in the shape that was asked for. */
export function sendTransformed(
  exchange: Exchange,
  status: number,
  kind: KindDefinition,
  object: KubeObject,
  options: TransformOptions,
  context: WireContext,
): void {
  const { accepted } = options;
  if (accepted.as === '') return sendObject(exchange, status, object, accepted, context);
  const shaped =
    accepted.as === 'Table'
      ? buildTable(printedAs(kind, object), [object], {
          includeObject: options.includeObject,
          now: context.clock.now(),
          version: accepted.version,
        })
      : partialObject(object, accepted.version);
  sendObject(exchange, status, shaped, accepted);
}

/** Many kinds have a scale, and it looks the same for all of them. */
const SCALE = { printer: scalePrinter } as Pick<KindDefinition, 'printer'>;
const printedAs = (kind: KindDefinition, object: KubeObject): Pick<KindDefinition, 'printer'> =>
  object.kind === 'Scale' && object.apiVersion === 'autoscaling/v1' ? SCALE : kind;

export async function sendList(
  exchange: Exchange,
  kind: KindDefinition,
  list: ApiList,
  options: TransformOptions,
  context: WireContext,
): Promise<void> {
  const { accepted } = options;
  const metadata = {
    resourceVersion: list.resourceVersion,
    ...(list.continue === undefined ? {} : { continue: list.continue }),
    ...(list.remainingItemCount === undefined ? {} : { remainingItemCount: list.remainingItemCount }),
  };
  if (accepted.as === 'Table') {
    const table = buildTable(kind, list.items, {
      includeObject: options.includeObject,
      now: context.clock.now(),
      version: accepted.version,
      listMeta: metadata,
    });
    return sendObject(exchange, 200, table, accepted);
  }
  const isPartial = accepted.as !== '';
  const head = isPartial
    ? { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${accepted.version}`, metadata }
    : { kind: kind.listKind, apiVersion: apiVersionOf(kind), metadata };
  if (accepted.format !== 'json') {
    const plain = list.items.map(withPlainManaged);
    const items = isPartial ? plain.map((item) => partialObject(item, accepted.version)) : plain;
    return sendObject(exchange, 200, { ...head, items }, accepted);
  }
  await streamItems(
    exchange,
    encodeJson(head),
    list.items,
    context,
    isPartial
      ? (pieces, item) => {
          const bytes = Buffer.from(encodeObject(partialObject(item as KubeObject, accepted.version)));
          pieces.push(bytes);
          return bytes.length;
        }
      : context.encoded.appendTo,
  );
}

const COMMA = Buffer.from(',');

async function streamItems(
  exchange: Exchange,
  head: string,
  items: readonly KubeObject[],
  { clock }: WireContext,
  append: EncodedCache['appendTo'],
): Promise<void> {
  let slice: Buffer[] = [Buffer.from(`${head.slice(0, -1)},"items":[`)];
  const free: Buffer[] = [];
  let size = 0;
  let stream: ByteStream | undefined;
  let turn = clock.monotonic();
  for (let i = 0; i < items.length; i += 1) {
    const item = items[i];
    if (item === undefined) continue;
    if (i > 0) slice.push(COMMA);
    size += append(slice, item);
    if (size < SLICE_BYTES) continue;
    stream ??= exchange.stream(200, JSON_TYPE);
    writeSlice(stream, slice, free);
    slice = [];
    size = 0;
    await stream.drained();
    if (exchange.closed) return;
    if (clock.monotonic() - turn > SLICE_MS) {
      await clock.sleep(0);
      turn = clock.monotonic();
    }
  }
  slice.push(Buffer.from(']}'));
  const rest = Buffer.concat(slice);
  if (stream === undefined) return exchange.send(200, JSON_TYPE, rest);
  stream.write(rest);
  stream.end();
}

/** Most slices end within one more object. */
const BLOCK_BYTES = SLICE_BYTES + 32 * 1024;

/** Blocks are used again once they are sent: a large list would otherwise leave hundreds to the garbage collector. */
function writeSlice(stream: ByteStream, slice: readonly Buffer[], free: Buffer[]): void {
  let size = 0;
  for (const piece of slice) size += piece.length;
  if (size > BLOCK_BYTES) return stream.write(Buffer.concat(slice, size));
  const block = free.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
  let at = 0;
  for (const piece of slice) {
    block.set(piece, at);
    at += piece.length;
  }
  stream.write(block.subarray(0, at), () => void free.push(block));
}
