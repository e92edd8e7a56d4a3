/** One version of a definition, or what all of them share: schema, subresources, columns, selectable fields. */
import {
  duplicate,
  type FieldError,
  field,
  forbidden,
  invalid,
  required,
  tooMany,
} from '../../../kube/field-errors.ts';
import { deepEqual } from '../../../kube/immutable.ts';
import { append } from '../../rules/append.ts';
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  JSONSchemaProps,
  SelectableField,
} from '../../types/apiextensions-v1.ts';
import { findFieldPath } from '../schema/field-path.ts';
import { validateRules } from './validate-rules.ts';
import { validateStructural } from '../schema/structural-rules.ts';
import { type Structural, toStructural } from '../schema/structural.ts';
import { isFaultless, trustSchema } from './faultless.ts';
import { validateDefaults } from './validate-defaults.ts';
import { type Leniency, STRICT, validateSchema } from './validate-schema.ts';

const child = field.child;

export interface SchemaRules {
  readonly structural: boolean;
  readonly prunedDefaults: boolean;
  readonly lenient: Leniency;
  /** True for a schema that did not change, whose rule costs are not checked again. */
  readonly sameRules: (schema: JSONSchemaProps) => boolean;
}

const AT_ROOT: ReadonlySet<string> = new Set([
  'description',
  'type',
  'format',
  'title',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'required',
  'items',
  'properties',
  'externalDocs',
  'example',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
]);
const AT_ROOT_WORDS =
  '[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations]';

export function validateRootSchema(
  schema: JSONSchemaProps,
  hasStatus: boolean,
  rules: SchemaRules,
  path: string,
): readonly FieldError[] {
  if (isFaultless(schema)) return [];
  const errors: FieldError[] = [];
  const at = child(path, 'openAPIV3Schema');
  if (hasStatus) append(errors, statusRootErrors(schema, at));
  if (schema.nullable === true) {
    errors.push(forbidden(`${at}.nullable`, 'nullable cannot be true at the root'));
  }
  let broken: string | undefined;
  let structural: Structural | undefined;
  if (rules.structural) {
    const result = toStructural(schema);
    if (!result.ok) broken = result.error;
    else {
      const found = validateStructural(result.structural, at);
      const all = found.length > 0 ? found : validateDefaults(result.structural, at, rules.prunedDefaults);
      append(errors, all);
      if (all.length === 0) structural = result.structural;
    }
  }
  const nodes: FieldError[] = [];
  const place = { isRoot: true, noDefault: undefined, insideMeta: false, lenient: rules.lenient };
  validateSchema(schema, at, place, nodes);
  append(errors, nodes);
  if (structural !== undefined && nodes.length === 0) {
    append(errors, validateRules(structural, at, { unchanged: rules.sameRules(schema) }));
  }
  if (errors.length === 0 && broken !== undefined) errors.push(invalid(at, '', broken));
  const isStrict = hasStatus && rules.structural && rules.prunedDefaults && rules.lenient === STRICT;
  if (isStrict && errors.length === 0) trustSchema(schema);
  return errors;
}

function statusRootErrors(schema: JSONSchemaProps, path: string): readonly FieldError[] {
  const { type } = schema;
  if (type !== undefined && type !== 'object') {
    const text = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalid(`${path}.type`, type, text)];
  }
  const odd = Object.entries(schema).some(([name, value]) => !AT_ROOT.has(name) && !isZero(value));
  const text = `only ${AT_ROOT_WORDS} fields are allowed at the root of the schema if the status subresource is enabled`;
  return odd ? [invalid(path, schema, text)] : [];
}

const isZero = (value: unknown): boolean =>
  value === undefined || value === false || value === '' || (Array.isArray(value) && value.length === 0);

export function validateSubresources(
  subresources: CustomResourceSubresources | undefined,
  path: string,
): readonly FieldError[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const errors: FieldError[] = [];
  const check = (name: string, value: string, prefixes: readonly string[], words: string): void => {
    const at = child(path, `scale.${name}`);
    const simple = simplePathErrors(value, at);
    if (simple.length > 0) append(errors, simple);
    else if (!prefixes.some((prefix) => value.startsWith(prefix))) {
      errors.push(invalid(at, value, `should be a json path under ${words}`));
    }
  };
  if (scale.specReplicasPath === '') errors.push(required(child(path, 'scale.specReplicasPath'), ''));
  else check('specReplicasPath', scale.specReplicasPath, ['.spec.'], '.spec');
  if (scale.statusReplicasPath === '') errors.push(required(child(path, 'scale.statusReplicasPath'), ''));
  else check('statusReplicasPath', scale.statusReplicasPath, ['.status.'], '.status');
  if (scale.labelSelectorPath) {
    check('labelSelectorPath', scale.labelSelectorPath, ['.spec.', '.status.'], 'either .spec or .status');
  }
  return errors;
}

