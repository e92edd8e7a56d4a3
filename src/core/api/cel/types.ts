/** Types as the checker sees them. A type is a kind, the name it has at run time, and its parameters. */

export type TypeKind =
  | 'dyn'
  | 'any'
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null_type'
  | 'opaque'
  | 'string'
  | 'struct'
  | 'timestamp'
  | 'type'
  | 'param'
  | 'uint';

export interface CelType {
  readonly kind: TypeKind;
  /** The name at run time, without parameters: `list`, `google.protobuf.Duration`, `kubernetes.Quantity`. */
  readonly name: string;
  readonly parameters: readonly CelType[];
}

const NO_PARAMETERS: readonly CelType[] = [];

const make = (kind: TypeKind, name: string, parameters: readonly CelType[] = NO_PARAMETERS): CelType => ({
  kind,
  name,
  parameters,
});

export const DYN = make('dyn', 'dyn');
export const ANY = make('any', 'google.protobuf.Any');
export const BOOL = make('bool', 'bool');
export const BYTES = make('bytes', 'bytes');
export const DOUBLE = make('double', 'double');
export const DURATION = make('duration', 'google.protobuf.Duration');
export const ERROR = make('error', 'error');
export const INT = make('int', 'int');
export const NULL = make('null_type', 'null_type');
export const STRING = make('string', 'string');
export const TIMESTAMP = make('timestamp', 'google.protobuf.Timestamp');
export const TYPE = make('type', 'type');
export const UINT = make('uint', 'uint');

export const listType = (element: CelType): CelType => make('list', 'list', [element]);
export const mapType = (key: CelType, value: CelType): CelType => make('map', 'map', [key, value]);
export const optionalType = (value: CelType): CelType => make('opaque', 'optional_type', [value]);
export const opaqueType = (name: string, parameters?: readonly CelType[]): CelType => make('opaque', name, parameters);
export const structType = (name: string): CelType => make('struct', name);
export const paramType = (name: string): CelType => make('param', name);
export const typeOf = (type: CelType): CelType => make('type', 'type', [type]);

export const isDyn = (type: CelType): boolean => type.kind === 'dyn' || type.kind === 'any';
export const isDynOrError = (type: CelType): boolean => isDyn(type) || type.kind === 'error';
export const isOptional = (type: CelType): boolean => type.kind === 'opaque' && type.name === 'optional_type';

/** The type of an optional's value, or the type itself. */
export const withoutOptional = (type: CelType): CelType => (isOptional(type) ? parameter(type, 0) : type);

export const parameter = (type: CelType, index: number): CelType => type.parameters[index] ?? DYN;

const PRINTED_NAMES: ReadonlyMap<TypeKind, string> = new Map([
  ['any', 'any'],
  ['duration', 'duration'],
  ['error', '!error!'],
  ['null_type', 'null'],
  ['timestamp', 'timestamp'],
]);

/** The type as messages print it: `map(string, list(int))`. */
export function printType(type: CelType): string {
  const printed = PRINTED_NAMES.get(type.kind);
  if (printed !== undefined) return printed;
  if (type.parameters.length === 0) return type.name;
  return `${type.name}(${type.parameters.map(printType).join(', ')})`;
}

/** `exact` also compares the names of type parameters. */
export function sameType(a: CelType, b: CelType, exact = true): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.parameters.length !== b.parameters.length) return false;
  if ((exact || a.kind !== 'param') && a.name !== b.name) return false;
  return a.parameters.every((p, index) => sameType(p, parameter(b, index), exact));
}

const SIMPLE: ReadonlyMap<string, CelType> = new Map([
  ['dyn', DYN],
  ['any', ANY],
  ['bool', BOOL],
  ['bytes', BYTES],
  ['double', DOUBLE],
  ['duration', DURATION],
  ['int', INT],
  ['null', NULL],
  ['string', STRING],
  ['timestamp', TIMESTAMP],
  ['type', TYPE],
  ['uint', UINT],
]);

/** Reads a type as `printType` writes it. One capital letter is a type parameter, a dotted name an object. */
export function parseType(text: string): CelType {
  const open = text.indexOf('(');
  if (open < 0) {
    const simple = SIMPLE.get(text);
    if (simple) return simple;
    if (text.length === 1) return paramType(text);
    return text.startsWith('net.') ? opaqueType(text) : structType(text);
  }
  const name = text.slice(0, open);
  const parameters = splitTopLevel(text.slice(open + 1, -1)).map(parseType);
  const [first = DYN, second = DYN] = parameters;
  if (name === 'list') return listType(first);
  if (name === 'map') return mapType(first, second);
  if (name === 'type') return typeOf(first);
  return opaqueType(name, parameters);
}

/** The parts of `a, b(c, d)` that commas outside of parentheses separate. */
export function splitTopLevel(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '(') depth++;
    else if (character === ')') depth--;
    else if (character === ',' && depth === 0) {
      parts.push(text.slice(from, i).trim());
      from = i + 1;
    }
  }
  const last = text.slice(from).trim();
  return last === '' ? parts : [...parts, last];
}
