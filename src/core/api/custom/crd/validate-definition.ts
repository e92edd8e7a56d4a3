/**
 * Validation of CustomResourceDefinitions, with Kubernetes' paths and words. Rules that the stored definition violates
 * already are not applied to its update.
 */
import { type FieldError, field, immutableField, invalid, notSupported, required } from '../../../kube/field-errors.ts';
import { deepEqual } from '../../../kube/immutable.ts';
import { dns1035LabelProblems, dns1123SubdomainProblems, nameIsDnsSubdomain } from '../../../kube/names.ts';
import { append } from '../../rules/append.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../rules/metadata.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  JSONSchemaProps,
} from '../../types/apiextensions-v1.ts';
import { someSchema, toStructural } from '../schema/structural.ts';
import { validateStructural } from '../schema/structural-rules.ts';
import { validateApproval } from './approval.ts';
import { isConditionTrue } from './conditions.ts';
import { hoist } from './hoisted.ts';
import { hasCertificate, speaksReviewVersion, validateConversion } from './validate-conversion.ts';
import { hasUnprunedDefaults } from './validate-defaults.ts';
import { keyErrors } from './validate-map-keys.ts';
import { setItemErrors, STRICT } from './validate-schema.ts';
import {
  type SchemaRules,
  validateColumns,
  validateDeprecation,
  validateRootSchema,
  validateSelectableFields,
  validateSubresources,
} from './validate-version.ts';

const child = field.child;
/** Finalizers of definitions need not be qualified (`domain/name`). */
const META = { anyFinalizer: true } as const;

interface Rules extends SchemaRules {
  readonly openApiSchema: boolean;
  readonly anyCertificate: boolean;
  readonly recognizedVersion: boolean;
}

const NEW: Rules = {
  structural: true,
  prunedDefaults: true,
  lenient: STRICT,
  sameRules: () => false,
  openApiSchema: true,
  anyCertificate: true,
  recognizedVersion: true,
};

export function validateDefinition(definition: CustomResourceDefinition): readonly FieldError[] {
  const { metadata, spec } = definition;
  const wanted = `${spec.names.plural}.${spec.group}`;
  const name = (text: string, prefix: boolean): readonly string[] =>
    text === wanted
      ? nameIsDnsSubdomain(text, prefix)
      : [...nameIsDnsSubdomain(text, prefix), 'must be spec.names.plural+"."+spec.group'];
  const errors = validateObjectMeta(metadata, { namespaced: false, name, ...META }, 'metadata');
  append(errors, validateSpec(definition, undefined, NEW));
  append(errors, validateWhole(definition, undefined));
  return errors;
}

export function validateDefinitionUpdate(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
): readonly FieldError[] {
  const errors = validateObjectMetaUpdate(definition.metadata, old.metadata, 'metadata', META);
  append(errors, validateSpec(definition, old, rulesAfter(old)));
  const { names, scope } = definition.spec;
  if (isConditionTrue(old, 'Established')) {
    if (scope !== old.spec.scope) errors.push(immutableField('spec.scope', scope));
    if (names.kind !== old.spec.names.kind) errors.push(immutableField('spec.names.kind', names.kind));
  }
  if (definition.spec.group !== old.spec.group) errors.push(immutableField('spec.group', definition.spec.group));
  if (names.plural !== old.spec.names.plural) errors.push(immutableField('spec.names.plural', names.plural));
  append(errors, validateWhole(definition, old));
  return errors;
}

export function validateDefinitionStatusUpdate(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
): readonly FieldError[] {
  const errors = validateObjectMetaUpdate(definition.metadata, old.metadata, 'metadata', META);
  append(errors, namesErrors(definition.status?.acceptedNames, 'status.acceptedNames'));
  return errors;
}

const schemasOf = ({ versions }: CustomResourceDefinitionSpec): readonly JSONSchemaProps[] =>
  versions.flatMap(({ schema }) => (schema?.openAPIV3Schema === undefined ? [] : [schema.openAPIV3Schema]));

