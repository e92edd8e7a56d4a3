/** Rules of a schema when it is defined: each must compile, and all together must not cost too much. */
import { type FieldError, field, forbidden, internalFieldError, invalid } from '../../../kube/field-errors.ts';
import { costMessage, maxCardinality, STATIC_RULE_COST_LIMIT, STATIC_TOTAL_COST_LIMIT } from '../../cel/cel.ts';
import { declTypeOf } from '../../cel/schema-types.ts';
import type { ValidationRule } from '../../types/apiextensions-v1.ts';
import { compileRule, ruleEnvironments } from '../schema/compile-rule.ts';
import { hasRules } from '../schema/rules.ts';
import type { Structural } from '../schema/structural.ts';

const child = field.child;
/** Rules below this share of the total are not named when it is exceeded. */
const NAMED_FROM = STATIC_TOTAL_COST_LIMIT / 100;
const MOST_NAMED = 4;

interface Walk {
  readonly errors: FieldError[];
  readonly unchanged: boolean;
  total: number;
  costly: { readonly path: string; readonly cost: number }[];
}

export interface RuleOptions {
  /** The schema did not change, so the cost of its rules is not checked again. */
  readonly unchanged: boolean;
}

export function validateRules(schema: Structural, path: string, options: RuleOptions): readonly FieldError[] {
  if (!hasRules(schema)) return [];
  const walk: Walk = { errors: [], unchanged: options.unchanged, total: 0, costly: [] };
  visit(schema, path, { times: 1, uncorrelated: undefined, isResource: true }, walk);
  if (walk.total > STATIC_TOTAL_COST_LIMIT) {
    for (const each of walk.costly) {
      const text = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
      walk.errors.push(forbidden(each.path, text));
    }
    const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    walk.errors.push(forbidden(path, costMessage(name, walk.total, STATIC_TOTAL_COST_LIMIT)));
  }
  return walk.errors;
}

interface Place {
  /** The largest number of values at this place; undefined where there is no bound. */
  readonly times: number | undefined;
  /** The list within which old and new items cannot be told apart. */
  readonly uncorrelated: string | undefined;
  readonly isResource: boolean;
}

function visit(schema: Structural, path: string, place: Place, walk: Walk): void {
  if (!hasRules(schema)) return;
  const { additionalProperties, items, properties } = schema;
  const most = mostElements(schema);
  const times = place.times === undefined || most === undefined ? undefined : place.times * most;
  const below = (each: Structural, at: string, uncorrelated: string | undefined): void =>
    visit(each, at, { times, uncorrelated, isResource: each.embeddedResource }, walk);
  if (typeof additionalProperties === 'object') {
    below(additionalProperties, child(path, 'additionalProperties'), place.uncorrelated);
  }
  for (const [name, property] of properties) {
    below(property, field.key(child(path, 'properties'), name), place.uncorrelated);
  }
  if (items !== undefined) {
    const uncorrelated = place.uncorrelated ?? (schema.listType === 'map' ? undefined : path);
    below(items, child(path, 'items'), uncorrelated);
  }
  if (schema.rules.length > 0) judge(schema, path, place, walk);
}

function mostElements(schema: Structural): number | undefined {
  const { maxItems, maxProperties } = schema.source;
  if (schema.type === 'array') return maxItems === undefined ? undefined : Math.max(0, maxItems);
  if (schema.type !== 'object' || schema.additionalProperties === undefined) return 1;
  return maxProperties === undefined ? undefined : Math.max(0, maxProperties);
}

function judge(schema: Structural, path: string, place: Place, walk: Walk): void {
  const at = child(path, 'x-kubernetes-validations');
  const decl = declTypeOf(schema.source, place.isResource);
  if (decl === undefined) {
    const text =
      'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';
    walk.errors.push(internalFieldError(at, text));
    return;
  }
  const environments = ruleEnvironments(decl);
  const times = place.times ?? maxCardinality(decl);
  for (const [i, rule] of schema.rules.entries()) {
    const where = field.index(at, i);
    const compiled = compileRule(rule, environments, schema);
    const ruleCost = (compiled.program?.estimatedCost.max ?? 0) * times;
    observe(child(where, 'rule'), ruleCost, 'estimated rule cost', walk);
    if (compiled.error !== undefined) {
      walk.errors.push(invalid(child(where, 'rule'), printable(rule), compiled.error));
    }
    if (compiled.messageError !== undefined) {
      walk.errors.push(invalid(child(where, 'messageExpression'), printable(rule), compiled.messageError));
    } else if (compiled.messageProgram !== undefined) {
      const cost = compiled.messageProgram.estimatedCost.max;
      observe(child(where, 'messageExpression'), cost, 'estimated messageExpression cost', walk);
    }
    judgeOldSelf(rule, compiled.usesOldSelf, where, place, walk);
  }
}

function judgeOldSelf(rule: ValidationRule, usesOldSelf: boolean, where: string, place: Place, walk: Walk): void {
  if (usesOldSelf) {
    if (place.uncorrelated === undefined) return;
    const text = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelated}`;
    walk.errors.push(invalid(child(where, 'rule'), rule.rule, text));
  } else if (rule.optionalOldSelf !== undefined) {
    const text = 'may not be set if oldSelf is not used in rule';
    walk.errors.push(invalid(child(where, 'optionalOldSelf'), rule.optionalOldSelf, text));
  }
}

function observe(path: string, cost: number, name: string, walk: Walk): void {
  if (!walk.unchanged && cost > STATIC_RULE_COST_LIMIT) {
    walk.errors.push(forbidden(path, costMessage(name, cost, STATIC_RULE_COST_LIMIT)));
  }
  walk.total += cost;
  if (cost < NAMED_FROM) return;
  walk.costly = [...walk.costly, { path, cost }].sort((a, b) => b.cost - a.cost).slice(0, MOST_NAMED);
}

/** The rule in Kubernetes' internal form. */
const printable = (rule: ValidationRule): object => ({
  Rule: rule.rule,
  Message: rule.message ?? '',
  MessageExpression: rule.messageExpression ?? '',
  Reason: rule.reason ?? null,
  FieldPath: rule.fieldPath ?? '',
  OptionalOldSelf: rule.optionalOldSelf ?? null,
});
