/** Whether an applied configuration is built like its kind: nothing unknown, nothing twice, everything of its type. */
import { goQuote } from '../../kube/go-text.ts';
import { encodeGoJson, type Json, type JsonObject } from '../../kube/json.ts';
import { describeElement, fieldElement, type PathElement } from './path-element.ts';
import type { ListShape, MapShape, Shape } from './shape.ts';
import { atomOf, isList, isMap, itemElement } from './values.ts';

/** What is wrong, each with its path, as structured-merge-diff says it. Empty when all is well. */
export function validateConfiguration(shape: Shape, value: Json): readonly string[] {
  const errors: string[] = [];
  check(shape, value, '', errors);
  return errors;
}

/** One error stands alone, several as a list. */
export const joinErrors = (errors: readonly string[]): string =>
  errors.length === 1 ? (errors[0] ?? '') : ['errors:', ...errors.map((error) => `  ${error}`)].join('\n');

function check(shape: Shape, value: Json, path: string, errors: string[]): void {
  const say = (message: string): void => void errors.push(path === '' ? message : `${path}: ${message}`);
  switch (atomOf(shape, value)) {
    case 'map':
      if (value === null) return;
      if (isMap(value) && shape.map !== undefined) checkMap(shape.map, value, path, errors);
      else say(`expected map, got ${describe(value)}`);
      return;
    case 'list':
      if (value === null) return;
      if (isList(value) && shape.list !== undefined) checkList(shape.list, value, path, errors);
      else say(`expected list, got ${describe(value)}`);
      return;
    case 'scalar': {
      const problem = value === null ? undefined : scalarProblem(shape.scalar, value);
      if (problem !== undefined) say(problem);
      return;
    }
    case 'none':
      say('schema error: invalid atom: inlined');
  }
}

function scalarProblem(scalar: Shape['scalar'], value: Json): string | undefined {
  switch (scalar) {
    case 'numeric':
      if (typeof value === 'number' || typeof value === 'bigint') return undefined;
      return `expected numeric (int or float), got ${goTypeName(value)}`;
    case 'string':
      if (typeof value === 'string') return undefined;
      return `expected string, got &value.valueUnstructured{Value:${typeof value === 'object' ? goTypeName(value) : String(value)}}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${describe(value)}`;
    default:
      return typeof value === 'object' ? `expected any scalar, got ${describe(value)}` : undefined;
  }
}

function goTypeName(value: Json): string {
  if (isList(value)) return '[]interface {}';
  if (isMap(value)) return 'map[string]interface {}';
  return typeof value === 'string' ? 'string' : typeof value === 'boolean' ? 'bool' : 'int64';
}

const describe = (value: Json): string =>
  typeof value === 'string' ? goQuote(value) : `&{${typeof value === 'object' ? encodeGoJson(value) : String(value)}}`;

function checkMap(map: MapShape, value: JsonObject, path: string, errors: string[]): void {
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    const at = path + describeElement(fieldElement(key));
    const shape = map.field(key)?.shape ?? map.other;
    if (shape === undefined) {
      errors.push(`${at}: field not declared in schema`);
      return;
    }
    check(shape, member, at, errors);
  }
}

function checkList(list: ListShape, value: readonly Json[], path: string, errors: string[]): void {
  const seen = new Set<PathElement>();
  for (let i = 0; i < value.length; i++) {
    const item = value[i] as Json;
    if (list.relation === 'atomic') {
      check(list.element, item, `${path}[${i}]`, errors);
      continue;
    }
    const element = itemElement(list, item);
    if (typeof element !== 'string') {
      errors.push(`${path === '' ? '' : `${path}: `}element ${i}: ${element.error}`);
      return;
    }
    const text = describeElement(element);
    if (seen.has(element)) errors.push(`${path === '' ? '' : `${path}: `}duplicate entries for key ${text}`);
    seen.add(element);
    check(list.element, item, path + text, errors);
  }
}
