/** Whole objects inside a custom resource (`x-kubernetes-embedded-resource`): their type and metadata must be right too. */
import { type FieldError, field, invalid, required } from '../../../kube/field-errors.ts';
import { setOwn } from '../../../kube/immutable.ts';
import type { ObjectMeta } from '../../../kube/meta-v1.ts';
import { dns1035LabelProblems, nameIsPathSegment } from '../../../kube/names.ts';
import { append } from '../../rules/append.ts';
import { validateObjectMeta } from '../../rules/metadata.ts';
import { checkObject } from '../../schema/check.ts';
import { isBag } from './shape.ts';
import { memberSchema, type Structural } from './structural.ts';

const OBJECT_META = 'meta/v1.ObjectMeta';

const known = new WeakMap<Structural, boolean>();

function hasEmbedded(schema: Structural): boolean {
  let result = known.get(schema);
  if (result === undefined) {
    const { additionalProperties, items, properties } = schema;
    result =
      schema.embeddedResource ||
      (items !== undefined && hasEmbedded(items)) ||
      (typeof additionalProperties === 'object' && hasEmbedded(additionalProperties)) ||
      properties.values().some(hasEmbedded);
    known.set(schema, result);
  }
  return result;
}

export interface Coerced {
  readonly value: unknown;
  /** The first error in some embedded type or metadata. */
  readonly error: FieldError | undefined;
  readonly unknownFields: readonly string[];
}

/** Brings embedded metadata into canonical form. */
export function coerceEmbedded(value: unknown, schema: Structural, path = ''): Coerced {
  if (!hasEmbedded(schema)) return { value, error: undefined, unknownFields: [] };
  const pass: CoercePass = { error: undefined, unknownFields: [] };
  const result = coerce(value, schema, path, pass);
  return { value: result, ...pass };
}

interface CoercePass {
  error: FieldError | undefined;
  readonly unknownFields: string[];
}

function coerce(value: unknown, schema: Structural | undefined, path: string, pass: CoercePass): unknown {
  if (schema === undefined || typeof value !== 'object' || value === null || !hasEmbedded(schema)) return value;
  if (Array.isArray(value)) {
    const list = value as readonly unknown[];
    const next = list.map((item, i) => coerce(item, schema.items, field.index(path, i), pass));
    return next.some((item, i) => item !== list[i]) ? next : value;
  }
  let copy: { [key: string]: unknown } | undefined;
  for (const [name, before] of Object.entries(value as { [key: string]: unknown })) {
    let after = before;
    if (schema.embeddedResource) after = coerceMeta(name, before, path, pass);
    after = coerce(after, memberSchema(schema, name), field.child(path, name), pass);
    if (after === before) continue;
    copy ??= { ...value };
    setOwn(copy, name, after);
  }
  return copy ?? value;
}

function coerceMeta(name: string, value: unknown, path: string, pass: CoercePass): unknown {
  const at = field.child(path, name);
  if (name === 'apiVersion' || name === 'kind') {
    if (typeof value !== 'string') pass.error ??= invalid(at, value, 'must be a string');
  } else if (name === 'metadata') {
    const checked = checkObject(OBJECT_META, value);
    if (checked.error !== undefined) pass.error ??= invalid(at, value, checked.error);
    for (const unknown of checked.unknownFields) pass.unknownFields.push(`${at}.${unknown}`);
    return checked.error === undefined ? checked.object : value;
  }
  return value;
}

export function validateEmbedded(value: unknown, schema: Structural, path = ''): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (hasEmbedded(schema)) visit(value, schema, path, errors);
  return errors;
}

function visit(value: unknown, schema: Structural | undefined, path: string, errors: FieldError[]): void {
  if (schema === undefined || typeof value !== 'object' || value === null || !hasEmbedded(schema)) return;
  if (Array.isArray(value)) {
    value.forEach((item, i) => visit(item, schema.items, field.index(path, i), errors));
    return;
  }
  if (!isBag(value)) return;
  if (schema.embeddedResource) judge(value, path, errors);
  for (const [name, member] of Object.entries(value)) {
    const property = schema.properties.get(name);
    if (property !== undefined) visit(member, property, field.child(path, name), errors);
    else if (typeof schema.additionalProperties === 'object') {
      visit(member, schema.additionalProperties, field.key(path, name), errors);
    }
  }
}

function judge(object: { readonly [key: string]: unknown }, path: string, errors: FieldError[]): void {
  const { apiVersion, kind, metadata } = object;
  const versionPath = field.child(path, 'apiVersion');
  if (apiVersion === undefined) errors.push(required(versionPath, ''));
  else if (typeof apiVersion !== 'string') errors.push(invalid(versionPath, apiVersion, 'must be a string'));
  else if (apiVersion === '') errors.push(invalid(versionPath, apiVersion, 'must not be empty'));
  else if (apiVersion.split('/').length > 2) {
    const text = `unexpected GroupVersion string: ${apiVersion}`;
    errors.push(invalid(versionPath, apiVersion, text));
  }
  const kindPath = field.child(path, 'kind');
  if (kind === undefined) errors.push(required(kindPath, ''));
  else if (typeof kind !== 'string') errors.push(invalid(kindPath, kind, 'must be a string'));
  else if (kind === '') errors.push(invalid(kindPath, kind, 'must not be empty'));
  else {
    const problems = dns1035LabelProblems(kind.toLowerCase());
    if (problems.length > 0) {
      const text = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
      errors.push(invalid(kindPath, kind, text));
    }
  }
  if (metadata === undefined) return;
  const at = field.child(path, 'metadata');
  const checked = checkObject(OBJECT_META, metadata);
  if (checked.error !== undefined) errors.push(invalid(at, metadata, checked.error));
  else {
    const meta = checked.object as ObjectMeta;
    // Names of embedded objects may be left out; validation gets a valid one in place of an absent name.
    const named = meta.name ? meta : { ...meta, name: 'fakename' };
    append(errors, validateObjectMeta(named, { namespaced: !!named.namespace, name: nameIsPathSegment }, at));
  }
}
