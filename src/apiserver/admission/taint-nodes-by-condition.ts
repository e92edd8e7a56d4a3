/**
 * A node starts out not ready, so that nothing is placed there before it is. A controller takes the taint away. A node that
 * is born with the word of its kubelet that it is ready has nothing to wait for: it is spared the taint, and with it a write.
 */
import type { Node, Taint } from '../../core/api/types/core-v1.ts';
import { isConditionTrue } from '../../core/kube/conditions.ts';
import type { AdmissionPlugin, AdmissionResponse } from '../../machinery/ports/admission.ts';

const NOT_READY: Taint = Object.freeze({ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' });
const ALLOWED: AdmissionResponse = { allowed: true };

export function createTaintNodesByCondition(): AdmissionPlugin {
  return {
    name: 'TaintNodesByCondition',
    handles: ({ operation, resource, subresource }) =>
      operation === 'CREATE' && subresource === '' && resource.group === '' && resource.resource === 'nodes',
    mutate(request) {
      const node = request.object as Node;
      if (isConditionTrue(node.status?.conditions, 'Ready')) return ALLOWED;
      const taints = node.spec?.taints ?? [];
      if (taints.some((taint) => taint.key === NOT_READY.key && taint.effect === NOT_READY.effect)) return ALLOWED;
      const object: Node = { ...node, spec: { ...node.spec, taints: [...taints, NOT_READY] } };
      return { allowed: true, object };
    },
  };
}
