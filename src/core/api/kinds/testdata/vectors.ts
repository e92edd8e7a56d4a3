/**
 * Reads the answers of Kubernetes 1.36.4 that stand beside this file: a few hundred manifests made from a handful of
 * bases by small edits, each with what defaulting and the server's preparation changed and what validation found.
 */
import { readFileSync } from 'node:fs';
import type { KubeObject } from '../../../kube/objects.ts';

type Value = unknown;
type Step = string | number;
type Edit = readonly [string, Value?];
type Change = readonly [readonly Step[], Value];

interface Row {
  readonly n?: string;
  readonly b: string;
  readonly e: readonly Edit[];
  readonly o?: readonly Edit[];
  readonly s?: string;
  readonly d?: readonly Change[];
  readonly p?: readonly Change[];
  readonly x?: readonly (readonly [number, number, number])[];
  readonly w?: readonly number[];
  readonly g?: 1;
}

interface Table {
  readonly types: readonly string[];
  readonly strings: readonly string[];
  readonly bases: { readonly [name: string]: KubeObject };
  readonly defaulted: { readonly [name: string]: KubeObject };
  readonly prepared: { readonly [name: string]: KubeObject };
}

export interface Vector {
  readonly name: string;
  readonly kind: string;
  readonly subresource: string;
  readonly object: KubeObject;
  readonly old: KubeObject | undefined;
  readonly defaulted: unknown;
  readonly prepared: unknown;
  readonly findings: readonly string[];
  readonly warnings: readonly string[];
  readonly newGeneration: boolean;
}

type Node = { [key: Step]: Value };

/** Walks to the parent of the last step, making what is not there. */
function change(root: unknown, steps: readonly Step[], value: Value): void {
  let node = root as Node;
  for (const [index, step] of steps.slice(0, -1).entries()) {
    node[step] ??= typeof steps[index + 1] === 'number' ? [] : {};
    node = node[step] as Node;
  }
  const last = steps.at(-1) ?? '';
  if (value !== undefined) node[last] = structuredClone(value);
  else if (Array.isArray(node)) node.splice(Number(last), 1);
  else delete node[last];
}

const stepsOf = (path: string): readonly Step[] =>
  path.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));

function edited<T>(base: T, edits: readonly Edit[]): T {
  const copy = structuredClone(base);
  for (const [path, value] of edits) change(copy, stepsOf(path), value);
  return copy;
}

function patched(base: unknown, changes: readonly Change[] = []): unknown {
  const copy = normalized(base);
  for (const [steps, value] of changes) change(copy, steps, value ?? undefined);
  return copy;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** Drops empty values, and generations and transition times, which the handlers set, not the strategies. */
export function normalized(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalized);
  if (typeof value !== 'object' || value === null) return value;
  const result: Node = {};
  for (const [key, member] of Object.entries(value)) {
    const plain = key === 'generation' || key === 'lastTransitionTime' ? undefined : normalized(member);
    if (!isEmpty(plain)) result[key] = plain;
  }
  return result;
}

export function readVectors(): readonly Vector[] {
  const file = readFileSync(new URL('pods-and-workloads.jsonl', import.meta.url), 'utf8');
  const [head = '', ...rows] = file.trimEnd().split('\n');
  const table = JSON.parse(head) as Table;
  const text = (index: number): string => table.strings[index] ?? '';
  return rows.map((line, index) => {
    const row = JSON.parse(line) as Row;
    const base = table.bases[row.b] as KubeObject;
    const defaulted = patched(edited(table.defaulted[row.b], row.e), row.d);
    const isUpdate = row.o !== undefined;
    const prepared = isUpdate
      ? patched(defaulted, row.p)
      : patched(patched(edited(table.prepared[row.b], row.e), row.d), row.p);
    const [path = '', value] = row.e[0] ?? [];
    const shown = JSON.stringify(value) ?? 'absent';
    return {
      name: `${index} ${row.b}${row.s ? `/${row.s}` : ''}: ${row.n ?? `${path} = ${shown.slice(0, 80)}`}`,
      kind: base.kind,
      subresource: row.s ?? '',
      object: edited(base, row.e),
      old: row.o === undefined ? undefined : edited(base, row.o),
      defaulted: normalized(defaulted),
      prepared: normalized(prepared),
      findings: (row.x ?? [])
        .map(([type, at, message]) => `${table.types[type]} ${text(at)}: ${text(message)}`)
        .toSorted(),
      warnings: (row.w ?? []).map(text).toSorted(),
      newGeneration: row.g === 1,
    };
  });
}
