/** Match conditions: expressions that all have to hold before a webhook is asked. */
import { admissionEnvironment } from '../../../core/api/cel/admission.ts';
import {
  compileCel,
  MATCH_CONDITIONS_COST_BUDGET,
  type CelEnvironment,
  type CelProgram,
} from '../../../core/api/cel/cel.ts';
import type { Authorize } from '../../../core/api/cel/library/authorizer.ts';
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import type { MatchCondition } from '../../../core/api/types/admissionregistration-v1.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';
import type { AdmissionRequest } from '../../../machinery/ports/admission.ts';
import { requestBindings } from '../expressions.ts';

export type ConditionsResult =
  | { readonly matches: boolean }
  /** No condition was false, and some could not be evaluated. */
  | { readonly error: string };

export interface ConditionsInput {
  readonly request: AdmissionRequest;
  readonly form: KindDefinition;
  readonly namespaceObject: KubeObject | undefined;
  readonly authorize: Authorize;
}

type Compiled = { readonly program: CelProgram } | { readonly error: string };

/** Configurations are immutable values, so their expressions are compiled once. */
const programs = new WeakMap<readonly MatchCondition[], readonly Compiled[]>();
/** Made for the first condition there is. */
let environment: CelEnvironment | undefined;

function compiled(conditions: readonly MatchCondition[]): readonly Compiled[] {
  let known = programs.get(conditions);
  if (known === undefined) {
    known = conditions.map(({ expression }): Compiled => {
      const result = compileCel(expression, (environment ??= admissionEnvironment({ authorizer: true })));
      return result.ok ? { program: result.program } : { error: `compilation error: ${result.message}` };
    });
    programs.set(conditions, known);
  }
  return known;
}

export function judgeConditions(conditions: readonly MatchCondition[], input: ConditionsInput): ConditionsResult {
  const bindings = requestBindings(input);
  const errors: string[] = [];
  let budget = MATCH_CONDITIONS_COST_BUDGET;
  for (const [index, each] of compiled(conditions).entries()) {
    if ('error' in each) {
      errors.push(each.error);
      continue;
    }
    const result = each.program.evaluate(bindings, { limit: budget });
    budget -= result.cost;
    if (!result.ok) {
      errors.push(`expression '${conditions[index]?.expression ?? ''}' resulted in error: ${result.error}`);
      if (result.outOfBudget) break;
    } else if (result.value === false) return { matches: false };
  }
  if (errors.length === 0) return { matches: true };
  return { error: errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]` };
}
