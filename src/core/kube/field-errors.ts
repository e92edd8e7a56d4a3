/**
 * Validation findings with Kubernetes' paths and wording (k8s.io/apimachinery's `field` package). A list of these
 * becomes the causes of a 422 `Status`.
 */

export type FieldErrorType =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
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
export function printValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value as number | boolean | bigint);
}

export const required = (path: string, detail: string): FieldError => ({
  type: 'FieldValueRequired',
  field: path,
  message: detail === '' ? 'Required value' : `Required value: ${detail}`,
});

export const invalid = (path: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field: path,
  message: `Invalid value: ${printValue(value)}${detail === '' ? '' : `: ${detail}`}`,
});

export const typeInvalid = (path: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueTypeInvalid',
  field: path,
  message: `Invalid value: ${printValue(value)}: ${detail}`,
});

/** `supported` is printed in the order given; Kubernetes sorts some of its sets, so callers pass them sorted. */
export const notSupported = (path: string, value: unknown, supported: readonly string[]): FieldError => ({
  type: 'FieldValueNotSupported',
  field: path,
  message: `Unsupported value: ${printValue(value)}${
    supported.length === 0 ? '' : `: supported values: ${supported.map((s) => JSON.stringify(s)).join(', ')}`
  }`,
});

export const duplicate = (path: string, value: unknown): FieldError => ({
  type: 'FieldValueDuplicate',
  field: path,
  message: `Duplicate value: ${printValue(value)}`,
});

export const forbidden = (path: string, detail: string): FieldError => ({
  type: 'FieldValueForbidden',
  field: path,
  message: `Forbidden: ${detail}`,
});

export const notFoundValue = (path: string, value: unknown): FieldError => ({
  type: 'FieldValueNotFound',
  field: path,
  message: `Not found: ${printValue(value)}`,
});

export const tooLong = (path: string, maxLength: number): FieldError => ({
  type: 'FieldValueTooLong',
  field: path,
  message: `Too long: may not be more than ${maxLength} bytes`,
});

export const tooMany = (path: string, actual: number, max: number): FieldError => ({
  type: 'FieldValueTooMany',
  field: path,
  message: `Too many: ${actual}: must have at most ${max} items`,
});
