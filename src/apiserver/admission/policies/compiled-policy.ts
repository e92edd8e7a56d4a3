/** A ValidatingAdmissionPolicy, ready to judge: its expressions compiled, each variable known to those after it. */
import { MAX_MESSAGE_BYTES, type CelBindings } from '../../../core/api/cel/cel.ts';
import type { Validation, ValidatingAdmissionPolicy } from '../../../core/api/types/admissionregistration-v1.ts';
import type { StatusReason } from '../../../core/kube/status-error.ts';
import { compileHead, createRun, meets, type Program, type Run } from './policy-run.ts';

/** Why a policy says no. */
export interface Denial {
  readonly message: string;
  readonly reason: StatusReason;
}

export interface CompiledPolicy {
  /** The policy's denials of the request; empty when all validations pass or match conditions exclude the request. */
  judge(bindings: CelBindings): readonly Denial[];
}

interface Rule {
  readonly validation: Validation;
  readonly program: Program;
  readonly message: Program | undefined;
}

export function compilePolicy({ spec }: ValidatingAdmissionPolicy): CompiledPolicy {
  const { conditions, variables, compile } = compileHead(spec);
  const rules: readonly Rule[] = (spec.validations ?? []).map((validation) => ({
    validation,
    program: compile(validation.expression),
    message: validation.messageExpression ? compile(validation.messageExpression) : undefined,
  }));
  const failsOpen = spec.failurePolicy === 'Ignore';
  const onError = (message: string): readonly Denial[] => (failsOpen ? [] : [{ message, reason: 'Invalid' }]);

  return {
    judge(request) {
      const run = createRun(request, variables);
      const matched = meets(conditions, run);
      if ('error' in matched) return onError(matched.error);
      if (!matched.matches) return [];
      return rules.flatMap((rule) => judgeRule(rule, run, onError));
    },
  };
}

function judgeRule(rule: Rule, run: Run, onError: (message: string) => readonly Denial[]): readonly Denial[] {
  const result = run.evaluate(rule.program);
  if (!result.ok) return onError(result.error);
  if (result.value === true) return [];
  const reason = (rule.validation.reason ?? 'Invalid') as StatusReason;
  return [{ message: messageOf(rule, run), reason }];
}

/**
 * The value of `messageExpression`, if it is one line of reasonable length; else `message`; else the failed expression.
 */
function messageOf({ validation, message }: Rule, run: Run): string {
  const result = message === undefined ? undefined : run.evaluate(message);
  const text = result?.ok === true && typeof result.value === 'string' ? result.value.trim() : '';
  if (text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= MAX_MESSAGE_BYTES) return text;
  return validation.message?.trim() || `failed expression: ${validation.expression.trim()}`;
}
