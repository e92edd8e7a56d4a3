/** Storage and runtime classes: what an administrator offers by name. */
import {
  duplicate,
  type FieldError,
  field,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../kube/field-errors.ts';
import { utf8Length } from '../../kube/go-text.ts';
import { deepEqual } from '../../kube/immutable.ts';
import { nameIsDnsLabel, nameIsDnsSubdomain, qualifiedNameProblems } from '../../kube/names.ts';
import type { KindStrategy } from '../kind-definition.ts';
import { createGenericStrategy } from '../registry/generic-strategy.ts';
import type { TopologySelectorTerm } from '../types/core-v1.ts';
import type { RuntimeClass } from '../types/node-v1.ts';
import type { StorageClass } from '../types/storage-v1.ts';
import { append } from './append.ts';
import { validateLabelName, validateLabels, validateObjectMeta, validateObjectMetaUpdate } from './metadata.ts';
import { validateResourceAmount } from './resource-amounts.ts';

const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const RECLAIM_POLICIES = ['Delete', 'Retain'];
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];
const MAX_PARAMETERS = 512;
const MAX_PARAMETER_BYTES = 256 * 1024;

function validateParameters(parameters: { readonly [key: string]: string }): readonly FieldError[] {
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

function validateStorageClass(storageClass: StorageClass): FieldError[] {
  const errors = validateObjectMeta(storageClass.metadata, RULES, 'metadata');
  const { provisioner, parameters = {}, reclaimPolicy, volumeBindingMode, allowedTopologies = [] } = storageClass;
  if (provisioner === '') errors.push(required('provisioner', ''));
  else {
    const lower = provisioner.toLowerCase();
    for (const text of qualifiedNameProblems(lower)) errors.push(invalid('provisioner', lower, text));
  }
  append(errors, validateParameters(parameters));
  if (reclaimPolicy && !RECLAIM_POLICIES.includes(reclaimPolicy)) {
    errors.push(notSupported('reclaimPolicy', reclaimPolicy, RECLAIM_POLICIES));
  }
  if (volumeBindingMode === undefined) errors.push(required('volumeBindingMode', ''));
  else if (!BINDING_MODES.includes(volumeBindingMode)) {
    errors.push(notSupported('volumeBindingMode', volumeBindingMode, BINDING_MODES));
  }
  for (const [index, term] of allowedTopologies.entries()) {
    append(errors, validateTopology(term, field.index('allowedTopologies', index)));
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
};

function validateRuntimeClass(runtimeClass: RuntimeClass): FieldError[] {
  const errors = validateObjectMeta(runtimeClass.metadata, RULES, 'metadata');
  const { handler, overhead, scheduling } = runtimeClass;
  if (handler === '') errors.push(required('handler', ''));
  else for (const text of nameIsDnsLabel(handler, false)) errors.push(invalid('handler', handler, text));
  for (const [name, amount] of Object.entries(overhead?.podFixed ?? {})) {
    const path = field.key('overhead.limits', name);
    append(
      errors,
      validateResourceAmount(name, amount, () => path),
    );
  }
  append(errors, validateLabels(scheduling?.nodeSelector, 'scheduling.nodeSelector'));
  return errors;
}

export const runtimeClassStrategy: KindStrategy<RuntimeClass> = {
  ...createGenericStrategy<RuntimeClass>({ namespaced: false, hasStatus: false, hasGeneration: false }),
  validate: validateRuntimeClass,
  validateUpdate(runtimeClass, old) {
    const errors = validateRuntimeClass(runtimeClass);
    append(errors, validateObjectMetaUpdate(runtimeClass.metadata, old.metadata, 'metadata'));
    if ((runtimeClass.handler ?? '') !== (old.handler ?? '')) {
      errors.push(invalid('handler', runtimeClass.handler ?? '', 'field is immutable'));
    }
    return errors;
  },
  allowUnconditionalUpdate: false,
};
