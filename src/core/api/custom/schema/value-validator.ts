/**
 * Values against schemas, as Kubernetes' OpenAPI validator judges them. A schema is compiled to closures once; a walk
 * keeps its place on a stack and words it only where something is wrong.
 *
 * Validation ratcheting: findings below a place that equals its old value are dropped, so tightening a schema does not
 * lock out the objects that are there.
 */
import type { FieldError } from '../../../kube/field-errors.ts';
import { deepEqual } from '../../../kube/immutable.ts';
import type { Json } from '../../../kube/json.ts';
import type { JSONSchemaProps } from '../../types/apiextensions-v1.ts';
import { correlatedItem } from './correlate.ts';
import { formatCheck, recognizedFormat } from './formats.ts';
import { compileNumber } from './number-validator.ts';
import { compilePattern } from './patterns.ts';
import { isBag } from './shape.ts';
import * as findings from './value-findings.ts';

type Finding = findings.Finding;

/** No old value corresponds to this one. */
const UNRELATED = Symbol('unrelated');

interface Walk {
  readonly path: (string | number)[];
  found: Finding[];
}

/** Adds findings to the walk; returns how much matched, by which the best of several schemas is chosen. */
type Check = (value: unknown, old: unknown, walk: Walk) => number;

export interface ValueValidator {
  /** `base` is the path of the value in its object; messages name paths below it. */
  validate(value: unknown, base?: string): readonly FieldError[];
  validateUpdate(value: unknown, old: unknown, base?: string): readonly FieldError[];
}

const validators = new WeakMap<JSONSchemaProps, ValueValidator>();

/** Remembered per schema. */
export function valueValidator(schema: JSONSchemaProps): ValueValidator {
  let validator = validators.get(schema);
  if (validator === undefined) {
    validator = createValidator(schema);
    validators.set(schema, validator);
  }
  return validator;
}

const NOTHING: readonly FieldError[] = [];

function createValidator(schema: JSONSchemaProps): ValueValidator {
  let check: Check | undefined;
  const run = (value: unknown, old: unknown, base: string): readonly FieldError[] => {
    const walk: Walk = { path: [], found: [] };
    check ??= compile(schema);
    check(value, old, walk);
    if (walk.found.length === 0 || (old !== UNRELATED && deepEqual(value, old))) return NOTHING;
    return distinct(walk.found).map((finding) => finding.toFieldError(base));
  };
  return {
    validate: (value, base = '') => run(value, UNRELATED, base),
    validateUpdate: (value, old, base = '') => run(value, old, base),
  };
}

function distinct(found: readonly Finding[]): readonly Finding[] {
  const seen = new Set<string>();
  return found.filter(({ text }) => !seen.has(text) && seen.add(text));
}

function pathText(walk: Walk): string {
  let text = '';
  for (const step of walk.path) {
    text += typeof step === 'number' ? `[${step}]` : text === '' ? step : `.${step}`;
  }
  return text;
}

/** Drops the findings below an unchanged value (validation ratcheting). */
function inside(check: Check, step: string | number, value: unknown, old: unknown, walk: Walk): number {
  walk.path.push(step);
  const before = walk.found.length;
  const matched = check(value, old, walk);
  walk.path.pop();
  if (walk.found.length > before && old !== UNRELATED && deepEqual(value, old)) walk.found.length = before;
  return matched;
}

/** Compiled on first use: schemas are trees, and most parts are seldom reached. */
const lazily = (schema: JSONSchemaProps): Check => {
  let check: Check | undefined;
  return (value, old, walk) => (check ??= compile(schema))(value, old, walk);
};

