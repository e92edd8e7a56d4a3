/** Types of Kubernetes' own kinds for the checker, from the facts: what OpenAPI tells of them, and no more. */
import type { Scalar, TypeExpression } from '../schema/parse-facts.ts';
import { findTypeSchema } from '../schema/type-schema.ts';
import {
  BOOL_DECL,
  DOUBLE_DECL,
  DYN_DECL,
  INT_DECL,
  listDecl,
  mapDecl,
  objectDecl,
  opaqueDecl,
  STRING_DECL,
  TIMESTAMP_DECL,
  UNNAMED,
  type DeclType,
} from './decl-types.ts';
import { escapeName } from './values/escape.ts';
import { BYTES } from './types.ts';

const UNBOUNDED = -1;
const ANYTHING = objectDecl(UNNAMED, new Map());

/**
 * OpenAPI describes a quantity as a string or a number, and any JSON without a type: expressions do not see such
 * fields.
 */
const SCALARS: ReadonlyMap<Scalar, DeclType> = new Map([
  ['string', STRING_DECL],
  ['duration', STRING_DECL],
  ['bool', BOOL_DECL],
  ['int32', INT_DECL],
  ['int64', INT_DECL],
  ['uint8', INT_DECL],
  ['double', DOUBLE_DECL],
  ['bytes', opaqueDecl(BYTES)],
  ['intorstring', DYN_DECL],
  ['time', TIMESTAMP_DECL],
  ['microtime', TIMESTAMP_DECL],
  ['raw', ANYTHING],
  ['fieldsv1', ANYTHING],
]);

/** Undefined where there is no such type. A type within itself is an object without known fields. */
export function declTypeOfFacts(typeName: string, within: ReadonlySet<string> = new Set()): DeclType | undefined {
  if (within.has(typeName)) return ANYTHING;
  const schema = findTypeSchema(typeName);
  if (schema === undefined) return undefined;
  const inside = new Set(within).add(typeName);
  const fields = new Map<string, DeclType>();
  for (const { name, type } of schema.fields) {
    const decl = declOf(type, inside);
    const escaped = escapeName(name);
    if (decl !== undefined && escaped !== undefined) fields.set(escaped, decl);
  }
  return objectDecl(UNNAMED, fields);
}

function declOf(type: TypeExpression, within: ReadonlySet<string>): DeclType | undefined {
  if (type.kind === 'object') return declTypeOfFacts(type.name, within);
  if (type.kind === 'scalar') return SCALARS.get(type.scalar);
  const member = declOf(type.kind === 'list' ? type.element : type.value, within);
  if (member === undefined) return undefined;
  return type.kind === 'list' ? listDecl(member, UNBOUNDED) : mapDecl(STRING_DECL, member, UNBOUNDED);
}
