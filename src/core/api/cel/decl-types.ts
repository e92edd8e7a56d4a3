/**
 * Types of variables: what the checker needs (fields), what the cost estimate needs (sizes), and how JSON of the type
 * becomes a value.
 */
import { nativeValue } from './values/native.ts';
import {
  BOOL,
  DOUBLE,
  DYN,
  INT,
  isOptional,
  listType,
  mapType,
  optionalType,
  STRING,
  structType,
  TIMESTAMP,
  withoutOptional,
  type CelType,
} from './types.ts';
import type { Adapt } from './values/values.ts';

export interface DeclType {
  readonly type: CelType;
  /** Fields of an object, by their escaped names. */
  readonly fields: ReadonlyMap<string, DeclType> | undefined;
  readonly key: DeclType | undefined;
  readonly element: DeclType | undefined;
  /** Characters, items or entries at most; the estimate multiplies by it. */
  readonly maxElements: number;
  /** Bytes of JSON the smallest value takes; bounds how many fit into a request. */
  readonly minSerializedSize: number;
  readonly adapt: Adapt;
}

export interface DeclOptions {
  readonly maxElements?: number;
  readonly minSerializedSize?: number;
  readonly adapt?: Adapt;
}

export const scalar = (type: CelType, minSerializedSize: number, options: DeclOptions = {}): DeclType => ({
  type,
  fields: undefined,
  key: undefined,
  element: undefined,
  maxElements: options.maxElements ?? 0,
  minSerializedSize,
  adapt: options.adapt ?? nativeValue,
});

export const listDecl = (element: DeclType, maxElements: number, adapt: Adapt = nativeValue): DeclType => ({
  type: listType(element.type),
  fields: undefined,
  key: undefined,
  element,
  maxElements,
  minSerializedSize: 2,
  adapt,
});

export const mapDecl = (
  key: DeclType,
  element: DeclType,
  maxElements: number,
  adapt: Adapt = nativeValue,
): DeclType => ({
  type: mapType(key.type, element.type),
  fields: undefined,
  key,
  element,
  maxElements,
  minSerializedSize: 2,
  adapt,
});

export const objectDecl = (
  name: string,
  fields: ReadonlyMap<string, DeclType>,
  minSerializedSize = 2,
  adapt: Adapt = nativeValue,
): DeclType => ({
  type: structType(name),
  fields,
  key: undefined,
  element: undefined,
  maxElements: 0,
  minSerializedSize,
  adapt,
});

export const DYN_DECL = scalar(DYN, 1);
export const STRING_DECL = scalar(STRING, 2);
export const BOOL_DECL = scalar(BOOL, 4);
export const INT_DECL = scalar(INT, 1);
export const DOUBLE_DECL = scalar(DOUBLE, 1);
export const TIMESTAMP_DECL = scalar(TIMESTAMP, 12);

/** Objects without a name are named after their path: `self.spec.ports.@idx`. */
export const UNNAMED = 'object';

export function withNames(decl: DeclType, name: string): DeclType {
  if (isOptional(decl.type)) {
    const named = withNames({ ...decl, type: withoutOptional(decl.type) }, name);
    return { ...named, type: optionalType(named.type) };
  }
  if (decl.fields) {
    const named = decl.type.name === UNNAMED ? name : decl.type.name;
    const fields = new Map<string, DeclType>();
    for (const [field, type] of decl.fields) fields.set(field, withNames(type, `${named}.${field}`));
    return { ...decl, type: structType(named), fields };
  }
  if (!decl.element) return decl;
  const element = withNames(decl.element, `${name}.${decl.key ? '@elem' : '@idx'}`);
  if (element === decl.element) return decl;
  return { ...decl, element, type: decl.key ? mapType(decl.key.type, element.type) : listType(element.type) };
}

/** All object types within, by name. */
export function collectObjects(decl: DeclType, into: Map<string, DeclType>): void {
  if (decl.fields) {
    const { name } = withoutOptional(decl.type);
    if (into.has(name)) return;
    into.set(name, decl);
    for (const field of decl.fields.values()) collectObjects(field, into);
  }
  if (decl.element) collectObjects(decl.element, into);
}

/** The type of an optional, for `oldSelf` in rules with `optionalOldSelf`. */
export const optionalDecl = (decl: DeclType): DeclType => ({ ...decl, type: optionalType(decl.type) });

/** A type that only the checker sees: results of other expressions, values of libraries. */
export const opaqueDecl = (type: CelType): DeclType => scalar(type, 1);
