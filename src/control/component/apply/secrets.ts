/**
 * Keeping secrets. Two means: data of Secrets is replaced by masks before anything is shown of an object, and every text
 * that comes back from a server passes a scrubber which knows the values that were sent or read, in all the forms in
 * which a message might carry them.
 */
import { goQuote } from '../../../core/kube/go-text.ts';
import { setOwn } from '../../../core/kube/immutable.ts';
import type { Json, JsonObject } from '../../../core/kube/json.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';
import type { SecretPath } from './rendered.ts';

const MASK = '***';

interface SecretLike extends KubeObject {
  readonly data?: { readonly [key: string]: string };
  readonly stringData?: { readonly [key: string]: string };
}

export const isSecret = ({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): boolean =>
  kind === 'Secret' && apiVersion === 'v1';

export interface Scrubber {
  /** Learns the values of an object, if it has any. */
  learn(object: KubeObject): void;
  /** The text without any value it has learned. */
  scrub(text: string): string;
}

/**
 * Shorter values are words of every message: no reader would recognise them as secrets, nor understand the message
 * without them.
 */
const SHORTEST = 4;
const MOST_LEAVES = 1000;

export function createScrubber(paths: readonly SecretPath[] = []): Scrubber {
  const values = new Set<string>();
  let ordered: readonly string[] | undefined;

  const add = (value: string): void => {
    if (value.length < SHORTEST) return;
    for (const form of formsOf(value)) values.add(form);
    ordered = undefined;
  };

  return {
    learn(object) {
      if (isSecret(object)) {
        const { data, stringData } = object as SecretLike;
        for (const encoded of Object.values(data ?? {})) {
          if (typeof encoded !== 'string') continue;
          const text = Buffer.from(encoded, 'base64').toString('utf8');
          add(encoded);
          add(text);
          for (const leaf of leavesOf(text)) add(leaf);
        }
        for (const text of Object.values(stringData ?? {})) {
          if (typeof text !== 'string') continue;
          add(text);
          for (const leaf of leavesOf(text)) add(leaf);
        }
      }
      for (const { path, kind, name } of paths) {
        if (kind !== object.kind || name !== object.metadata.name) continue;
        const value = valueAt(object as unknown as Json, path);
        if (typeof value === 'string') add(value);
      }
    },
    scrub(text) {
      // The longest first: one value may be part of another.
      ordered ??= [...values].sort((a, b) => b.length - a.length);
      let scrubbed = text;
      for (const value of ordered) if (scrubbed.includes(value)) scrubbed = scrubbed.replaceAll(value, MASK);
      return scrubbed;
    },
  };
}

/** As the value stands in plain text, in JSON, in Go's quotes, in base64; and line by line, where a message breaks it. */
function formsOf(value: string): readonly string[] {
  const forms = new Set([value, value.trim(), inner(JSON.stringify(value)), inner(goQuote(value)), base64(value)]);
  const lines = value.split('\n');
  if (lines.length > 1) for (const line of lines) forms.add(line.trim());
  return [...forms].filter((form) => form.length >= SHORTEST);
}

const inner = (quoted: string): string => quoted.slice(1, -1);
const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/** Passwords inside registry logins and the like: the texts of a JSON document. */
function leavesOf(text: string): readonly string[] {
  if (!/^\s*[[{]/.test(text)) return [];
  const leaves: string[] = [];
  const walk = (value: unknown, depth: number): void => {
    if (leaves.length >= MOST_LEAVES || depth > 20) return;
    if (typeof value === 'string') leaves.push(value, Buffer.from(value, 'base64').toString('utf8'));
    else if (typeof value === 'object' && value !== null)
      for (const member of Object.values(value)) walk(member, depth + 1);
  };
  try {
    walk(JSON.parse(text), 0);
  } catch {
    // Not JSON after all: the whole text is known anyway.
  }
  return leaves;
}

export function valueAt(value: Json | undefined, path: readonly (string | number)[]): Json | undefined {
  let at: Json | undefined = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as { readonly [key: string]: Json })[step];
  }
  return at;
}

/** Both states with masks in place of values: a value that changes shows that it does, never what it is. */
export function maskPair(
  before: KubeObject | undefined,
  after: KubeObject | undefined,
  paths: readonly SecretPath[] = [],
): readonly [KubeObject | undefined, KubeObject | undefined] {
  let a = before as unknown as Json | undefined;
  let b = after as unknown as Json | undefined;
  const known = before ?? after;
  if (known === undefined) return [before, after];
  if (isSecret(known)) {
    for (const member of ['data', 'stringData']) {
      const keys = new Set([...keysAt(a, member), ...keysAt(b, member)]);
      for (const key of keys) [a, b] = maskAt(a, b, [member, key]);
    }
  }
  for (const { kind, name, path } of paths)
    if (kind === known.kind && name === known.metadata.name) [a, b] = maskAt(a, b, path);
  return [a as unknown as KubeObject | undefined, b as unknown as KubeObject | undefined];
}

const keysAt = (value: Json | undefined, member: string): readonly string[] => {
  const inside = valueAt(value, [member]);
  return typeof inside === 'object' && inside !== null ? Object.keys(inside) : [];
};

/** kubectl's own way: the same on both sides where nothing changed. */
function maskAt(
  a: Json | undefined,
  b: Json | undefined,
  path: readonly (string | number)[],
): readonly [Json | undefined, Json | undefined] {
  const old = valueAt(a, path);
  const next = valueAt(b, path);
  const isChange = old !== undefined && next !== undefined && JSON.stringify(old) !== JSON.stringify(next);
  return [
    old === undefined ? a : withValueAt(a as Json, path, isChange ? `${MASK} (before)` : MASK),
    next === undefined ? b : withValueAt(b as Json, path, isChange ? `${MASK} (after)` : MASK),
  ];
}

function withValueAt(value: Json, path: readonly (string | number)[], put: string): Json {
  const [step, ...rest] = path;
  if (step === undefined) return put;
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    return items.with(Number(step), withValueAt(items[Number(step)] as Json, rest, put));
  }
  const copy: { [key: string]: Json | undefined } = {};
  for (const [key, member] of Object.entries(value as JsonObject))
    setOwn(copy, key, key === String(step) ? withValueAt(member as Json, rest, put) : member);
  return copy;
}
