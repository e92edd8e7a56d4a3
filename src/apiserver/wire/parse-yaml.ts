/** YAML as Kubernetes reads it: the first document, scalars as Go takes them, aliases bounded. */
import { LineCounter, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import type { Json } from '../../core/kube/json.ts';
import { GO_SCALARS } from './yaml-scalars.ts';

const MAX_ALIASES = 100;
const MAX_DEPTH = 500;
/** How many values more than it has characters a text may stand for, by aliases. */
const MAX_ALIASED_VALUES = 100_000;
const MOST_DUPLICATES = 100;

export interface ParsedYaml {
  readonly value: Json;
  /** Keys that were given twice, by their paths; the last value counts. */
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
  // What follows the first document is nobody's business, as in Kubernetes.
  const problem = document.errors.find(({ code }) => code !== 'MULTIPLE_DOCS');
  if (problem !== undefined) throw new SyntaxError(inPlainWords(problem.message.trim()));
  const duplicates = findDuplicates(document.contents);
  const budget = { values: text.length + MAX_ALIASED_VALUES };
  return { value: fromYaml(document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown, 0, budget), duplicates };
}

const inPlainWords = (message: string): string =>
  message.replace(/^Maximum call stack size exceeded/, 'nested too deep to be read');

/** Where a node stands; written out only for the few that matter. */
interface Place {
  readonly above: Place | undefined;
  readonly step: string;
}

function pathOf(place: Place | undefined): string {
  let path = '';
  for (let at = place; at !== undefined; at = at.above) path = at.step + path;
  return path.replace(/^\./, '');
}

/** Without recursion, since nothing here knows yet how deep the document is. */
function findDuplicates(contents: unknown): readonly string[] {
  const found: string[] = [];
  const open: { readonly node: unknown; readonly place: Place | undefined }[] = [{ node: contents, place: undefined }];
  for (let next = open.pop(); next !== undefined && found.length < MOST_DUPLICATES; next = open.pop()) {
    const { node, place: above } = next;
    if (isSeq(node))
      node.items.forEach((item, index) => open.push({ node: item, place: { above, step: `[${index}]` } }));
    if (!isMap(node)) continue;
    const seen = new Set<unknown>();
    for (const { key, value } of node.items) {
      const place = isScalar(key) ? { above, step: `.${String(key.value)}` } : above;
      open.push({ node: value, place });
      if (!isScalar(key)) continue;
      if (seen.has(key.value)) found.push(pathOf(place));
      seen.add(key.value);
    }
  }
  return found;
}

/** Integers that fit become numbers again; a key such as `__proto__` stays plain data. */
function fromYaml(value: unknown, depth: number, budget: { values: number }): Json {
  if (depth > MAX_DEPTH) throw new SyntaxError(`nested deeper than ${MAX_DEPTH} levels`);
  if (--budget.values < 0) throw new SyntaxError('aliases stand for too much');
  if (typeof value === 'bigint')
    return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
  // Numbers that JSON does not have.
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
