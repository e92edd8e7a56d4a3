/** Every code of this room's problems and what it means. A code is never renamed. */
import { CodedError } from '../kube/coded-error.ts';

export const COMPONENT_ERROR_CODES = {
  EN_COMPONENT_YAML: 'A manifest is not YAML or JSON; the message says where',
  EN_COMPONENT_UNREADABLE: 'A file of a folder of manifests cannot be read, or is no UTF-8 text',
  EN_COMPONENT_TOO_LARGE: 'A manifest is larger, nested more deeply or refers to itself more often than any real one',
  EN_COMPONENT_DUPLICATE_KEY: 'A key stands twice in one mapping',
  EN_COMPONENT_API_VERSION: 'The apiVersion is none of those a KubernetesDaemonSet may carry',
  EN_COMPONENT_KIND: 'The document is no KubernetesDaemonSet',
  EN_COMPONENT_UNKNOWN_FIELD: 'There is no such field; the message names the nearest one',
  EN_COMPONENT_FIELD_TWICE: 'A field is given twice, in two spellings or in two places that mean the same',
  EN_COMPONENT_TYPE: 'A value has the wrong type',
  EN_COMPONENT_REQUIRED: 'A field that must be there is missing or empty',
  EN_COMPONENT_VALUE: 'A value is not among those allowed',
  EN_COMPONENT_ALTERNATIVES: 'Of several fields that exclude each other none or more than one is given',
  EN_COMPONENT_DUPLICATE: 'Two entries of a list that must differ are alike',
  EN_COMPONENT_VOLUME_CONFLICT: 'Two mounts give one volume name different sources',
  EN_COMPONENT_VOLUME_SOURCE: 'A mount names a volume that no mount says the source of',
  EN_COMPONENT_BOUNDS: 'The bounds of a rolling update cannot work together',
  EN_COMPONENT_SURGE_HOST_PORT: 'A surge needs two pods on a node, and a host port allows one',
  EN_COMPONENT_RBAC_ACCOUNT: 'Rights are given, but no service account to give them to',
  EN_COMPONENT_SECRET_NAMESPACE: 'A pod cannot read a Secret of another namespace',
  EN_COMPONENT_REJECTED: 'Kubernetes would reject what this field becomes',
  EN_COMPONENT_SET: 'An override (`--set`) cannot be understood or does not fit the manifest',
  EN_COMPONENT_SECRET: 'The value of a secret cannot be found where the manifest says',
  EN_COMPONENT_SECRET_REFUSED:
    'A manifest names a file or variable of this machine that it was not allowed; the message has the flag that allows it',
  EN_COMPONENT_SECRET_UNRESOLVED: 'A secret was asked for its value before that was looked up',
  EN_COMPONENT_LITERAL_SECRET: 'A secret stands in plain text where it must not',
  EN_COMPONENT_DOCKER_CONFIG: 'A registry login is not in the form of a Docker configuration',
  EN_COMPONENT_REFERENCE: 'A reference to another component leads nowhere',
  EN_COMPONENT_CYCLE: 'Components refer to each other in a circle',
} as const;

export type ComponentErrorCode = keyof typeof COMPONENT_ERROR_CODES;

/** For mistakes of the caller; every fault of a manifest is a `Problem`. */
export class ComponentError extends CodedError<ComponentErrorCode> {
  override readonly name = 'ComponentError';
}
