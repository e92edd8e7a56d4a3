/**
 * The component's kind, `KubernetesDaemonSet`. One declaration (`spec.ts` and the files it names) says which fields there
 * are; everything else follows from it: the TypeScript types (inferred, `types.ts`), what the reader checks and fills in,
 * the custom resource definitions (`definitions.ts`) and the field reference in docs (`reference.ts`).
 *
 * This file: the words of that declaration.
 */
import type { Json } from '../../kube/json.ts';
import type { SecretText } from './secret-text.ts';
import type { TextFormat } from './text-formats.ts';

/** Ties a schema to the type of its values; never present at run time. */
interface Typed<T> {
  readonly valueType?: T;
}

export interface TextSchema<T extends string = string> extends Typed<T> {
  readonly kind: 'text';
  readonly values?: readonly T[];
  readonly format?: TextFormat;
  readonly isEmptyAllowed?: boolean;
}

/** A text that is masked from the moment it is read. */
export interface SecretSchema extends Typed<SecretText> {
  readonly kind: 'secret';
}

export interface IntegerSchema extends Typed<number> {
  readonly kind: 'integer';
  readonly min: number;
  readonly max: number;
}

export interface BooleanSchema extends Typed<boolean> {
  readonly kind: 'boolean';
}

/** A number of pods, or a share of them: `1`, `"1"` or `"10%"`. Read as a number or a percentage. */
export interface BoundSchema extends Typed<number | string> {
  readonly kind: 'bound';
}

export interface QuantitySchema extends Typed<string> {
  readonly kind: 'quantity';
}

/** Any JSON: kept as it is and never validated. */
export interface AnySchema extends Typed<Json> {
  readonly kind: 'any';
}

export interface ListSchema<T = unknown> extends Typed<readonly T[]> {
  readonly kind: 'list';
  readonly items: Schema;
  readonly minItems: number;
  /** The field by which items are told apart; two items with the same value are a mistake. */
  readonly key?: string;
  /** Other shapes the reader takes. */
  readonly form?: ListForm;
}

export interface MapSchema<T = unknown> extends Typed<{ readonly [key: string]: T }> {
  readonly kind: 'map';
  readonly values: Schema;
  readonly keys?: TextFormat;
  readonly minItems: number;
  /** Another shape the reader takes: one text stands for a map with one entry, named as the map itself. */
  readonly form?: 'files';
}

export interface ObjectSchema<T = unknown> extends Typed<T> {
  readonly kind: 'object';
  readonly name: string;
  readonly fields: Fields;
  /** Another shape the reader takes in place of the object. */
  readonly form?: ObjectForm;
  /** Fields of which no two may stand together. */
  readonly alternatives?: readonly string[];
  /** One of the alternatives must be there. */
  readonly isAlternativeRequired?: boolean;
  /** Undeclared fields that are dropped, not refused (metadata that an API server writes). */
  readonly ignored?: ReadonlySet<string>;
  /** For the custom resource definition: rules in CEL. */
  readonly rules?: readonly CelRule[];
}

interface CelRule {
  readonly rule: string;
  readonly message: string;
}

/** How a map may stand for a list: its keys become `name`, its values what is left; sorted, for maps have no order. */
export type ListForm = 'named-map';

export type ObjectForm =
  /** `x: text` for `x: {value: text}`. */
  | 'value'
  /** `image: repo:tag@digest`. */
  | 'image'
  /** `env: [{name, value}]`, or a map of names to texts, for `env: {variables: …}`. */
  | 'env'
  /** `hostPath: /var/log` with `hostPathType` beside it. */
  | 'flat-host-path'
  /** `port: 80` or `port: http` for portNumber and portName. */
  | 'port';

export type Schema =
  | TextSchema
  | SecretSchema
  | IntegerSchema
  | BooleanSchema
  | BoundSchema
  | QuantitySchema
  | AnySchema
  | ListSchema
  | MapSchema
  | ObjectSchema;

export interface FieldOptions {
  /** Other spellings beside camelCase and snake_case. */
  readonly aliases?: readonly string[];
  /** The default value as text, for the reference. */
  readonly default?: string;
}

export interface Field<S = Schema, Required extends boolean = boolean> extends FieldOptions {
  readonly schema: S;
  readonly doc: string;
  readonly isRequired: Required;
}

export interface Fields {
  readonly [name: string]: Field;
}

export type ValueOf<S> = S extends Typed<infer T> ? T : never;

/** The type of an object with these fields. */
type ObjectOf<F extends Fields> = Flat<
  { readonly [K in keyof F as F[K]['isRequired'] extends true ? K : never]: ValueOf<F[K]['schema']> } & {
    readonly [K in keyof F as F[K]['isRequired'] extends true ? never : K]?: ValueOf<F[K]['schema']>;
  }
>;
type Flat<T> = { [K in keyof T]: T[K] };

export const text = (format?: TextFormat): TextSchema => ({
  kind: 'text',
  ...(format === undefined ? {} : { format }),
});

/** A text that may also be empty; an empty text is a value, not an absent one. */
export const anyText: TextSchema = { kind: 'text', isEmptyAllowed: true };

export const oneOf = <const T extends string>(...values: readonly T[]): TextSchema<T> => ({ kind: 'text', values });

export const secret: SecretSchema = { kind: 'secret' };
export const boolean: BooleanSchema = { kind: 'boolean' };
export const bound: BoundSchema = { kind: 'bound' };
export const quantity: QuantitySchema = { kind: 'quantity' };
export const anything: AnySchema = { kind: 'any' };

export const MAX_INT32 = 2147483647;

export const integer = (min = -MAX_INT32 - 1, max = MAX_INT32): IntegerSchema => ({ kind: 'integer', min, max });
/** Kubernetes' int64; a double holds every one that makes sense. */
export const long = (min = Number.MIN_SAFE_INTEGER): IntegerSchema => integer(min, Number.MAX_SAFE_INTEGER);
export const port = integer(1, 65535);

export const list = <S extends Schema>(
  items: S,
  options: { readonly minItems?: number; readonly key?: string; readonly form?: ListForm } = {},
): ListSchema<ValueOf<S>> => ({ kind: 'list', items, minItems: 0, ...options });

export const map = <S extends Schema>(values: S, keys?: TextFormat, minItems = 0): MapSchema<ValueOf<S>> => ({
  kind: 'map',
  values,
  minItems,
  ...(keys === undefined ? {} : { keys }),
});

export const object = <F extends Fields>(
  name: string,
  fields: F,
  options: Omit<ObjectSchema, 'kind' | 'name' | 'fields' | 'valueType'> = {},
): ObjectSchema<ObjectOf<F>> => ({ kind: 'object', name, fields, ...options });

export const required = <S>(schema: S, doc: string, options: FieldOptions = {}): Field<S, true> => ({
  schema,
  doc,
  isRequired: true,
  ...options,
});

export const optional = <S>(schema: S, doc: string, options: FieldOptions = {}): Field<S, false> => ({
  schema,
  doc,
  isRequired: false,
  ...options,
});

/** `mountPath` as `mount_path`: the name in the proto files. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
