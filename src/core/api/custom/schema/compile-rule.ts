/** One rule: compiled against the type of its place, with the message for a violation. */
import { utf8Length } from '../../../kube/go-text.ts';
import {
  type CelBindings,
  celEnvironment,
  type CelEnvironment,
  type CelProgram,
  compileCel,
  MAX_MESSAGE_BYTES,
} from '../../cel/cel.ts';
import { type DeclType, opaqueDecl, withNames } from '../../cel/decl-types.ts';
import { optionalType } from '../../cel/types.ts';
import type { ValidationRule } from '../../types/apiextensions-v1.ts';
import { findFieldPath } from './field-path.ts';
import type { Structural } from './structural.ts';

export interface RuleEnvironments {
  /** The type of `self`, by the name that rules use. */
  readonly self: DeclType;
  readonly plain: CelEnvironment;
  /** `oldSelf` is an optional. */
  readonly optional: CelEnvironment;
}

export function ruleEnvironments(decl: DeclType): RuleEnvironments {
  const self = withNames(decl, 'selfType');
  return {
    self,
    plain: celEnvironment({ self, oldSelf: self }),
    optional: celEnvironment({ self, oldSelf: opaqueDecl(optionalType(self.type)) }),
  };
}

export interface CompiledRule {
  /** Absent for an empty rule or one with an error. */
  readonly program?: CelProgram;
  readonly error?: string;
  readonly messageProgram?: CelProgram;
  readonly messageError?: string;
  readonly usesOldSelf: boolean;
  /** Path below the rule's place at which findings are reported. */
  readonly fieldPath?: string;
}

export function compileRule(rule: ValidationRule, environments: RuleEnvironments, schema: Structural): CompiledRule {
  if (rule.rule.trim() === '') return { usesOldSelf: false };
  const environment = rule.optionalOldSelf === true ? environments.optional : environments.plain;
  const compiled = compileCel(rule.rule, environment);
  if (!compiled.ok) {
    const what = compiled.phase === 'program' ? 'program instantiation failed' : 'compilation failed';
    return { error: `${what}: ${compiled.message}`, usesOldSelf: false };
  }
  const { program } = compiled;
  if (program.outputType.kind !== 'bool') {
    return { error: 'cel expression must evaluate to a bool', usesOldSelf: false };
  }
  const found = rule.fieldPath ? findFieldPath(rule.fieldPath, schema) : undefined;
  return {
    program,
    usesOldSelf: program.references.has('oldSelf'),
    ...compileMessage(rule, environment),
    ...(found === undefined || 'error' in found ? {} : { fieldPath: found.path }),
  };
}

function compileMessage(
  { messageExpression = '' }: ValidationRule,
  environment: CelEnvironment,
): Pick<CompiledRule, 'messageProgram' | 'messageError'> {
  if (messageExpression === '') return {};
  const compiled = compileCel(messageExpression, environment);
  if (!compiled.ok) {
    const what =
      compiled.phase === 'program' ? 'messageExpression instantiation failed' : 'messageExpression compilation failed';
    return { messageError: `${what}: ${compiled.message}` };
  }
  if (compiled.program.outputType.kind !== 'string') {
    return { messageError: 'messageExpression must evaluate to a string' };
  }
  return { messageProgram: compiled.program };
}

export const ruleText = ({ message = '', rule }: ValidationRule): string => (message === '' ? rule : message).trim();

const plainMessage = (rule: ValidationRule): string =>
  rule.message ? rule.message.trim() : `failed rule: ${ruleText(rule)}`;

export interface RuleMessage {
  readonly text: string;
  /** The remaining cost budget; negative when no further rule may run. */
  readonly budget: number;
  /** Replaces the message where evaluating the message expression exceeded the budget. */
  readonly fatal?: string;
}

/** The message of a violated rule: the message expression's result, if usable, or the message, or the rule itself. */
export function messageOf(
  compiled: CompiledRule,
  rule: ValidationRule,
  bindings: CelBindings,
  budget: number,
): RuleMessage {
  const { messageProgram } = compiled;
  if (messageProgram === undefined) return { text: plainMessage(rule), budget };
  const result = messageProgram.evaluate(bindings);
  if (result.cost > budget) {
    const fatal =
      'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run';
    return { text: '', budget: -1, fatal };
  }
  if (!result.ok && result.outOfBudget) {
    const fatal = `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(rule.messageExpression)}`;
    return { text: '', budget: -1, fatal };
  }
  const left = budget - result.cost;
  const text = result.ok && typeof result.value === 'string' ? result.value.trim() : '';
  const isUsable = text !== '' && !text.includes('\n') && utf8Length(text) <= MAX_MESSAGE_BYTES;
  return { text: isUsable ? text : plainMessage(rule), budget: left };
}
