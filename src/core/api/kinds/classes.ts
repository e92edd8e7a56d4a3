/** Storage and runtime classes: what an administrator offers by name. */
import {
  duplicate,
  type FieldError,
  field,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../kube/field-errors.ts';
import { utf8Length } from '../../kube/go-text.ts';
import { deepEqual } from '../../kube/immutable.ts';
import { nameIsDnsLabel, nameIsDnsSubdomain, qualifiedNameProblems } from '../../kube/names.ts';
import type { KindStrategy } from '../kind/kind-definition.ts';
import { createGenericStrategy } from '../kind/generic-strategy.ts';
import type { Toleration, TopologySelectorTerm } from '../types/core-v1.ts';
import type { RuntimeClass } from '../types/node-v1.ts';
import type { StorageClass, VolumeAttributesClass } from '../types/storage-v1.ts';
import { append } from '../rules/append.ts';
import { validateLabelName, validateLabels, validateObjectMeta, validateObjectMetaUpdate } from '../rules/metadata.ts';
import { CREATE_TEMPLATE } from './pod/options.ts';
import { validateOverhead } from './pod/validate-resources.ts';
import { validateTolerations } from './pod/validate-scheduling.ts';
import { DEPRECATED_LABELS } from './pod/warnings.ts';

const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const RUNTIME_RULES = { ...RULES, anyFinalizer: true };
const RECLAIM_POLICIES = ['Delete', 'Retain'];
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];
const MAX_PARAMETERS = 512;
const MAX_PARAMETER_BYTES = 256 * 1024;

function validateParameters(parameters: { readonly [key: string]: string }): FieldError[] {
  const entries = Object.entries(parameters);
  if (entries.length > MAX_PARAMETERS) return [tooLong('parameters', MAX_PARAMETERS)];
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of entries) {
    if (key === '') errors.push(invalid('parameters', key, 'field can not be empty.'));
    bytes += utf8Length(key) + utf8Length(value);
  }
  if (bytes > MAX_PARAMETER_BYTES) errors.push(tooLong('parameters', MAX_PARAMETER_BYTES));
  return errors;
}

function validateTopology(term: TopologySelectorTerm, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const keys = new Set<string>();
  for (const [index, { key = '', values = [] }] of (term.matchLabelExpressions ?? []).entries()) {
    const at = field.index(field.child(path, 'matchLabelExpressions'), index);
    const valuesPath = field.child(at, 'values');
    if (values.length === 0) errors.push(required(valuesPath, ''));
    for (const [position, value] of values.entries()) {
      if (values.indexOf(value) < position) errors.push(duplicate(field.index(valuesPath, position), value));
    }
    append(errors, validateLabelName(key, field.child(at, 'key')));
    if (keys.has(key)) errors.push(duplicate(field.child(at, 'key'), key));
    keys.add(key);
  }
  return errors;
}

/** An identity of the term that does not depend on the order of its expressions and values. */
const topologyIdentity = ({ matchLabelExpressions = [] }: TopologySelectorTerm): string =>
  [...new Map(matchLabelExpressions.map(({ key, values }) => [key, JSON.stringify([...new Set(values)].toSorted())]))]
    .map(([key, values]) => `${JSON.stringify(key)}:${values}`)
    .toSorted()
    .join();

function validateProvisioner(name: string, path: string): FieldError[] {
  if (name === '') return [required(path, '')];
  const lower = name.toLowerCase();
  return qualifiedNameProblems(lower).map((text) => invalid(path, lower, text));
}

function validateStorageClass(storageClass: StorageClass): FieldError[] {
  const errors = validateObjectMeta(storageClass.metadata, RULES, 'metadata');
  const { provisioner, parameters = {}, reclaimPolicy, volumeBindingMode, allowedTopologies = [] } = storageClass;
  append(errors, validateProvisioner(provisioner, 'provisioner'));
  append(errors, validateParameters(parameters));
  if (reclaimPolicy && !RECLAIM_POLICIES.includes(reclaimPolicy)) {
    errors.push(notSupported('reclaimPolicy', reclaimPolicy, RECLAIM_POLICIES));
  }
  if (volumeBindingMode === undefined) errors.push(required('volumeBindingMode', ''));
  else if (!BINDING_MODES.includes(volumeBindingMode)) {
    errors.push(notSupported('volumeBindingMode', volumeBindingMode, BINDING_MODES));
  }
  const seen = new Set<string>();
  for (const [index, term] of allowedTopologies.entries()) {
    const path = field.index('allowedTopologies', index);
    append(errors, validateTopology(term, path));
    const identity = topologyIdentity(term);
    // An empty term equals the empty ones upstream starts its comparison with, one for each term.
    const repeats = seen.has(identity) || (identity === '' && allowedTopologies.length > 0);
    if (repeats) errors.push(duplicate(field.child(path, 'matchLabelExpressions'), ''));
    seen.add(identity);
  }
  return errors;
}

