/**
 * Answers, from values to bytes: single objects, lists (streamed in slices, so that a large one neither blocks the
 * process nor doubles in memory), tables and errors.
 */
import { encodeObject } from '../../core/api/schema/object-json.ts';
import { encodeMessage } from '../../core/api/schema/protobuf/encode.ts';
import { encodeProtobufList, encodeProtobufObject } from '../../core/api/schema/protobuf/envelope.ts';
import type { KindDefinition } from '../../core/api/kind-definition.ts';
import { withPlainManaged } from '../../core/api/apply/managed.ts';
import { createdAtPrinter } from '../../core/api/printers/default.ts';
import { scalePrinter } from '../../core/api/printers/autoscaling.ts';
import { buildTable, partialObject, type TableOptions } from '../../core/api/printers/table.ts';
import { encodeJson } from '../../core/kube/json.ts';
import { apiVersionOf, type KubeObject } from '../../core/kube/objects.ts';
import { internalError, StatusError, type Status } from '../../core/kube/status-error.ts';
import { stringify as stringifyYaml } from 'yaml';
import type { Clock } from '../../machinery/clock.ts';
import type { ApiList } from '../request.ts';
import type { ListedBytes } from './encoded-cache.ts';
import type { ByteStream, Exchange } from './exchange.ts';
import { JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE, type Accepted } from './negotiate.ts';
import type { WireContext } from './wire-context.ts';
import { writtenObject } from './written-object.ts';

/** How long encoding may hold the process before others get their turn. */
const SLICE_MS = 4;
/** Objects of which the metadata is written between two looks at the clock. */
const PARTIAL_BLOCK = 64;

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
      exchange.send(status, JSON_TYPE, context?.encoded.bytes(object) ?? encodeObject(writtenObject(object).object));
      return;
    case 'yaml':
      exchange.send(status, YAML_TYPE, stringifyYaml(plainly(object), YAML_FORM));
      return;
    case 'protobuf':
      exchange.send(status, PROTOBUF_TYPE, Buffer.from(encodeProtobufObject(withPlainManaged(object as KubeObject))));
  }
}

const plainly = (object: object): object => writtenObject(withPlainManaged(object as KubeObject)).object;

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
  sendObject(exchange, status.code || 200, status, { ...accepted, as: '' });

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
  const rest = list.continue ?? (kind.custom === undefined || accepted.as !== '' ? undefined : '');
  const metadata = {
    resourceVersion: list.resourceVersion,
    // A list of custom resources says it even where there is no more.
    ...(rest === undefined ? {} : { continue: rest }),
    ...(list.remainingItemCount === undefined ? {} : { remainingItemCount: list.remainingItemCount }),
  };
  if (accepted.as === 'Table') {
    const table = buildTable(kind, list.items, {
      includeObject: options.includeObject,
      now: context.clock.now(),
      version: accepted.version,
      listMeta: metadata,
    });
    // Kinds that nobody wrote columns for come from another hand, which has no rows where there are none.
    const none = table.rows.length === 0 && kind.printer === createdAtPrinter;
    return sendObject(exchange, 200, none ? { ...table, rows: null } : table, accepted);
  }
  const isPartial = accepted.as !== '';
  const head = isPartial
    ? { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${accepted.version}`, metadata }
    : { kind: kind.listKind, apiVersion: apiVersionOf(kind), metadata };
  if (isPartial && accepted.format === 'protobuf') {
    const items = await partialMessages(list.items, context.clock);
    return exchange.send(200, PROTOBUF_TYPE, encodeProtobufList(head, items));
  }
  if (accepted.format !== 'json') {
    const plain = list.items.map(withPlainManaged);
    const items = isPartial ? plain.map((item) => partialObject(item, accepted.version)) : plain;
    return sendObject(exchange, 200, { ...head, items }, accepted);
  }
  const encoded = isPartial ? partialItems(accepted.version) : context.encoded.items;
  if (isPartial && list.items.length === 0) return sendObject(exchange, 200, { ...head, items: null }, accepted);
  await streamItems(exchange, encodeJson(head), list.items, context.clock, encoded);
}

/** The metadata of each as protobuf, which has no names of types in it; others get their turn in between. */
async function partialMessages(objects: readonly KubeObject[], clock: Clock): Promise<readonly Buffer[]> {
  const messages: Buffer[] = [];
  let turn = clock.monotonic();
  for (const object of objects) {
    messages.push(encodeMessage('meta/v1.PartialObjectMetadata', partialObject(withPlainManaged(object))));
    if (messages.length % PARTIAL_BLOCK === 0 && clock.monotonic() - turn > SLICE_MS) {
      await clock.sleep(0);
      turn = clock.monotonic();
    }
  }
  return messages;
}

type Items = ListedBytes;

/** Metadata alone, encoded as it is asked for: each is wanted twice in a row, its size first. */
function partialItems(version: Accepted['version']): Items {
  let of: object | undefined;
  let bytes = Buffer.alloc(0);
  const encode = (object: object): Buffer => {
    if (object !== of) bytes = Buffer.from(encodeObject(partialObject(object as KubeObject, version)));
    of = object;
    return bytes;
  };
  return {
    size: (object) => encode(object).length,
    copyTo: (target, at, object) => void encode(object).copy(target, at),
  };
}

/** Bytes written between two looks at the clock. Most objects are much smaller. */
const BLOCK_BYTES = 160 * 1024;
const COMMA = 0x2c;

async function streamItems(
  exchange: Exchange,
  head: string,
  items: readonly KubeObject[],
  clock: Clock,
  encoded: Items,
): Promise<void> {
  // Blocks are used again once they are sent: a large list would otherwise leave hundreds to the garbage collector.
  const free: Buffer[] = [];
  const newBlock = (atLeast: number): Buffer =>
    atLeast > BLOCK_BYTES ? Buffer.allocUnsafe(atLeast) : (free.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES));
  const start = Buffer.from(`${head.slice(0, -1)},"items":[`);
  // A short list takes no more than it needs.
  let expected = start.length + END.length;
  for (let i = 0; i < items.length && expected <= BLOCK_BYTES; i += 1) {
    expected += encoded.size(items[i] as KubeObject) + 1;
  }
  let block = expected > BLOCK_BYTES ? newBlock(start.length) : Buffer.allocUnsafe(expected);
  let used = start.copy(block);
  let stream: ByteStream | undefined;
  const flush = (): ByteStream => {
    const full = block;
    const to = (stream ??= exchange.stream(200, JSON_TYPE));
    to.write(full.subarray(0, used), () => {
      if (full.length === BLOCK_BYTES) free.push(full);
    });
    return to;
  };
  let turn = clock.monotonic();
  for (let i = 0; i < items.length; i += 1) {
    const item = items[i] as KubeObject;
    const size = encoded.size(item) + 1;
    // Room is kept for the end of the list.
    if (block.length - used < size + END.length) {
      await flush().drained();
      if (exchange.closed) return;
      if (clock.monotonic() - turn > SLICE_MS) {
        await clock.sleep(0);
        turn = clock.monotonic();
      }
      block = newBlock(size + END.length);
      used = 0;
    }
    if (i > 0) block[used++] = COMMA;
    encoded.copyTo(block, used, item);
    used += size - 1;
  }
  used += block.write(END, used);
  if (stream === undefined) return exchange.send(200, JSON_TYPE, block.subarray(0, used));
  flush().end();
}

const END = ']}';
