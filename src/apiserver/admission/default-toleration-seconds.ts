/** Pods stay five minutes on a node that is not ready or cannot be reached, unless they say otherwise. */
import { subtreeMemo } from '../../core/api/rules/memo.ts';
import type { Pod, Toleration } from '../../core/api/types/core-v1.ts';
import type { AdmissionPlugin, AdmissionResponse } from '../../machinery/ports/admission.ts';

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const SECONDS = 300;
const ALLOWED: AdmissionResponse = { allowed: true };

const patience = (key: string): Toleration =>
  Object.freeze({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: SECONDS });
const NOT_READY_PATIENCE = patience(NOT_READY);
const UNREACHABLE_PATIENCE = patience(UNREACHABLE);
const BOTH: readonly Toleration[] = Object.freeze([NOT_READY_PATIENCE, UNREACHABLE_PATIENCE]);

export function createDefaultTolerationSeconds(): AdmissionPlugin {
  const memo = subtreeMemo<readonly Toleration[], readonly Toleration[]>();
  const completed = (tolerations: readonly Toleration[] | undefined): readonly Toleration[] => {
    if (tolerations === undefined || tolerations.length === 0) return BOTH;
    const known = memo.get(tolerations);
    if (known !== undefined) return known;
    const result = complete(tolerations);
    memo.offer(tolerations, result);
    return result;
  };
  return {
    name: 'DefaultTolerationSeconds',
    handles: ({ operation, resource, subresource }) =>
      (operation === 'CREATE' || operation === 'UPDATE') &&
      subresource === '' &&
      resource.group === '' &&
      resource.resource === 'pods',
    mutate(request) {
      const pod = request.object as Pod;
      const { spec } = pod;
      if (spec === undefined) return ALLOWED;
      const tolerations = completed(spec.tolerations);
      if (tolerations === spec.tolerations) return ALLOWED;
      const object: Pod = { ...pod, spec: { ...spec, tolerations } };
      return { allowed: true, object };
    },
  };
}

function complete(tolerations: readonly Toleration[]): readonly Toleration[] {
  const notReady = tolerations.some((toleration) => covers(toleration, NOT_READY));
  const unreachable = tolerations.some((toleration) => covers(toleration, UNREACHABLE));
  if (notReady && unreachable) return tolerations;
  return Object.freeze([
    ...tolerations,
    ...(notReady ? [] : [NOT_READY_PATIENCE]),
    ...(unreachable ? [] : [UNREACHABLE_PATIENCE]),
  ]);
}

/** An empty key or effect covers all. */
const covers = ({ effect, key }: Toleration, taint: string): boolean =>
  (key === taint || !key) && (effect === 'NoExecute' || !effect);
