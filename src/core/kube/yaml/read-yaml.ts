/**
 * Reads YAML and JSON texts that people write into trees with offsets. Hostile texts are refused before they cost anything: size,
 * depth, the values that aliases unfold to and the number of documents are bounded, and keys are compared by hash, not each with
 * each. Problems never quote the text, which may hold secrets.
 */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  parseAllDocuments,
  type Document,
  type Node,
  type Pair,
  type Scalar,
} from 'yaml';
import { plainScalar } from './plain-scalar.ts';
import { readQuickly } from './quick-yaml.ts';
import { type Entry, listNode, mapNode, MAX_DEPTH, scalarNode, type SourceNode } from './source-node.ts';
import { yamlFault } from './yaml-fault.ts';

export interface YamlText {
  /** Roots of the documents that hold something and have no problem. */
  readonly documents: readonly SourceNode[];
  readonly problems: readonly YamlProblem[];
}

export interface YamlProblem {
  readonly kind: 'syntax' | 'too-large' | 'duplicate-key';
  readonly message: string;
  /** Offset in the text. */
  readonly at: number;
}

/** The size limit of a custom resource in API servers. */
export const MAX_TEXT = 1024 * 1024;
const MAX_NODES = 100_000;
const MAX_DOCUMENTS = 1000;
const MAX_LINES = 50_000;
/** After one fault the others are often its consequences; noise is not answered line by line. */
const MOST_FAULTS = 20;
/** An opening bracket costs the parser a stack frame or more. */
const MAX_BRACKETS = 500;

// oxlint-disable-next-line no-control-regex -- these are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/;

class Refused extends Error {
  readonly kind: YamlProblem['kind'];
  readonly at: number;

  constructor(kind: YamlProblem['kind'], message: string, at: number) {
    super(message);
    this.kind = kind;
    this.at = at;
  }
}

const refused = (kind: YamlProblem['kind'], message: string, at: number): YamlText => ({
  documents: [],
  problems: [{ kind, message, at }],
});

/** Reads every document of a text. Documents with a problem are left out; the others are there. */
export function readYaml(text: string): YamlText {
  if (text.length > MAX_TEXT) return refused('too-large', 'is larger than 1 MiB', 0);
  const size = tooManyLines(text);
  if (size !== undefined) return refused('too-large', size, 0);
  const control = text.search(CONTROL);
  if (control !== -1) return refused('syntax', 'contains a control character', control);
  const documents = readQuickly(text);
  return documents === undefined ? readThoroughly(text) : { documents, problems: [] };
}

/** Without the quick reader: by all rules of YAML. */
export function readThoroughly(text: string): YamlText {
  const deep = tooManyBrackets(text);
  if (deep !== -1) return refused('too-large', TOO_DEEP, deep);

  const parsed = parse(text);
  if (parsed === undefined) return refused('too-large', TOO_DEEP, 0);
  const documents: SourceNode[] = [];
  const problems: YamlProblem[] = [];
  let nodes = MAX_NODES;
  let untold = 0;
  for (const document of parsed) {
    const faults = [...document.errors, ...document.warnings];
    if (faults.length > 0) {
      const room = Math.max(0, MOST_FAULTS - problems.length);
      for (const fault of faults.slice(0, room)) {
        const isDeep = fault.message.includes('call stack');
        const at = fault.pos[0];
        problems.push(
          isDeep ? { kind: 'too-large', message: TOO_DEEP, at } : { kind: 'syntax', message: yamlFault(fault), at },
        );
      }
      untold += Math.max(0, faults.length - room);
      continue;
    }
    if (document.contents === null || isEmptyDocument(document)) continue;
    try {
      const pass: Pass = { nodes, anchors: new Map() };
      documents.push(convert(document.contents, pass, 0));
      nodes = pass.nodes;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { kind, message, at } = error;
      problems.push({ kind, message, at });
      if (kind === 'too-large') break;
    }
  }
  if (untold > 0) problems.push({ kind: 'syntax', message: `and ${untold} more faults of this kind`, at: text.length });
  return { documents, problems };
}

/** Undefined where the recursion of the library runs out of stack: such a text is nested too deeply. */
function parse(text: string): readonly Document.Parsed[] | undefined {
  try {
    // The library's search for equal keys compares each with each, and its pretty errors quote the text, secrets included.
    const parsed = parseAllDocuments(text, { uniqueKeys: false, prettyErrors: false, strict: true, version: '1.2' });
    return Array.isArray(parsed) ? parsed : [];
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Counted before the parser sees the text: the parser is thorough, and slow. */
function tooManyLines(text: string): string | undefined {
  let lines = 1;
  let documents = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    lines += 1;
    if (text.startsWith('---', at + 1)) documents += 1;
  }
  if (lines > MAX_LINES) return `has more than ${MAX_LINES} lines`;
  return documents > MAX_DOCUMENTS ? `has more than ${MAX_DOCUMENTS} documents` : undefined;
}

const isEmptyDocument = ({ contents }: Document): boolean => isScalar(contents) && contents.value === null;

/** A bound on nesting that needs no parser: brackets open at once, those in strings included. */
function tooManyBrackets(text: string): number {
  let open = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) {
      open += 1;
      if (open > MAX_BRACKETS) return at;
    } else if ((code === 0x5d || code === 0x7d) && open > 0) open -= 1;
  }
  return -1;
}

