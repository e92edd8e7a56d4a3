/** The inner order of rooms: folders of one room import each other in one direction, and none holds too many files. */
import { dirname } from 'node:path';
import { FOLDER_LIMIT } from './rooms.ts';

/** One import between two source files of the same room. */
export interface InnerImport {
  readonly from: string;
  readonly to: string;
}

export function folderFindings(files: readonly string[], imports: readonly InnerImport[]): readonly string[] {
  return [...tooLarge(files), ...cyclesOf(imports).map((cycle) => describe(cycle, imports))];
}

function tooLarge(files: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > FOLDER_LIMIT)
    .map(([folder, count]) => `${folder}: holds ${count} source files, at most ${FOLDER_LIMIT}; give it sub-folders`);
}

/** A cycle is reported by one import for each step between its folders, which is where it can be cut. */
function describe(cycle: readonly string[], imports: readonly InnerImport[]): string {
  const within = new Set(cycle);
  const examples = new Map<string, string>();
  for (const { from, to } of imports) {
    const [a, b] = [dirname(from), dirname(to)];
    if (a !== b && within.has(a) && within.has(b)) examples.set(`${a} → ${b}`, `${from} imports ${to}`);
  }
  return `${cycle.join(', ')}: folders of one room import each other in a circle: ${[...examples.values()].sort().join('; ')}`;
}

/** Strongly connected folders, after Tarjan. */
function cyclesOf(imports: readonly InnerImport[]): readonly (readonly string[])[] {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const [a, b] = [dirname(from), dirname(to)];
    if (a !== b) edges.set(a, (edges.get(a) ?? new Set<string>()).add(b));
  }
  const found: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const visit = (folder: string): number => {
    const index = order.size;
    order.set(folder, index);
    lowest.set(folder, index);
    path.push(folder);
    for (const next of edges.get(folder) ?? []) {
      if (!order.has(next)) lowest.set(folder, Math.min(lowest.get(folder) ?? index, visit(next)));
      else if (path.includes(next)) lowest.set(folder, Math.min(lowest.get(folder) ?? index, order.get(next) ?? index));
    }
    if (lowest.get(folder) === index) {
      const members = path.splice(path.indexOf(folder));
      if (members.length > 1) found.push(members.sort());
    }
    return lowest.get(folder) ?? index;
  };
  for (const folder of edges.keys()) if (!order.has(folder)) visit(folder);
  return found;
}
