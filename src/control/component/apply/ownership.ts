/** The owner of an object, by labels and annotations of the object itself; an inventory alone would delete objects that others created since. */
import { COMPONENT_ANNOTATIONS, COMPONENT_FIELD_MANAGERS, COMPONENT_LABELS } from '../../../core/api/names.ts';
import { withPlainManaged } from '../../../core/api/apply/managed.ts';
import { labelOf, withAnnotations, withLabels } from '../../../core/kube/labels.ts';
import type { ManagedFieldsEntry } from '../../../core/kube/meta-v1.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';
import { identityText, type ComponentIdentity } from './rendered.ts';

export type Owner =
  | { readonly owner: 'ours' }
  | { readonly owner: 'other'; readonly component: string }
  | { readonly owner: 'nobody' };

const OURS: Owner = { owner: 'ours' };
const NOBODY: Owner = { owner: 'nobody' };

/** The object's managedFields as plain data, over either transport. */
export const managedFieldsOf = (object: KubeObject): readonly ManagedFieldsEntry[] =>
  withPlainManaged(object).metadata.managedFields ?? [];

const wasAppliedByUs = (object: KubeObject): boolean =>
  managedFieldsOf(object).some(
    ({ manager, operation }) => manager === COMPONENT_FIELD_MANAGERS.apply && operation === 'Apply',
  );

/**
 * `isListed`: the component's inventory names the object. An object that lost its labels is still ours if we applied
 * it.
 */
export function ownerOf(object: KubeObject, identity: ComponentIdentity, isListed: boolean): Owner {
  const { labels } = object.metadata;
  const name = labelOf(labels, COMPONENT_LABELS.component);
  const namespace = labelOf(labels, COMPONENT_LABELS.namespace);
  if (name !== undefined && namespace !== undefined) {
    if (name === identity.name && namespace === identity.namespace) return OURS;
    return { owner: 'other', component: `${namespace}/${name}` };
  }
  return isListed && wasAppliedByUs(object) ? OURS : NOBODY;
}

/** The object with our marks. */
export const marked = <T extends KubeObject>(object: T, { name, namespace }: ComponentIdentity): T =>
  withLabels(object, { [COMPONENT_LABELS.component]: name, [COMPONENT_LABELS.namespace]: namespace });

/** A Namespace with the annotation that names its creator. */
export const markedAsCreated = <T extends KubeObject>(object: T, identity: ComponentIdentity): T =>
  withAnnotations(object, { [COMPONENT_ANNOTATIONS.createdBy]: identityText(identity) });

export const wasCreatedBy = (namespace: KubeObject, identity: ComponentIdentity): boolean =>
  labelOf(namespace.metadata.annotations, COMPONENT_ANNOTATIONS.createdBy) === identityText(identity);

export const mustBeKept = (object: KubeObject): boolean =>
  labelOf(object.metadata.annotations, COMPONENT_ANNOTATIONS.keep) === 'true';

/** The labels that find everything of a component. */
export const componentSelector = ({ name, namespace }: ComponentIdentity): string =>
  `${COMPONENT_LABELS.component}=${name},${COMPONENT_LABELS.namespace}=${namespace}`;
