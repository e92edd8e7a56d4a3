/** YAML as Kubernetes reads it: the first document, scalars as Go takes them, aliases bounded. */
import { LineCounter, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { goQuote } from '../../core/kube/go-text.ts';
import type { Json } from '../../core/kube/json.ts';
import { GO_SCALARS } from './yaml-scalars.ts';

const MAX_ALIASES = 100;
const MAX_DEPTH = 500;
/** How many values more than it has characters a text may stand for, by aliases. */
const MAX_ALIASED_VALUES = 100_000;
const MOST_DUPLICATES = 100;

export interface ParsedYaml {
  readonly value: Json;
  /** Keys that were given twice, in the words of Go's decoder; the last value counts. */
  readonly duplicates: readonly string[];
}

export function parseYaml(text: string): ParsedYaml {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    schema: 'failsafe',
    customTags: [...GO_SCALARS],
    merge: true,
    // The library compares every key of a map with every other; see `findDuplicates`.
    uniqueKeys: false,
    stringKeys: true,
    prettyErrors: true,
    lineCounter: lines,
  });
  // Documents after the first are ignored, as in Kubernetes.
  const problem = document.errors.find(({ code }) => code !== 'MULTIPLE_DOCS');
  if (problem !== undefined) throw new SyntaxError(inPlainWords(problem.message.trim()));
  const duplicates = findDuplicates(document.contents, lines);
  const budget = { values: text.length + MAX_ALIASED_VALUES };
  return { value: fromYaml(document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown, 0, budget), duplicates };
}

const inPlainWords = (message: string): string =>
  message.replace(/^Maximum call stack size exceeded/, 'nested too deep to be read');

/** Without recursion, since the depth of the document is not checked yet. */
function findDuplicates(contents: unknown, lines: LineCounter): readonly string[] {
  const found: { readonly line: number; readonly text: string }[] = [];
  const open: unknown[] = [contents];
  for (let node = open.pop(); node !== undefined && found.length < MOST_DUPLICATES; node = open.pop()) {
    if (isSeq(node)) open.push(...node.items);
    if (!isMap(node)) continue;
    const seen = new Set<unknown>();
    for (const { key, value } of node.items) {
      if (value !== null) open.push(value);
      if (!isScalar(key)) continue;
      if (seen.has(key.value)) {
        // Go names the line of the value.
        const at = (value as { readonly range?: readonly number[] } | null)?.range?.[0] ?? key.range?.[0] ?? 0;
        const { line } = lines.linePos(at);
        const name = typeof key.value === 'string' ? goQuote(key.value) : String(key.value);
        found.push({ line, text: `line ${line}: key ${name} already set in map` });
      }
      seen.add(key.value);
    }
  }
  return found.toSorted((one, other) => one.line - other.line).map(({ text }) => text);
}

/** Integers that fit become numbers again; a key such as `__proto__` stays plain data. */
function fromYaml(value: unknown, depth: number, budget: { values: number }): Json {
  if (depth > MAX_DEPTH) throw new SyntaxError(`nested deeper than ${MAX_DEPTH} levels`);
  if (--budget.values < 0) throw new SyntaxError('aliases stand for too much');
  if (typeof value === 'bigint')
    return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
  // Infinity and NaN, which JSON does not have.
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new SyntaxError(`${value} is no number JSON can hold`);
  if (Array.isArray(value)) return value.map((item) => fromYaml(item, depth + 1, budget));
  if (typeof value === 'object' && value !== null) {
    const result: { [key: string]: Json } = {};
    for (const key of Object.keys(value)) {
      Object.defineProperty(result, key, {
        value: fromYaml((value as { [key: string]: unknown })[key], depth + 1, budget),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return result;
  }
  return (value ?? null) as Json;
}
