/** Scenario files: YAML with every problem reported by line and column, so that one look mends them all. */
import { simulatedActors } from '../../../assembly/simulated.ts';
import { readYamlFile, type FileProblem, type Report } from '../../../core/kube/yaml/read-file.ts';
import type { MapNode, SourceNode } from '../../../core/kube/yaml/source-node.ts';
import { nodeGroupsIn } from '../../../nodes/fleet/node-groups.ts';
import { readAction } from './read-action.ts';
import { duration, readObject, scalarOf, unknownKeys, valueAt } from './read-values.ts';
import { DEFAULT_SETTLE_MS, type Scenario, type Step } from './scenario.ts';

const KEYS = ['name', 'description', 'nodes', 'objects', 'steps', 'actors', 'contended', 'settleWithin'];

export interface ReadScenario {
  /** Absent when there are problems. */
  readonly scenario?: Scenario;
  readonly problems: readonly FileProblem[];
}

export function readScenario(text: string, fallbackName: string): ReadScenario {
  const { root, problems, report, lineOf } = readYamlFile(text);
  if (problems.length > 0) return { problems };
  if (root.kind !== 'map') {
    report(root, '', 'expected a map with nodes and steps');
    return { problems };
  }
  unknownKeys(root, '', KEYS, report);
  const at = (key: string): SourceNode | undefined => valueAt(root, key);
  const nodes = nodeGroupsIn(at('nodes'), 'nodes', report);
  const settleWithinMs =
    at('settleWithin') === undefined ? DEFAULT_SETTLE_MS : duration(at('settleWithin'), 'settleWithin', report);
  const objects = items(at('objects'), 'objects', report).flatMap((item, index) =>
    readObject(item, `objects[${index}]`, report),
  );
  const steps = items(at('steps'), 'steps', report).flatMap((item, index) =>
    readStep(item, `steps[${index}]`, lineOf(item), report),
  );
  const contended = at('contended');
  if (contended !== undefined && typeof scalarOf(contended) !== 'boolean')
    report(contended, 'contended', 'expected true or false');
  const actors = readActors(at('actors'), report);
  const name = textAt(root, 'name', report);
  const description = textAt(root, 'description', report);
  if (problems.length > 0) return { problems: problems.toSorted((a, b) => a.line - b.line || a.column - b.column) };
  return {
    problems,
    scenario: {
      name: name ?? fallbackName,
      ...(description === undefined ? {} : { description }),
      nodes,
      objects,
      steps,
      ...(actors === undefined ? {} : { actors }),
      contended: scalarOf(contended) === true,
      settleWithinMs,
    },
  };
}

function readActors(node: SourceNode | undefined, report: Report): readonly string[] | undefined {
  if (node === undefined) return undefined;
  const names = items(node, 'actors', report).map(scalarOf);
  if (!names.every((name) => typeof name === 'string')) {
    report(node, 'actors', "expected names of controllers, such as ['*', node-lifecycle]");
    return undefined;
  }
  try {
    simulatedActors(names);
  } catch (error) {
    report(node, 'actors', (error as Error).message);
  }
  return names;
}

function textAt(root: MapNode, key: string, report: Report): string | undefined {
  const node = valueAt(root, key);
  const value = scalarOf(node);
  if (node === undefined || typeof value === 'string') return value as string | undefined;
  report(node, key, 'expected text');
  return undefined;
}

function items(node: SourceNode | undefined, path: string, report: Report): readonly SourceNode[] {
  if (node === undefined || scalarOf(node) === null) return [];
  if (node.kind === 'list') return node.items;
  report(node, path, 'expected a list');
  return [];
}

function readStep(item: SourceNode, path: string, line: number, report: Report): Step[] {
  if (item.kind !== 'map') {
    report(item, path, 'expected a map with a time (at, or between) and one action');
    return [];
  }
  const at = readTime(item, path, report);
  const action = readAction(item, path, report);
  return at === undefined || action === undefined ? [] : [{ at, action, line }];
}

function readTime(item: MapNode, path: string, report: Report): Step['at'] | undefined {
  const at = valueAt(item, 'at');
  const between = valueAt(item, 'between');
  if ((at === undefined) === (between === undefined)) {
    report(item, path, 'expected a time: either at, or between with two times');
    return undefined;
  }
  if (at !== undefined) return duration(at, `${path}.at`, report);
  const ends = between?.kind === 'list' ? between.items : [];
  if (ends.length !== 2) {
    report(between, `${path}.between`, 'expected two times, such as [10s, 1m]');
    return undefined;
  }
  const [from = 0, to = 0] = ends.map((end) => duration(end, `${path}.between`, report));
  if (from > to) report(between, `${path}.between`, 'the first time must not be later than the second');
  return [from, to];
}
