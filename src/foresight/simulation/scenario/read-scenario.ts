/** Scenario files: YAML with every problem told by line and column, so that one look mends them all. */
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Node as YamlNode, type YAMLMap } from 'yaml';
import { readNodeGroups, type Problem } from '../../../nodes/fleet/node-groups.ts';
import { readAction } from './read-action.ts';
import { duration, plainValue, readObject, scalarAt, unknownKeys, type Report, type ValueOf } from './read-values.ts';
import { DEFAULT_SETTLE_MS, type Scenario, type Step } from './scenario.ts';

const KEYS = ['name', 'description', 'nodes', 'objects', 'steps', 'contended', 'settleWithin'];

export interface ReadScenario {
  /** Absent when there are problems. */
  readonly scenario?: Scenario;
  readonly problems: readonly Problem[];
}

export function readScenario(text: string, fallbackName: string): ReadScenario {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, stringKeys: true, version: '1.2' });
  const problems: Problem[] = [];
  const positionOf = (node: unknown): { line: number; col: number } =>
    lines.linePos((node as YamlNode | null | undefined)?.range?.[0] ?? 0);
  const report: Report = (node, path, message) => {
    const { line, col } = positionOf(node);
    problems.push({ line, column: col, path, message });
  };
  for (const { message, pos } of document.errors) {
    const { line, col } = lines.linePos(pos[0]);
    problems.push({ line, column: col, path: '', message: message.split('\n')[0]?.replace(/ at line .*$/, '') ?? '' });
  }
  if (problems.length > 0) return { problems };
  const root = document.contents;
  const valueOf: ValueOf = (node) => plainValue(document, node, report);
  if (!isMap(root)) {
    report(root, '', 'expected a map with nodes and steps');
    return { problems };
  }
  unknownKeys(root, '', KEYS, report);
  const value = {
    name: scalarAt(root, 'name'),
    description: scalarAt(root, 'description'),
    contended: scalarAt(root, 'contended'),
    settleWithin: scalarAt(root, 'settleWithin'),
  } as Partial<{
    name: string;
    description: string;
    contended: boolean;
    settleWithin: string;
  }>;
  const at = (key: string): unknown => root.get(key, true);

  const nodes = readNodes(text, at('nodes'), report, problems);
  const settleWithinMs =
    value.settleWithin === undefined
      ? DEFAULT_SETTLE_MS
      : duration(value.settleWithin, at('settleWithin'), 'settleWithin', report);
  const objects = items(at('objects'), 'objects', report).flatMap((item, index) =>
    readObject(item, `objects[${index}]`, report, valueOf),
  );
  const steps = items(at('steps'), 'steps', report).flatMap((item, index) =>
    readStep(item, `steps[${index}]`, positionOf(item).line, report, valueOf),
  );
  if (value.contended !== undefined && typeof value.contended !== 'boolean')
    report(at('contended'), 'contended', 'expected true or false');
  for (const key of ['name', 'description'] as const)
    if (value[key] !== undefined && typeof value[key] !== 'string') report(at(key), key, 'expected text');
  if (problems.length > 0) return { problems: problems.toSorted((a, b) => a.line - b.line || a.column - b.column) };
  return {
    problems,
    scenario: {
      name: value.name ?? fallbackName,
      ...(value.description === undefined ? {} : { description: value.description }),
      nodes,
      objects,
      steps,
      contended: value.contended === true,
      settleWithinMs,
    },
  };
}

/** The list as a text of its own, everything else blanked, so that its positions stay those of the file. */
function readNodes(text: string, node: unknown, report: Report, problems: Problem[]): Scenario['nodes'] {
  if (!isSeq(node) || node.range === undefined || node.range === null) {
    report(node, 'nodes', 'expected a list of node groups, each with name and count');
    return [];
  }
  const [from, , to] = node.range;
  const blank = (part: string): string => part.replaceAll(/[^\n]/g, ' ');
  const read = readNodeGroups(blank(text.slice(0, from)) + text.slice(from, to));
  problems.push(...read.problems.map((each) => ({ ...each, path: each.path.replace(/^groups/, 'nodes') })));
  return read.groups;
}

function items(node: unknown, path: string, report: Report): readonly unknown[] {
  if (node === undefined || (isScalar(node) && node.value === null)) return [];
  if (isSeq(node)) return node.items;
  report(node, path, 'expected a list');
  return [];
}

function readStep(item: unknown, path: string, line: number, report: Report, valueOf: ValueOf): Step[] {
  if (!isMap(item)) {
    report(item, path, 'expected a map with a time (at, or between) and one action');
    return [];
  }
  const at = readTime(item, path, report);
  const action = readAction(item, path, report, valueOf);
  return at === undefined || action === undefined ? [] : [{ at, action, line }];
}

function readTime(item: YAMLMap, path: string, report: Report): Step['at'] | undefined {
  const at = item.get('at', true) as unknown;
  const between = item.get('between', true) as unknown;
  if ((at === undefined) === (between === undefined)) {
    report(item, path, 'expected a time: either at, or between with two times');
    return undefined;
  }
  if (at !== undefined) return duration(isScalar(at) ? at.value : undefined, at, `${path}.at`, report);
  const ends = isSeq(between) ? between.items : [];
  if (ends.length !== 2) {
    report(between, `${path}.between`, 'expected two times, such as [10s, 1m]');
    return undefined;
  }
  const [from = 0, to = 0] = ends.map((end) =>
    duration(isScalar(end) ? end.value : undefined, end, `${path}.between`, report),
  );
  if (from > to) report(between, `${path}.between`, 'the first time must not be later than the second');
  return [from, to];
}
