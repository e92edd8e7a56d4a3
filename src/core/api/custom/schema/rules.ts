/**
 * `x-kubernetes-validations`: rules in CEL, compiled when the first object comes and run over every value they stand
 * for. All rules of one object share a budget; one that costs too much ends the whole check, with an error.
 */
import { type FieldError, field, forbidden, invalid, required } from '../../../kube/field-errors.ts';
import { deepEqual } from '../../../kube/immutable.ts';
import type { Json } from '../../../kube/json.ts';
import type { KubeObject } from '../../../kube/objects.ts';
import { celValueOf, OUT_OF_BUDGET_MESSAGE, RUNTIME_COST_BUDGET } from '../../cel/cel.ts';
import type { DeclType } from '../../cel/decl-types.ts';
import { escapeName } from '../../cel/values/escape.ts';
import { declTypeOf } from '../../cel/schema-types.ts';
import { CelOptional, NONE } from '../../cel/values/values.ts';
import type { ValidationRule } from '../../types/apiextensions-v1.ts';
import { compileRule, type CompiledRule, messageOf, ruleEnvironments, ruleText } from './compile-rule.ts';
import { correlatedItem } from './correlate.ts';
import { isBag } from './shape.ts';
import type { Structural } from './structural.ts';

export interface Rules {
  validate(object: KubeObject, old: KubeObject | undefined): RuleFindings;
}

interface RuleFindings {
  readonly errors: readonly FieldError[];
  /** Validation ratcheting: violations in values that this update did not change. Returned as warnings. */
  readonly ratcheted: readonly FieldError[];
}

const known = new WeakMap<Structural, boolean>();

/** Whether the schema has a rule at this place or below. */
export function hasRules(schema: Structural): boolean {
  let result = known.get(schema);
  if (result === undefined) {
    const { additionalProperties, items, properties, rules } = schema;
    result =
      rules.length > 0 ||
      (items !== undefined && hasRules(items)) ||
      (typeof additionalProperties === 'object' && hasRules(additionalProperties)) ||
      properties.values().some(hasRules);
    known.set(schema, result);
  }
  return result;
}

/** Undefined where the schema has no rules. */
export function compileRules(schema: Structural): Rules | undefined {
  if (!hasRules(schema)) return undefined;
  let root: RuleNode | undefined;
  return {
    validate(object, old) {
      root ??= ruleNode(schema, true, declTypeOf(schema.source, true));
      const walk: Walk = { budget: RUNTIME_COST_BUDGET, errors: [], ratcheted: [] };
      const pair: Pair | undefined = old === undefined ? undefined : { value: object, old };
      visit(root, object, old, '', { current: pair, parent: undefined }, walk);
      return walk;
    },
  };
}

interface RuleNode {
  readonly schema: Structural;
  readonly isResource: boolean;
  readonly decl: DeclType | undefined;
  readonly rules: readonly (CompiledRule & { readonly rule: ValidationRule })[];
  readonly items: RuleNode | undefined;
  readonly others: RuleNode | undefined;
  readonly properties: ReadonlyMap<string, RuleNode>;
  /** Some rule here or below refers to `oldSelf`. */
  readonly usesOldSelf: boolean;
  /** Values without findings; a value that many objects share is checked once. */
  readonly fine: WeakSet<object>;
}

function ruleNode(schema: Structural, isResource: boolean, decl: DeclType | undefined): RuleNode {
  const environments = schema.rules.length === 0 || decl === undefined ? undefined : ruleEnvironments(decl);
  const rules =
    environments === undefined
      ? []
      : schema.rules.map((rule) => ({ rule, ...compileRule(rule, environments, schema) }));
  const below = (each: Structural | boolean | undefined, type: DeclType | undefined): RuleNode | undefined =>
    typeof each === 'object' && hasRules(each) ? ruleNode(each, each.embeddedResource, type) : undefined;
  const items = below(schema.items, decl?.element);
  const others = below(schema.additionalProperties, decl?.element);
  const properties = new Map<string, RuleNode>();
  for (const [name, property] of schema.properties) {
    const node = below(property, memberDecl(property, name, decl));
    if (node !== undefined) properties.set(name, node);
  }
  const children = [items, others, ...properties.values()].filter((each) => each !== undefined);
  const usesOldSelf = rules.some((rule) => rule.usesOldSelf) || children.some((each) => each.usesOldSelf);
  return {
    schema,
    isResource,
    decl: environments?.self ?? decl,
    rules,
    items,
    others,
    properties,
    usesOldSelf,
    fine: new WeakSet(),
  };
}

