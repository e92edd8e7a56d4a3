/** YAML as Kubernetes reads it: one document, core schema with the 1.1 booleans left as strings, aliases bounded. */
import { LineCounter, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import type { Json } from '../../core/kube/json.ts';

const MAX_ALIASES = 100;
const MAX_DEPTH = 500;
/** How many values more than it has characters a text may stand for, by aliases. */
const MAX_ALIASED_VALUES = 100_000;

export function parseYaml(text: string): Json {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.2',
    merge: true,
    // The library compares every key of a map with every other; see `refuseDuplicates`.
    uniqueKeys: false,
    stringKeys: true,
    prettyErrors: true,
    intAsBigInt: true,
    lineCounter: lines,
  });
  const problem = document.errors[0];
  if (problem !== undefined) throw new SyntaxError(inPlainWords(problem.message.trim()));
  refuseDuplicates(document.contents, lines);
  const budget = { values: text.length + MAX_ALIASED_VALUES };
  return fromYaml(document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown, 0, budget);
}

const inPlainWords = (message: string): string =>
  message.replace(/^Maximum call stack size exceeded/, 'nested too deep to be read');

/** Breadth first, since nothing here knows yet how deep the document is. */
function refuseDuplicates(contents: unknown, lines: LineCounter): void {
  const open: unknown[] = [contents];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isSeq(node)) for (const item of node.items) open.push(item);
    if (!isMap(node)) continue;
    const seen = new Set<unknown>();
    for (const { key, value } of node.items) {
      open.push(value ?? null);
      if (!isScalar(key)) continue;
      if (seen.has(key.value)) {
        const { line, col } = lines.linePos(key.range?.[0] ?? 0);
        throw new SyntaxError(`Map keys must be unique at line ${line}, column ${col}`);
      }
      seen.add(key.value);
    }
  }
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
