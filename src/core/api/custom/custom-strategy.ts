/** How custom resources behave when they are written: one strategy for each version of a definition. */
import { type FieldError, field, fieldErrorMessage, invalid } from '../../kube/field-errors.ts';
import { goQuote } from '../../kube/go-text.ts';
import { deepEqual } from '../../kube/immutable.ts';
import { nameIsDnsSubdomain, qualifiedNameProblems } from '../../kube/names.ts';
import type { KubeObject } from '../../kube/objects.ts';
import type { KindStrategy } from '../kind/kind-definition.ts';
import { append } from '../rules/append.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../rules/metadata.ts';
import { contentChanged, withFieldOf, withoutField } from '../kind/generic-strategy.ts';
import type { CustomResourceSubresourceScale } from '../types/apiextensions-v1.ts';
import { validateEmbedded } from './schema/embedded.ts';
import { validateListTypes } from './schema/list-types.ts';
import { compileRules } from './schema/rules.ts';
import { validateScaleSpec, validateScaleStatus } from './scale-paths.ts';
import { fill } from './schema/shape.ts';
import type { Structural } from './schema/structural.ts';
import { valueValidator } from './schema/value-validator.ts';

export interface CustomStrategyOptions {
  readonly namespaced: boolean;
  readonly schema: Structural;
  readonly hasStatus: boolean;
  readonly scale: CustomResourceSubresourceScale | undefined;
}

type Bag = { readonly [field: string]: unknown };
const bagOf = (object: KubeObject): Bag => object as unknown as Bag;

const META = { anyFinalizer: true } as const;

/** Findings after which rules are not tried: they may rely on what is wrong. */
const BLOCKING: ReadonlySet<FieldError['type']> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);
const NOT_CHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

export function createCustomStrategy(options: CustomStrategyOptions): KindStrategy {
  const { hasStatus, schema, scale } = options;
  const rules = compileRules(schema);
  const values = valueValidator(schema.source);
  const ratcheted = new WeakMap<KubeObject, readonly string[]>();
  const statusSchema = schema.properties.get('status');
  const statusValues = statusSchema === undefined ? undefined : valueValidator(statusSchema.source);

  const withRules = (errors: FieldError[], object: KubeObject, old: KubeObject | undefined): readonly FieldError[] => {
    if (rules === undefined) return errors;
    if (errors.some(({ type }) => BLOCKING.has(type))) {
      errors.push(invalid('', null, NOT_CHECKED));
      return errors;
    }
    const found = rules.validate(object, old);
    if (found.ratcheted.length > 0) ratcheted.set(object, found.ratcheted.map(fieldErrorMessage));
    append(errors, found.errors);
    return errors;
  };
  const scaleErrors = (object: KubeObject, alsoSpec: boolean): readonly FieldError[] =>
    scale === undefined
      ? []
      : [...(alsoSpec ? validateScaleSpec(object, scale) : []), ...validateScaleStatus(object, scale)];
  const newListErrors = (object: KubeObject, old: KubeObject): readonly FieldError[] => {
    const errors = validateListTypes(object, schema);
    return errors.length > 0 && validateListTypes(old, schema).length === 0 ? errors : [];
  };

  function validateStatusUpdate(object: KubeObject, old: KubeObject): readonly FieldError[] {
    const errors = validateObjectMetaUpdate(object.metadata, old.metadata, 'metadata', META);
    const { status } = bagOf(object);
    if (status !== undefined && statusValues !== undefined) {
      append(errors, statusValues.validateUpdate(status, bagOf(old)['status'], 'status'));
    }
    append(errors, scaleErrors(object, false));
    append(errors, newListErrors(object, old));
    return withRules(errors, object, old);
  }

  return {
    defaults: (object) => fill(object, schema),
    prepareForCreate: (object) => (hasStatus ? withoutField(object, 'status') : object),
    prepareForUpdate(object, old, subresource) {
      if (subresource === 'status') return statusOnly(object, old);
      return hasStatus ? withFieldOf(object, old, 'status') : object;
    },
    validate(object) {
      const rulesOfMeta = { namespaced: options.namespaced, name: nameIsDnsSubdomain, ...META };
      const errors = validateObjectMeta(object.metadata, rulesOfMeta, 'metadata');
      append(errors, values.validate(object));
      append(errors, scaleErrors(object, true));
      append(errors, validateEmbedded(object, schema));
      append(errors, validateListTypes(object, schema));
      return withRules(errors, object, undefined);
    },
    validateUpdate(object, old, subresource) {
      if (subresource === 'status') return validateStatusUpdate(object, old);
      const errors = validateObjectMetaUpdate(object.metadata, old.metadata, 'metadata', META);
      append(errors, values.validateUpdate(object, old));
      append(errors, scaleErrors(object, true));
      append(errors, validateEmbedded(object, schema));
      append(errors, newListErrors(object, old));
      return withRules(errors, object, old);
    },
    warnings: (object, old) => finalizerWarnings(addedFinalizers(object, old)),
    ratcheted: (object) => ratcheted.get(object),
    generationChanged: (object, old) =>
      contentChanged(object, old) || (!hasStatus && !deepEqual(bagOf(object)['status'], bagOf(old)['status'])),
    allowUnconditionalUpdate: false,
  };
}

/** A write to the status subresource changes the status and the managed fields, nothing else. */
function statusOnly<T extends KubeObject>(object: T, old: T): T {
  const { managedFields } = object.metadata;
  const { managedFields: _, ...metadata } = old.metadata;
  const { resourceVersion } = object.metadata;
  const next: { [field: string]: unknown } = {
    ...bagOf(old),
    metadata: {
      ...metadata,
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(managedFields === undefined ? {} : { managedFields }),
    },
  };
  const { status } = bagOf(object);
  if (status === undefined) delete next['status'];
  else next['status'] = status;
  return next as unknown as T;
}

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

/** Finalizers that the write adds, each once, sorted; finalizers of the stored object cause no warnings again. */
function addedFinalizers({ metadata }: KubeObject, old: KubeObject | undefined): readonly string[] {
  const known = new Set(old?.metadata.finalizers);
  return [...new Set(metadata.finalizers)].filter((name) => !known.has(name)).toSorted();
}

function finalizerWarnings(finalizers: readonly string[]): readonly string[] {
  const at = field.child('metadata', 'finalizers');
  return finalizers.flatMap((name) => {
    const texts = qualifiedNameProblems(name).map((problem) => `${at}: ${goQuote(name)}: ${problem}`);
    if (name.includes('/') || STANDARD_FINALIZERS.has(name)) return texts;
    const how = name.includes('.')
      ? 'prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers'
      : 'prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers';
    return [...texts, `${at}: ${goQuote(name)}: ${how}`];
  });
}
