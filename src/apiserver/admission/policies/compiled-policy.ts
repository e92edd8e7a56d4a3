/** A ValidatingAdmissionPolicy, ready to judge: its expressions compiled, each variable known to those after it. */
import { admissionEnvironment, lazyVariables } from '../../../core/api/cel/admission.ts';
import {
  compileCel,
  MAX_MESSAGE_BYTES,
  OUT_OF_BUDGET_MESSAGE,
  RUNTIME_COST_BUDGET,
  type CelBinding,
  type CelBindings,
  type CelProgram,
  type CelResult,
  type CelType,
} from '../../../core/api/cel/cel.ts';
import { DYN } from '../../../core/api/cel/types.ts';
import { CelError } from '../../../core/api/cel/values.ts';
import type { Validation, ValidatingAdmissionPolicy } from '../../../core/api/types/admissionregistration-v1.ts';
import type { StatusReason } from '../../../core/kube/status-error.ts';

/** Why a policy says no. */
export interface Denial {
  readonly message: string;
  readonly reason: StatusReason;
}

export interface CompiledPolicy {
  /** What it has against the request; nothing when it is content or its conditions exclude the request. */
  judge(bindings: CelBindings): readonly Denial[];
}

type Program = { readonly expression: string; readonly program: CelProgram } | { readonly error: string };

interface Rule {
  readonly validation: Validation;
  readonly program: Program;
  readonly message: Program | undefined;
}

export function compilePolicy({ spec }: ValidatingAdmissionPolicy): CompiledPolicy {
  const params = spec.paramKind !== undefined;
  const types = new Map<string, CelType>();
  const environment = () => admissionEnvironment({ params, authorizer: true, variables: types });
  const compile = (expression: string): Program => {
    const result = compileCel(expression, environment());
    if (result.ok) return { expression, program: result.program };
    return { error: `compilation error: compilation failed: ${result.message}` };
  };
  const conditions = (spec.matchConditions ?? []).map(({ expression }) => compile(expression));
  const variables = new Map<string, Program>();
  for (const { name, expression } of spec.variables ?? []) {
    const program = compile(expression);
    variables.set(name, program);
    // One that does not compile is known, so that only those who use it fail.
    types.set(name, 'program' in program ? program.program.outputType : DYN);
  }
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
      const matched = matches(conditions, run);
      if ('error' in matched) return onError(matched.error);
      if (!matched.matches) return [];
      return rules.flatMap((rule) => judgeRule(rule, run, onError));
    },
  };
}

/** One judgement: a budget that all expressions share, and variables that are computed when first asked for. */
interface Run {
  evaluate(program: Program): CelResult | { readonly ok: false; readonly error: string; readonly outOfBudget: boolean };
}

function createRun(request: CelBindings, variables: ReadonlyMap<string, Program>): Run {
  let budget = RUNTIME_COST_BUDGET;
  const evaluate = (program: Program): ReturnType<Run['evaluate']> => {
    if ('error' in program) return { ok: false, error: program.error, outOfBudget: false };
    if (budget <= 0) return { ok: false, error: OUT_OF_BUDGET_MESSAGE, outOfBudget: true };
    const result = program.program.evaluate(bindings, { limit: budget });
    budget -= result.cost;
    if (result.ok || result.outOfBudget) return result;
    return { ...result, error: `expression '${program.expression.trim()}' resulted in error: ${result.error}` };
  };
  const variable = (name: string): CelBinding => {
    const result = evaluate(variables.get(name) ?? { error: `undeclared reference to '${name}'` });
    return result.ok ? result.value : new CelError(`composited variable "${name}" fails to evaluate: ${result.error}`);
  };
  const bindings: CelBindings = { ...request, variables: lazyVariables(variables.keys(), variable) };
  return { evaluate };
}

function matches(conditions: readonly Program[], run: Run): { readonly matches: boolean } | { readonly error: string } {
  const errors: string[] = [];
  for (const condition of conditions) {
    const result = run.evaluate(condition);
    if (!result.ok) errors.push(result.error);
    else if (result.value === false) return { matches: false };
  }
  if (errors.length === 0) return { matches: true };
  return { error: errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]` };
}

function judgeRule(rule: Rule, run: Run, onError: (message: string) => readonly Denial[]): readonly Denial[] {
  const result = run.evaluate(rule.program);
  if (!result.ok) return onError(result.error);
  if (result.value === true) return [];
  const reason = (rule.validation.reason ?? 'Invalid') as StatusReason;
  return [{ message: messageOf(rule, run), reason }];
}

/** What the message expression yields, if that is one line of reasonable length; else what is written; else the rule. */
function messageOf({ validation, message }: Rule, run: Run): string {
  const result = message === undefined ? undefined : run.evaluate(message);
  const text = result?.ok === true && typeof result.value === 'string' ? result.value.trim() : '';
  if (text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= MAX_MESSAGE_BYTES) return text;
  return validation.message?.trim() || `failed expression: ${validation.expression.trim()}`;
}