/** The number of values that the text may still unfold to, and the anchors of the document so far. */
interface Pass {
  nodes: number;
  readonly anchors: Map<string, Anchored>;
}

interface Anchored {
  readonly node: SourceNode;
  readonly size: number;
  readonly height: number;
}

const heightOf = (node: SourceNode): number => {
  if (node.kind === 'scalar') return 0;
  const below = node.kind === 'list' ? node.items : node.entries.map(({ value }) => value);
  return 1 + below.reduce((height, child) => Math.max(height, heightOf(child)), 0);
};

const TOO_DEEP = 'is nested too deeply';

function spend(pass: Pass, count: number, at: number): void {
  pass.nodes -= count;
  if (pass.nodes < 0) throw new Refused('too-large', `unfolds to more than ${MAX_NODES} values`, at);
}

function convert(node: Node | null, pass: Pass, depth: number): SourceNode {
  const at = node?.range?.[0] ?? 0;
  if (depth > MAX_DEPTH) throw new Refused('too-large', TOO_DEEP, at);
  if (isAlias(node)) {
    // The node is shared, not copied, but counted as if copied: every later step walks it again.
    const anchored = pass.anchors.get(node.source);
    if (anchored === undefined) throw new Refused('syntax', 'refers to an anchor that is not there', at);
    spend(pass, anchored.size, at);
    if (depth + anchored.height > MAX_DEPTH) throw new Refused('too-large', TOO_DEEP, at);
    return anchored.node;
  }
  const before = pass.nodes;
  spend(pass, 1, at);
  const converted = convertNode(node, pass, depth, at);
  const anchor = node === null || isAlias(node) ? undefined : (node as Scalar).anchor;
  if (anchor !== undefined) {
    pass.anchors.set(anchor, { node: converted, size: before - pass.nodes, height: heightOf(converted) });
  }
  return converted;
}

function convertNode(node: Node | null, pass: Pass, depth: number, at: number): SourceNode {
  if (node === null) return scalarNode(null, at);
  if (isScalar(node)) return scalarNode(scalarValue(node, at), at);
  if (isSeq(node))
    return listNode(
      node.items.map((item) => convert(item as Node | null, pass, depth + 1)),
      at,
    );
  if (isMap(node)) return mapNode(convertEntries(node.items as readonly Pair<Node, Node | null>[], pass, depth), at);
  throw new Refused('syntax', 'holds something that is neither text, number, list nor mapping', at);
}

function convertEntries(pairs: readonly Pair<Node, Node | null>[], pass: Pass, depth: number): readonly Entry[] {
  const entries = new Map<string, Entry>();
  const merged: Entry[] = [];
  for (const { key, value } of pairs) {
    const keyAt = key.range?.[0] ?? 0;
    if (!isScalar(key)) throw new Refused('syntax', 'has a key that is not a text', keyAt);
    const name = keyText(key);
    const converted = convert(value, pass, depth + 1);
    if (name === '<<' && key.type === 'PLAIN') {
      merged.push(...mergedEntries(converted, keyAt));
      continue;
    }
    if (entries.has(name)) {
      throw new Refused('duplicate-key', `the key ${JSON.stringify(name)} stands twice in one mapping`, keyAt);
    }
    entries.set(name, { key: name, keyAt, value: converted });
  }
  // Keys of the mapping itself win over merged ones, and earlier merges over later ones.
  for (const entry of merged) if (!entries.has(entry.key)) entries.set(entry.key, entry);
  return [...entries.values()];
}

function mergedEntries(node: SourceNode, at: number): readonly Entry[] {
  if (node.kind === 'map') return node.entries;
  if (node.kind === 'list') return node.items.flatMap((item) => mergedEntries(item, at));
  throw new Refused('syntax', 'merges (<<) something that is no mapping', at);
}

const keyText = (key: Scalar): string =>
  typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));

function scalarValue(node: Scalar, at: number): string | number | bigint | boolean | null {
  const value =
    node.type === 'PLAIN' && node.source !== undefined && node.tag === undefined
      ? plainScalar(node.source)
      : node.value;
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint')
    return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new Refused('syntax', 'holds a value that JSON cannot write', at);
}
