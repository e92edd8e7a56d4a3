/** Files of one volume that would overwrite each other. */
import { goQuote } from '../../../kube/go-text.ts';
import type { Volume, VolumeProjection } from '../../types/core-v1.ts';
import { listOf } from '../../rules/findings.ts';

interface Placed {
  readonly path: string;
  /** Description of the file's origin; called only for a warning. */
  readonly source: () => string;
}

const MAX_COMPARED = 512;

const print = ({ path, source }: Placed): string =>
  source() === '' ? goQuote(path) : `${goQuote(path)} (${source()})`;
const nowhereElse = (): string => '';

const contains = (outer: string, inner: string): boolean => `${inner}/`.startsWith(`${outer}/`);

/** Compares at most a few hundred files: all pairs of more would be slow, and the warnings too many to read. */
function overlaps(files: readonly Placed[]): readonly string[] {
  const found: string[] = [];
  if (files.length < 2) return found;
  const seen: Placed[] = [];
  for (const file of files.slice(0, MAX_COMPARED)) {
    const placed = { ...file, path: file.path.replace(/\/+$/, '') };
    for (const other of seen) {
      if (placed.path === '' || other.path === '') continue;
      if (contains(placed.path, other.path) || contains(other.path, placed.path)) {
        found.push(`${print(placed)} with ${print(other)}`);
      }
    }
    seen.push(placed);
  }
  return found;
}

const placed = (items: readonly { readonly path: string }[] | undefined, source: () => string): readonly Placed[] =>
  listOf(items).map(({ path }) => ({ path, source }));

function projectedFiles(source: VolumeProjection): readonly Placed[] {
  const { configMap, secret, downwardAPI, serviceAccountToken } = source;
  if (configMap?.items !== undefined)
    return placed(configMap.items, () => `ConfigMap ${goQuote(configMap.name ?? '')}`);
  if (secret?.items !== undefined) return placed(secret.items, () => `Secret ${goQuote(secret.name ?? '')}`);
  if (downwardAPI?.items !== undefined) return placed(downwardAPI.items, () => 'DownwardAPI');
  return serviceAccountToken === undefined ? [] : placed([serviceAccountToken], () => 'ServiceAccountToken');
}

export function overlappingPathWarnings(volumes: readonly Volume[]): readonly string[] {
  const warnings: string[] = [];
  const add = (name: string, kind: () => string, files: readonly Placed[]): void => {
    for (const text of overlaps(files))
      warnings.push(`volume ${goQuote(name)} (${kind()}): overlapping paths: ${text}`);
  };
  for (const { name, configMap, secret, downwardAPI, projected } of volumes) {
    if (configMap?.items !== undefined)
      add(name, () => `ConfigMap ${goQuote(configMap.name ?? '')}`, placed(configMap.items, nowhereElse));
    if (secret?.items !== undefined)
      add(name, () => `Secret ${goQuote(secret.secretName ?? '')}`, placed(secret.items, nowhereElse));
    if (downwardAPI?.items !== undefined) add(name, () => 'DownwardAPI', placed(downwardAPI.items, nowhereElse));
    if (projected === undefined) continue;
    for (const source of listOf(projected.sources)) {
      if (Object.keys(source).length === 0)
        warnings.push(`volume ${goQuote(name)} (Projected) has no sources provided`);
    }
    add(name, () => 'Projected', listOf(projected.sources).flatMap(projectedFiles));
  }
  return warnings;
}