/** Validation ratcheting: the rules for an update, relaxed where the stored definition violates them. */
function rulesAfter(old: CustomResourceDefinition): Rules {
  const { spec } = old;
  const schemas = schemasOf(spec);
  const some = (test: (schema: JSONSchemaProps) => boolean): boolean =>
    schemas.some((schema) => someSchema(schema, test));
  const isStructural = (schema: JSONSchemaProps): boolean => {
    const result = toStructural(schema);
    return result.ok && validateStructural(result.structural, '').length === 0;
  };
  const hasUnpruned = (schema: JSONSchemaProps): boolean => {
    const result = toStructural(schema);
    return result.ok && hasUnprunedDefaults(result.structural);
  };
  const caBundle = spec.conversion?.webhook?.clientConfig?.caBundle ?? '';
  return {
    structural: schemas.every(isStructural),
    prunedDefaults: !schemas.some(hasUnpruned),
    lenient: {
      types: some(({ type }) => !!type && !OPENAPI_TYPES.has(type)),
      setItems: some((schema) => schema['x-kubernetes-list-type'] === 'set' && setItemErrors(schema, '').length > 0),
      mapKeys: some((schema) => keyErrors(schema, '').length > 0),
    },
    sameRules: (schema) => schemas.some((before) => deepEqual(before, schema)),
    openApiSchema: schemas.length === spec.versions.length,
    anyCertificate: !isConditionTrue(old, 'Established') || (caBundle !== '' && !hasCertificate(caBundle)),
    recognizedVersion: speaksReviewVersion(spec.conversion),
  };
}

const OPENAPI_TYPES: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object']);

function validateWhole(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): readonly FieldError[] {
  const errors: FieldError[] = [...namesErrors(definition.status?.acceptedNames, 'status.acceptedNames')];
  append(errors, storedVersionErrors(definition));
  append(errors, validateApproval(definition, old));
  if (old?.spec.preserveUnknownFields !== true && definition.spec.preserveUnknownFields === true) {
    const text =
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
    errors.push(invalid('spec.preserveUnknownFields', true, text));
  }
  return errors;
}

function storedVersionErrors({ spec, status }: CustomResourceDefinition): readonly FieldError[] {
  const path = 'status.storedVersions';
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) return [invalid(path, stored, 'must have at least one stored version')];
  const errors: FieldError[] = [];
  // Each entry of storedVersions counts for one version of that name: a second version of the same name has none left.
  const left = new Map(stored.map((name, index) => [name, index]));
  for (const { name, storage } of spec.versions) {
    const isStored = left.delete(name);
    if (storage && !isStored) errors.push(invalid(path, stored, `must have the storage version ${name}`));
  }
  for (const [name, i] of left) {
    const text = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(invalid(field.index(path, i), name, text));
  }
  return errors;
}

function validateSpec(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  rules: Rules,
): readonly FieldError[] {
  const { spec } = definition;
  const errors: FieldError[] = [...groupErrors(spec.group)];
  append(errors, scopeErrors(spec.scope));
  const { shared, versions } = hoist(spec);
  if (shared.schema?.openAPIV3Schema === undefined) append(errors, missingSchemaErrors(spec, rules));
  const judged: Rules = { ...rules, structural: rules.structural || mustBeStructural(spec) };
  const hasDefaults = schemasOf(spec).some((schema) => someSchema(schema, (each) => (each.default ?? null) !== null));
  if (hasDefaults && spec.preserveUnknownFields === true) {
    errors.push(invalid('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema'));
  }
  for (const [i, version] of versions.entries()) {
    const path = field.index('spec.versions', i);
    const problems = dns1035LabelProblems(version.name);
    if (problems.length > 0) errors.push(invalid(child(path, 'name'), version.name, problems.join(',')));
    append(errors, validateDeprecation(version, path));
    const schema = version.schema?.openAPIV3Schema;
    const { status } = spec.versions[i]?.subresources ?? {};
    if (schema !== undefined) {
      append(errors, validateRootSchema(schema, status !== undefined, judged, child(path, 'schema')));
    }
    append(errors, validateSubresources(version.subresources, child(path, 'subresources')));
    append(errors, validateColumns(version.additionalPrinterColumns, child(path, 'additionalPrinterColumns')));
    const before = old?.spec.versions.find(({ name }) => name === version.name)?.selectableFields;
    const missing = 'may only be set when `version.schema.openAPIV3Schema` is not included';
    append(
      errors,
      validateSelectableFields(version.selectableFields, schema, child(path, 'selectableFields'), missing, before),
    );
  }
  append(errors, versionListErrors(spec, versions));
  append(errors, wantedNameErrors(spec.names));
  const schema = shared.schema?.openAPIV3Schema;
  if (schema !== undefined) {
    const hasStatus = spec.versions.some(({ subresources }) => subresources?.status !== undefined);
    append(errors, validateRootSchema(schema, hasStatus, judged, 'spec.validation'));
  }
  append(errors, validateSubresources(shared.subresources, 'spec.subresources'));
  append(errors, validateColumns(shared.additionalPrinterColumns, 'spec.additionalPrinterColumns'));
  append(
    errors,
    validateSelectableFields(
      shared.selectableFields,
      schema,
      'spec.selectableFields',
      'may only be set when validations.schema is included',
      old?.spec.versions[0]?.selectableFields,
    ),
  );
  append(errors, validateConversion(spec, rules));
  return errors;
}

