/**
 * YAML and JSON texts into documents. Hostile ones are refused before they cost anything: size, depth, what aliases
 * unfold to and the number of documents are bounded, and keys are compared by hash, not each with each.
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
import type { ComponentErrorCode } from '../errors.ts';
import type { Problem } from '../problem.ts';
import {
  type Entry,
  listNode,
  mapNode,
  MAX_DEPTH,
  placeOf,
  scalarNode,
  SourceDocument,
  type SourceNode,
} from '../source.ts';
import { plainScalar } from './plain-scalar.ts';
import { readQuickly } from './quick-yaml.ts';
import { yamlFault } from './yaml-fault.ts';

export interface ParsedText {
  readonly documents: readonly SourceDocument[];
  readonly problems: readonly Problem[];
}

/** A custom resource may not be larger than this either. */
export const MAX_TEXT = 1024 * 1024;
const MAX_NODES = 100_000;
const MAX_DOCUMENTS = 1000;
const MAX_LINES = 50_000;
/** After one fault the others are often its consequences; whoever sends noise need not have all of it back. */
const MOST_FAULTS = 20;
/** An opening bracket costs the parser a stack frame or more. */
const MAX_BRACKETS = 500;

// oxlint-disable-next-line no-control-regex -- these are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/;

class Refused extends Error {
  readonly code: ComponentErrorCode;
  readonly at: number;

  constructor(code: ComponentErrorCode, message: string, at: number) {
    super(message);
    this.code = code;
    this.at = at;
  }
}

function reporters(text: string, file: string) {
  const whole = new SourceDocument({ file, text, root: scalarNode(null) });
  const problem = (code: ComponentErrorCode, message: string, at: number): Problem => ({
    code,
    path: '',
    message,
    place: placeOf(whole, at),
  });
  const refused = (code: ComponentErrorCode, message: string, at: number): ParsedText => ({
    documents: [],
    problems: [problem(code, message, at)],
  });
  return { problem, refused };
}

/** Reads every document of a text. Documents with a problem are left out; the others are there. */
export function parseManifests(text: string, file: string): ParsedText {
  const { refused } = reporters(text, file);
  if (text.length > MAX_TEXT) return refused('EN_COMPONENT_TOO_LARGE', 'is larger than 1 MiB', 0);
  const size = tooManyLines(text);
  if (size !== undefined) return refused('EN_COMPONENT_TOO_LARGE', size, 0);
  const control = text.search(CONTROL);
  if (control !== -1) return refused('EN_COMPONENT_YAML', 'contains a control character', control);
  const quick = readQuickly(text);
  if (quick !== undefined)
    return { documents: quick.map((root) => new SourceDocument({ file, text, root })), problems: [] };
  return parseThoroughly(text, file);
}

/** By the rules of YAML, all of them. */
export function parseThoroughly(text: string, file: string): ParsedText {
  const { problem, refused } = reporters(text, file);
  const deep = tooManyBrackets(text);
  if (deep !== -1) return refused('EN_COMPONENT_TOO_LARGE', TOO_DEEP, deep);

  const parsed = parse(text);
  if (parsed === undefined) return refused('EN_COMPONENT_TOO_LARGE', TOO_DEEP, 0);
  const documents: SourceDocument[] = [];
  const problems: Problem[] = [];
  let nodes = MAX_NODES;
  let untold = 0;
  for (const document of parsed) {
    const faults = [...document.errors, ...document.warnings];
    if (faults.length > 0) {
      const room = Math.max(0, MOST_FAULTS - problems.length);
      for (const fault of faults.slice(0, room)) {
        const isDeep = fault.message.includes('call stack');
        const [code, text] = isDeep
          ? (['EN_COMPONENT_TOO_LARGE', TOO_DEEP] as const)
          : (['EN_COMPONENT_YAML', yamlFault(fault)] as const);
        problems.push(problem(code, text, fault.pos[0]));
      }
      untold += Math.max(0, faults.length - room);
      continue;
    }
    if (document.contents === null || isEmptyDocument(document)) continue;
    try {
      const pass: Pass = { nodes, anchors: new Map() };
      documents.push(new SourceDocument({ file, text, root: convert(document.contents, pass, 0) }));
      nodes = pass.nodes;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      problems.push(problem(error.code, error.message, error.at));
      if (error.code === 'EN_COMPONENT_TOO_LARGE') break;
    }
  }
  if (untold > 0) problems.push(problem('EN_COMPONENT_YAML', `and ${untold} more faults of this kind`, text.length));
  return { documents, problems };
}

/** The library recurses; what makes it run out of stack is too deep whatever it is. */
function parse(text: string): readonly Document.Parsed[] | undefined {
  try {
    // Its own search for equal keys compares each with each, and its pretty errors quote the text, secrets included.
    const parsed = parseAllDocuments(text, { uniqueKeys: false, prettyErrors: false, strict: true, version: '1.2' });
    return Array.isArray(parsed) ? parsed : [];
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Counted before the parser sees them: it is thorough, and takes its time. */
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

/** What is left of what one text may cost, and the anchors of the document seen so far. */
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
  if (pass.nodes < 0) throw new Refused('EN_COMPONENT_TOO_LARGE', `unfolds to more than ${MAX_NODES} values`, at);
}

function convert(node: Node | null, pass: Pass, depth: number): SourceNode {
  const at = node?.range?.[0] ?? 0;
  if (depth > MAX_DEPTH) throw new Refused('EN_COMPONENT_TOO_LARGE', TOO_DEEP, at);
  if (isAlias(node)) {
    // Shared, not copied; but it is paid for as if it were, because everything after this walks it again.
    const anchored = pass.anchors.get(node.source);
    if (anchored === undefined) throw new Refused('EN_COMPONENT_YAML', 'refers to an anchor that is not there', at);
    spend(pass, anchored.size, at);
    if (depth + anchored.height > MAX_DEPTH) throw new Refused('EN_COMPONENT_TOO_LARGE', TOO_DEEP, at);
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
  throw new Refused('EN_COMPONENT_YAML', 'holds something that is neither text, number, list nor mapping', at);
}

function convertEntries(pairs: readonly Pair<Node, Node | null>[], pass: Pass, depth: number): readonly Entry[] {
  const entries = new Map<string, Entry>();
  const merged: Entry[] = [];
  for (const { key, value } of pairs) {
    const keyAt = key.range?.[0] ?? 0;
    if (!isScalar(key)) throw new Refused('EN_COMPONENT_YAML', 'has a key that is not a text', keyAt);
    const name = keyText(key);
    const converted = convert(value, pass, depth + 1);
    if (name === '<<' && key.type === 'PLAIN') {
      merged.push(...mergedEntries(converted, keyAt));
      continue;
    }
    if (entries.has(name)) {
      throw new Refused(
        'EN_COMPONENT_DUPLICATE_KEY',
        `the key ${JSON.stringify(name)} stands twice in one mapping`,
        keyAt,
      );
    }
    entries.set(name, { key: name, keyAt, value: converted });
  }
  // What a mapping says itself goes before what it merges, and earlier merges before later ones.
  for (const entry of merged) if (!entries.has(entry.key)) entries.set(entry.key, entry);
  return [...entries.values()];
}

function mergedEntries(node: SourceNode, at: number): readonly Entry[] {
  if (node.kind === 'map') return node.entries;
  if (node.kind === 'list') return node.items.flatMap((item) => mergedEntries(item, at));
  throw new Refused('EN_COMPONENT_YAML', 'merges (<<) something that is no mapping', at);
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
  throw new Refused('EN_COMPONENT_YAML', 'holds a value that JSON cannot write', at);
}
