/** Groups below k8s.io and kubernetes.io are the community's: a definition in one needs an approval annotation. */
import { type FieldError, invalid, required } from '../../../kube/field-errors.ts';
import { goQuote } from '../../../kube/go-text.ts';
import type { CustomResourceDefinition } from '../../types/apiextensions-v1.ts';
import { type ConditionWords, withCondition } from './conditions.ts';

const ANNOTATION = 'api-approved.kubernetes.io';
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111';

const isProtected = (group: string): boolean => /(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group);

type State = 'missing' | 'bypassed' | 'approved' | 'invalid';

function stateOf({ metadata }: CustomResourceDefinition): { readonly state: State; readonly reason: string } {
  const text = metadata.annotations?.[ANNOTATION] ?? '';
  if (text === '') {
    return {
      state: 'missing',
      reason: `protected groups must have approval annotation ${goQuote(ANNOTATION)}, ${SEE}`,
    };
  }
  if (text.startsWith('unapproved')) return { state: 'bypassed', reason: `not approved: ${goQuote(text)}` };
  if (/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/\s]+/.test(text)) return { state: 'approved', reason: `approved in ${text}` };
  const reason = `protected groups must have approval annotation ${goQuote(ANNOTATION)} with either a URL or a reason starting with "unapproved", ${SEE}`;
  return { state: 'invalid', reason };
}

export function validateApproval(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): readonly FieldError[] {
  if (!isProtected(definition.spec.group)) return [];
  const { reason, state } = stateOf(definition);
  if (old !== undefined && stateOf(old).state === state) return [];
  const path = `metadata.annotations[${ANNOTATION}]`;
  if (state === 'missing') return [required(path, reason)];
  return state === 'invalid' ? [invalid(path, definition.metadata.annotations?.[ANNOTATION] ?? '', reason)] : [];
}

const REASONS: { readonly [state in State]: string } = {
  missing: 'MissingAnnotation',
  bypassed: 'UnapprovedAnnotation',
  approved: 'ApprovedAnnotation',
  invalid: 'InvalidAnnotation',
};

export function withApprovalCondition<T extends CustomResourceDefinition>(definition: T, now: string): T {
  if (!isProtected(definition.spec.group)) return definition;
  const { reason, state } = stateOf(definition);
  const words: ConditionWords = {
    type: 'KubernetesAPIApprovalPolicyConformant',
    status: state === 'approved' ? 'True' : 'False',
    reason: REASONS[state],
    message: reason,
  };
  return withCondition(definition, words, now);
}
