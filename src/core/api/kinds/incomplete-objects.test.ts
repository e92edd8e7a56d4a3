/** Clients leave out what they like, and stored objects may be older than a rule: judging either ends in findings. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../kube/objects.ts';
import { createRegistry } from '../registry/registry.ts';
import { checkObject } from '../schema/check.ts';

type Path = readonly (string | number)[];

interface Bag {
  [key: string | number]: unknown;
}

const registry = createRegistry();

function baseObjects(table: string): readonly KubeObject[] {
  const text = readFileSync(new URL(`testdata/${table}.jsonl`, import.meta.url), 'utf8');
  const first = JSON.parse(text.slice(0, text.indexOf('\n'))) as { readonly [name: string]: unknown };
  return Object.values((first['bases'] ?? first) as { readonly [name: string]: KubeObject });
}

function pathsOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const isList = Array.isArray(value);
  const inner = Object.entries(value).flatMap(([key, part]) => pathsOf(part, [...path, isList ? Number(key) : key]));
  return [path, ...inner];
}

/** A copy without the value at the path, or with another value there. */
function changed(base: KubeObject, path: Path, value?: unknown): KubeObject {
  const copy = structuredClone(base) as unknown as Bag;
  let at = copy;
  for (const step of path.slice(0, -1)) at = at[step] as Bag;
  const last = path.at(-1) ?? '';
  if (value !== undefined) at[last] = value;
  else if (Array.isArray(at)) at.splice(Number(last), 1);
  else delete at[last];
  return copy as unknown as KubeObject;
}

/** Empty and odd values of the same type, which decoding accepts. */
function oddities(value: unknown): readonly unknown[] {
  if (typeof value === 'string') return ['', '__proto__', 'ä'.repeat(300)];
  if (typeof value === 'number') return [0, -1, 2_147_483_647];
  if (typeof value === 'boolean') return [!value];
  if (Array.isArray(value)) return [[], [...(value as readonly unknown[]), ...(value as readonly unknown[])]];
  return [{}, null, JSON.parse('{"__proto__": "x", "constructor": "y"}')];
}

function valueAt(object: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => (value as Bag)[step], object);
}

const withIdentity = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, uid: 'u', resourceVersion: '1' },
});

function judge(given: KubeObject, base: KubeObject): number {
  const [version = '', group = ''] = base.apiVersion.split('/').toReversed();
  const definition = registry.byKind(group, version, base.kind);
  if (definition === undefined) throw new Error(`no ${base.kind}`);
  const { strategy, schema, subresources } = definition;
  const read = (object: KubeObject): KubeObject | undefined => {
    const { object: decoded, error } = checkObject(schema, structuredClone(object));
    return error === undefined && decoded !== undefined
      ? strategy.defaults({ metadata: {}, ...decoded } as KubeObject)
      : undefined;
  };
  const next = read(given);
  const stored = read(withIdentity(base));
  if (next === undefined || stored === undefined) return 0;
  const created = strategy.prepareForCreate(next);
  if (strategy.validate(created).length === 0) strategy.warnings?.(created);
  const known = withIdentity(next);
  for (const subresource of ['', ...subresources.map(({ name }) => name).filter((name) => name === 'status')]) {
    for (const [after, before] of [
      [known, stored],
      [stored, known],
    ] as const) {
      const prepared = strategy.prepareForUpdate(after, before, subresource);
      strategy.generationChanged(prepared, before);
      if (strategy.validateUpdate(prepared, before, subresource).length === 0) strategy.warnings?.(prepared, before);
    }
  }
  return 1;
}

const TABLES = [
  'upstream-kinds',
  'upstream-admission',
  'upstream-networking',
  'upstream-storage',
  'upstream-more',
  'pods-and-workloads',
];
/** Pods with everything in them have a suite of their own. */
const isPlain = (object: KubeObject): boolean => JSON.stringify(object).length < 2000;
const bases = TABLES.flatMap(baseObjects).filter(isPlain);
const kinds = [...new Set(bases.map(({ kind }) => kind))];

describe.each(kinds)('%s', (kind) => {
  it('is judged whatever is missing or odd in it', () => {
    let judged = 0;
    for (const base of bases.filter((object) => object.kind === kind)) {
      for (const path of pathsOf(base)) {
        if (path.length === 0 || path[0] === 'apiVersion' || path[0] === 'kind') continue;
        judged += judge(changed(base, path), base);
        for (const odd of oddities(valueAt(base, path))) judged += judge(changed(base, path, odd), base);
      }
    }
    expect(judged).toBeGreaterThan(10);
  });
});
