/**
 * Pods. In this folder: defaults (`default-*.ts`), validation (`validate-*.ts`), what the server writes itself
 * (`prepare-pod.ts`), warnings, and the memory that makes the thousandth pod of a template cheap (`memo.ts`). The rules
 * for a pod's spec serve templates as well; the workloads next door build on them.
 */
import type { FieldError } from '../../../kube/field-errors.ts';
import { notSupported, required } from '../../../kube/field-errors.ts';
import { deepEqual } from '../../../kube/immutable.ts';
import { dns1123LabelProblems } from '../../../kube/names.ts';
import type { KindStrategy } from '../../kind/kind-definition.ts';
import type { Binding, Pod } from '../../types/core-v1.ts';
import { defaultPod } from './defaults/default-spec.ts';
import { preparePodForCreate, preparePodForUpdate } from './prepare-pod.ts';
import { validatePod } from './validate-pod.ts';
import { validatePodResize } from './validate-pod-resize.ts';
import { validatePodStatusUpdate } from './validate-pod-status.ts';
import { validateEphemeralContainersUpdate, validatePodUpdate } from './validate-pod-update.ts';
import { podWarnings } from './warnings.ts';

export const podStrategy: KindStrategy<Pod> = {
  defaults: defaultPod,
  prepareForCreate: preparePodForCreate,
  prepareForUpdate: preparePodForUpdate,
  validate: validatePod,
  validateUpdate(pod, old, subresource) {
    switch (subresource) {
      case 'status':
        return validatePodStatusUpdate(pod, old);
      case 'ephemeralcontainers':
        return validateEphemeralContainersUpdate(pod, old);
      case 'resize':
        return validatePodResize(pod, old);
      default:
        return validatePodUpdate(pod, old);
    }
  },
  warnings(pod, old) {
    // Updates of pods return no warnings: pods are changed by controllers, and often.
    if (old !== undefined) return [];
    const texts = dns1123LabelProblems(pod.metadata.name);
    const warnings = podWarnings(pod.spec, pod.metadata, '');
    if (texts.length === 0) return warnings;
    const text =
      "this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended";
    return [`metadata.name: ${text}: [${texts.join(' ')}]`, ...warnings];
  },
  generationChanged: (pod, old) => !deepEqual(pod.spec, old.spec),
  /** No grace period for a pod that never reached a node or has ended: no kubelet has containers of it to stop. */
  gracePeriod(pod, asked) {
    const { nodeName, terminationGracePeriodSeconds: own } = pod.spec;
    const phase = pod.status?.phase;
    if (!nodeName || phase === 'Failed' || phase === 'Succeeded') return 0;
    const seconds = asked ?? own ?? 0;
    return seconds < 0 ? 1 : seconds;
  },
  allowUnconditionalUpdate: true,
};

/** Validation of a Binding, by which a scheduler assigns a pod to a node. */
export function validateBinding(binding: Binding): readonly FieldError[] {
  const found: FieldError[] = [];
  const { kind, name } = binding.target ?? {};
  if (kind && kind !== 'Node') found.push(notSupported('target.kind', kind, ['Node', '<empty>']));
  if (!name) found.push(required('target.name', ''));
  return found;
}
