/** Answers, from values to bytes: single objects in the shape and format that was asked for, and errors. */
import { encodeObject } from '../../core/api/encoding/object-json.ts';
import { encodeProtobufObject } from '../../core/api/schema/protobuf/envelope.ts';
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import { withPlainManaged } from '../../core/api/apply/managed.ts';
import { scalePrinter } from '../../core/api/printers/autoscaling.ts';
import { buildTable, partialObject, type TableOptions } from '../../core/api/printers/table.ts';
import { encodeJson } from '../../core/kube/json.ts';
import type { KubeObject } from '../../core/kube/objects.ts';
import { internalError, StatusError, type Status } from '../../core/kube/status-error.ts';
import type { Exchange } from './exchange.ts';
import type { RequestPace } from './fair-work.ts';
import { JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE, type Accepted } from './negotiate.ts';
import type { WireContext } from './wire-context.ts';
import { bitsOf, sendBits, type Bits } from './send-bits.ts';
import { writeYaml, yamlPieces } from './write-yaml.ts';
import { writtenObject } from './written-object.ts';

/** For objects known to be small: statuses, discovery. */
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
      exchange.send(status, YAML_TYPE, writeYaml(plainly(object)));
      return;
    case 'protobuf':
      exchange.send(status, PROTOBUF_TYPE, Buffer.from(encodeProtobufObject(withPlainManaged(object as KubeObject))));
  }
}

const plainly = (object: object): object => writtenObject(withPlainManaged(object as KubeObject)).object;

/** Characters of YAML that are written between two looks at the clock. */
const YAML_PIECE = 16 * 1024;

export function yamlBits(root: object): Bits {
  const next = yamlPieces(root);
  return bitsOf(() => {
    const piece = next(YAML_PIECE);
    return piece === '' ? undefined : Buffer.from(piece);
  });
}

/**
 * Sends every error as a Status; an error that is no StatusError becomes a 500 that reveals nothing but its message.
 */
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

/**
 * One object in the shape that was asked for; a promise only where encoding must wait for its turn, which JSON never
 * does.
 */
export function sendTransformed(
  exchange: Exchange,
  status: number,
  kind: KindDefinition,
  object: KubeObject,
  options: TransformOptions,
  context: WireContext,
  pace: RequestPace,
): void | Promise<void> {
  const { accepted } = options;
  if (accepted.format !== 'json') {
    const wait = pace.turn();
    if (wait !== undefined) return wait.then(() => sendNow(exchange, status, kind, object, options, context, pace));
  }
  return sendNow(exchange, status, kind, object, options, context, pace);
}

function sendNow(
  exchange: Exchange,
  status: number,
  kind: KindDefinition,
  object: KubeObject,
  options: TransformOptions,
  context: WireContext,
  pace: RequestPace,
): void | Promise<void> {
  const { accepted } = options;
  const shaped = accepted.as === '' ? object : shapedAs(kind, object, options, context);
  if (accepted.format === 'yaml') return sendBits(exchange, status, YAML_TYPE, yamlBits(plainly(shaped)), pace);
  sendObject(exchange, status, shaped, accepted, shaped === object ? context : undefined);
}

const shapedAs = (
  kind: KindDefinition,
  object: KubeObject,
  { accepted, includeObject }: TransformOptions,
  context: WireContext,
): object =>
  accepted.as === 'Table'
    ? buildTable(printedAs(kind, object), [object], {
        includeObject,
        now: context.clock.now(),
        version: accepted.version,
      })
    : partialObject(object, accepted.version);

/** Many kinds have a scale; its columns are the same for all of them. */
const SCALE = { printer: scalePrinter } as Pick<KindDefinition, 'printer'>;
const printedAs = (kind: KindDefinition, object: KubeObject): Pick<KindDefinition, 'printer'> =>
  object.kind === 'Scale' && object.apiVersion === 'autoscaling/v1' ? SCALE : kind;
