/** A YAML or JSON document as a tree in which every value knows the offset at which it was written. */
import type { Json } from '../json.ts';

export type Scalar = string | number | bigint | boolean | null;

/** Offset in the text; negative where the value was not written in the text. */
export type At = number;

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

export const NOWHERE: At = -1;

export const scalarNode = (value: Scalar, at: At = NOWHERE): ScalarNode => ({ kind: 'scalar', value, at });
export const listNode = (items: readonly SourceNode[], at: At = NOWHERE): ListNode => ({ kind: 'list', items, at });
export const mapNode = (entries: readonly Entry[], at: At = NOWHERE): MapNode => ({ kind: 'map', entries, at });

/** Deeper than any manifest, and shallow enough for recursion. */
export const MAX_DEPTH = 64;

export const entryOf = ({ entries }: MapNode, key: string): Entry | undefined =>
  entries.find((entry) => entry.key === key);

/** The value without offsets; a key such as `__proto__` stays plain data. */
export function plainValue(node: SourceNode): Json {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(plainValue);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainValue(value)]));
}
