/**
 * Kubernetes' own strategies were run on these manifests (defaulting, preparing, validating); ours must say the same.
 * The first line of a table holds a good manifest a kind, each further one mutations of it and what came out.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../kube/objects.ts';
import type { KindDefinition } from '../kind/kind-definition.ts';
import { createRegistry } from '../registry/registry.ts';
import { checkObject } from '../schema/check.ts';

type Path = readonly (string | number)[];
/** Sets the value at a path, or removes what is there. */
type Mutation = readonly [Path] | readonly [Path, unknown];

interface Vector {
  readonly kind: string;
  /** Absent for a create. */
  readonly sub?: string;
  readonly m: readonly Mutation[];
  /** Mutations of the stored object that the update takes back (`old`), and those it keeps (`keep`). */
  readonly old?: readonly Mutation[];
  readonly keep?: readonly Mutation[];
  readonly errors?: readonly (readonly [type: string, field: string, message: string])[];
  /** Changes that preparing made. */
  readonly prepared?: readonly Mutation[];
  readonly warnings?: readonly string[];
}

interface Bag {
  [key: string | number]: unknown;
}

function mutate(base: unknown, mutations: readonly Mutation[]): Bag {
  const object = structuredClone(base) as Bag;
  for (const [path, ...value] of mutations) {
    let at = object;
    for (const [index, key] of path.slice(0, -1).entries()) {
      at[key] ??= typeof path[index + 1] === 'number' ? [] : {};
      at = at[key] as Bag;
    }
    const last = path.at(-1) ?? '';
    if (value.length > 0) at[last] = value[0];
    else if (Array.isArray(at)) at.splice(Number(last), 1);
    else delete at[last];
  }
  return object;
}

/** Expands the short form of long runs of a letter. */
const expand = (line: string): string =>
  line.replace(/«(.)\*(\d+)»/g, (_, letter: string, count: string) => letter.repeat(Number(count)));

const FILES = ['upstream-kinds', 'upstream-admission', 'upstream-networking', 'upstream-storage', 'upstream-more'];

type Bases = { readonly [kind: string]: KubeObject };

function readTable(name: string): { readonly bases: Bases; readonly vectors: readonly Vector[] } {
  const text = readFileSync(new URL(`testdata/${name}.jsonl`, import.meta.url), 'utf8');
  const [first = '', ...lines] = text.trim().split('\n');
  return { bases: JSON.parse(first) as Bases, vectors: lines.map((line) => JSON.parse(expand(line)) as Vector) };
}

const registry = createRegistry();

function definitionOf(object: KubeObject): KindDefinition {
  const [version = '', group = ''] = object.apiVersion.split('/').toReversed();
  const definition = registry.byKind(group, version, object.kind);
  if (!definition) throw new Error(`no ${object.apiVersion} ${object.kind}`);
  return definition;
}

function decode(value: unknown): KubeObject {
  const checked = checkObject(definitionOf(value as KubeObject).schema, value);
  expect(checked.error).toBeUndefined();
  return checked.object as KubeObject;
}

const stored = (object: Bag): Bag => ({
  ...object,
  metadata: {
    ...(object['metadata'] as Bag),
    uid: 'uid-1',
    resourceVersion: '7',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
});

/** The metadata that the server carries over for every kind before a strategy validates. */
function withOldIdentity(object: KubeObject, old: KubeObject): KubeObject {
  const { creationTimestamp, deletionTimestamp, uid = '' } = old.metadata;
  return {
    ...object,
    metadata: {
      ...object.metadata,
      uid: object.metadata.uid || uid,
      ...(creationTimestamp ? { creationTimestamp } : {}),
      ...(deletionTimestamp ? { deletionTimestamp } : {}),
    },
  };
}

const counted = (object: KubeObject, generation: number | undefined): KubeObject =>
  generation === undefined ? object : { ...object, metadata: { ...object.metadata, generation } };

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}

function run(
  bases: Bases,
  vector: Vector,
): { object: KubeObject; errors: string[]; input: Bag; warnings: readonly string[] } {
  const base = bases[vector.kind];
  const isCreate = vector.sub === undefined;
  const input = mutate(isCreate ? base : stored(mutate(base, vector.keep ?? [])), vector.m);
  const { strategy, hasGeneration } = definitionOf(input as unknown as KubeObject);
  const defaulted = deepFreeze(strategy.defaults(decode(structuredClone(input))));
  expect(strategy.defaults(defaulted)).toEqual(defaulted);
  let object: KubeObject;
  let found;
  let warnings: readonly string[];
  if (isCreate) {
    object = counted(strategy.prepareForCreate(defaulted), hasGeneration ? 1 : undefined);
    found = strategy.validate(object);
    // The server returns warnings only for objects it accepts.
    warnings = found.length === 0 ? (strategy.warnings?.(object) ?? []) : [];
  } else {
    const old = deepFreeze(strategy.defaults(decode(stored(mutate(base, vector.old ?? [])))));
    const prepared = strategy.prepareForUpdate(defaulted, old, vector.sub ?? '');
    const changed = hasGeneration && strategy.generationChanged(prepared, old);
    object = counted(withOldIdentity(prepared, old), changed ? 1 : undefined);
    found = strategy.validateUpdate(object, old, vector.sub ?? '');
    warnings = found.length === 0 ? (strategy.warnings?.(object, old) ?? []) : [];
  }
  const errors = [...new Set(found.map((error) => `${error.type} ${error.field}: ${error.message}`))];
  return { object, errors, input, warnings };
}

const nameOf = ({ kind, sub, m, old }: Vector): string =>
  `${kind} ${sub === undefined ? 'create' : `update ${sub}`} ${JSON.stringify([m, old]).slice(0, 150)}`;

const tables = FILES.map(readTable);
const cases = tables.flatMap(({ bases, vectors }) => Object.keys(bases).map((kind) => ({ kind, bases, vectors })));

describe.each(cases)('$kind as upstream', ({ kind, bases, vectors }) => {
  const mine = vectors.filter((vector) => vector.kind === kind);

  it.each(mine.map((vector) => [nameOf(vector), vector] as const))('%s', (_, vector) => {
    const { object, errors, input, warnings } = run(bases, vector);
    expect(errors.toSorted()).toEqual((vector.errors ?? []).map(([t, f, m]) => `${t} ${f}: ${m}`).toSorted());
    if (!vector.prepared) return;
    const { strategy } = definitionOf(object);
    // An object that is read back has passed defaulting once more.
    expect(strategy.defaults(decode(object))).toEqual(strategy.defaults(decode(mutate(input, vector.prepared))));
    if (!vector.sub) expect(warnings).toEqual(vector.warnings ?? []);
  });
});
