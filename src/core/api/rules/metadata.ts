/**
 * Metadata is judged alike for every kind; only the rule for names differs. Kinds call `validateObjectMeta` on create
 * and `validateObjectMetaUpdate` on update, and the parts (labels, selectors, conditions) wherever a spec embeds them.
 */
import { type FieldError, field, forbidden, invalid, required, tooLong } from '../../kube/field-errors.ts';
import type { LabelSelector, LabelSelectorRequirement, ObjectMeta, OwnerReference } from '../../kube/meta-v1.ts';
import { goQuote, utf8Length } from '../../kube/go-text.ts';
import { dns1123LabelProblems, labelValueProblems, type NameRule, qualifiedNameProblems } from '../../kube/names.ts';
import { append } from './append.ts';
import { validateManagedFields } from './managed-fields.ts';
import { rememberSeen } from '../schema/remember-seen.ts';

export type { NameRule };

export interface ObjectMetaRules {
  readonly namespaced: boolean;
  readonly name: NameRule;
  /** A few kinds accept finalizers that neither say whose they are nor are Kubernetes' own. */
  readonly anyFinalizer?: boolean;
}

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

type StringMap = { readonly [key: string]: string };

/** Bytes that all annotations of one object may take together, keys included. */
export const ANNOTATION_BYTES = 256 * 1024;

const NOTHING: readonly FieldError[] = [];

/** Metadata of an object about to be created; its name has been generated already. */
export function validateObjectMeta(meta: ObjectMeta, rules: ObjectMetaRules, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { generateName, name, namespace } = meta;
  if (generateName) {
    for (const text of rules.name(generateName, true)) {
      errors.push(invalid(field.child(path, 'generateName'), generateName, text));
    }
  }
  if (!name) errors.push(required(field.child(path, 'name'), 'name or generateName is required'));
  else for (const text of rules.name(name, false)) errors.push(invalid(field.child(path, 'name'), name, text));

  if (rules.namespaced) {
    if (!namespace) errors.push(required(field.child(path, 'namespace'), ''));
    else {
      for (const text of dns1123LabelProblems(namespace)) {
        errors.push(invalid(field.child(path, 'namespace'), namespace, text));
      }
    }
  } else if (namespace) {
    errors.push(forbidden(field.child(path, 'namespace'), 'not allowed on this type'));
  }

  const generation = meta.generation ?? 0;
  if (generation < 0) {
    errors.push(invalid(field.child(path, 'generation'), generation, 'must be greater than or equal to 0'));
  }
  validateShared(meta, path, errors);
  if (meta.finalizers) validateFinalizersOf(meta.finalizers, rules, path, errors);
  if (meta.managedFields) append(errors, validateManagedFields(meta.managedFields, field.child(path, 'managedFields')));
  return errors;
}

/** Texts that may not change; empty equals absent. */
const IMMUTABLE_TEXTS = ['name', 'namespace', 'uid'] as const;
const IMMUTABLE_VALUES = ['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

/**
 * Rules for updates of metadata: which members may not change, and which values may be written; a kind's own rules and
 * those the server applies to every kind, together.
 */
export function validateObjectMetaUpdate(
  meta: ObjectMeta,
  old: ObjectMeta,
  path: string,
  rules: Pick<ObjectMetaRules, 'anyFinalizer'> = {},
): FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp) {
    append(errors, validateNoNewFinalizers(meta.finalizers, old.finalizers, field.child(path, 'finalizers')));
  }
  if (!meta.resourceVersion) {
    errors.push(invalid(field.child(path, 'resourceVersion'), '', 'must be specified for an update'));
  }
  const generation = meta.generation ?? 0;
  if (generation < (old.generation ?? 0)) {
    errors.push(invalid(field.child(path, 'generation'), generation, 'must not be decremented'));
  }
  for (const name of IMMUTABLE_TEXTS) {
    const value = meta[name] ?? '';
    if (value !== (old[name] ?? '')) errors.push(invalid(field.child(path, name), value, 'field is immutable'));
  }
  for (const name of IMMUTABLE_VALUES) {
    const value = meta[name] ?? null;
    if (value !== (old[name] ?? null)) errors.push(invalid(field.child(path, name), value, 'field is immutable'));
  }
  validateShared(meta, path, errors);
  if (meta.finalizers) validateFinalizersOf(meta.finalizers, rules, path, errors);
  if (meta.managedFields) append(errors, validateManagedFields(meta.managedFields, field.child(path, 'managedFields')));
  return errors;
}

