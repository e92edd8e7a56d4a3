/** Findings of value validation, in the words of Kubernetes' OpenAPI validator, and as field errors. */
import {
  type FieldError,
  field,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from '../../../kube/field-errors.ts';
import { goQuote } from '../../../kube/go-text.ts';
import { encodeGoJson, type Json } from '../../../kube/json.ts';

export interface Finding {
  /** Two findings with the same text are one. */
  readonly text: string;
  /** The finding below the place that was validated (`status` for a status of its own). */
  toFieldError(base: string): FieldError;
}

type Make = (path: string, text: string) => FieldError;

const below = (base: string, path: string): string => {
  const trimmed = path.startsWith('.') ? path.slice(1) : path;
  return trimmed === '' ? base : field.child(base, trimmed);
};

const at = (path: string, text: string, make: Make): Finding => ({
  text,
  toFieldError: (base) => make(below(base, path), text),
});

/** Findings about several schemas at once name no field. */
const general = (text: string): Finding => ({ text, toFieldError: (base) => invalid(base, '', text) });

/** A number as Go's `%v` prints it. */
export function goNumber(value: number | bigint): string {
  if (typeof value === 'bigint') return value.toString();
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e21)) {
    return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  }
  return String(value);
}

export const wrongType = (path: string, expected: string, found: string): Finding =>
  at(path, `${path} in body must be of type ${expected}: ${goQuote(found)}`, (where, text) =>
    typeInvalid(where, found, text),
  );

export const missing = (path: string): Finding =>
  at(path, `${path} in body is required`, (where) => required(where, ''));

export const notInEnum = (path: string, value: unknown, values: readonly Json[]): Finding =>
  at(path, `${path} in body should be one of ${encodeGoJson(values)}`, (where) =>
    notSupported(
      where,
      value,
      values.map((each) => (typeof each === 'string' ? each : encodeGoJson(each))),
    ),
  );

export const longerThan = (path: string, limit: number): Finding =>
  at(path, `${path} in body should be at most ${limit} chars long`, (where) => tooLong(where, limit));

export const shorterThan = (path: string, limit: number, value: string): Finding =>
  simple(path, value, `should be at least ${limit} chars long`);

export const unmatched = (path: string, pattern: string, value: string): Finding =>
  simple(path, value, `should match '${pattern}'`);

export const tooManyItems = (path: string, limit: number, size: number): Finding =>
  at(path, `${path} in body should have at most ${limit} items`, (where) => tooMany(where, size, limit));

export const tooFewItems = (path: string, limit: number, size: number): Finding =>
  simple(path, size, `should have at least ${limit} items`);

export const tooManyProperties = (path: string, limit: number, size: number): Finding =>
  at(path, `${path} in body should have at most ${limit} properties`, (where) => tooMany(where, size, limit));

export const tooFewProperties = (path: string, limit: number, size: number): Finding =>
  simple(path, size, `should have at least ${limit} properties`);

export const forbiddenProperty = (path: string, name: string): Finding =>
  at(path, `${path}.${name} in body is a forbidden property`, (where, text) => invalid(where, name, text));

export const simple = (path: string, value: unknown, words: string): Finding =>
  at(path, `${path} in body ${words}`, (where, text) => invalid(where, value, text));

export const notPositive = (path: string, factor: number): Finding =>
  at(path, `factor MultipleOf declared for ${path} must be positive: ${goNumber(factor)}`, (where, text) =>
    invalid(where, factor, text),
  );

export const outOfRange = (path: string, what: string, type: string, format: string): Finding =>
  general(
    `${what} value must be of type ${type} ${format === '' ? '(default format)' : `with format ${format}`} in ${path}`,
  );

export const noneOf = (path: string): Finding => general(`${goQuote(path)} must validate at least one schema (anyOf)`);

export const notExactlyOne = (path: string, valid: number): Finding =>
  general(
    `${goQuote(path)} must validate one and only one schema (oneOf). ${
      valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`
    }`,
  );

export const notAll = (path: string, none: boolean): Finding =>
  general(`${goQuote(path)} must validate all the schemas (allOf)${none ? '. None validated' : ''}`);

export const matchesForbidden = (path: string): Finding =>
  general(`${goQuote(path)} must not validate the schema (not)`);
