/** How types are written on the wire, and the small messages behind types that JSON writes as a single value. */
import type { FieldFact, Scalar, TypeExpression } from '../parse-facts.ts';
import { WIRE_BYTES, WIRE_FIXED64, WIRE_VARINT } from './reader.ts';

const VARINTS: ReadonlySet<Scalar> = new Set<Scalar>(['bool', 'int32', 'int64', 'uint8']);

export function wireOf(type: TypeExpression): number {
  if (type.kind !== 'scalar') return WIRE_BYTES;
  if (VARINTS.has(type.scalar)) return WIRE_VARINT;
  return type.scalar === 'double' ? WIRE_FIXED64 : WIRE_BYTES;
}

const scalar = (name: Scalar): TypeExpression => ({ kind: 'scalar', scalar: name });
const listOf = (element: TypeExpression): TypeExpression => ({ kind: 'list', element, wrapped: false });

function plain(name: string, number: number, type: TypeExpression, pointer = false): FieldFact {
  return {
    name,
    number,
    type,
    pointer,
    always: false,
    omitZero: false,
    required: false,
    atomicMap: false,
    patchStrategies: [],
  };
}

const STRING = scalar('string');
const JSON_SCHEMA: TypeExpression = { kind: 'object', name: 'apiextensions/v1.JSONSchemaProps' };
const TIMESTAMP = [plain('seconds', 1, scalar('int64')), plain('nanos', 2, scalar('int32'))];

/** The fields of each small message; the names are ours. */
export const MESSAGES = {
  quantity: [plain('string', 1, STRING)],
  intorstring: [plain('type', 1, scalar('int64')), plain('int', 2, scalar('int32')), plain('string', 3, STRING)],
  time: TIMESTAMP,
  microtime: TIMESTAMP,
  duration: [plain('duration', 1, scalar('int64'))],
  schemaorbool: [plain('allows', 1, scalar('bool')), plain('schema', 2, JSON_SCHEMA, true)],
  schemaorarray: [plain('schema', 1, JSON_SCHEMA, true), plain('list', 2, listOf(JSON_SCHEMA))],
  schemaorstrings: [plain('schema', 1, JSON_SCHEMA, true), plain('list', 2, listOf(STRING))],
} as const satisfies { readonly [scalar in Scalar]?: readonly FieldFact[] };

/** A list that protobuf wraps in a message. */
export const itemsMessage = (element: TypeExpression): readonly FieldFact[] => [plain('items', 1, listOf(element))];
