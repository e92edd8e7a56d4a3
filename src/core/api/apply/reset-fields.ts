/**
 * Fields that a write through a resource or one of its subresources cannot change: the server puts them back, so no
 * manager comes to own them that way.
 */
import { EMPTY, type FieldSet, pathSet, union } from './field-set.ts';
import { fieldElement } from './path-element.ts';

const paths = (...texts: readonly string[]): FieldSet =>
  texts.map((text) => pathSet(...text.split('.').map(fieldElement))).reduce(union, EMPTY);

const STATUS = paths('status');
const SPEC = paths('spec');
const METADATA_AND_SPEC = paths('metadata', 'spec');

/** By `group/resource/subresource`. */
const SPECIAL: ReadonlyMap<string, FieldSet> = new Map([
  ['/pods/status', paths('spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences')],
  ['/namespaces/finalize', STATUS],
  ['apps/deployments/status', paths('spec', 'metadata.labels')],
  ['certificates.k8s.io/certificatesigningrequests/', paths('spec', 'status')],
  ['certificates.k8s.io/certificatesigningrequests/status', paths('spec', 'status.conditions')],
  ['certificates.k8s.io/certificatesigningrequests/approval', paths('spec', 'status.certificate')],
  ['apiregistration.k8s.io/apiservices/status', METADATA_AND_SPEC],
  ['networking.k8s.io/servicecidrs/status', METADATA_AND_SPEC],
  ['resource.k8s.io/resourceclaims/status', METADATA_AND_SPEC],
  ['storage.k8s.io/volumeattachments/status', METADATA_AND_SPEC],
  ['flowcontrol.apiserver.k8s.io/flowschemas/status', METADATA_AND_SPEC],
  ['flowcontrol.apiserver.k8s.io/prioritylevelconfigurations/status', METADATA_AND_SPEC],
  ['admissionregistration.k8s.io/validatingadmissionpolicies/status', METADATA_AND_SPEC],
]);

export interface ResetSubject {
  readonly group: string;
  readonly resource: string;
  readonly subresources: readonly { readonly name: string }[];
}

/** Kubernetes' own groups are called `apps`, `batch` and the like, or end so; others are served from definitions. */
const isCustom = ({ group }: ResetSubject): boolean => group.includes('.') && !group.endsWith('.k8s.io');

export function resetFields(kind: ResetSubject, subresource: string): FieldSet | undefined {
  const special = SPECIAL.get(`${kind.group}/${kind.resource}/${subresource}`);
  if (special !== undefined) return special;
  if (!kind.subresources.some(({ name }) => name === 'status')) return undefined;
  if (subresource === '') return STATUS;
  if (subresource !== 'status') return undefined;
  return isCustom(kind) ? METADATA_AND_SPEC : SPEC;
}
