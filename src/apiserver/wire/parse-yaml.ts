/** YAML as Kubernetes reads it: one document, core schema with the 1.1 booleans left as strings, aliases bounded. */
import { parseDocument } from 'yaml';
import type { Json } from '../../core/kube/json.ts';

const MAX_ALIASES = 100;

export function parseYaml(text: string): Json {
  const document = parseDocument(text, {
    version: '1.2',
    merge: true,
    uniqueKeys: true,
    stringKeys: true,
    prettyErrors: true,
    intAsBigInt: true,
  });
  const problem = document.errors[0];
  if (problem !== undefined) throw new SyntaxError(problem.message.trim());
  return fromYaml(document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown, 0);
}

const MAX_DEPTH = 500;

/** Integers that fit become numbers again; a key such as `__proto__` stays plain data. */
function fromYaml(value: unknown, depth: number): Json {
  if (depth > MAX_DEPTH) throw new SyntaxError(`nested deeper than ${MAX_DEPTH} levels`);
  if (typeof value === 'bigint')
    return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
  if (Array.isArray(value)) return value.map((item) => fromYaml(item, depth + 1));
  if (typeof value === 'object' && value !== null) {
    const result: { [key: string]: Json } = {};
    for (const key of Object.keys(value)) {
      Object.defineProperty(result, key, {
        value: fromYaml((value as { [key: string]: unknown })[key], depth + 1),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return result;
  }
  return (value ?? null) as Json;
}
