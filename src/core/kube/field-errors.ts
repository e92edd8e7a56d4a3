/**
 * Validation findings with Kubernetes' paths and wording (k8s.io/apimachinery's `field` package). A list of these
 * becomes the causes of a 422 `Status`.
 */
import { goQuote } from './go-text.ts';
import { encodeGoJson, type Json } from './json.ts';

export type FieldErrorType =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooShort'
  | 'FieldValueTooMany'
  | 'FieldValueTooFew'
  | 'FieldValueNotFound'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

export interface FieldError {
  readonly type: FieldErrorType;
  /** `spec.template.spec.containers[0].name` */
  readonly field: string;
  /** The text without the path: `Invalid value: "x": must be …`. */
  readonly message: string;
}

const child = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Paths are plain strings, built only when something is wrong or about to be checked. */
export const field = {
  child,
  index: (path: string, index: number): string => `${path}[${index}]`,
  key: (path: string, key: string): string => `${path}[${key}]`,
};

/** Prints a value as Go's validation does: strings quoted, other scalars bare, structures as JSON. */
function printValue(value: unknown): string {
  if (typeof value === 'string') return goQuote(value);
  if (value === undefined || value === null) return 'null';
  return encodeGoJson(value as Json);
}

const withDetail = (text: string, detail: string): string => (detail === '' ? text : `${text}: ${detail}`);

export const required = (path: string, detail: string): FieldError => ({
  type: 'FieldValueRequired',
  field: path,
  message: withDetail('Required value', detail),
});

export const invalid = (path: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field: path,
  message: withDetail(`Invalid value: ${printValue(value)}`, detail),
});

export const typeInvalid = (path: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueTypeInvalid',
  field: path,
  message: withDetail(`Invalid value: ${printValue(value)}`, detail),
});

/** `supported` is printed in the order given; Kubernetes sorts some of its sets, so callers pass them sorted. */
export const notSupported = (path: string, value: unknown, supported: readonly string[]): FieldError => ({
  type: 'FieldValueNotSupported',
  field: path,
  message: withDetail(
    `Unsupported value: ${printValue(value)}`,
    supported.length === 0 ? '' : `supported values: ${supported.map(goQuote).join(', ')}`,
  ),
});

export const duplicate = (path: string, value: unknown): FieldError => ({
  type: 'FieldValueDuplicate',
  field: path,
  message: `Duplicate value: ${printValue(value)}`,
});

export const forbidden = (path: string, detail: string): FieldError => ({
  type: 'FieldValueForbidden',
  field: path,
  message: withDetail('Forbidden', detail),
});

export const notFoundValue = (path: string, value: unknown): FieldError => ({
  type: 'FieldValueNotFound',
  field: path,
  message: `Not found: ${printValue(value)}`,
});

const counted = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? '' : 's'}`;

/** A negative limit is left out of the message. */
const lengthError = (path: string, maxLength: number, unit: string): FieldError => ({
  type: 'FieldValueTooLong',
  field: path,
  message: `Too long: ${maxLength < 0 ? 'value is too long' : `may not be more than ${counted(maxLength, unit)}`}`,
});

export const tooLong = (path: string, maxLength: number): FieldError => lengthError(path, maxLength, 'byte');

export const tooLongCharacters = (path: string, maxLength: number): FieldError =>
  lengthError(path, maxLength, 'character');

export const tooShort = (path: string, minLength: number): FieldError => ({
  type: 'FieldValueTooShort',
  field: path,
  message: `Too short: ${minLength < 0 ? 'value is too short' : `must be at least ${counted(minLength, 'character')}`}`,
});

export const tooMany = (path: string, actual: number, max: number): FieldError => ({
  type: 'FieldValueTooMany',
  field: path,
  message: `Too many${actual < 0 ? '' : `: ${actual}`}: ${max < 0 ? 'has too many items' : `must have at most ${counted(max, 'item')}`}`,
});

export const tooFew = (path: string, actual: number, min: number): FieldError => ({
  type: 'FieldValueTooFew',
  field: path,
  message: `Too few: ${actual}: ${min < 0 ? 'has too few items' : `must have at least ${counted(min, 'item')}`}`,
});

export const internalFieldError = (path: string, detail: string): FieldError => ({
  type: 'InternalError',
  field: path,
  message: withDetail('Internal error', detail),
});

/** Upstream's error for every change of an immutable field. */
export const immutableField = (path: string, value: unknown): FieldError => invalid(path, value, 'field is immutable');

/** Upstream's name for an empty path. */
export const pathText = (path: string): string => (path === '' ? '<nil>' : path);

/** `spec.x: Required value`. */
export const fieldErrorMessage = ({ field: path, message }: FieldError): string => `${pathText(path)}: ${message}`;

/** All findings in one line: the one message, or a list in brackets without repetitions. */
export function aggregateMessage(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(fieldErrorMessage))];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}
