/** The rules for structural schemas, with Kubernetes' words and paths. */
import { type FieldError, field, fieldErrorMessage, forbidden, invalid, required } from '../../../kube/field-errors.ts';
import { compareBytes } from '../../../kube/go-text.ts';
import { deepEqual } from '../../../kube/immutable.ts';
import { append } from '../../rules/append.ts';
import type { JSONSchemaProps } from '../../types/apiextensions-v1.ts';
import { patternProblem } from './patterns.ts';
import type { Structural } from './structural.ts';

type Level = 'root' | 'item' | 'field';

const child = field.child;
const MISSING_TYPE: { readonly [level in Level]: string } = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/** Findings in the order of their text, as Kubernetes lists them. */
export function validateStructural(schema: Structural, path: string): FieldError[] {
  const errors: FieldError[] = [];
  invariants(schema, 'root', path, errors);
  completeness(schema.source, schema, path, path, errors);
  const texts = new Map(errors.map((error) => [error, fieldErrorMessage(error)]));
  return errors.sort((a, b) => compareBytes(texts.get(a) ?? '', texts.get(b) ?? ''));
}

function invariants(schema: Structural, level: Level, path: string, errors: FieldError[]): void {
  const { additionalProperties, embeddedResource, intOrString, items, properties, source, type } = schema;
  if (type === 'array' && items === undefined) errors.push(required(child(path, 'items'), 'must be specified'));
  if (items !== undefined) invariants(items, 'item', child(path, 'items'), errors);
  for (const [name, property] of properties) {
    invariants(property, 'field', field.key(child(path, 'properties'), name), errors);
  }
  if (additionalProperties !== undefined) {
    const at = child(path, 'additionalProperties');
    if (level === 'root') errors.push(forbidden(at, 'must not be used at the root'));
    if (typeof additionalProperties === 'object') invariants(additionalProperties, 'field', at, errors);
  }
  if (intOrString && schema.preserveUnknownFields) {
    const text = 'must be false if x-kubernetes-int-or-string is true';
    errors.push(invalid(child(path, 'x-kubernetes-preserve-unknown-fields'), true, text));
  }
  if (intOrString && embeddedResource) {
    const text = 'must be false if x-kubernetes-int-or-string is true';
    errors.push(invalid(child(path, 'x-kubernetes-embedded-resource'), true, text));
  }
  valueValidation(source, isIntOrStringAnyOf(source.anyOf), isIntOrStringAllOf(source), path, errors);
  typeRules(schema, level, path, errors);
  metadataRules(schema, level, path, errors);
  if (embeddedResource && !schema.preserveUnknownFields && properties.size === 0) {
    const text =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(required(child(path, 'properties'), text));
  }
}

function typeRules(schema: Structural, level: Level, path: string, errors: FieldError[]): void {
  const { embeddedResource, type } = schema;
  const at = child(path, 'type');
  if (embeddedResource && type !== 'object') {
    const text = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(at, text) : invalid(at, type, text));
  } else if (type === '' && !schema.intOrString && !schema.preserveUnknownFields) {
    errors.push(required(at, MISSING_TYPE[level]));
  }
  if (embeddedResource && schema.additionalProperties !== undefined) {
    const text = 'must not be used if x-kubernetes-embedded-resource is set';
    errors.push(forbidden(child(path, 'additionalProperties'), text));
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalid(at, type, 'must be object at the root'));
  }
}

function metadataRules(schema: Structural, level: Level, path: string, errors: FieldError[]): void {
  const isResource = level === 'root' || schema.embeddedResource;
  const at = child(path, 'properties');
  for (const name of ['kind', 'apiVersion']) {
    const property = schema.properties.get(name);
    if (isResource && property !== undefined && property.type !== 'string') {
      errors.push(invalid(child(field.key(at, name), 'type'), property.type, 'must be string'));
    }
  }
  const metadata = schema.properties.get('metadata');
  if (metadata === undefined) return;
  const metaPath = field.key(at, 'metadata');
  if (isResource && metadata.type !== 'object') {
    errors.push(invalid(child(metaPath, 'type'), metadata.type, 'must be object'));
  }
  if (level === 'root' && !saysOnlyNames(metadata)) {
    const text = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    errors.push(forbidden(metaPath, text));
  }
}

/** Metadata at the root has a known type; a schema may only restrict its names. */
function saysOnlyNames(metadata: Structural): boolean {
  const { default: _default, properties, type: _type, ...rest } = metadata.source;
  const onlyNames = [...metadata.properties.keys()].every((name) => name === 'name' || name === 'generateName');
  return (properties === undefined || onlyNames) && Object.keys(rest).length === 0;
}

