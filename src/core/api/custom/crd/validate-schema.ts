/** Validation of a custom resource's OpenAPI schema, node by node, beyond being structural. */
import { type FieldError, field, forbidden, invalid, notSupported, required } from '../../../kube/field-errors.ts';
import { append } from '../../rules/append.ts';
import type { JSONSchemaProps } from '../../types/apiextensions-v1.ts';
import { META_FIELDS } from '../schema/structural.ts';
import { validateMapKeys } from './validate-map-keys.ts';
import { validateRuleTexts } from './validate-rule-texts.ts';

const child = field.child;
const TYPES: ReadonlySet<string> = new Set(['array', 'boolean', 'integer', 'number', 'object', 'string']);

/** The position of a schema node, as far as the rules depend on it. */
export interface SchemaPlace {
  readonly isRoot: boolean;
  /** The reason why no default is allowed here; undefined where one is. */
  readonly noDefault: string | undefined;
  readonly insideMeta: boolean;
  /** Rules that the stored schemas violate are not applied to an update. */
  readonly lenient: Leniency;
}

/** Validation ratcheting: kinds of violations that the stored schemas contain. */
export interface Leniency {
  readonly types: boolean;
  readonly setItems: boolean;
  readonly mapKeys: boolean;
}

export const STRICT: Leniency = { types: false, setItems: false, mapKeys: false };

export function validateSchema(schema: JSONSchemaProps, path: string, place: SchemaPlace, errors: FieldError[]): void {
  validateNode(schema, path, place, errors);
  if (schema.uniqueItems === true) {
    const text = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(forbidden(child(path, 'uniqueItems'), text));
  }
  validateChildren(schema, path, { ...place, isRoot: false }, place.isRoot, errors);
  validateExtensions(schema, path, place.lenient, errors);
  validateRuleTexts(schema, path, errors);
}

function validateNode(schema: JSONSchemaProps, path: string, place: SchemaPlace, errors: FieldError[]): void {
  const { type = '' } = schema;
  if (!place.lenient.types && type !== '' && !TYPES.has(type)) {
    errors.push(notSupported(child(path, 'type'), type, [...TYPES]));
  }
  if (schema.default !== undefined && schema.default !== null && place.noDefault !== undefined) {
    errors.push(forbidden(child(path, 'default'), `must not be set ${place.noDefault}`));
  }
  const refuse = (name: string, is: boolean, text = `${name} is not supported`): void => {
    if (is) errors.push(forbidden(child(path, name), text));
  };
  refuse('id', !!schema.id);
  refuse('additionalItems', schema.additionalItems !== undefined);
  refuse('patternProperties', hasMembers(schema.patternProperties));
  refuse('definitions', hasMembers(schema.definitions));
  refuse('dependencies', schema.dependencies !== undefined);
  refuse('$ref', schema.$ref !== undefined);
  refuse('type', type === 'null', 'type cannot be set to null, use nullable as an alternative');
  const isListOfItems = Array.isArray(schema.items) && schema.items.length > 0;
  refuse('items', isListOfItems, 'items must be a schema object and not an array');
  const embedded = 'x-kubernetes-embedded-resource';
  refuse(embedded, place.insideMeta && schema[embedded] === true, 'must not be used inside of resource meta');
}

const hasMembers = (value: object | undefined): boolean => value !== undefined && Object.keys(value).length > 0;

function validateChildren(
  schema: JSONSchemaProps,
  path: string,
  place: SchemaPlace,
  isRoot: boolean,
  errors: FieldError[],
): void {
  const visit = (each: unknown, at: string, where = place): void => {
    if (typeof each === 'object' && each !== null && !Array.isArray(each)) {
      validateSchema(each, at, where, errors);
    }
  };
  const { additionalProperties, items, properties = {} } = schema;
  if (additionalProperties !== undefined) {
    const at = child(path, 'additionalProperties');
    if (hasMembers(properties) && additionalProperties !== true) {
      errors.push(forbidden(at, 'additionalProperties and properties are mutual exclusive'));
    }
    const noDefault = 'inside additionalProperties applying to object metadata';
    visit(additionalProperties, at, place.insideMeta ? { ...place, noDefault } : place);
  }
  const isResource = isRoot || schema['x-kubernetes-embedded-resource'] === true;
  for (const [name, property] of Object.entries(properties)) {
    const isMeta = isResource && META_FIELDS.has(name);
    const noDefault = isMeta && isRoot ? `in top-level ${name}` : place.noDefault;
    const where = isMeta ? { ...place, insideMeta: true, noDefault } : place;
    visit(property, field.key(child(path, 'properties'), name), where);
  }
  visit(schema.not, child(path, 'not'));
  for (const name of ['allOf', 'oneOf', 'anyOf'] as const) {
    schema[name]?.forEach((each, i) => visit(each, field.index(child(path, name), i)));
  }
  for (const [name, each] of Object.entries(schema.definitions ?? {})) {
    visit(each, field.key(child(path, 'definitions'), name));
  }
  if (Array.isArray(items)) items.forEach((each, i) => visit(each, field.index(child(path, 'items'), i)));
  else visit(items, child(path, 'items'));
  for (const [name, each] of Object.entries(schema.dependencies ?? {})) {
    visit(each, field.key(child(path, 'dependencies'), name));
  }
}

const PRESERVE = 'x-kubernetes-preserve-unknown-fields';
const MAP_TYPE = 'x-kubernetes-map-type';
const LIST_TYPE = 'x-kubernetes-list-type';

function validateExtensions(schema: JSONSchemaProps, path: string, lenient: Leniency, errors: FieldError[]): void {
  const { type = '' } = schema;
  if (schema[PRESERVE] === false) errors.push(invalid(child(path, PRESERVE), false, 'must be true or undefined'));
  const mapType = schema[MAP_TYPE];
  const typeMustBe = (wanted: string, extension: string): void => {
    const text = `must be ${wanted} if ${extension} is specified`;
    const at = child(path, 'type');
    errors.push(type === '' ? required(at, text) : invalid(at, type, text));
  };
  if (mapType !== undefined) {
    if (type !== 'object') typeMustBe('object', MAP_TYPE);
    if (mapType !== 'atomic' && mapType !== 'granular') {
      errors.push(notSupported(child(path, MAP_TYPE), mapType, ['atomic', 'granular']));
    }
  }
  const listType = schema[LIST_TYPE];
  if (listType !== undefined) {
    if (type !== 'array') typeMustBe('array', LIST_TYPE);
    else if (listType === 'set' && !lenient.setItems) append(errors, setItemErrors(schema, path));
    if (listType !== 'atomic' && listType !== 'set' && listType !== 'map') {
      errors.push(notSupported(child(path, LIST_TYPE), listType, ['atomic', 'set', 'map']));
    }
  }
  append(errors, validateMapKeys(schema, path, !lenient.mapKeys));
}

/** Items of sets are compared as a whole. */
export function setItemErrors(schema: JSONSchemaProps, path: string): readonly FieldError[] {
  const { items } = schema;
  if (items === undefined || Array.isArray(items)) return [];
  const item = items as JSONSchemaProps;
  const text = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const itemListType = item[LIST_TYPE];
  if (item.type === 'array' && itemListType !== undefined && itemListType !== 'atomic') {
    return [invalid(child(child(path, 'items'), LIST_TYPE), itemListType, text)];
  }
  if (item.type === 'object' && item[MAP_TYPE] !== 'atomic') {
    return [invalid(child(child(path, 'items'), MAP_TYPE), itemListType ?? null, text)];
  }
  return [];
}
