/** The groups and versions a manifest may carry: one shape after another, all of them read. */
export const COMPONENT_KIND = 'KubernetesDaemonSet';
export const COMPONENT_PLURAL = 'kubernetesdaemonsets';
export const COMPONENT_SHORT_NAMES: readonly string[] = ['kds'];

export interface Generation {
  readonly group: string;
  readonly version: string;
  readonly note: string;
}

/** The first is the one new manifests are written in. */
export const GENERATIONS: readonly Generation[] = [
  { group: 'kubernetes.planton.dev', version: 'v1', note: 'canonical' },
  { group: 'kubernetes.planton.dev', version: 'v1alpha1', note: 'the same fields; its own are under `pod`' },
  { group: 'kubernetes.openmcf.org', version: 'v1', note: 'older; maps for variables and secrets' },
  { group: 'kubernetes.project-planton.org', version: 'v1', note: 'oldest; flat host paths' },
];

export const CANONICAL_API_VERSION = 'kubernetes.planton.dev/v1';
export const API_VERSIONS: readonly string[] = GENERATIONS.map(({ group, version }) => `${group}/${version}`);
