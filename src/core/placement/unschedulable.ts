/** Cordoned nodes: `spec.unschedulable` keeps pods away unless they tolerate the taint of that name. */
import { createNo, type No } from './answer.ts';
import { type CompiledTolerations, UNSCHEDULABLE_TAINT } from './taints.ts';

export function schedulable(tolerations: CompiledTolerations, unschedulable: boolean | undefined): boolean {
  return unschedulable !== true || tolerations.toleratesUnschedulable;
}

export function unschedulableNo(nodeName: string): No {
  return createNo(
    'NodeUnschedulable',
    () => `uncordon the node (\`kubectl uncordon ${nodeName}\`) or tolerate \`${UNSCHEDULABLE_TAINT}:NoSchedule\``,
  );
}