/** Members whose names CEL cannot spell are typed by their own schema. */
function memberDecl(property: Structural, name: string, parent: DeclType | undefined): DeclType | undefined {
  const escaped = escapeName(name);
  if (escaped !== undefined) return parent?.fields?.get(escaped);
  return declTypeOf(property.source, property.embeddedResource);
}

/** A value and the old one it corresponds to. */
interface Pair {
  readonly value: unknown;
  readonly old: unknown;
}

/** The old values that decide about ratcheting: findings about unchanged values do not fail an update. */
interface Relation {
  readonly current: Pair | undefined;
  /** The nearest place above that has an old value. */
  readonly parent: Pair | undefined;
}

const isUnchanged = ({ current, parent }: Relation): boolean => {
  const pair = current ?? parent;
  return pair !== undefined && deepEqual(pair.value, pair.old);
};

interface Walk {
  /** Negative once the budget is spent: no further rule runs. */
  budget: number;
  readonly errors: FieldError[];
  readonly ratcheted: FieldError[];
}

function visit(node: RuleNode, value: unknown, old: unknown, path: string, relation: Relation, walk: Walk): void {
  if (value === null || value === undefined || walk.budget < 0) return;
  // The same value passed before, and no rule compares it with its old value.
  const isShared = !node.usesOldSelf && value === old && relation.current !== undefined && typeof value === 'object';
  if (isShared && node.fine.has(value)) return;
  const said = walk.errors.length + walk.ratcheted.length;
  visitValue(node, value, old, path, relation, walk);
  if (isShared && walk.budget >= 0 && walk.errors.length + walk.ratcheted.length === said) node.fine.add(value);
}

function visitValue(node: RuleNode, value: unknown, old: unknown, path: string, relation: Relation, walk: Walk): void {
  runRules(node, value, old, path, relation, walk);
  if (walk.budget < 0) return;
  if (Array.isArray(value)) return visitItems(node, value, old, path, relation, walk);
  if (!isBag(value)) return;
  const before = isBag(old) ? old : undefined;
  for (const name in value) {
    const property = node.properties.get(name);
    const child = property ?? (node.schema.properties.has(name) ? undefined : node.others);
    if (child === undefined) continue;
    const at = property === undefined ? field.key(path, name) : field.child(path, name);
    const has = before !== undefined && Object.hasOwn(before, name);
    const member = value[name];
    visit(child, member, has ? before[name] : undefined, at, memberRelation(relation, name, member, before), walk);
    if (walk.budget < 0) return;
  }
}

function memberRelation(
  relation: Relation,
  name: string,
  value: unknown,
  before: { readonly [key: string]: unknown } | undefined,
): Relation {
  const { current, parent } = relation;
  if (current === undefined) return relation;
  // apiVersion and kind are converted before the comparison, so that a change of them is never seen.
  if (parent === undefined && (name === 'apiVersion' || name === 'kind')) {
    return { current: undefined, parent: undefined };
  }
  const has = before !== undefined && Object.hasOwn(before, name);
  return { current: has ? { value, old: before[name] } : undefined, parent: current };
}

