/**
 * Parts common to the expressions of all policies: match conditions, variables that see the variables before them, one
 * budget.
 */
import { admissionEnvironment, lazyVariables } from '../../../core/api/cel/admission.ts';
import {
  compileCel,
  OUT_OF_BUDGET_MESSAGE,
  RUNTIME_COST_BUDGET,
  type CelBinding,
  type CelBindings,
  type CelProgram,
  type CelResult,
  type CelType,
} from '../../../core/api/cel/cel.ts';
import { DYN } from '../../../core/api/cel/types.ts';
import { CelError } from '../../../core/api/cel/values/values.ts';
import type { MatchCondition, ParamKind, Variable } from '../../../core/api/types/admissionregistration-v1.ts';

export type Program = { readonly expression: string; readonly program: CelProgram } | { readonly error: string };

/** The part of a policy that is read before its rules or mutations. */
interface PolicyHead {
  readonly paramKind?: ParamKind;
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly Variable[];
}

export interface CompiledHead {
  readonly conditions: readonly Program[];
  readonly variables: ReadonlyMap<string, Program>;
  /** @param builds the expression may build objects and JSON patches. */
  compile(expression: string, builds?: boolean): Program;
}

export function compileHead(head: PolicyHead): CompiledHead {
  const params = head.paramKind !== undefined;
  const types = new Map<string, CelType>();
  const compile = (expression: string, jsonPatch = false): Program => {
    const environment = admissionEnvironment({ params, authorizer: true, variables: types, jsonPatch });
    const result = compileCel(expression, environment);
    if (result.ok) return { expression, program: result.program };
    return { error: `compilation error: compilation failed: ${result.message}` };
  };
  const conditions = (head.matchConditions ?? []).map(({ expression }) => compile(expression));
  const variables = new Map<string, Program>();
  for (const { name, expression } of head.variables ?? []) {
    const program = compile(expression);
    variables.set(name, program);
    // A variable that does not compile is declared too, so that only expressions that use it fail.
    types.set(name, 'program' in program ? program.program.outputType : DYN);
  }
  return { conditions, variables, compile };
}

/** One judgement: a budget that all expressions share, and variables that are computed when first asked for. */
export interface Run {
  evaluate(program: Program): CelResult | { readonly ok: false; readonly error: string; readonly outOfBudget: boolean };
}

export function createRun(request: CelBindings, variables: ReadonlyMap<string, Program>): Run {
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

export type Matched = { readonly matches: boolean } | { readonly error: string };

export function meets(conditions: readonly Program[], run: Run): Matched {
  const errors: string[] = [];
  for (const condition of conditions) {
    const result = run.evaluate(condition);
    if (!result.ok) errors.push(result.error);
    else if (result.value === false) return { matches: false };
  }
  if (errors.length === 0) return { matches: true };
  return { error: errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]` };
}
