/**
 * A manifest with the file it stands in. YAML, JSON, objects of an API server and `--set` overrides all become a tree of
 * `SourceNode`s in such a document, so that no later step depends on where a manifest came from.
 */
import { lineStarts, positionAt } from '../kube/yaml/position.ts';
import {
  type At,
  listNode,
  mapNode,
  MAX_DEPTH,
  NOWHERE,
  type Scalar,
  scalarNode,
  type SourceNode,
} from '../kube/yaml/source-node.ts';
import type { Place } from './problem.ts';

interface DocumentParts {
  readonly file: string;
  readonly text?: string;
  readonly root: SourceNode;
  /** Paths of the overrides that were applied; never their values, which may be secrets. */
  readonly overrides?: readonly string[];
}

/** The text holds secrets: however a document is printed, only the name of its file and the paths of overrides show. */
export class SourceDocument {
  readonly file: string;
  readonly overrides: readonly string[];
  readonly #text: string;
  readonly #root: SourceNode;
  #lines: readonly number[] | undefined;

  constructor({ file, text = '', root, overrides = [] }: DocumentParts) {
    this.file = file;
    this.overrides = overrides;
    this.#text = text;
    this.#root = root;
  }

  get text(): string {
    return this.#text;
  }

  get root(): SourceNode {
    return this.#root;
  }

  /** Offsets at which lines begin. Counted only when a problem is reported, and once: a text may be wrong in every line. */
  get lines(): readonly number[] {
    return (this.#lines ??= lineStarts(this.#text));
  }

  /** The same document with something in it changed by an override. */
  overridden(root: SourceNode, override: string): SourceDocument {
    return new SourceDocument({ file: this.file, text: this.#text, root, overrides: [...this.overrides, override] });
  }
}

/** Overrides count downward from below NOWHERE. */
export const overrideAt = (index: number): At => -2 - index;
export const isOverride = (at: At): boolean => at <= -2;

export function placeOf(document: SourceDocument, at: At): Place {
  const { file, overrides } = document;
  if (isOverride(at)) return { file, override: overrides[-2 - at] ?? '' };
  if (at < 0) return { file };
  return { file, ...positionAt(document.lines, at) };
}

type Members = { readonly [key: string]: unknown };

/** The tree of an object that was never a text, such as one of an API server. Values that JSON does not have become null. */
export function sourceOf(value: unknown, depth = 0): SourceNode {
  if (depth > MAX_DEPTH) return scalarNode(null);
  if (Array.isArray(value)) return listNode(value.map((item) => sourceOf(item, depth + 1)));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.keys(value).flatMap((key) => {
      const member = (value as Members)[key];
      return member === undefined ? [] : [{ key, keyAt: NOWHERE, value: sourceOf(member, depth + 1) }];
    });
    return mapNode(entries);
  }
  return scalarNode(isScalar(value) ? value : null);
}

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';
