/** `status.outputs`: facts about a component for other components and people. */
import type { Component } from '../../api/component/types.ts';
import type { DaemonSet } from '../../api/types/apps-v1.ts';
import { identityOf, type Identity, type Mode } from './mode.ts';

export interface ComponentOutputs {
  readonly namespace: string;
  readonly daemonsetName: string;
  /** The same, as newer manifests call it. */
  readonly daemonSetName: string;
  readonly desiredNumberScheduled: string;
  readonly currentNumberScheduled: string;
  readonly numberReady: string;
  readonly serviceAccountName: string;
  /** `k=v,k=v`, for `kubectl -l`. */
  readonly selectorLabels: string;
  readonly labels: { readonly [key: string]: string };
}

/** Numbers are texts, as the older tools have them; they are 0 until the cluster has counted. */
export function componentOutputs(component: Component, mode: Mode, daemonSet?: DaemonSet): ComponentOutputs {
  return outputsOf(identityOf(component, mode), daemonSet?.status);
}

/** Outputs of a component in a cluster, for readers without its manifest. */
export function liveOutputs({ metadata, spec, status }: DaemonSet): ComponentOutputs {
  const { name, namespace = '', labels = {} } = metadata;
  const { matchLabels: selector = {} } = spec.selector;
  return outputsOf(
    { name, namespace, labels, selector, serviceAccount: spec.template.spec?.serviceAccountName },
    status,
  );
}

type Source = Pick<Identity, 'name' | 'namespace' | 'labels' | 'selector' | 'serviceAccount'>;

const outputsOf = (
  { name, namespace, labels, selector, serviceAccount }: Source,
  status: DaemonSet['status'],
): ComponentOutputs => ({
  namespace,
  daemonsetName: name,
  daemonSetName: name,
  desiredNumberScheduled: String(status?.desiredNumberScheduled ?? 0),
  currentNumberScheduled: String(status?.currentNumberScheduled ?? 0),
  numberReady: String(status?.numberReady ?? 0),
  serviceAccountName: serviceAccount ?? 'default',
  selectorLabels: Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(','),
  labels,
});
