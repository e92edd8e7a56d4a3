/**
 * Gives DaemonSets of clusters that kube-controller-manager runs the toleration of the taint `everynode.dev/unreserved`. That
 * controller judges nodes by the tolerations of the template, so pods come to a node that is still being reserved only if the template
 * tolerates it; and a node whose network is such a pod would wait for the pod, and the pod for the node.
 *
 * An update that changes nothing in the template does not get the toleration added: the addition would start a rollout nobody asked for.
 */
import type { DaemonSet } from '../../../core/api/types/apps-v1.ts';
import type { Toleration } from '../../../core/api/types/core-v1.ts';
import { UNRESERVED_TOLERATION } from '../../../core/daemons/daemon-tolerations.ts';
import { deepEqual } from '../../../core/kube/immutable.ts';
import { toleratesTaint } from '../../../core/placement/taints.ts';
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from '../../../machinery/ports/admission.ts';

/** The plugin's name, and with it the path of its webhook. */
export const TOLERATION_ADMISSION = 'unreserved-toleration';

const ALLOWED: AdmissionResponse = { allowed: true };
const TAINT = { key: UNRESERVED_TOLERATION.key ?? '', effect: 'NoSchedule' } as const;

export const createTolerationAdmission = (): AdmissionPlugin => ({
  name: TOLERATION_ADMISSION,
  handles: ({ operation, resource, subresource }) =>
    subresource === '' &&
    resource.group === 'apps' &&
    resource.resource === 'daemonsets' &&
    (operation === 'CREATE' || operation === 'UPDATE'),
  mutate,
});

function mutate({ object, oldObject }: AdmissionRequest): AdmissionResponse {
  const set = object as DaemonSet | undefined;
  const before = oldObject as DaemonSet | undefined;
  if (set === undefined || isTolerated(set) || !mayChange(set, before)) return ALLOWED;
  return { allowed: true, object: withToleration(set) };
}

const tolerationsOf = ({ spec }: DaemonSet): readonly Toleration[] => spec.template.spec?.tolerations ?? [];

const isTolerated = (set: DaemonSet): boolean => tolerationsOf(set).some((each) => toleratesTaint(each, TAINT));

/** A new DaemonSet, or one whose pods are replaced by the update anyway. */
const mayChange = (set: DaemonSet, before: DaemonSet | undefined): boolean =>
  before === undefined || isTolerated(before) || !deepEqual(set.spec.template, before.spec.template);

function withToleration(set: DaemonSet): DaemonSet {
  const { template } = set.spec;
  if (template.spec === undefined) return set;
  const spec = { ...template.spec, tolerations: [...tolerationsOf(set), UNRESERVED_TOLERATION] };
  return { ...set, spec: { ...set.spec, template: { ...template, spec } } };
}
