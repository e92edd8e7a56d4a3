/** ControllerRevisions: snapshots that DaemonSets and StatefulSets can go back to. Their content never changes. */
import type { FieldError } from '../../../kube/field-errors.ts';
import { invalid, required } from '../../../kube/field-errors.ts';
import { deepEqual } from '../../../kube/immutable.ts';
import type { KindStrategy } from '../../kind/kind-definition.ts';
import type { ControllerRevision } from '../../types/apps-v1.ts';
import { addAll, nonNegative } from '../../rules/findings.ts';
import { IMMUTABLE, validateMeta, validateMetaUpdate } from '../../rules/meta-rules.ts';

function validateRevision(revision: ControllerRevision): FieldError[] {
  const found = validateMeta(revision.metadata);
  nonNegative(found, revision.revision, 'revision');
  return found;
}

export const controllerRevisionStrategy: KindStrategy<ControllerRevision> = {
  defaults: (revision) => revision,
  prepareForCreate: (revision) => revision,
  prepareForUpdate: (revision) => revision,
  validate(revision) {
    const found = validateRevision(revision);
    const { data } = revision;
    if (data === undefined || data === null) found.push(required('data', 'data is mandatory'));
    else if (typeof data !== 'object' || Array.isArray(data)) {
      found.push(required('data', 'data must be a valid JSON object'));
    }
    return found;
  },
  validateUpdate(revision, old) {
    const found = validateMetaUpdate(revision.metadata, old.metadata);
    addAll(found, validateRevision(revision));
    if (!deepEqual(revision.data, old.data)) found.push(invalid('data', revision.data, IMMUTABLE));
    return found;
  },
  generationChanged: () => false,
  allowUnconditionalUpdate: true,
};