function compile(schema: JSONSchemaProps): Check {
  const types =
    schema['x-kubernetes-int-or-string'] === true ? ['integer', 'string'] : schema.type ? [schema.type] : [];
  const format = recognizedFormat(types, schema.format ?? '');
  const checkType = compileType(types, format, schema.nullable === true);
  const checkProps = compileCombinations(schema);
  const checkString = compileString(schema);
  const checkFormat = formatCheck(format);
  const checkNumber = compileNumber(schema, types, format);
  const checkList = compileList(schema);
  const checkObject = compileObject(schema);
  const { enum: values = [] } = schema;
  const appliesType = types.length > 0 || format !== '';

  return (value, old, walk) => {
    if (value === null || value === undefined) {
      const matched = checkType(null, walk);
      if (values.length > 0) walk.found.push(findings.notInEnum(pathText(walk), null, values));
      return matched;
    }
    let matched = 3;
    if (appliesType) matched += checkType(value, walk) + 1;
    matched += checkProps === undefined ? 1 : checkProps(value, old, walk);
    if (typeof value === 'string') {
      matched += 1;
      checkString?.(value, walk);
      if (checkFormat !== undefined) {
        matched += 1;
        if (!checkFormat(value)) walk.found.push(findings.wrongType(pathText(walk), format, value));
      }
    } else if (typeof value === 'number' || typeof value === 'bigint') {
      matched += 2;
      checkNumber?.(value, () => pathText(walk), walk.found);
    } else if (Array.isArray(value)) matched += checkList(value, old, walk) + 2;
    else if (isBag(value)) matched += checkObject(value, old, walk) + 1;
    if (values.length > 0 && !values.some((each) => equalsEnum(value, each))) {
      walk.found.push(findings.notInEnum(pathText(walk), value, values));
    }
    return matched;
  };
}

const equalsEnum = (value: unknown, each: Json): boolean => each !== null && deepEqual(value, each);

/** JSON's name for the type of a value, and Go's for the format of a number. */
function typeOf(value: unknown): readonly [type: string, format: string] {
  if (typeof value === 'string' || typeof value === 'boolean') return [typeof value, ''];
  if (typeof value === 'bigint' || Number.isInteger(value)) return ['integer', 'int64'];
  if (typeof value === 'number') return ['number', 'float64'];
  return [Array.isArray(value) ? 'array' : 'object', ''];
}

function compileType(types: readonly string[], format: string, nullable: boolean) {
  const expected = types.join(',');
  const isNumeric = types.includes('number') || types.includes('integer');
  return (value: unknown, walk: Walk): number => {
    if (value === null) {
      if (types.length === 0 || nullable) return 1;
      walk.found.push(findings.wrongType(pathText(walk), expected, 'null'));
      return 0;
    }
    const [type, valueFormat] = typeOf(value);
    const fits = types.includes(type) || (type === 'integer' && types.includes('number'));
    if (fits) return 1;
    const isText = type === 'string' || type === 'array';
    if (!isText && format !== '' && valueFormat !== format) {
      walk.found.push(findings.wrongType(pathText(walk), format, valueFormat));
      return 0;
    }
    if (!isNumeric && format !== '' && isText) return 1;
    walk.found.push(findings.wrongType(pathText(walk), expected, type));
    return 0;
  };
}

function compileString(schema: JSONSchemaProps): ((value: string, walk: Walk) => void) | undefined {
  const { maxLength, minLength } = schema;
  const pattern = schema.pattern ?? '';
  if (maxLength === undefined && minLength === undefined && pattern === '') return undefined;
  return (value, walk) => {
    if (maxLength !== undefined && value.length > maxLength && characters(value) > maxLength) {
      walk.found.push(findings.longerThan(pathText(walk), maxLength));
    } else if (minLength !== undefined && characters(value) < minLength) {
      walk.found.push(findings.shorterThan(pathText(walk), minLength, value));
    } else if (pattern !== '' && !compilePattern(pattern)(value)) {
      walk.found.push(findings.unmatched(pathText(walk), pattern, value));
    }
  };
}

/** Code points, as Go counts. */
function characters(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) count--;
  return count;
}

function compileList(schema: JSONSchemaProps) {
  const { maxItems, minItems } = schema;
  const items = isBag(schema.items) ? lazily(schema.items) : undefined;
  return (value: readonly unknown[], old: unknown, walk: Walk): number => {
    let matched = 0;
    if (items !== undefined) {
      const related = correlatedItem(schema, old);
      for (let i = 0; i < value.length; i++) {
        const before = related === undefined ? UNRELATED : (related(value[i]) ?? UNRELATED);
        matched += inside(items, i, value[i], before, walk);
      }
    }
    const size = value.length;
    if (minItems !== undefined && size < minItems)
      walk.found.push(findings.tooFewItems(pathText(walk), minItems, size));
    if (maxItems !== undefined && size > maxItems) {
      walk.found.push(findings.tooManyItems(pathText(walk), maxItems, size));
    }
    return matched;
  };
}

