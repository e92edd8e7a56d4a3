/** Defaults must themselves be valid: of the right shape, with nothing unknown in them. */
import { type FieldError, field, invalid } from '../../../kube/field-errors.ts';
import { append } from '../../rules/append.ts';
import { coerceEmbedded, validateEmbedded } from '../schema/embedded.ts';
import { prune } from '../schema/shape.ts';
import type { Structural } from '../schema/structural.ts';
import { valueValidator } from '../schema/value-validator.ts';

export function validateDefaults(schema: Structural, path: string, requirePruned = true): FieldError[] {
  const errors: FieldError[] = [];
  visit(schema, path, requirePruned, errors);
  return errors;
}

function visit(schema: Structural, path: string, requirePruned: boolean, errors: FieldError[]): void {
  const { default: value } = schema;
  const at = field.child(path, 'default');
  if (value !== undefined) append(errors, judge(value, schema, at, requirePruned));
  // Defaults below additionalProperties are not visited: in metadata they are forbidden, elsewhere Kubernetes ignores
  // them.
  if (schema.items !== undefined) visit(schema.items, field.child(path, 'items'), requirePruned, errors);
  for (const [name, property] of schema.properties) {
    visit(property, field.key(field.child(path, 'properties'), name), requirePruned, errors);
  }
}

function judge(value: unknown, schema: Structural, path: string, requirePruned: boolean): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (requirePruned && prune(value, schema, schema.embeddedResource).value !== value) {
    errors.push(invalid(path, value, 'must not have unknown fields'));
  }
  const coerced = coerceEmbedded(value, schema, path);
  if (coerced.error !== undefined) return [...errors, coerced.error];
  const embedded = validateEmbedded(value, schema, path);
  append(errors, embedded.length > 0 ? embedded : valueValidator(schema.source).validate(value, path));
  return errors;
}

/** Whether some default of the schema has unknown fields. */
export function hasUnprunedDefaults(schema: Structural): boolean {
  const { default: value, items, properties } = schema;
  return (
    (value !== undefined && prune(value, schema, schema.embeddedResource).value !== value) ||
    (items !== undefined && hasUnprunedDefaults(items)) ||
    properties.values().some(hasUnprunedDefaults)
  );
}