const INT_OR_STRING: readonly JSONSchemaProps[] = [{ type: 'integer' }, { type: 'string' }];

export const isIntOrStringAnyOf = (anyOf: readonly JSONSchemaProps[] | undefined): boolean =>
  deepEqual(anyOf, INT_OR_STRING);

export const isIntOrStringAllOf = (schema: JSONSchemaProps): boolean => isIntOrStringAnyOf(schema.allOf?.[0]?.anyOf);

function valueValidation(
  schema: JSONSchemaProps,
  skipAnyOf: boolean,
  skipFirstAllOfAnyOf: boolean,
  path: string,
  errors: FieldError[],
): void {
  if (!skipAnyOf) {
    schema.anyOf?.forEach((each, i) => nested(each, false, field.index(child(path, 'anyOf'), i), errors));
  }
  schema.allOf?.forEach((each, i) =>
    nested(each, skipFirstAllOfAnyOf && i === 0, field.index(child(path, 'allOf'), i), errors),
  );
  schema.oneOf?.forEach((each, i) => nested(each, false, field.index(child(path, 'oneOf'), i), errors));
  if (schema.not !== undefined) nested(schema.not, false, child(path, 'not'), errors);
  if (schema.pattern) {
    const problem = patternProblem(schema.pattern);
    if (problem !== undefined) {
      const text = `must be a valid regular expression, but isn't: ${problem}`;
      errors.push(invalid(child(path, 'pattern'), schema.pattern, text));
    }
  }
}

/** Members that a schema below allOf and the like may not set, with the message. */
const NOT_NESTED: readonly (readonly [keyof JSONSchemaProps, string])[] = [
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

function nested(schema: JSONSchemaProps, skipAnyOf: boolean, path: string, errors: FieldError[]): void {
  valueValidation(schema, skipAnyOf, false, path, errors);
  if (schema.items !== undefined && !Array.isArray(schema.items)) {
    nested(schema.items as JSONSchemaProps, false, child(path, 'items'), errors);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    nested(property, false, field.key(child(path, 'properties'), name), errors);
  }
  if (schema.type) errors.push(forbidden(child(path, 'type'), 'must be empty to be structural'));
  if (schema.additionalProperties !== undefined && schema.additionalProperties !== false) {
    errors.push(forbidden(child(path, 'additionalProperties'), 'must be undefined to be structural'));
  }
  if (schema.default !== undefined && schema.default !== null) {
    errors.push(forbidden(child(path, 'default'), 'must be undefined to be structural'));
  }
  for (const [member, text] of NOT_NESTED) {
    const value = schema[member];
    const says = Array.isArray(value) ? value.length > 0 : member.endsWith('-type') ? value !== undefined : !!value;
    if (says) errors.push(forbidden(child(path, member), text));
  }
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, 'metadata')) {
    const at = field.key(child(path, 'properties'), 'metadata');
    errors.push(forbidden(at, 'must not be specified in a nested context'));
  }
}

/** Every place that value validations constrain must also be specified outside of them. */
function completeness(
  schema: JSONSchemaProps,
  structure: Structural,
  structurePath: string,
  path: string,
  errors: FieldError[],
): void {
  const each = (nestedSchema: JSONSchemaProps | undefined, at: string): void => {
    if (nestedSchema !== undefined) append(errors, nestedCompleteness(nestedSchema, structure, structurePath, at));
  };
  each(schema.not, child(path, 'not'));
  schema.allOf?.forEach((one, i) => each(one, field.index(child(path, 'allOf'), i)));
  schema.anyOf?.forEach((one, i) => each(one, field.index(child(path, 'anyOf'), i)));
  schema.oneOf?.forEach((one, i) => each(one, field.index(child(path, 'oneOf'), i)));
}

function nestedCompleteness(
  schema: JSONSchemaProps,
  structure: Structural | undefined,
  structurePath: string,
  path: string,
): FieldError[] {
  if (structure === undefined) return [required(structurePath, `because it is defined in ${path}`)];
  const errors: FieldError[] = [];
  completeness(schema, structure, structurePath, path, errors);
  if (schema.items !== undefined && !Array.isArray(schema.items)) {
    const items = schema.items as JSONSchemaProps;
    append(errors, nestedCompleteness(items, structure.items, child(structurePath, 'items'), child(path, 'items')));
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const known = structure.properties.get(name);
    const at = field.key(child(structurePath, 'properties'), name);
    append(errors, nestedCompleteness(property, known, at, field.key(child(path, 'properties'), name)));
  }
  return errors;
}
