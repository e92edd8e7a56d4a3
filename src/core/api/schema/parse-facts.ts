/**
 * The compact notation of API types, and its parser. A block is a line `package/version.Type marker…` followed by one
 * indented line a field: `jsonName protobufNumber type marker…`. `typed` types carry apiVersion and kind, `open` types
 * keep fields they do not name, `atomic` ones are applied as a whole.
 *
 * Types: string bool int32 int64 uint8 double bytes quantity intorstring time microtime duration raw json fieldsv1
 * schemaorbool schemaorarray schemaorstrings, `package/version.Type`, `[]T`, `{}T` (map with string keys),
 * `*T` (absent and zero differ), `items<T>` (a list that protobuf wraps in a message). The name `~` marks fields
 * that JSON writes inline and protobuf nests. Markers: `always` (Go writes it even when empty), `omitzero`,
 * `required`, `list=atomic|set|map(key+key)`, `map=atomic`, `patch=merge+retainKeys`, `mergekey=K`, `as=T` (the name
 * Go gives the field's type where it is not the one above; decoding errors name it).
 */

export type Scalar =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'uint8'
  | 'double'
  | 'bytes'
  | 'quantity'
  | 'intorstring'
  | 'time'
  | 'microtime'
  | 'duration'
  | 'raw'
  | 'json'
  | 'fieldsv1'
  | 'schemaorbool'
  | 'schemaorarray'
  | 'schemaorstrings';

export type TypeExpression =
  | { readonly kind: 'scalar'; readonly scalar: Scalar }
  | { readonly kind: 'object'; readonly name: string }
  | { readonly kind: 'list'; readonly element: TypeExpression; readonly wrapped: boolean }
  | { readonly kind: 'map'; readonly value: TypeExpression };

export interface FieldFact {
  /** JSON name; empty for a field whose members JSON writes inline. */
  readonly name: string;
  /** Protobuf field number; 0 where protobuf has none. */
  readonly number: number;
  readonly type: TypeExpression;
  /** Absent and zero differ. */
  readonly pointer: boolean;
  readonly always: boolean;
  readonly omitZero: boolean;
  readonly required: boolean;
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  readonly atomicMap: boolean;
  readonly patchStrategies: readonly string[];
  readonly patchMergeKey?: string;
  /** The type as Go prints it, where the notation alone does not tell (`v1.Protocol` for a string). */
  readonly goType?: string;
}

export interface TypeFact {
  /** `package/version.Type`, for example `core/v1.Pod`. */
  readonly name: string;
  readonly atomic: boolean;
  /** The type has apiVersion and kind. */
  readonly typed: boolean;
  /** Fields the type does not name are kept, not pruned. */
  readonly open: boolean;
  readonly fields: readonly FieldFact[];
}

const SCALARS: ReadonlySet<string> = new Set<Scalar>([
  'string',
  'bool',
  'int32',
  'int64',
  'uint8',
  'double',
  'bytes',
  'quantity',
  'intorstring',
  'time',
  'microtime',
  'duration',
  'raw',
  'json',
  'fieldsv1',
  'schemaorbool',
  'schemaorarray',
  'schemaorstrings',
]);

export function parseFacts(text: string): ReadonlyMap<string, TypeFact> {
  const types = new Map<string, TypeFact>();
  let fields: FieldFact[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    if (line.startsWith(' ')) {
      fields.push(parseField(line.trim()));
    } else {
      fields = [];
      const [name = '', ...markers] = line.split(' ');
      const has = (marker: string): boolean => markers.includes(marker);
      types.set(name, { name, atomic: has('atomic'), typed: has('typed'), open: has('open'), fields });
    }
  }
  return types;
}

function parseField(line: string): FieldFact {
  const [name = '', number = '-', type = '', ...markers] = line.split(' ');
  const valueOf = (marker: string): string | undefined =>
    markers.find((m) => m.startsWith(`${marker}=`))?.slice(marker.length + 1);
  const list = valueOf('list');
  const keys = list?.match(/^map\((.*)\)$/)?.[1];
  const mergeKey = valueOf('mergekey');
  const goType = valueOf('as');
  return {
    name: name === '~' ? '' : name,
    number: number === '-' ? 0 : Number(number),
    type: parseType(type.startsWith('*') ? type.slice(1) : type),
    pointer: type.startsWith('*'),
    always: markers.includes('always'),
    omitZero: markers.includes('omitzero'),
    required: markers.includes('required'),
    ...(list === undefined ? {} : { listType: (keys ? 'map' : list) as 'atomic' | 'set' | 'map' }),
    ...(keys === undefined ? {} : { listMapKeys: keys.split('+') }),
    atomicMap: markers.includes('map=atomic'),
    patchStrategies: valueOf('patch')?.split('+') ?? [],
    ...(mergeKey === undefined ? {} : { patchMergeKey: mergeKey }),
    ...(goType === undefined ? {} : { goType }),
  };
}

function parseType(text: string): TypeExpression {
  if (text.startsWith('*')) return parseType(text.slice(1));
  if (text.startsWith('[]')) return { kind: 'list', element: parseType(text.slice(2)), wrapped: false };
  if (text.startsWith('{}')) return { kind: 'map', value: parseType(text.slice(2)) };
  if (text.startsWith('items<')) return { kind: 'list', element: parseType(text.slice(6, -1)), wrapped: true };
  if (SCALARS.has(text)) return { kind: 'scalar', scalar: text as Scalar };
  return { kind: 'object', name: text };
}
