/** One YAML document of a file that people write, with a reporter that puts line and column on every problem. */
import { lineStarts, positionAt, type Position } from './position.ts';
import { readYaml } from './read-yaml.ts';
import { scalarNode, type SourceNode } from './source-node.ts';

export interface FileProblem extends Position {
  /** Field of the document, such as `groups[0].count`; empty where the text is no YAML. */
  readonly path: string;
  readonly message: string;
}

/** Reports a problem with a field at the offset of a node, or of a key; without either at the beginning of the file. */
export type Report = (place: { readonly at: number } | undefined, path: string, message: string) => void;

export interface YamlFile {
  /** Null where the file is empty or no YAML. */
  readonly root: SourceNode;
  /** Filled by `report`; not empty from the beginning where the file is no YAML. */
  readonly problems: readonly FileProblem[];
  readonly report: Report;
  lineOf(node: SourceNode): number;
}

export function readYamlFile(text: string): YamlFile {
  const read = readYaml(text);
  const starts = lineStarts(text);
  const problems: FileProblem[] = [];
  const report: Report = (place, path, message) => {
    problems.push({ ...positionAt(starts, Math.max(0, place?.at ?? 0)), path, message });
  };
  for (const problem of read.problems) report(problem, '', problem.message);
  const [root = scalarNode(null, 0), second] = read.documents;
  if (second !== undefined) report(second, '', 'holds more than one document');
  return { root, problems, report, lineOf: ({ at }) => positionAt(starts, Math.max(0, at)).line };
}
