/** Verdicts of a Job's policies on a failed pod, and on the indexes that have succeeded. Pure. */
import type {
  Job,
  PodFailurePolicyOnExitCodesRequirement as ExitCodes,
  PodFailurePolicyRule,
} from '../../../../core/api/types/batch-v1.ts';
import type { ContainerStatus, Pod } from '../../../../core/api/types/core-v1.ts';
import { count, countCommon, type Indexes, parseIndexes } from './indexes.ts';

export interface FailureVerdict {
  /** Whether the failure counts towards the backoff limit. */
  readonly counts: boolean;
  readonly failsIndex: boolean;
  /** Why the whole Job fails. */
  readonly failsJob: string | undefined;
}

const PLAIN: FailureVerdict = { counts: true, failsIndex: false, failsJob: undefined };

/** The first rule that matches decides. */
export function judgeFailure({ spec: { podFailurePolicy } }: Job, pod: Pod): FailureVerdict {
  for (const [at, rule] of (podFailurePolicy?.rules ?? []).entries()) {
    const match = matching(rule, pod);
    if (match === undefined) continue;
    switch (rule.action) {
      case 'Ignore':
        return { ...PLAIN, counts: false };
      case 'FailIndex':
        return { ...PLAIN, failsIndex: true };
      case 'FailJob':
        return { ...PLAIN, failsJob: `${match} matching FailJob rule at index ${at}` };
      case 'Count':
        return PLAIN;
    }
  }
  return PLAIN;
}

/** Description of how the pod matches the rule; undefined where it does not. */
function matching({ onExitCodes, onPodConditions }: PodFailurePolicyRule, pod: Pod): string | undefined {
  const name = `${pod.metadata.namespace ?? ''}/${pod.metadata.name}`;
  if (onExitCodes !== undefined) {
    const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
    const status = [...containerStatuses, ...initContainerStatuses].find((each) => hasExitCode(each, onExitCodes));
    if (status === undefined) return undefined;
    return `Container ${status.name} for pod ${name} failed with exit code ${status.state?.terminated?.exitCode ?? 0}`;
  }
  const condition = pod.status?.conditions?.find(({ type, status }) =>
    onPodConditions?.some((pattern) => pattern.type === type && (pattern.status ?? 'True') === status),
  );
  return condition === undefined ? undefined : `Pod ${name} has condition ${condition.type}`;
}

function hasExitCode({ name, state }: ContainerStatus, { containerName, operator, values }: ExitCodes): boolean {
  const code = state?.terminated?.exitCode;
  if (code === undefined || code === 0 || (containerName !== undefined && containerName !== name)) return false;
  return operator === 'In' ? values.includes(code) : operator === 'NotIn' && !values.includes(code);
}

/** Which rule of the success policy is met; undefined: none. */
export function metSuccess({ spec }: Job, succeeded: Indexes): string | undefined {
  if (succeeded.length === 0) return undefined;
  const met = spec.successPolicy?.rules.findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && count(succeeded) >= succeededCount;
    const wanted = parseIndexes(succeededIndexes, spec.completions ?? 0);
    if (wanted.length === 0) return false;
    const present = countCommon(wanted, succeeded);
    return present === count(wanted) || (succeededCount !== undefined && present >= succeededCount);
  });
  return met === undefined || met < 0 ? undefined : `Matched rules at index ${met}`;
}