function compileObject(schema: JSONSchemaProps) {
  const { additionalProperties, maxProperties, minProperties, required = [] } = schema;
  const properties = new Map(Object.entries(schema.properties ?? {}).map(([name, each]) => [name, lazily(each)]));
  const others = typeof additionalProperties === 'object' ? lazily(additionalProperties) : undefined;
  return (value: { readonly [key: string]: unknown }, old: unknown, walk: Walk): number => {
    let matched = 0;
    let size = 0;
    const before = isBag(old) ? old : undefined;
    const isRoot = walk.path.length === 0;
    for (const name in value) {
      size++;
      const check = properties.get(name) ?? others;
      if (check === undefined) {
        if (additionalProperties === false) walk.found.push(findings.forbiddenProperty(pathText(walk), name));
        continue;
      }
      const member = value[name];
      const related =
        before === undefined || !Object.hasOwn(before, name) || (isRoot && (name === 'kind' || name === 'apiVersion'))
          ? UNRELATED
          : before[name];
      // The identical part was accepted before; only alternatives that are compared by how much they match need the
      // walk.
      if (member === related && typeof member === 'object' && member !== null) continue;
      matched += inside(check, name, member, related, walk);
    }
    if (minProperties !== undefined && size < minProperties) {
      walk.found.push(findings.tooFewProperties(pathText(walk), minProperties, size));
    }
    if (maxProperties !== undefined && size > maxProperties) {
      walk.found.push(findings.tooManyProperties(pathText(walk), maxProperties, size));
    }
    for (const name of required) {
      if (Object.hasOwn(value, name)) continue;
      const at = pathText(walk);
      walk.found.push(findings.missing(`${at}.${name}`));
    }
    return matched;
  };
}

interface Attempt {
  readonly found: readonly Finding[];
  readonly matched: number;
}

function attempt(check: Check, value: unknown, old: unknown, walk: Walk): Attempt {
  const own: Walk = { path: walk.path, found: [] };
  const matched = check(value, old, own);
  return { found: own.found, matched };
}

function compileCombinations(schema: JSONSchemaProps): Check | undefined {
  const { allOf = [], anyOf = [], not, oneOf = [] } = schema;
  if (allOf.length + anyOf.length + oneOf.length === 0 && not === undefined) return undefined;
  const any = anyOf.map(lazily);
  const one = oneOf.map(lazily);
  const all = allOf.map(lazily);
  const never = not === undefined ? undefined : lazily(not);
  return (value, old, walk) => {
    let matched = 2;
    const take = ({ found, matched: count }: Attempt): void => {
      walk.found.push(...found);
      matched += count;
    };
    if (any.length > 0) {
      const { best, success } = tryAny(any, value, old, walk);
      if (success === undefined) walk.found.push(findings.noneOf(pathText(walk)));
      const chosen = success ?? best;
      if (chosen !== undefined) take(chosen);
    }
    if (one.length > 0) {
      const attempts = one.map((check) => attempt(check, value, old, walk));
      const valid = attempts.filter(({ found }) => found.length === 0);
      if (valid.length === 1 && valid[0] !== undefined) take(valid[0]);
      else {
        walk.found.push(findings.notExactlyOne(pathText(walk), valid.length));
        const best = valid.length === 0 ? bestOf(attempts) : undefined;
        if (best !== undefined) take(best);
      }
    }
    let passed = 0;
    for (const check of all) {
      const result = attempt(check, value, old, walk);
      if (result.found.length === 0) passed++;
      take(result);
    }
    if (passed !== all.length) walk.found.push(findings.notAll(pathText(walk), passed === 0));
    if (never !== undefined && attempt(never, value, old, walk).found.length === 0) {
      walk.found.push(findings.matchesForbidden(pathText(walk)));
    }
    return matched;
  };
}

function tryAny(any: readonly Check[], value: unknown, old: unknown, walk: Walk) {
  let best: Attempt | undefined;
  for (const check of any) {
    const result = attempt(check, value, old, walk);
    if (result.found.length === 0) return { success: result, best: undefined };
    if (best === undefined || result.matched > best.matched) best = result;
  }
  return { success: undefined, best };
}

/** The first of the attempts that matched most. */
function bestOf(attempts: readonly Attempt[]): Attempt | undefined {
  let best: Attempt | undefined;
  for (const each of attempts) if (best === undefined || each.matched > best.matched) best = each;
  return best;
}
