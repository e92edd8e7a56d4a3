/**
 * The Common Expression Language as Kubernetes 1.36 speaks it: rules of custom resources, admission policies and match
 * conditions. An expression is parsed, checked against the types of its variables, priced, and compiled to closures;
 * messages, limits and costs are those of Kubernetes.
 *
 *     const self = declTypeOf(schema);                                  // structural OpenAPI → type
 *     const environment = celEnvironment({ self, oldSelf: self });
 *     const compiled = compileCel('self.replicas <= self.max', environment);
 *     if (!compiled.ok) report(compiled.message);
 *     const result = compiled.program.evaluate({ self: celValueOf(object, self) });
 *     budget -= result.cost;
 *
 * Wrapping a value costs nothing: its members are looked at when an expression asks for them.
 */
import type { Json } from '../../kube/json.ts';
import { MAX_REQUEST_BYTES } from '../../kube/request-limit.ts';
import type { Expr } from './ast.ts';
import { check, type Checked } from './checker.ts';
import { collectObjects, withNames, type DeclType } from './decl-types.ts';
import { estimateCost } from './estimate.ts';
import { UNSET, type Frame } from './frame.ts';
import type { CelCost, CelEnvironment } from './model.ts';
import type { CelIssue } from './values/source.ts';
import { parse, type ParseIssue } from './parser.ts';
import { PlanError, planExpression, type Plan } from './plan.ts';
import { issueAt, printIssues } from './values/source.ts';
import type { CelType } from './types.ts';
import { validate } from './validators.ts';
import { isError, type CelError, type CelValue, type Val } from './values/values.ts';
import { OutOfBudget, startWork } from './values/work.ts';

export type { CelEnvironment } from './model.ts';
export type { CelType } from './types.ts';
export type { CelValue } from './values/values.ts';
export type { DeclType } from './decl-types.ts';

/** Cost one evaluation may have; roughly a tenth of a second upstream. */
const PER_CALL_LIMIT = 1_000_000;
/** Cost all rules of one object, or one policy binding, may have together. */
export const RUNTIME_COST_BUDGET = 10_000_000;
/** The same for the match conditions of one webhook or policy. */
export const MATCH_CONDITIONS_COST_BUDGET = 2_500_000;
/** Estimated cost of one rule of a custom resource, times how often it may run. */
export const STATIC_RULE_COST_LIMIT = 10_000_000;
/** Estimated cost of all rules of a custom resource. */
export const STATIC_TOTAL_COST_LIMIT = 100_000_000;
/** Bytes a message expression may yield. */
export const MAX_MESSAGE_BYTES = 5 * 1024;

export const OUT_OF_BUDGET_MESSAGE =
  'validation failed due to running out of cost budget, no further validation rules will be run';

export type CompiledCel =
  | { readonly ok: true; readonly program: CelProgram }
  | {
      readonly ok: false;
      /** Kubernetes says "compilation failed: " or "program instantiation failed: " before the message. */
      readonly phase: 'compile' | 'program';
      readonly issues: readonly CelIssue[];
      /** The text Kubernetes prints, with the line and a caret below the place. */
      readonly message: string;
    };

/** A value, or the error that every use of it yields. */
export type CelBinding = CelValue | CelError;

export interface CelBindings {
  /** A function is called only if the expression refers to the variable. */
  readonly [variable: string]: CelBinding | (() => CelBinding) | undefined;
}

interface EvaluateOptions {
  /** Cost at which evaluation stops; `PER_CALL_LIMIT` by default. */
  readonly limit?: number;
}

/** `cost` is the cost spent, also by a failed evaluation. */
export type CelResult =
  | { readonly ok: true; readonly value: CelValue; readonly cost: number }
  | {
      readonly ok: false;
      /** As cel-go says it: `no such key: x`. */
      readonly error: string;
      /** The evaluation exceeded the cost limit: no other expression of this budget should be tried. */
      readonly outOfBudget: boolean;
      readonly cost: number;
    };

export interface CelProgram {
  readonly expression: string;
  readonly outputType: CelType;
  /** Names of all variables the expression refers to. */
  readonly references: ReadonlySet<string>;
  /** Bounds of the cost of one evaluation, by the bounds of the schema (maxLength, maxItems, maxProperties). */
  readonly estimatedCost: CelCost;
  evaluate(bindings: CelBindings, options?: EvaluateOptions): CelResult;
}

/** Features that the expressions of one place may use. */
export interface EnvironmentOptions {
  /** Features of mutating policies: the types they build, and `jsonpatch.escapeKey`. */
  readonly jsonPatch?: boolean;
  /** Fields named like reserved words need no underscores. */
  readonly reservedFields?: boolean;
}