export const storageClassStrategy: KindStrategy<StorageClass> = {
  ...createGenericStrategy<StorageClass>({ namespaced: false, hasStatus: false, hasGeneration: false }),
  defaults: (storageClass) =>
    storageClass.reclaimPolicy !== undefined && storageClass.volumeBindingMode !== undefined
      ? storageClass
      : {
          ...storageClass,
          reclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
          volumeBindingMode: storageClass.volumeBindingMode ?? 'Immediate',
        },
  validate: validateStorageClass,
  validateUpdate(storageClass, old) {
    const errors = validateStorageClass(storageClass);
    append(errors, validateObjectMetaUpdate(storageClass.metadata, old.metadata, 'metadata'));
    const fixed = (path: string, value: unknown, before: unknown): void => {
      if (!deepEqual(value, before)) errors.push(invalid(path, value, 'field is immutable'));
    };
    fixed('parameters', storageClass.parameters ?? null, old.parameters ?? null);
    fixed('provisioner', storageClass.provisioner ?? '', old.provisioner ?? '');
    fixed('reclaimPolicy', storageClass.reclaimPolicy ?? null, old.reclaimPolicy ?? null);
    fixed('volumeBindingMode', storageClass.volumeBindingMode ?? null, old.volumeBindingMode ?? null);
    return errors;
  },
  warnings: ({ allowedTopologies = [] }) =>
    allowedTopologies.flatMap(({ matchLabelExpressions = [] }, index) =>
      matchLabelExpressions.flatMap(({ key }, position) => {
        const text = DEPRECATED_LABELS.get(key);
        const at = `${field.index('allowedTopologies', index)}.matchLabelExpressions`;
        return text === undefined ? [] : [`${field.index(at, position)}.key: ${text}`];
      }),
    ),
};

function validateAttributesClass(attributes: VolumeAttributesClass): FieldError[] {
  const errors = validateObjectMeta(attributes.metadata, RULES, 'metadata');
  const { driverName, parameters = {} } = attributes;
  append(errors, validateProvisioner(driverName, 'driverName'));
  append(errors, validateParameters(parameters));
  if (Object.keys(parameters).length === 0) {
    errors.push(required('parameters', 'must contain at least one key/value pair'));
  }
  return errors;
}

export const volumeAttributesClassStrategy: KindStrategy<VolumeAttributesClass> = {
  ...createGenericStrategy<VolumeAttributesClass>({ namespaced: false, hasStatus: false, hasGeneration: false }),
  validate: validateAttributesClass,
  validateUpdate(attributes, old) {
    const errors = validateAttributesClass(attributes);
    append(errors, validateObjectMetaUpdate(attributes.metadata, old.metadata, 'metadata'));
    if (attributes.driverName !== old.driverName) {
      errors.push(forbidden('driverName', 'updates to driverName are forbidden.'));
    }
    if (!deepEqual(attributes.parameters, old.parameters)) {
      errors.push(forbidden('parameters', 'updates to parameters are forbidden.'));
    }
    return errors;
  },
};

function validateUniqueTolerations(errors: FieldError[], tolerations: readonly Toleration[], path: string): void {
  validateTolerations(errors, tolerations, CREATE_TEMPLATE, path);
  const seen = new Set<string>();
  for (const [index, toleration] of tolerations.entries()) {
    const { key = '', operator = '', value = '', effect = '', tolerationSeconds = null } = toleration;
    const identity = JSON.stringify([key, operator, value, effect]);
    const shown = { Key: key, Operator: operator, Value: value, Effect: effect, TolerationSeconds: tolerationSeconds };
    if (seen.has(identity)) errors.push(duplicate(field.index(path, index), shown));
    seen.add(identity);
  }
}

function validateRuntimeClass(runtimeClass: RuntimeClass): FieldError[] {
  const errors = validateObjectMeta(runtimeClass.metadata, RUNTIME_RULES, 'metadata');
  const { handler, overhead, scheduling } = runtimeClass;
  if (handler === '') errors.push(required('handler', ''));
  else for (const text of nameIsDnsLabel(handler, false)) errors.push(invalid('handler', handler, text));
  if (overhead?.podFixed !== undefined) {
    const context = { allowIndivisibleHugePages: false, claims: undefined };
    validateOverhead(errors, overhead.podFixed, context, 'overhead');
  }
  append(errors, validateLabels(scheduling?.nodeSelector, 'scheduling.nodeSelector'));
  validateUniqueTolerations(errors, scheduling?.tolerations ?? [], 'scheduling.tolerations');
  return errors;
}

export const runtimeClassStrategy: KindStrategy<RuntimeClass> = {
  ...createGenericStrategy<RuntimeClass>({ namespaced: false, hasStatus: false, hasGeneration: false }),
  allowCreateOnUpdate: true,
  validate: validateRuntimeClass,
  validateUpdate(runtimeClass, old) {
    const errors = validateRuntimeClass(runtimeClass);
    append(errors, validateObjectMetaUpdate(runtimeClass.metadata, old.metadata, 'metadata', RUNTIME_RULES));
    if ((runtimeClass.handler ?? '') !== (old.handler ?? '')) {
      errors.push(invalid('handler', runtimeClass.handler ?? '', 'field is immutable'));
    }
    return errors;
  },
  allowUnconditionalUpdate: false,
};
