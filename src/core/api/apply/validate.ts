/** Whether an applied configuration is built like its kind: nothing unknown, nothing twice, everything of its type. */
import type { Json, JsonObject } from '../../kube/json.ts';
import { goSyntax, goText, goTypeName } from '../go-print.ts';
import { describeElement, fieldElement, type PathElement } from './path-element.ts';
import type { ListShape, MapShape, Shape } from './shape.ts';
import { atomOf, isList, isMap, itemElement } from './values.ts';

/** Errors of a configuration, each with its path, in structured-merge-diff's words. */
export function validateConfiguration(shape: Shape, value: Json): readonly string[] {
  const problems: Problem[] = [];
  check(shape, value, problems);
  return problems.map(({ message, path }) => (path === '' ? message : `${path}: ${message}`));
}

/** Paths are put together on the way back from a problem: nearly all configurations have none. */
interface Problem {
  path: string;
  readonly message: string;
}

/** One error stands alone, several as a list. */
export const joinErrors = (errors: readonly string[]): string =>
  errors.length === 1 ? (errors[0] ?? '') : ['errors:', ...errors.map((error) => `  ${error}`)].join('\n');

function check(shape: Shape, value: Json, problems: Problem[]): void {
  const say = (message: string): void => void problems.push({ path: '', message });
  switch (atomOf(shape, value)) {
    case 'map':
      if (value === null) return;
      if (isMap(value) && shape.map !== undefined) checkMap(shape.map, value, problems);
      else say(`expected map, got ${describe(value)}`);
      return;
    case 'list':
      if (value === null) return;
      if (isList(value) && shape.list !== undefined) checkList(shape.list, value, problems);
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

/** Puts the step in front of the paths of all problems found since `from`. */
function prefix(problems: Problem[], from: number, step: PathElement): void {
  if (problems.length === from) return;
  const text = describeElement(step);
  for (let i = from; i < problems.length; i++) {
    const problem = problems[i] as Problem;
    problem.path = text + problem.path;
  }
}

function scalarProblem(scalar: Shape['scalar'], value: Json): string | undefined {
  switch (scalar) {
    case 'numeric':
      if (typeof value === 'number' || typeof value === 'bigint') return undefined;
      return `expected numeric (int or float), got ${goTypeName(value)}`;
    case 'string':
      if (typeof value === 'string') return undefined;
      return `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${describe(value)}`;
    case 'untyped':
    case undefined:
      return typeof value === 'object' ? `expected any scalar, got ${describe(value)}` : undefined;
  }
}

const describe = (value: Json): string => `&{${goText(value)}}`;

function checkMap(map: MapShape, value: JsonObject, problems: Problem[]): void {
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    const from = problems.length;
    const known = map.field(key);
    const shape = known?.shape ?? map.other;
    if (shape !== undefined) check(shape, member, problems);
    else problems.push({ path: '', message: 'field not declared in schema' });
    if (problems.length > from) prefix(problems, from, known?.element ?? fieldElement(key));
    if (shape === undefined) return;
  }
}

function checkList(list: ListShape, value: readonly Json[], problems: Problem[]): void {
  const seen = new Set<PathElement>();
  for (let i = 0; i < value.length; i++) {
    const item = value[i] as Json;
    const from = problems.length;
    if (list.relation === 'atomic') {
      check(list.element, item, problems);
      prefix(problems, from, `i:${i}`);
      continue;
    }
    const element = itemElement(list, item);
    if (typeof element !== 'string') {
      problems.push({ path: '', message: `element ${i}: ${element.error}` });
      return;
    }
    check(list.element, item, problems);
    prefix(problems, from, element);
    if (seen.has(element)) {
      problems.splice(from, 0, { path: '', message: `duplicate entries for key ${describeElement(element)}` });
    }
    seen.add(element);
  }
}
