/**
 * Taints and tolerations by the exact rules of the API: an empty key, operator or effect each has its own meaning.
 * Tolerations compile once per list; pods of one template share the list, hence the compiled form too.
 */
import type { Taint, Toleration } from '../api/types/core-v1.ts';
import { createNo, type No } from './answer.ts';

export const UNSCHEDULABLE_TAINT = 'node.kubernetes.io/unschedulable';

export interface CompiledTolerations {
  tolerates(taint: Taint): boolean;
  /** The first NoSchedule or NoExecute taint that keeps the pod away. */
  firstUntolerated(taints: readonly Taint[] | undefined): Taint | undefined;
  /** How many PreferNoSchedule taints the pod does not tolerate; less is better. */
  countUntoleratedPreferences(taints: readonly Taint[] | undefined): number;
  /** A pod that tolerates this taint also ignores `spec.unschedulable`. */
  readonly toleratesUnschedulable: boolean;
  /**
   * Seconds a running pod may stay under the NoExecute taints among `taints`: 0 is "evict now", Infinity "for ever".
   */
  secondsUntilEviction(taints: readonly Taint[] | undefined): number;
}

/** The rule for one pair. Lt and Gt belong to a feature gate that is off in this release, so they match nothing. */
export function toleratesTaint(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  switch (toleration.operator) {
    case undefined:
    case '':
    case 'Equal':
      return (toleration.value ?? '') === (taint.value ?? '');
    case 'Exists':
      return true;
    default:
      return false;
  }
}

const keepsAway = (taint: Taint): boolean => taint.effect === 'NoSchedule' || taint.effect === 'NoExecute';

const NO_TOLERATIONS: readonly Toleration[] = Object.freeze([]);
const compiledByList = new WeakMap<readonly Toleration[], CompiledTolerations>();

export function compileTolerations(tolerations: readonly Toleration[] | undefined): CompiledTolerations {
  const list = tolerations ?? NO_TOLERATIONS;
  let compiled = compiledByList.get(list);
  if (compiled === undefined) compiledByList.set(list, (compiled = compile(list)));
  return compiled;
}

function compile(list: readonly Toleration[]): CompiledTolerations {
  const firstMatch = (taint: Taint): Toleration | undefined => {
    for (const toleration of list) if (toleratesTaint(toleration, taint)) return toleration;
    return undefined;
  };
  const tolerates = (taint: Taint): boolean => firstMatch(taint) !== undefined;

  return {
    tolerates,
    toleratesUnschedulable: tolerates({ key: UNSCHEDULABLE_TAINT, effect: 'NoSchedule' }),
    firstUntolerated(taints) {
      if (taints === undefined) return undefined;
      for (const taint of taints) if (keepsAway(taint) && !tolerates(taint)) return taint;
      return undefined;
    },
    countUntoleratedPreferences(taints) {
      let count = 0;
      if (taints === undefined) return count;
      for (const taint of taints) if (taint.effect === 'PreferNoSchedule' && !tolerates(taint)) count++;
      return count;
    },
    secondsUntilEviction(taints) {
      let seconds = Infinity;
      for (const taint of taints ?? []) {
        if (taint.effect !== 'NoExecute') continue;
        const toleration = firstMatch(taint);
        if (toleration === undefined) return 0;
        // Only the toleration found first counts for a taint, even when a later one is more generous.
        if (toleration.tolerationSeconds !== undefined) {
          seconds = Math.min(seconds, Math.max(0, toleration.tolerationSeconds));
        }
      }
      return seconds;
    },
  };
}

/** `dedicated=gpu:NoSchedule`, as kubectl writes it. */
export function printTaint(taint: Taint): string {
  return `${taint.key}${taint.value ? `=${taint.value}` : ''}:${taint.effect}`;
}

export function taintNo(taint: Taint): No {
  return createNo('UntoleratedTaint', () => `tolerate \`${printTaint(taint)}\` or remove that taint from the node`);
}