const SELF = 'self';

/** Declares variables. Objects without a name are named after the variable. */
export function celEnvironment(
  declarations: { readonly [variable: string]: DeclType },
  options: EnvironmentOptions = {},
): CelEnvironment {
  const variables = new Map<string, DeclType>();
  const objectTypes = new Map<string, DeclType>();
  const named = new Map<DeclType, DeclType>();
  for (const [variable, declared] of Object.entries(declarations)) {
    // `self` and `oldSelf` are of one type, and comparing them must not fail for different names.
    const decl = named.get(declared) ?? withNames(declared, `${variable}Type`);
    named.set(declared, decl);
    variables.set(variable, decl);
    collectObjects(decl, objectTypes);
  }
  return { ...options, variables, objectTypes };
}

const failed = (expression: string, phase: 'compile' | 'program', issues: readonly ParseIssue[]): CompiledCel => {
  const located = issues.map(({ at, message }) => issueAt(expression, at, message));
  return { ok: false, phase, issues: located, message: printIssues(expression, located) };
};

/** Parses, checks and prices an expression. Never throws for what the expression says. */
export function compileCel(expression: string, environment: CelEnvironment): CompiledCel {
  // Constants are computed while compiling; their work is bounded by the text.
  startWork(Infinity);
  const parsed = parse(expression);
  if (!parsed.ok) return failed(expression, 'compile', parsed.issues);
  const result = check(parsed.expr, environment);
  if (!result.ok) return failed(expression, 'compile', result.issues);
  const { checked } = result;
  const problems = validate(parsed.expr, checked);
  if (problems.length > 0) return failed(expression, 'compile', problems);
  let plan: Plan;
  try {
    plan = planExpression(parsed.expr, checked);
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    const issue = { message: error.message, line: -1, column: -1 };
    return { ok: false, phase: 'program', issues: [issue], message: error.message };
  }
  return { ok: true, program: programOf(expression, parsed.expr, checked, plan, environment) };
}

function programOf(
  expression: string,
  expr: Expr,
  checked: Checked,
  plan: Plan,
  environment: CelEnvironment,
): CelProgram {
  const names = [...plan.variables];
  const empty = Array.from({ length: plan.slots }, (): Val | typeof UNSET => UNSET);
  let estimated: CelCost | undefined;
  return {
    expression,
    outputType: checked.type,
    references: new Set(plan.variables.keys()),
    get estimatedCost() {
      return (estimated ??= estimateCost(expr, checked, environment.variables.get(SELF)));
    },
    evaluate: (bindings, options) => {
      const slots = empty.slice();
      for (const [name, slot] of names) {
        const value = bindings[name];
        if (value !== undefined) slots[slot] = typeof value === 'function' ? value() : value;
      }
      return run(plan, { slots, cost: 0, limit: options?.limit ?? PER_CALL_LIMIT });
    },
  };
}

function run(plan: Plan, frame: Frame): CelResult {
  startWork(frame.limit);
  try {
    const value = plan.evaluate(frame);
    if (!isError(value)) return { ok: true, value, cost: frame.cost };
    return { ok: false, error: value.message, outOfBudget: false, cost: frame.cost };
  } catch (error) {
    if (error instanceof OutOfBudget) return { ok: false, error: error.message, outOfBudget: true, cost: frame.cost };
    // Values may nest deeper than the stack; upstream's stack grows, ours does not.
    if (error instanceof RangeError) {
      return { ok: false, error: OUT_OF_BUDGET_ERROR, outOfBudget: true, cost: frame.cost };
    }
    throw error;
  }
}

const OUT_OF_BUDGET_ERROR = 'operation cancelled: actual cost limit exceeded';

/** JSON as a value of a type, wrapped, not copied. A value that does not fit its schema is an error when used. */
export const celValueOf = (json: Json, decl: DeclType): CelBinding => decl.adapt(json);

/** How often a rule below lists or maps without bounds may run in one object. */
export const maxCardinality = (decl: DeclType): number => Math.floor(MAX_REQUEST_BYTES / (decl.minSerializedSize + 1));

/** `estimated rule cost exceeds budget by factor of 2.5x (try …)`. */
export function costMessage(name: string, cost: number, limit: number): string {
  const factor = cost / limit;
  // Small excesses are printed exactly, so that authors see how close they are.
  const text = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return `${name} exceeds budget by factor of ${text} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/** The budget that remains after an evaluation; `undefined` when it did not suffice. */
export const remainingBudget = (budget: number, result: CelResult): number | undefined =>
  result.cost > budget || (!result.ok && result.outOfBudget) ? undefined : budget - result.cost;