const simplePathErrors = (path: string, at: string): readonly FieldError[] =>
  path.startsWith('.') ? [] : [invalid(at, path, 'must be a simple json path starting with .')];

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

export function validateColumns(
  columns: readonly CustomResourceColumnDefinition[] | undefined,
  path: string,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, { format = '', jsonPath, name, type }] of (columns ?? []).entries()) {
    const at = field.index(path, i);
    if (name === '') errors.push(required(child(at, 'name'), ''));
    const types = `must be one of ${COLUMN_TYPES.join(',')}`;
    if (type === '') errors.push(required(child(at, 'type'), types));
    else if (!COLUMN_TYPES.includes(type)) errors.push(invalid(child(at, 'type'), type, types));
    if (format !== '' && !COLUMN_FORMATS.includes(format)) {
      errors.push(invalid(child(at, 'format'), format, `must be one of ${COLUMN_FORMATS.join(',')}`));
    }
    if (jsonPath === '') errors.push(required(child(at, 'JSONPath'), ''));
    else append(errors, simplePathErrors(jsonPath, child(at, 'JSONPath')));
  }
  return errors;
}

const MOST_SELECTABLE = 8;
const SELECTABLE_TYPES: ReadonlySet<string> = new Set(['string', 'boolean', 'integer']);

export function validateSelectableFields(
  fields: readonly SelectableField[] | undefined,
  schema: JSONSchemaProps | undefined,
  path: string,
  missing: string,
  before: readonly SelectableField[] | undefined,
): readonly FieldError[] {
  if (fields === undefined || fields.length === 0) return [];
  if (schema === undefined) return [invalid(path, '', missing)];
  const result = toStructural(schema);
  if (!result.ok) return [invalid(`${path.replace(/selectableFields$/, '')}schema.openAPIV3Schema`, '', result.error)];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, { jsonPath }] of fields.entries()) {
    const at = child(field.index(path, i), 'jsonPath');
    if (jsonPath === '') {
      errors.push(required(at, ''));
      continue;
    }
    const found = findFieldPath(jsonPath, result.structural, false);
    if ('error' in found) {
      errors.push(invalid(at, jsonPath, `is an invalid path: ${found.error}`));
      continue;
    }
    if (found.steps[0] === 'metadata') errors.push(invalid(at, jsonPath, 'must not point to fields in metadata'));
    if (!SELECTABLE_TYPES.has(found.schema?.type ?? '')) {
      const text =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      errors.push(invalid(at, jsonPath, text));
    }
    if (seen.has(found.path)) errors.push(duplicate(at, jsonPath));
    seen.add(found.path);
  }
  const wasSo = before !== undefined && before.length > MOST_SELECTABLE && deepEqual(before, fields);
  if (seen.size > MOST_SELECTABLE && !wasSo) errors.push(tooMany(path, seen.size, MOST_SELECTABLE));
  return errors;
}

/** Printable, short, and only where the version is deprecated at all. */
export function validateDeprecation(version: CustomResourceDefinitionVersion, path: string): readonly FieldError[] {
  const { deprecated, deprecationWarning: text } = version;
  if (text === undefined) return [];
  const at = child(path, 'deprecationWarning');
  if (deprecated !== true) return [invalid(at, text, 'can only be set for deprecated versions')];
  const problems: string[] = [];
  if (new TextEncoder().encode(text).length > 256) problems.push('must be <= 256 characters long');
  if (text === '') problems.push('must not be an empty string');
  const odd = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(text);
  if (odd !== null) {
    const index = new TextEncoder().encode(text.slice(0, odd.index)).length;
    problems.push(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`);
  }
  // Upstream prints this optional text as JSON, others as Go writes strings.
  return problems.map((problem) => ({
    ...invalid(at, text, problem),
    message: `Invalid value: ${JSON.stringify(text)}: ${problem}`,
  }));
}
