/** Validation rules of custom resources (`x-kubernetes-validations`), compiled with Kubernetes' words for what is wrong. */
import type { JSONSchemaProps, ValidationRule } from '../types/apiextensions-v1.ts';
import { celEnvironment, compileCel, maxCardinality, type CelEnvironment, type CelProgram } from './cel.ts';
import { optionalDecl, type DeclType } from './decl-types.ts';
import { declTypeOf } from './schema-types.ts';

export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Unset when the rule is empty or does not compile. */
  readonly program?: CelProgram;
  /** What is wrong with the rule; the detail of an invalid `rule`. */
  readonly error?: string;
  /** It speaks of the old value, so it applies to updates only. */
  readonly usesOldSelf: boolean;
  /** Estimated cost of one run. */
  readonly maxCost: number;
  readonly messageProgram?: CelProgram;
  /** What is wrong with the message expression. */
  readonly messageError?: string;
  readonly messageMaxCost: number;
}

export interface CompiledRules {
  /** The type of `self`, for wrapping values; one for all rules of the schema. */
  readonly decl: DeclType;
  readonly rules: readonly CompiledRule[];
  /** How often the rules may run at most where nothing else bounds it. */
  readonly maxCardinality: number;
}

const BOOL_NEEDED = 'cel expression must evaluate to a bool';
const STRING_NEEDED = 'messageExpression must evaluate to a string';

/** Compiles the rules of one schema, without those of schemas below. `undefined` when there are none. */
export function compileRules(schema: JSONSchemaProps, resourceRoot = false): CompiledRules | undefined {
  const rules = schema['x-kubernetes-validations'];
  if (!rules || rules.length === 0) return undefined;
  const decl = declTypeOf(schema, resourceRoot);
  // Rules on data that no type describes are refused when the schema is checked.
  if (!decl) return undefined;
  const plain = celEnvironment({ self: decl, oldSelf: decl });
  const optional = celEnvironment({ self: decl, oldSelf: optionalDecl(decl) });
  return {
    decl,
    rules: rules.map((rule) => compileRule(rule, rule.optionalOldSelf === true ? optional : plain)),
    maxCardinality: maxCardinality(decl),
  };
}

interface CompiledExpression {
  readonly program?: CelProgram;
  readonly error?: string;
}

function compileExpression(
  expression: string,
  environment: CelEnvironment,
  kind: 'bool' | 'string',
): CompiledExpression {
  const prefix = kind === 'bool' ? '' : 'messageExpression ';
  const compiled = compileCel(expression, environment);
  if (compiled.ok) {
    if (compiled.program.outputType.kind === kind) return { program: compiled.program };
    return { error: kind === 'bool' ? BOOL_NEEDED : STRING_NEEDED };
  }
  const failed =
    compiled.phase === 'compile' ? 'compilation' : kind === 'bool' ? 'program instantiation' : 'instantiation';
  return { error: `${prefix}${failed} failed: ${compiled.message}` };
}

function compileRule(rule: ValidationRule, environment: CelEnvironment): CompiledRule {
  const nothing = { rule, usesOldSelf: false, maxCost: 0, messageMaxCost: 0 };
  if (rule.rule.trim() === '') return nothing;
  const { program, error } = compileExpression(rule.rule, environment, 'bool');
  if (!program) return { ...nothing, ...(error === undefined ? {} : { error }) };
  const compiled = {
    ...nothing,
    program,
    usesOldSelf: program.references.has('oldSelf'),
    maxCost: program.estimatedCost.max,
  };
  if (rule.messageExpression === undefined || rule.messageExpression === '') return compiled;
  const message = compileExpression(rule.messageExpression, environment, 'string');
  if (!message.program) return { ...compiled, ...(message.error === undefined ? {} : { messageError: message.error }) };
  return { ...compiled, messageProgram: message.program, messageMaxCost: message.program.estimatedCost.max };
}
