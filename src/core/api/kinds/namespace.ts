/** Namespaces: the server keeps them alive with a finalizer of its own until everything in them is gone. */
import { type FieldError, field, invalid } from '../../kube/field-errors.ts';
import { nameIsDnsLabel } from '../../kube/names.ts';
import type { KindStrategy } from '../kind/kind-definition.ts';
import { createGenericStrategy, statusUpdate, withFieldOf } from '../kind/generic-strategy.ts';
import type { Namespace } from '../types/core-v1.ts';
import { append } from '../rules/append.ts';
import {
  validateFinalizerName,
  validateFinalizerOwner,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '../rules/metadata.ts';

const NAMESPACE_NAME_LABEL = 'kubernetes.io/metadata.name';
/** In `spec.finalizers`: the namespace's contents have not been cleared away yet. */
export const KUBERNETES_FINALIZER = 'kubernetes';

const RULES = { namespaced: false, name: nameIsDnsLabel };

function validateNamespaceFinalizer(name: string, path: string): readonly FieldError[] {
  return [...validateFinalizerName(name, path), ...validateFinalizerOwner(name, path)];
}

/** Every namespace carries its own name as a label, so that selectors can pick it. */
function withNameLabel(namespace: Namespace): Namespace {
  const { metadata } = namespace;
  if (!metadata.name || metadata.labels?.[NAMESPACE_NAME_LABEL] === metadata.name) return namespace;
  const labels = { ...metadata.labels, [NAMESPACE_NAME_LABEL]: metadata.name };
  return { ...namespace, metadata: { ...metadata, labels } };
}

function withPhase(namespace: Namespace): Namespace {
  return namespace.status?.phase ? namespace : { ...namespace, status: { ...namespace.status, phase: 'Active' } };
}

function validateStatus(namespace: Namespace): readonly FieldError[] {
  const phase = namespace.status?.phase ?? '';
  if (namespace.metadata.deletionTimestamp) {
    if (phase === 'Terminating') return [];
    return [invalid('status.Phase', phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")];
  }
  return phase === 'Active'
    ? []
    : [invalid('status.Phase', phase, "may only be 'Active' if `deletionTimestamp` is empty")];
}

function validate(namespace: Namespace): FieldError[] {
  const errors = validateObjectMeta(namespace.metadata, RULES, 'metadata');
  for (const name of namespace.spec?.finalizers ?? [])
    append(errors, validateNamespaceFinalizer(name, 'spec.finalizers'));
  return errors;
}

export const namespaceStrategy: KindStrategy<Namespace> = {
  ...createGenericStrategy<Namespace>({ namespaced: false, hasStatus: true, hasGeneration: false }),
  defaults: (namespace) => withPhase(withNameLabel(namespace)),
  prepareForCreate(namespace) {
    const finalizers = namespace.spec?.finalizers ?? [];
    const kept = finalizers.includes(KUBERNETES_FINALIZER) ? finalizers : [...finalizers, KUBERNETES_FINALIZER];
    return withNameLabel({
      ...namespace,
      spec: { ...namespace.spec, finalizers: kept },
      status: { phase: 'Active' },
    });
  },
  prepareForUpdate(namespace, old, subresource) {
    if (subresource === 'status') return withNameLabel(statusUpdate(namespace, old));
    const kept = withFieldOf(namespace, old, 'status');
    if (subresource === 'finalize') return withNameLabel(kept);
    // Only the finalize subresource may change the spec, which is nothing but finalizers.
    return withNameLabel(withFieldOf(kept, old, 'spec'));
  },
  validate,
  validateUpdate(namespace, old, subresource) {
    const errors = validateObjectMetaUpdate(namespace.metadata, old.metadata, 'metadata');
    if (subresource === 'status') append(errors, validateStatus(namespace));
    else if (subresource === 'finalize') {
      for (const [index, name] of (namespace.spec?.finalizers ?? []).entries()) {
        append(errors, validateNamespaceFinalizer(name, field.index('spec.finalizers', index)));
      }
    } else append(errors, validate(namespace));
    return errors;
  },
};