function validateFinalizersOf(
  finalizers: readonly string[],
  rules: Pick<ObjectMetaRules, 'anyFinalizer'>,
  path: string,
  errors: FieldError[],
): void {
  const at = field.child(path, 'finalizers');
  append(errors, validateFinalizers(finalizers, at));
  if (rules.anyFinalizer) return;
  for (const [index, name] of finalizers.entries())
    append(errors, validateFinalizerOwner(name, field.index(at, index)));
}

/** Labels and owners known to be valid: objects of one template share them, and versions of one object do. */
const fineLabels = rememberSeen();
const fineOwners = rememberSeen();

function validateShared(meta: ObjectMeta, path: string, errors: FieldError[]): void {
  const { annotations, labels, ownerReferences } = meta;
  if (labels && fineLabels.find(labels) === undefined) {
    const found = validateLabels(labels, field.child(path, 'labels'));
    if (found.length === 0) fineLabels.add(labels, labels);
    else append(errors, found);
  }
  if (annotations) append(errors, validateAnnotations(annotations, field.child(path, 'annotations')));
  if (ownerReferences && fineOwners.find(ownerReferences) === undefined) {
    const found = validateOwnerReferences(ownerReferences, field.child(path, 'ownerReferences'));
    if (found.length === 0) fineOwners.add(ownerReferences, ownerReferences);
    else append(errors, found);
  }
}

/** A label key, or anything else that follows the same rule. */
export function validateLabelName(name: string, path: string): readonly FieldError[] {
  const texts = qualifiedNameProblems(name);
  return texts.length === 0 ? NOTHING : texts.map((text) => invalid(path, name, text));
}

export function validateLabels(labels: StringMap | undefined, path: string): readonly FieldError[] {
  let errors: FieldError[] | undefined;
  for (const key in labels) {
    const value = labels[key] ?? '';
    const keyTexts = qualifiedNameProblems(key);
    const valueTexts = labelValueProblems(value);
    if (keyTexts.length === 0 && valueTexts.length === 0) continue;
    errors ??= [];
    for (const text of keyTexts) errors.push(invalid(path, key, text));
    for (const text of valueTexts) errors.push(invalid(path, value, text));
  }
  return errors ?? NOTHING;
}

export function validateAnnotations(annotations: StringMap | undefined, path: string): readonly FieldError[] {
  let errors: FieldError[] | undefined;
  let upperBound = 0;
  for (const key in annotations) {
    upperBound += 3 * (key.length + (annotations[key] ?? '').length);
    const texts = qualifiedNameProblems(key.toLowerCase());
    if (texts.length === 0) continue;
    errors ??= [];
    for (const text of texts) errors.push(invalid(path, key, text));
  }
  // A UTF-16 unit is at most three bytes of UTF-8, so small maps need no counting.
  if (annotations !== undefined && upperBound > ANNOTATION_BYTES && utf8Bytes(annotations) > ANNOTATION_BYTES) {
    errors ??= [];
    errors.push(tooLong(path, ANNOTATION_BYTES));
  }
  return errors ?? NOTHING;
}

function utf8Bytes(map: StringMap): number {
  let total = 0;
  for (const key in map) total += utf8Length(key) + utf8Length(map[key] ?? '');
  return total;
}

