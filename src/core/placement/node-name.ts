/** `spec.nodeName`: a pod that names its node fits no other. */
import { createNo, type No } from './answer.ts';

export function nodeNameMatches(wanted: string | undefined, nodeName: string): boolean {
  return !wanted || wanted === nodeName;
}

export function nodeNameNo(wanted: string): No {
  return createNo(
    'NodeNameMismatch',
    () => `the pod asks for node \`${wanted}\`; clear spec.nodeName to place it elsewhere`,
  );
}
