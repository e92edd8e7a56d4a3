/** Paths to the replicas of a custom resource, and the values allowed there. */
import { type FieldError, invalid } from '../../kube/field-errors.ts';
import type { Json } from '../../kube/json.ts';
import { goText, goTypeName } from '../go-print.ts';
import type { CustomResourceSubresourceScale } from '../types/apiextensions-v1.ts';
import { isBag } from './schema/shape.ts';

const MAX_INT32 = 2 ** 31 - 1;

/** `.spec.replicas` → its steps. Scale paths are plain names with dots between. */
export const stepsOf = (path: string): readonly string[] => path.replace(/^\./, '').split('.');

export type Nested =
  | { readonly found: true; readonly value: unknown }
  | { readonly found: false }
  /** A step of the path leads through a value that is no object. */
  | { readonly found: false; readonly error: string };

export function nested(object: unknown, steps: readonly string[]): Nested {
  let value: unknown = object;
  for (const [i, step] of steps.entries()) {
    if (value === null) return { found: false };
    if (!isBag(value)) {
      const where = steps
        .slice(0, i + 1)
        .map((each) => `.${each}`)
        .join('');
      return { found: false, error: mistyped(where, value, 'map[string]interface{}') };
    }
    if (!Object.hasOwn(value, step)) return { found: false };
    value = value[step];
  }
  return { found: true, value };
}

const mistyped = (where: string, value: unknown, expected: string): string => {
  const found = (value ?? null) as Json;
  return `${where} accessor error: ${goText(found)} is of the type ${goTypeName(found)}, expected ${expected}`;
};

function readTyped(object: unknown, path: string, type: 'int64' | 'string') {
  const steps = stepsOf(path);
  const read = nested(object, steps);
  if ('error' in read) return { error: read.error };
  if (!read.found) return {};
  const { value } = read;
  const isRight = type === 'string' ? typeof value === 'string' : Number.isInteger(value);
  if (isRight) return { value: value as number };
  const where = steps.map((each) => `.${each}`).join('');
  return { error: mistyped(where, value, type) };
}

function replicasErrors(object: unknown, path: string): readonly FieldError[] {
  const { error, value = 0 } = readTyped(object, path, 'int64');
  if (error !== undefined) return [invalid(path, 0, error)];
  if (value < 0) return [invalid(path, value, 'should be a non-negative integer')];
  return value > MAX_INT32 ? [invalid(path, value, `should be less than or equal to ${MAX_INT32}`)] : [];
}

export const validateScaleSpec = (object: unknown, scale: CustomResourceSubresourceScale): readonly FieldError[] =>
  replicasErrors(object, scale.specReplicasPath);

export function validateScaleStatus(object: unknown, scale: CustomResourceSubresourceScale): readonly FieldError[] {
  const errors = replicasErrors(object, scale.statusReplicasPath);
  const { labelSelectorPath } = scale;
  if (labelSelectorPath === undefined) return errors;
  const { error } = readTyped(object, labelSelectorPath, 'string');
  return error === undefined ? errors : [...errors, invalid(labelSelectorPath, '', error)];
}
