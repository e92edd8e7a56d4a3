/** Single values: the schema of a field, and the fault when a value does not match it. */
import { percentProblems } from '../../kube/value-formats.ts';
import { quantityProblem } from '../../kube/quantity.ts';
import type { IntegerSchema, Schema, TextSchema } from '../../api/component/language.ts';
import { MAX_INT32 } from '../../api/component/language.ts';
import { SecretText } from '../../api/component/secret-text.ts';
import { formatRule } from '../../api/component/text-formats.ts';
import type { ComponentErrorCode } from '../errors.ts';
import type { Scalar, SourceNode } from '../../kube/yaml/source-node.ts';
import { isOverride } from '../source.ts';
import { nearest } from '../../kube/nearest-word.ts';

export interface Fault {
  readonly code: ComponentErrorCode;
  readonly message: string;
  readonly expected?: string;
  readonly suggestion?: string;
}

/** The value read, or why there is none. */
export type Reading = { readonly value: unknown } | { readonly fault: Fault };

type ScalarSchema = Exclude<Schema, { readonly kind: 'list' | 'map' | 'object' | 'any' }>;

const quote = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text);

/** The kind of a node in words, for messages; never its value. */
export function describeKind(node: SourceNode): string {
  if (node.kind === 'list') return 'a list';
  if (node.kind === 'map') return 'a mapping';
  if (node.value === null) return 'nothing';
  if (typeof node.value === 'string') return 'a text';
  return typeof node.value === 'boolean' ? 'true or false' : 'a number';
}

/** The node in words, for messages. */
export function describeNode(node: SourceNode): string {
  if (node.kind !== 'scalar' || node.value === null) return describeKind(node);
  const { value } = node;
  if (typeof value === 'string') return `the text ${quote(value)}`;
  return typeof value === 'boolean' ? String(value) : `the number ${value}`;
}

const FORMS: { readonly [form: string]: string } = {
  value: 'a text, or valueFrom',
  image: 'an image, such as repo:tag',
  env: 'a list, or a mapping',
};

/** The values that a schema accepts, in words. */
export function describeSchema(schema: Schema): string {
  switch (schema.kind) {
    case 'text':
      if (schema.values !== undefined) return `one of ${schema.values.join(', ')}`;
      return schema.format === undefined ? 'a text' : formatRule(schema.format).expected;
    case 'secret':
      return 'a text';
    case 'integer':
      return integerRange(schema);
    case 'boolean':
      return 'true or false';
    case 'bound':
      return 'a number of pods or a percentage such as 10%';
    case 'quantity':
      return 'a quantity such as 100m or 64Mi';
    case 'list':
      return 'a list';
    case 'map':
      return 'a mapping';
    case 'object':
      return schema.form === undefined ? 'a mapping' : (FORMS[schema.form] ?? 'a mapping');
    case 'any':
      return 'anything';
  }
}

function integerRange({ min, max }: IntegerSchema): string {
  const isOpen = max === MAX_INT32 || max === Number.MAX_SAFE_INTEGER;
  if (min <= -MAX_INT32) return 'a whole number';
  return isOpen ? `a whole number, at least ${min}` : `a whole number from ${min} to ${max}`;
}

const IN_QUOTES = 'put it in quotes';
const AS_STRING = 'give it with --set-string';

const wrongType = (schema: Schema, node: SourceNode): Reading => {
  const expected = describeSchema(schema);
  // A value in the place of a secret may be a secret.
  const got = schema.kind === 'secret' ? describeKind(node) : describeNode(node);
  const isBare = (schema.kind === 'text' || schema.kind === 'secret') && node.kind === 'scalar';
  return {
    fault: {
      code: 'EN_COMPONENT_TYPE',
      message: `expected ${expected}, found ${got}`,
      expected,
      ...(isBare ? { suggestion: isOverride(node.at) ? AS_STRING : IN_QUOTES } : {}),
    },
  };
};

const badValue = (message: string, expected: string, suggestion?: string): Reading => ({
  fault: { code: 'EN_COMPONENT_VALUE', message, expected, ...(suggestion === undefined ? {} : { suggestion }) },
});

/** The fault without any part of the value. */
export const hushed = (schema: Schema, node: SourceNode, { code, expected, suggestion }: Fault): Fault => ({
  code,
  message:
    code === 'EN_COMPONENT_TYPE'
      ? `expected ${describeSchema(schema)}, found ${describeKind(node)}`
      : `what stands here is not ${expected ?? describeSchema(schema)}`,
  ...(expected === undefined ? {} : { expected }),
  // Other suggestions contain the word nearest to the value.
  ...(suggestion === IN_QUOTES || suggestion === AS_STRING ? { suggestion } : {}),
});

export function readScalar(schema: ScalarSchema, node: SourceNode): Reading {
  if (node.kind !== 'scalar') return wrongType(schema, node);
  const { value } = node;
  switch (schema.kind) {
    case 'text':
      return typeof value === 'string' ? readText(schema, value) : wrongType(schema, node);
    case 'secret':
      return typeof value === 'string' ? { value: SecretText.written(value) } : wrongType(schema, node);
    case 'boolean':
      return typeof value === 'boolean' ? { value } : wrongType(schema, node);
    case 'integer':
      return readInteger(schema, value) ?? wrongType(schema, node);
    case 'bound':
      return readBound(schema, value) ?? wrongType(schema, node);
    case 'quantity': {
      if (typeof value !== 'string' && typeof value !== 'number') return wrongType(schema, node);
      const text = String(value);
      if (quantityProblem(text) === undefined) return { value: text };
      return badValue(`${quote(text)} is no quantity`, describeSchema(schema));
    }
  }
}

function readText(schema: TextSchema, value: string): Reading {
  const expected = describeSchema(schema);
  // In the older tools an empty text and none are the same.
  if (value === '' && schema.isEmptyAllowed !== true) return { value: undefined };
  if (schema.values !== undefined && !schema.values.includes(value)) {
    const near = nearest(value, schema.values);
    return badValue(
      `${quote(value)} is not ${expected}`,
      expected,
      near === undefined ? undefined : `did you mean ${near}?`,
    );
  }
  if (schema.format !== undefined && !formatRule(schema.format).isFine(value)) {
    return badValue(`${quote(value)} is not ${expected}`, expected);
  }
  return { value };
}

const DIGITS = /^-?[0-9]{1,19}$/;

/** Numbers may be written as texts, as the JSON form of protocol buffers writes long ones. */
function readInteger(schema: IntegerSchema, value: Scalar): Reading | undefined {
  if (typeof value === 'bigint') return badValue(`${value} is too large`, integerRange(schema));
  const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number)) return undefined;
  if (number < schema.min || number > schema.max) {
    return badValue(`${number} is not ${integerRange(schema)}`, integerRange(schema));
  }
  return { value: number };
}

/** A text of digits is a number here, though Kubernetes takes texts for percentages only. */
function readBound(schema: Schema, value: Scalar): Reading | undefined {
  const expected = describeSchema(schema);
  const number = typeof value === 'string' && /^[0-9]{1,9}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number') {
    const isFine = Number.isInteger(number) && number >= 0 && number <= MAX_INT32;
    return isFine ? { value: number } : badValue(`${number} is not ${expected}`, expected);
  }
  if (typeof value !== 'string') return undefined;
  if (value === '') return { value: undefined };
  const isPercentage = percentProblems(value).length === 0 && Number(value.slice(0, -1)) <= 100;
  return isPercentage ? { value } : badValue(`${quote(value)} is not ${expected}`, expected);
}
