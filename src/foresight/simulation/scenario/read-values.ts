/** Small parts of reading a scenario file; each tells what is wrong and where. */
import { type Document, isNode, isScalar, type YAMLMap } from 'yaml';
import { parseGoDuration } from '../../../core/kube/go-duration.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';

export type Report = (node: unknown, path: string, message: string) => void;
/** What stands below a node. */
export type ValueOf = (node: unknown) => unknown;

const MOST_ALIASES = 100;

export const scalarAt = (map: YAMLMap, key: string): unknown => {
  const node = map.get(key, true) as unknown;
  // Anything else is said to be wrong below.
  return node === undefined ? undefined : isScalar(node) ? node.value : node;
};

/** The value below a node, with what it refers to; references that unfold without end are refused. */
export function plainValue(document: Document.Parsed, node: unknown, report: Report): unknown {
  if (!isNode(node)) return undefined;
  try {
    return node.toJS(document, { maxAliasCount: MOST_ALIASES });
  } catch (error) {
    report(node, '', (error as Error).message);
    return undefined;
  }
}

export function unknownKeys(map: YAMLMap, path: string, known: readonly string[], report: Report): void {
  for (const pair of map.items) {
    const key = isScalar(pair.key) ? String(pair.key.value) : '';
    if (!known.includes(key))
      report(pair.key, path === '' ? key : `${path}.${key}`, `unknown field; known are ${known.join(', ')}`);
  }
}

export function duration(value: unknown, node: unknown, path: string, report: Report): number {
  const parsed = typeof value === 'string' ? parseGoDuration(value) : value === 0 ? 0 : undefined;
  if (parsed !== undefined && parsed >= 0) return parsed;
  report(node, path, 'expected a duration such as 500ms, 5s or 1m30s');
  return 0;
}

export function readObject(item: unknown, path: string, report: Report, valueOf: ValueOf): KubeObject[] {
  const object = valueOf(item) as Partial<KubeObject> | null | undefined;
  if (
    typeof object?.apiVersion === 'string' &&
    typeof object.kind === 'string' &&
    typeof object.metadata?.name === 'string'
  )
    return [object as KubeObject];
  report(item, path, 'expected a manifest with apiVersion, kind and metadata.name');
  return [];
}