function groupErrors(group: string): readonly FieldError[] {
  const path = 'spec.group';
  if (group === '') return [required(path, '')];
  const problems = dns1123SubdomainProblems(group);
  if (problems.length > 0) return [invalid(path, group, problems.join(','))];
  return group.includes('.') ? [] : [invalid(path, group, 'should be a domain with at least one dot')];
}

function scopeErrors(scope: string): readonly FieldError[] {
  if (scope === '') return [required('spec.scope', '')];
  return scope === 'Cluster' || scope === 'Namespaced'
    ? []
    : [notSupported('spec.scope', scope, ['Cluster', 'Namespaced'])];
}

function missingSchemaErrors(spec: CustomResourceDefinitionSpec, rules: Rules): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, { schema, served }] of spec.versions.entries()) {
    if (schema?.openAPIV3Schema !== undefined) continue;
    const path = `${field.index('spec.versions', i)}.schema.openAPIV3Schema`;
    if (rules.openApiSchema) errors.push(required(path, ''));
    else if (spec.preserveUnknownFields !== true && served) {
      errors.push(required(path, 'because otherwise all fields are pruned'));
    }
  }
  return errors;
}

const EXTENSIONS = [
  'x-kubernetes-embedded-resource',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-validations',
] as const;

const mustBeStructural = (spec: CustomResourceDefinitionSpec): boolean =>
  spec.preserveUnknownFields !== true ||
  schemasOf(spec).some((schema) =>
    someSchema(
      schema,
      (each) => (each.default ?? null) !== null || EXTENSIONS.some((extension) => each[extension] !== undefined),
    ),
  );

function versionListErrors(
  spec: CustomResourceDefinitionSpec,
  shown: CustomResourceDefinitionSpec['versions'],
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const names = spec.versions.map(({ name }) => name);
  if (new Set(names).size !== names.length) {
    errors.push(invalid('spec.versions', internalVersions(shown), 'must contain unique version names'));
  }
  if (spec.versions.filter(({ storage }) => storage).length !== 1) {
    const text = 'must have exactly one version marked as storage version';
    errors.push(invalid('spec.versions', internalVersions(shown), text));
  }
  const [first = ''] = names;
  const problems = first === '' ? [] : dns1035LabelProblems(first);
  // Kubernetes' internal form also has the first version in a field of its own.
  if (problems.length > 0) errors.push(invalid('spec.version', first, problems.join(',')));
  return errors;
}

/** The versions in Kubernetes' internal form. */
const internalVersions = (versions: CustomResourceDefinitionSpec['versions']): readonly object[] =>
  versions.map((version) => ({
    Name: version.name,
    Served: version.served,
    Storage: version.storage,
    Deprecated: version.deprecated === true,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: version.schema ?? null,
    Subresources: version.subresources ?? null,
    AdditionalPrinterColumns: version.additionalPrinterColumns ?? null,
    SelectableFields: version.selectableFields ?? null,
  }));

function wantedNameErrors(names: CustomResourceDefinitionNames): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ['plural', 'singular', 'kind', 'listKind'] as const) {
    if (!names[name]) errors.push(required(`spec.names.${name}`, ''));
  }
  append(errors, namesErrors(names, 'spec.names'));
  return errors;
}

const MIXED_CASE = 'may have mixed case, but should otherwise match: ';

function namesErrors(names: CustomResourceDefinitionNames | undefined, path: string): readonly FieldError[] {
  if (names === undefined) return [];
  const errors: FieldError[] = [];
  const check = (at: string, value: string, shown: string, prefix = ''): void => {
    const problems = dns1035LabelProblems(value);
    if (problems.length > 0) errors.push(invalid(at, shown, `${prefix}${problems.join(',')}`));
  };
  const { categories, kind, listKind = '', plural, shortNames, singular = '' } = names;
  if (plural !== '') check(child(path, 'plural'), plural, plural);
  if (singular !== '') check(child(path, 'singular'), singular, singular);
  if (kind !== '') check(child(path, 'kind'), kind.toLowerCase(), kind, MIXED_CASE);
  if (listKind !== '') check(child(path, 'listKind'), listKind.toLowerCase(), listKind, MIXED_CASE);
  for (const [i, name] of (shortNames ?? []).entries()) check(field.index(child(path, 'shortNames'), i), name, name);
  if (kind !== '' && kind === listKind) {
    errors.push(invalid(child(path, 'listKind'), listKind, 'kind and listKind may not be the same'));
  }
  for (const [i, name] of (categories ?? []).entries()) check(field.index(child(path, 'categories'), i), name, name);
  return errors;
}
