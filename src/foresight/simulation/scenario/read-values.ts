/** Small parts of reading a scenario file; each reports its problem and the place. */
import { parseGoDuration } from '../../../core/kube/go-duration.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';
import type { Report } from '../../../core/kube/yaml/read-file.ts';
import {
  entryOf,
  plainValue,
  type MapNode,
  type Scalar,
  type SourceNode,
} from '../../../core/kube/yaml/source-node.ts';

export const valueAt = (map: MapNode, key: string): SourceNode | undefined => entryOf(map, key)?.value;

/** Undefined for lists and maps: each field says which scalar it expects. */
export const scalarOf = (node: SourceNode | undefined): Scalar | undefined =>
  node?.kind === 'scalar' ? node.value : undefined;

export function unknownKeys(map: MapNode, path: string, known: readonly string[], report: Report): void {
  for (const { key, keyAt } of map.entries) {
    if (!known.includes(key))
      report({ at: keyAt }, path === '' ? key : `${path}.${key}`, `unknown field; known are ${known.join(', ')}`);
  }
}

export function duration(node: SourceNode | undefined, path: string, report: Report): number {
  const value = scalarOf(node);
  const parsed = typeof value === 'string' ? parseGoDuration(value) : value === 0 ? 0 : undefined;
  if (parsed !== undefined && parsed >= 0) return parsed;
  report(node, path, 'expected a duration such as 500ms, 5s or 1m30s');
  return 0;
}

export function readObject(item: SourceNode, path: string, report: Report): KubeObject[] {
  const object = plainValue(item) as unknown as Partial<KubeObject> | null;
  if (
    typeof object?.apiVersion === 'string' &&
    typeof object.kind === 'string' &&
    typeof object.metadata?.name === 'string'
  )
    return [object as KubeObject];
  report(item, path, 'expected a manifest with apiVersion, kind and metadata.name');
  return [];
}
