/**
 * Expressions of webhooks and policies are compiled when they are written, so that the author learns of a mistake, and
 * not every client whose request meets it.
 */
import { admissionEnvironment } from '../../cel/admission.ts';
import { type CelEnvironment, type CelType, compileCel } from '../../cel/cel.ts';
import { ANY, BOOL, DYN, listType, mapType, NULL, sameType, STRING } from '../../cel/types.ts';
import {
  duplicate,
  type FieldError,
  field,
  internalFieldError,
  invalid,
  required,
  tooMany,
} from '../../../kube/field-errors.ts';
import { qualifiedNameProblems } from '../../../kube/names.ts';
import type { MatchCondition, Variable } from '../../types/admissionregistration-v1.ts';
import { addTexts, type Findings, listOf } from '../../rules/findings.ts';

const MAX_CONDITIONS = 64;

type Outcome =
  | { readonly type: CelType }
  | { readonly error: (path: string, shown: string) => FieldError; readonly type?: undefined };

/** Types as cel-go's own String prints them, by their names at run time. */
const runtimeName = ({ name, parameters }: CelType): string =>
  parameters.length === 0 ? name : `${name}(${parameters.map(runtimeName).join(', ')})`;

function compile(expression: string, environment: CelEnvironment, wanted: readonly CelType[]): Outcome {
  const compiled = compileCel(expression, environment);
  if (!compiled.ok) {
    const { phase, message } = compiled;
    if (phase === 'compile') return { error: (path, shown) => invalid(path, shown, `compilation failed: ${message}`) };
    return { error: (path) => internalFieldError(path, `program instantiation failed: ${message}`) };
  }
  const { outputType: type } = compiled.program;
  if (wanted.length === 0 || wanted.some((other) => sameType(other, type))) return { type };
  const names = wanted.map(runtimeName);
  const text = names.length === 1 ? `to ${names[0]}` : `to one of [${names.join(' ')}]`;
  return { error: (path, shown) => invalid(path, shown, `must evaluate ${text} but got ${runtimeName(type)}`) };
}

const environments = new Map<string, CelEnvironment>();

/** The CEL environment of match conditions, and of policies without variables. There are four, each made once. */
function plainEnvironment(params: boolean, authorizer: boolean): CelEnvironment {
  const key = `${params} ${authorizer}`;
  let known = environments.get(key);
  if (known === undefined) environments.set(key, (known = admissionEnvironment({ params, authorizer })));
  return known;
}

export function validateMatchConditions(
  found: Findings,
  conditions: readonly MatchCondition[] | undefined,
  params: boolean,
  path: string,
): void {
  const all = listOf(conditions);
  if (all.length > MAX_CONDITIONS) found.push(tooMany(path, all.length, MAX_CONDITIONS));
  const names = new Set<string>();
  for (const [index, { name = '', expression = '' }] of all.entries()) {
    const at = field.index(path, index);
    const trimmed = expression.trim();
    if (trimmed === '') found.push(required(`${at}.expression`, ''));
    else {
      const { error } = { error: undefined, ...compile(trimmed, plainEnvironment(params, true), [BOOL]) };
      if (error) found.push(error(`${at}.expression`, trimmed));
    }
    if (name === '') found.push(required(`${at}.name`, ''));
    else {
      addTexts(found, `${at}.name`, name, qualifiedNameProblems(name));
      if (names.has(name)) found.push(duplicate(`${at}.name`, name));
      names.add(name);
    }
  }
}

export interface PolicyExpressions {
  validateVariables(found: Findings, variables: readonly Variable[] | undefined, path: string): void;
  /** A rule: the result must be a boolean. */
  validateRule(found: Findings, expression: string, path: string): void;
  validateMessage(found: Findings, expression: string, path: string): void;
  /** The value expression of an audit annotation; compiled without surrounding white space. */
  validateAuditValue(found: Findings, expression: string, path: string): void;
  /** The expression of a mutation; `wanted` is the type of its result. */
  validateMutation(found: Findings, expression: string, wanted: CelType, path: string): void;
}

/** The expressions of one policy: its variables are declared in order, each known to the expressions after it. */
export function policyExpressions(params: boolean, messageParams: boolean, hasVariables: boolean): PolicyExpressions {
  const types = new Map<string, CelType>();
  const environmentOf = (withParams: boolean, authorizer: boolean): CelEnvironment =>
    hasVariables
      ? admissionEnvironment({ params: withParams, authorizer, variables: types })
      : plainEnvironment(withParams, authorizer);
  const judge = (
    found: Findings,
    expression: string,
    shown: string,
    environment: CelEnvironment,
    wanted: readonly CelType[],
    path: string,
  ): CelType => {
    const outcome = compile(expression, environment, wanted);
    if (outcome.type !== undefined) return outcome.type;
    found.push(outcome.error(path, shown));
    return DYN;
  };
  return {
    validateVariables(found, variables, path) {
      for (const [index, { name = '', expression = '' }] of listOf(variables).entries()) {
        const at = field.index(path, index);
        if (name.trim() === '') found.push(required(`${at}.name`, 'name is not specified'));
        else if (!isIdentifier(name)) found.push(invalid(`${at}.name`, name, 'must be a valid CEL identifier'));
        if (expression.trim() === '') found.push(required(`${at}.expression`, 'expression is not specified'));
        else {
          const type = judge(found, expression, expression, environmentOf(params, true), [], `${at}.expression`);
          types.set(name, asVariable(type));
        }
      }
    },
    validateRule: (found, expression, path) =>
      void judge(found, expression, expression, environmentOf(params, true), [BOOL], path),
    validateMessage: (found, expression, path) =>
      void judge(found, expression, expression, environmentOf(messageParams, false), [STRING], path),
    validateAuditValue: (found, expression, path) =>
      void judge(found, expression.trim(), expression, environmentOf(params, true), [STRING, NULL], path),
    validateMutation: (found, expression, wanted, path) => {
      const environment = admissionEnvironment({ params, authorizer: true, variables: types, jsonPatch: true });
      judge(found, expression, expression, environment, [wanted], path);
    },
  };
}

const KEPT = new Set(['any', 'bool', 'bytes', 'double', 'duration', 'int', 'null_type', 'string', 'timestamp', 'uint']);

/** The declared type of a variable: scalars, and lists and maps of them; any other type becomes dyn. */
function asVariable(type: CelType): CelType {
  if (KEPT.has(type.kind)) return type.kind === 'any' ? ANY : type;
  const [first, second] = type.parameters;
  if (type.kind === 'list' && first) return listType(asVariable(first));
  return type.kind === 'map' && first && second ? mapType(asVariable(first), asVariable(second)) : DYN;
}

const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

const isIdentifier = (name: string): boolean => /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !RESERVED.has(name);
