/**
 * Lists, from objects to bytes, in every format and shape. Each is a row of bits that are made when they are sent, an item
 * or a row at a time: a large list neither blocks the process nor doubles in memory. See send-bits.ts.
 */
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import { withPlainManaged } from '../../core/api/apply/managed.ts';
import { createdAtPrinter } from '../../core/api/printers/default.ts';
import { partialObject, tableRowByRow } from '../../core/api/printers/table.ts';
import { encodeObject } from '../../core/api/encoding/object-json.ts';
import { encodeMessage } from '../../core/api/schema/protobuf/encode.ts';
import { encodeListItem } from '../../core/api/schema/protobuf/envelope.ts';
import { encodeJson } from '../../core/kube/json.ts';
import type { ListMeta } from '../../core/kube/meta-v1.ts';
import { apiVersionOf, type KubeObject } from '../../core/kube/objects.ts';
import type { ApiList } from '../contract/request.ts';
import { yamlBits, type TransformOptions } from './answer.ts';
import type { Exchange } from './exchange.ts';
import type { RequestPace } from './fair-work.ts';
import { JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE } from './negotiate.ts';
import { protobufListBits } from './protobuf-list.ts';
import { sendBits, type Bits } from './send-bits.ts';
import type { WireContext } from './wire-context.ts';
import { LazyItems } from './write-yaml.ts';

export function sendList(
  exchange: Exchange,
  kind: KindDefinition,
  list: ApiList,
  options: TransformOptions,
  context: WireContext,
  pace: RequestPace,
): Promise<void> {
  switch (options.accepted.format) {
    case 'json':
      return sendBits(exchange, 200, JSON_TYPE, jsonBits(kind, list, options, context), pace);
    case 'yaml':
      return sendBits(exchange, 200, YAML_TYPE, yamlBits(yamlRoot(kind, list, options, context)), pace);
    case 'protobuf':
      return sendProtobuf(exchange, kind, list, options, pace);
  }
}

function listMeta(kind: KindDefinition, list: ApiList, { accepted }: TransformOptions): ListMeta {
  const rest = list.continue ?? (kind.custom === undefined || accepted.as !== '' ? undefined : '');
  return {
    resourceVersion: list.resourceVersion,
    // A list of custom resources has `continue` even where there is no more.
    ...(rest === undefined ? {} : { continue: rest }),
    ...(list.remainingItemCount === undefined ? {} : { remainingItemCount: list.remainingItemCount }),
  };
}

interface ListHead {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ListMeta;
}

function headOf(kind: KindDefinition, list: ApiList, options: TransformOptions): ListHead {
  const { as, version } = options.accepted;
  const metadata = listMeta(kind, list, options);
  return as === ''
    ? { kind: kind.listKind, apiVersion: apiVersionOf(kind), metadata }
    : { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${version}`, metadata };
}

const tableOf = (kind: KindDefinition, list: ApiList, options: TransformOptions, { clock }: WireContext) =>
  tableRowByRow(kind, list.items, {
    includeObject: options.includeObject,
    now: clock.now(),
    version: options.accepted.version,
    listMeta: listMeta(kind, list, options),
  });

/**
 * Kinds without columns of their own are printed by another code path of Kubernetes, which sends `rows: null` for an
 * empty list.
 */
const hasNoRows = (kind: KindDefinition, { items }: ApiList): boolean =>
  items.length === 0 && kind.printer === createdAtPrinter;

function yamlRoot(kind: KindDefinition, list: ApiList, options: TransformOptions, context: WireContext): object {
  const { as, version } = options.accepted;
  if (as === 'Table') {
    const { head, length, row } = tableOf(kind, list, options, context);
    return { ...head, rows: hasNoRows(kind, list) ? null : new LazyItems(length, row) };
  }
  const plain = (index: number): KubeObject => withPlainManaged(list.items[index] as KubeObject);
  const item = as === '' ? plain : (index: number): object => partialObject(plain(index), version);
  return { ...headOf(kind, list, options), items: new LazyItems(list.items.length, item) };
}

function jsonBits(kind: KindDefinition, list: ApiList, options: TransformOptions, context: WireContext): Bits {
  const { as, version } = options.accepted;
  if (as === 'Table') {
    const { head, length, row } = tableOf(kind, list, options, context);
    const rows = hasNoRows(kind, list) ? undefined : length;
    return jsonArray(
      head,
      'rows',
      rows,
      oneByOne((index) => encodeJson(row(index) as never)),
    );
  }
  const { items } = list;
  const head = headOf(kind, list, options);
  if (as !== '') {
    const partial = oneByOne((index) => encodeObject(partialObject(items[index] as KubeObject, version)));
    return jsonArray(head, 'items', items.length === 0 ? undefined : items.length, partial);
  }
  const { copyTo, size } = context.encoded.items;
  return jsonArray(head, 'items', items.length, {
    size: (index) => size(items[index] as object),
    copyTo: (target, at, index) => copyTo(target, at, items[index] as object),
  });
}

/** Texts of entries by their place. */
interface Entries {
  size(index: number): number;
  copyTo(target: Buffer, at: number, index: number): void;
}

/**
 * Entries that are encoded when asked for. Each is asked for twice in a row (size, then bytes), so the last one is
 * kept.
 */
function oneByOne(encode: (index: number) => string): Entries {
  let bytes = Buffer.alloc(0);
  return {
    size(index) {
      bytes = Buffer.from(encode(index));
      return bytes.length;
    },
    copyTo: (target, at) => void bytes.copy(target, at),
  };
}

const COMMA = 0x2c;

/** An object whose last member is an array; without a length it is null. */
function jsonArray(head: object, name: string, length: number | undefined, entries: Entries): Bits {
  const start = `${encodeJson(head as never).slice(0, -1)},"${name}":`;
  const before = Buffer.from(length === undefined ? `${start}null}` : `${start}[`);
  const after = Buffer.from(length === undefined ? '' : ']}');
  const count = length ?? 0;
  /** -1 before the first entry. */
  let index = -2;
  return {
    next() {
      index += 1;
      if (index === -1) return before.length;
      if (index < count) return entries.size(index) + (index === 0 ? 0 : 1);
      return index === count ? after.length : -1;
    },
    take(target, at) {
      if (index === -1) before.copy(target, at);
      else if (index === count) after.copy(target, at);
      else if (index === 0) entries.copyTo(target, at, index);
      else {
        target[at] = COMMA;
        entries.copyTo(target, at + 1, index);
      }
    },
  };
}

async function sendProtobuf(
  exchange: Exchange,
  kind: KindDefinition,
  list: ApiList,
  options: TransformOptions,
  pace: RequestPace,
): Promise<void> {
  const isPartial = options.accepted.as !== '';
  const bits = await protobufListBits(
    headOf(kind, list, options),
    list.items.length,
    (index) => {
      const object = withPlainManaged(list.items[index] as KubeObject);
      // Metadata as protobuf has no names of types in it.
      return isPartial ? encodeMessage('meta/v1.PartialObjectMetadata', partialObject(object)) : encodeListItem(object);
    },
    pace,
  );
  try {
    await sendBits(exchange, 200, PROTOBUF_TYPE, bits, pace);
  } finally {
    bits.forget();
  }
}