function visitItems(
  node: RuleNode,
  list: readonly unknown[],
  old: unknown,
  path: string,
  relation: Relation,
  walk: Walk,
): void {
  const { items } = node;
  if (items === undefined) return;
  const related = correlatedItem(node.schema.source, old);
  for (const [i, item] of list.entries()) {
    const before = related?.(item);
    const next: Relation =
      relation.current === undefined
        ? relation
        : {
            current: before === undefined ? undefined : { value: item, old: before },
            parent: relation.current,
          };
    visit(items, item, before, field.index(path, i), next, walk);
    if (walk.budget < 0) return;
  }
}

const NOT_COMPILED = 'failed to convert to declType for CEL validation rules';

function runRules(node: RuleNode, value: unknown, old: unknown, path: string, relation: Relation, walk: Walk): void {
  const { decl, schema } = node;
  const { type } = schema;
  if (schema.rules.length === 0) return;
  const spent = (text: string): void => {
    walk.errors.push(invalid(path, type, text));
    walk.budget = -1;
  };
  if (decl === undefined) {
    walk.errors.push(invalid(path, type, `rule compiler initialization error: ${NOT_COMPILED}`));
    return;
  }
  if (walk.budget <= 0) return spent(OUT_OF_BUDGET_MESSAGE);
  const self = celValueOf(value as Json, decl);
  const hasOld = old !== null && old !== undefined;
  const oldSelf = hasOld ? celValueOf(old as Json, decl) : undefined;
  for (const compiled of node.rules) {
    const { rule } = compiled;
    if (compiled.error !== undefined) {
      walk.errors.push(invalid(path, type, `rule compile error: ${compiled.error}`));
      continue;
    }
    if (compiled.program === undefined) continue;
    const optional = rule.optionalOldSelf === true;
    // Transition rules run only where there is an old value.
    if (compiled.usesOldSelf && !hasOld && !optional) continue;
    const was = optional ? (oldSelf === undefined ? NONE : new CelOptional(oldSelf as never)) : oldSelf;
    const bindings = was === undefined ? { self } : { self, oldSelf: was };
    const result = compiled.program.evaluate(bindings);
    if (result.cost > walk.budget) return spent(OUT_OF_BUDGET_MESSAGE);
    walk.budget -= result.cost;
    if (!result.ok) {
      const text = evaluationError(result.error, ruleText(rule));
      if (result.outOfBudget) return spent(text);
      walk.errors.push(invalid(path, type, text));
      continue;
    }
    if (result.value === true) continue;
    const message = messageOf(compiled, rule, bindings, walk.budget);
    walk.budget = message.budget;
    const at = compiled.fieldPath === undefined ? path : joined(path, compiled.fieldPath);
    const error =
      message.fatal === undefined ? failure(rule, at, schema, value, message.text) : invalid(at, type, message.fatal);
    (compiled.usesOldSelf || !isUnchanged(relation) ? walk.errors : walk.ratcheted).push(error);
    if (walk.budget < 0) return;
  }
}

const joined = (path: string, below: string): string =>
  path === '' || below.startsWith('[') ? `${path}${below}` : `${path}.${below}`;

function evaluationError(error: string, rule: string): string {
  if (error.startsWith('no such overload')) {
    return `'${error}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`;
  }
  if (error.startsWith('operation cancelled: actual cost limit exceeded')) {
    return `'${error}': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`;
  }
  return `${error} evaluating rule: ${rule}`;
}

/** Findings do not quote objects and lists. */
function failure(rule: ValidationRule, path: string, schema: Structural, value: unknown, text: string): FieldError {
  const isLarge = schema.type === 'object' || schema.type === 'array';
  switch (rule.reason ?? '') {
    case 'FieldValueForbidden':
      return forbidden(path, text);
    case 'FieldValueRequired':
      return required(path, text);
    case 'FieldValueDuplicate':
      return {
        type: 'FieldValueDuplicate',
        field: path,
        message: isLarge ? 'Duplicate value' : invalid(path, value, '').message.replace('Invalid', 'Duplicate'),
      };
    default:
      if (!isLarge) return invalid(path, value, text);
      return { type: 'FieldValueInvalid', field: path, message: `Invalid value: ${text}` };
  }
}
