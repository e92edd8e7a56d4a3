/** Which fields differ between two states of an object: their paths, never their values. Pure. */
import { deepEqual } from '../../../core/kube/immutable.ts';
import type { Json, JsonObject } from '../../../core/kube/json.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';

/** Fields that the server sets, and fields that other messages report. */
const IGNORED: ReadonlySet<string> = new Set([
  'status',
  'metadata.managedFields',
  'metadata.resourceVersion',
  'metadata.generation',
  'metadata.annotations[deprecated.daemonset.template.generation]',
]);
/** Deeper ones are not told apart. */
const DEEPEST = 12;
const MOST = 20;

/** `spec.template.spec.containers[app].image`, in the order of the second one; at most twenty. */
export function changedFields(before: KubeObject, after: KubeObject): readonly string[] {
  const paths: string[] = [];
  const walk = (a: Json | undefined, b: Json | undefined, path: string, depth: number): void => {
    if (IGNORED.has(path) || paths.length >= MOST || deepEqual(a, b)) return;
    const [as, bs] = depth >= DEEPEST ? [undefined, undefined] : [membersOf(a), membersOf(b)];
    if (as === undefined || bs === undefined) {
      paths.push(path);
      return;
    }
    for (const key of new Set([...bs.keys(), ...as.keys()]))
      walk(as.get(key), bs.get(key), joined(path, key), depth + 1);
  };
  walk(before as unknown as Json, after as unknown as Json, '', 0);
  return paths;
}

/** Of a mapping by key, of a list by the names of its items; undefined where there are none. */
function membersOf(value: Json | undefined): ReadonlyMap<string, Json | undefined> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) return new Map(Object.entries(value as JsonObject));
  const items: readonly Json[] = value;
  const names = items.map((item) => (item as { readonly name?: Json } | null)?.name);
  const areNames = names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
  return areNames ? new Map(items.map((item, index) => [`[${String(names[index])}]`, item])) : undefined;
}

const PLAIN = /^[A-Za-z_]\w*$/;

function joined(path: string, key: string): string {
  if (key.startsWith('[')) return `${path}${key}`;
  if (!PLAIN.test(key)) return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}
