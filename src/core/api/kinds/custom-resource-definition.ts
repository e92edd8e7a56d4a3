/** CustomResourceDefinitions: how they are created, updated and deleted. Their validation is in custom/crd/. */
import type { FieldError } from '../../kube/field-errors.ts';
import type { KindStrategy } from '../kind/kind-definition.ts';
import { withCondition } from '../custom/crd/conditions.ts';
import { defaultDefinition } from '../custom/crd/defaults.ts';
import { unrecognizedFormats } from '../custom/crd/format-warnings.ts';
import {
  validateDefinition,
  validateDefinitionStatusUpdate,
  validateDefinitionUpdate,
} from '../custom/crd/validate-definition.ts';
import { contentChanged } from '../kind/generic-strategy.ts';
import { typeSchema } from '../schema/type-schema.ts';
import { zeroObject } from '../schema/zero-value.ts';
import type { CustomResourceDefinition, CustomResourceDefinitionStatus } from '../types/apiextensions-v1.ts';
import { goQuote } from '../../kube/go-text.ts';

/** The finalizer that keeps a definition until its objects are gone. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

const emptyStatus = (): CustomResourceDefinitionStatus =>
  zeroObject(typeSchema('apiextensions/v1.CustomResourceDefinitionStatus'));

/**
 * Adds the storage version to `storedVersions`, where it stays until a client declares that none of its objects is
 * left.
 */
function withStoredVersion(definition: CustomResourceDefinition): CustomResourceDefinition {
  const storage = definition.spec.versions.find((version) => version.storage)?.name;
  const stored = definition.status?.storedVersions ?? [];
  if (storage === undefined || stored.includes(storage)) return definition;
  return { ...definition, status: { ...definition.status, storedVersions: [...stored, storage] } };
}

export const customResourceDefinitionStrategy: KindStrategy<CustomResourceDefinition> = {
  defaults: defaultDefinition,
  prepareForCreate: (definition) => withStoredVersion({ ...definition, status: emptyStatus() }),
  prepareForUpdate(definition, old, subresource) {
    if (subresource === 'status') {
      const next = definition.spec === old.spec ? definition : { ...definition, spec: old.spec };
      // An empty list cannot be true: the storage version may hold objects.
      return (next.status?.storedVersions ?? []).length === 0 ? withStoredVersion(next) : next;
    }
    const status = old.status ?? emptyStatus();
    return withStoredVersion(definition.status === status ? definition : { ...definition, status });
  },
  validate: validateDefinition,
  validateUpdate: (definition, old, subresource): readonly FieldError[] =>
    subresource === 'status'
      ? validateDefinitionStatusUpdate(definition, old)
      : validateDefinitionUpdate(definition, old),
  warnings: (definition) => unrecognizedFormats(definition).map((format) => `unrecognized format ${goQuote(format)}`),
  generationChanged: contentChanged,
  beginDeletion(definition, now) {
    const finalizers = definition.metadata.finalizers ?? [];
    const kept: CustomResourceDefinition = finalizers.includes(CLEANUP_FINALIZER)
      ? definition
      : { ...definition, metadata: { ...definition.metadata, finalizers: [...finalizers, CLEANUP_FINALIZER] } };
    return withCondition(
      kept,
      {
        type: 'Terminating',
        status: 'True',
        reason: 'InstanceDeletionPending',
        message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      },
      now,
    );
  },
  marksDeletionOnly: true,
  allowUnconditionalUpdate: false,
};
