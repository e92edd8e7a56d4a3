/**
 * A document as it was written: values with their places. YAML, JSON, objects of an API server and `--set` overrides all
 * become this, so that everything after it neither knows nor cares where a manifest came from.
 */
import type { Place } from './problem.ts';

export type Scalar = string | number | bigint | boolean | null;

/** Offset in the text; -1 where there is none; -2 - i for what the i-th override said. */
type At = number;

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly value: Scalar;
  readonly at: At;
}

export interface ListNode {
  readonly kind: 'list';
  readonly items: readonly SourceNode[];
  readonly at: At;
}

export interface Entry {
  readonly key: string;
  /** The author did not write this key; it stands for the short form of something. */
  readonly isImplied?: true;
  readonly keyAt: At;
  readonly value: SourceNode;
}

export interface MapNode {
  readonly kind: 'map';
  readonly entries: readonly Entry[];
  readonly at: At;
}

export type SourceNode = ScalarNode | ListNode | MapNode;

interface DocumentParts {
  readonly file: string;
  readonly text?: string;
  readonly root: SourceNode;
  /** Paths of the overrides that were applied; never their values, which may be secrets. */
  readonly overrides?: readonly string[];
}

/** A document, secrets and all: so it shows nothing of itself but the name of its file, however it is printed. */
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

  /** Where lines begin. Counted when something is wrong, and once: a text may be wrong in every line. */
  get lines(): readonly number[] {
    return (this.#lines ??= lineStarts(this.#text));
  }

  /** The same document with something in it changed by an override. */
  overridden(root: SourceNode, override: string): SourceDocument {
    return new SourceDocument({ file: this.file, text: this.#text, root, overrides: [...this.overrides, override] });
  }
}

const NOWHERE: At = -1;
export const overrideAt = (index: number): At => -2 - index;
export const isOverride = (at: At): boolean => at <= -2;

export const scalarNode = (value: Scalar, at: At = NOWHERE): ScalarNode => ({ kind: 'scalar', value, at });
export const listNode = (items: readonly SourceNode[], at: At = NOWHERE): ListNode => ({ kind: 'list', items, at });
export const mapNode = (entries: readonly Entry[], at: At = NOWHERE): MapNode => ({ kind: 'map', entries, at });

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let next = text.indexOf('\n'); next !== -1; next = text.indexOf('\n', next + 1)) starts.push(next + 1);
  return starts;
}

export function placeOf(document: SourceDocument, at: At): Place {
  const { file, overrides } = document;
  if (isOverride(at)) return { file, override: overrides[-2 - at] ?? '' };
  if (at < 0) return { file };
  const { lines } = document;
  // The last line that begins at or before it.
  let line = 0;
  for (let end = lines.length; end - line > 1;) {
    const middle = (line + end) >> 1;
    if ((lines[middle] ?? 0) <= at) line = middle;
    else end = middle;
  }
  return { file, line: line + 1, column: at - (lines[line] ?? 0) + 1 };
}

/** Deeper than any manifest, and shallow enough to be walked. */
export const MAX_DEPTH = 64;

type Members = { readonly [key: string]: unknown };

/** A value that was no text: an object of an API server, or one made in a program. What is not JSON becomes null. */
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
