import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../kube/json.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { createRegistry } from '../registry/registry.ts';
import { checkObject } from '../schema/check.ts';

interface Vector {
  /** The URL path of the POST. */
  readonly path: string;
  readonly given: { readonly [field: string]: Json };
  /** The object as a kube-apiserver 1.36 stored it, without metadata and status. */
  readonly stored: { readonly [field: string]: Json };
}

const vectors = readFileSync(new URL('testdata/simple-defaults.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  // Go writes an absent list that is always written as null, everynode writes it as an empty list.
  .map((line) => JSON.parse(line, (_, value: unknown) => value ?? []) as Vector);
const registry = createRegistry();

function kindAt(path: string) {
  const [, root, ...rest] = path.split('/');
  const [group, version, resource] = root === 'api' ? ['', ...rest] : rest;
  const kind = registry.byResource(group ?? '', version ?? '', resource ?? '');
  if (kind === undefined) throw new Error(`nothing is served at ${path}`);
  return kind;
}

function stored(path: string, given: object): KubeObject {
  const kind = kindAt(path);
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  const checked = checkObject(kind.schema, { apiVersion, kind: kind.kind, metadata: { name: 'vector' }, ...given });
  expect(checked.error).toBeUndefined();
  const filled = kind.strategy.defaults(checked.object as KubeObject);
  expect(kind.strategy.defaults(filled)).toBe(filled);
  if (kind.conversion === undefined) return filled;
  return kind.conversion.fromStorage(kind.conversion.toStorage(filled));
}

describe('what a kube-apiserver fills in', () => {
  it.each(vectors.map((vector, index) => [`${index}: ${vector.path}`, vector] as const))('%s', (_, vector) => {
    const {
      kind: _kind,
      apiVersion: _version,
      metadata: _metadata,
      status: _status,
      ...rest
    } = stored(vector.path, vector.given) as KubeObject & { status?: unknown };
    expect(rest).toEqual(vector.stored);
  });
});

describe('updates that must say which version they were made from', () => {
  it.each([
    ['/apis/storage.k8s.io/v1/csidrivers', false],
    ['/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', false],
    ['/apis/networking.k8s.io/v1/ingresses', true],
  ])('%s: may be left out: %s', (path, expected) => {
    expect(kindAt(path).strategy.allowUnconditionalUpdate).toBe(expected);
  });
});