function validateOwnerReference(reference: OwnerReference, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { apiVersion, kind, name, uid } = reference;
  // More than one slash leaves no version at all.
  const version =
    apiVersion.indexOf('/') === apiVersion.lastIndexOf('/') ? apiVersion.slice(apiVersion.indexOf('/') + 1) : '';
  if (version === '') errors.push(invalid(field.child(path, 'apiVersion'), apiVersion, 'version must not be empty'));
  if (kind === '') errors.push(invalid(field.child(path, 'kind'), kind, 'must not be empty'));
  if (name === '') errors.push(invalid(field.child(path, 'name'), name, 'must not be empty'));
  if (uid === '') errors.push(invalid(field.child(path, 'uid'), uid, 'must not be empty'));
  if (apiVersion === 'v1' && kind === 'Event') {
    errors.push(invalid(path, printableReference(reference), '/v1, Kind=Event is disallowed from being an owner'));
  }
  return errors;
}

function validateOwnerReferences(references: readonly OwnerReference[], path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  let controller = '';
  for (const reference of references) {
    append(errors, validateOwnerReference(reference, path));
    if (reference.controller !== true) continue;
    const name = `${reference.kind}/${reference.name}`;
    if (controller === '') {
      controller = name;
      continue;
    }
    errors.push(
      invalid(
        path,
        references.map(printableReference),
        `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`,
      ),
    );
  }
  return errors;
}

/** The members in the order Kubernetes writes them. */
function printableReference(reference: OwnerReference): OwnerReference {
  const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = reference;
  return {
    apiVersion,
    kind,
    name,
    uid,
    ...(controller === undefined ? {} : { controller }),
    ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
  };
}

export function validateFinalizerName(name: string, path: string): readonly FieldError[] {
  return validateLabelName(name, path);
}

/** A finalizer without a domain must be one of Kubernetes' own. */
export function validateFinalizerOwner(name: string, path: string): readonly FieldError[] {
  if (name.includes('/') || STANDARD_FINALIZERS.has(name)) return NOTHING;
  return [invalid(path, name, 'name is neither a standard finalizer name nor is it fully qualified')];
}

function validateFinalizers(finalizers: readonly string[], path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const finalizer of finalizers) append(errors, validateFinalizerName(finalizer, path));
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(invalid(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
  return errors;
}

function validateNoNewFinalizers(
  finalizers: readonly string[] | undefined,
  old: readonly string[] | undefined,
  path: string,
): readonly FieldError[] {
  if (finalizers === undefined || finalizers === old) return NOTHING;
  const known = new Set(old);
  const added = [...new Set(finalizers)].filter((finalizer) => !known.has(finalizer)).toSorted();
  if (added.length === 0) return NOTHING;
  const printed = `[]string{${added.map((finalizer) => goQuote(finalizer)).join(', ')}}`;
  return [
    forbidden(path, `no new finalizers can be added if the object is being deleted, found new finalizers ${printed}`),
  ];
}

export interface LabelSelectorOptions {
  /** Stored selectors may hold values that are no longer allowed. */
  readonly allowInvalidValues?: boolean;
}

export function validateLabelSelector(
  selector: LabelSelector | undefined,
  path: string,
  options: LabelSelectorOptions = {},
): readonly FieldError[] {
  if (!selector) return NOTHING;
  const errors: FieldError[] = [];
  append(errors, validateLabels(selector.matchLabels, field.child(path, 'matchLabels')));
  for (const [index, requirement] of (selector.matchExpressions ?? []).entries()) {
    const at = field.index(field.child(path, 'matchExpressions'), index);
    append(errors, validateSelectorRequirement(requirement, at, options));
  }
  return errors;
}

function validateSelectorRequirement(
  requirement: LabelSelectorRequirement,
  path: string,
  options: LabelSelectorOptions,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { key, operator, values = [] } = requirement;
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) {
      errors.push(required(field.child(path, 'values'), "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      errors.push(
        forbidden(field.child(path, 'values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      );
    }
  } else {
    errors.push(invalid(field.child(path, 'operator'), operator, 'not a valid selector operator'));
  }
  append(errors, validateLabelName(key, field.child(path, 'key')));
  if (options.allowInvalidValues) return errors;
  for (const [index, value] of values.entries()) {
    for (const text of labelValueProblems(value)) {
      errors.push(invalid(field.index(field.child(path, 'values'), index), value, text));
    }
  }
  return errors;
}
