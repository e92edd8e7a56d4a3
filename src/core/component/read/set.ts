/**
 * Overrides in the manner of Helm: `spec.container.app.image.tag=1.2,spec.tolerations[0].operator=Exists`. A value is a
 * boolean, null (which removes the field), a whole number, a list in braces, or else a text; with `asText` always a text.
 * A backslash takes the next character as it is. Either spelling of a field finds the other, and a part of a thing is found
 * in its short form, too: `image.tag` in `image: repo:tag`.
 */
import { type Schema, snakeCase } from '../../api/component/language.ts';
import { manifest } from '../../api/component/spec.ts';
import { normalForm } from './forms.ts';
import type { Fault } from './scalars.ts';
import { type Entry, listNode, mapNode, scalarNode, type SourceNode } from '../../kube/yaml/source-node.ts';
import { overrideAt, type SourceDocument } from '../source.ts';
import { spellings } from './spellings.ts';
import { pathText, type PathStep } from '../trace.ts';

export interface SetOptions {
  /** As `--set-string`: no value is anything but a text. */
  readonly asText?: boolean;
}

export type SetResult =
  | { readonly document: SourceDocument; readonly fault?: undefined }
  | { readonly document?: undefined; readonly fault: Fault };

const MAX_INDEX = 1000;
const MAX_STEPS = 32;

class Unreadable extends Error {}

/** The document with the override in it. What went wrong never quotes the value: it may be a secret. */
export function applySet(document: SourceDocument, expression: string, options: SetOptions = {}): SetResult {
  try {
    let next = document;
    for (const { path, value } of parseSet(expression, options.asText === true)) {
      const at = overrideAt(next.overrides.length);
      next = next.overridden(put(next.root, path, { value: placed(value, at), at, schema: manifest }), pathText(path));
    }
    return { document: next };
  } catch (error) {
    if (error instanceof Unreadable) return { fault: { code: 'EN_COMPONENT_SET', message: error.message } };
    throw error;
  }
}

interface Assignment {
  readonly path: readonly PathStep[];
  readonly value: SourceNode;
}

function parseSet(expression: string, asText: boolean): readonly Assignment[] {
  const scan = scanner(expression);
  const assignments: Assignment[] = [];
  do {
    const path = scan.path(assignments.length > 0);
    assignments.push({ path, value: scan.value(asText) });
  } while (scan.comma());
  return assignments;
}

/** The part of an unreadable override that may be shown: its path, and nothing that may be a value. */
export function shownPath(expression: string): string {
  const equals = expression.indexOf('=');
  if (equals !== -1) return expression.slice(0, equals);
  return `${expression.slice(0, expression.lastIndexOf('.') + 1)}…`;
}

const TYPED = /^(?:0|-?[1-9][0-9]{0,14})$/;

function typed(text: string, asText: boolean): SourceNode {
  if (!asText) {
    if (text === 'true' || text === 'false') return scalarNode(text === 'true');
    if (text === 'null') return scalarNode(null);
    if (TYPED.test(text)) return scalarNode(Number(text));
  }
  return scalarNode(text);
}

function scanner(text: string) {
  let at = 0;
  /** Up to one of these characters, backslashes taken away. */
  const until = (stops: string): string => {
    let word = '';
    while (at < text.length && !stops.includes(text.charAt(at))) {
      if (text.charAt(at) === '\\') at += 1;
      word += text.charAt(at);
      at += 1;
    }
    return word;
  };
  const index = (): number => {
    const digits = until(']');
    if (text.charAt(at) !== ']' || !/^[0-9]{1,4}$/.test(digits) || Number(digits) > MAX_INDEX) {
      throw new Unreadable('an index must be a number in brackets, such as [0]');
    }
    at += 1;
    return Number(digits);
  };
  const path = (isAfterComma: boolean): readonly PathStep[] => {
    const steps: PathStep[] = [];
    // The text after a comma may be the rest of a value, and the value a secret.
    const expected = isAfterComma
      ? 'expected path=value after the comma; one that belongs to a value is written \\,'
      : 'expected path=value, such as spec.namespace=logging';
    for (;;) {
      const name = until('.[=,');
      if (name !== '') steps.push(name);
      else if (text.charAt(at) !== '[' || steps.length === 0) throw new Unreadable(expected);
      while (text.charAt(at) === '[') {
        at += 1;
        steps.push(index());
      }
      if (steps.length > MAX_STEPS) throw new Unreadable('the path is too long');
      const next = text.charAt(at);
      at += 1;
      if (next === '=') return steps;
      if (next !== '.') throw new Unreadable(expected);
    }
  };
  const value = (asText: boolean): SourceNode => {
    if (text.charAt(at) !== '{') return typed(until(','), asText);
    at += 1;
    const items: SourceNode[] = [];
    while (at < text.length && text.charAt(at) !== '}') {
      items.push(typed(until(',}'), asText));
      if (text.charAt(at) === ',') at += 1;
    }
    if (text.charAt(at) !== '}') throw new Unreadable('a list must end with }');
    at += 1;
    return listNode(items);
  };
  const comma = (): boolean => {
    if (at >= text.length) return false;
    if (text.charAt(at) !== ',') throw new Unreadable('expected a comma or the end after a list');
    at += 1;
    return true;
  };
  return { path, value, comma };
}

function placed(node: SourceNode, at: number): SourceNode {
  if (node.kind === 'list')
    return listNode(
      node.items.map((item) => placed(item, at)),
      at,
    );
  return { ...node, at };
}

/** The node with the value at the path; what is missing on the way is made. */
function put(node: SourceNode | undefined, path: readonly PathStep[], what: Put): SourceNode {
  const [step, ...rest] = path;
  if (step === undefined) return what.value;
  const old = node === undefined || isNull(node) ? undefined : node;
  return typeof step === 'number' ? putItem(old, step, rest, what) : putMember(old, step, rest, what);
}

interface Put {
  readonly value: SourceNode;
  readonly at: number;
  /** Schema of the node, where the specification declares one. */
  readonly schema: Schema | undefined;
}

function putItem(
  node: SourceNode | undefined,
  step: number,
  rest: readonly PathStep[],
  { value, at, schema }: Put,
): SourceNode {
  if (node !== undefined && node.kind !== 'list') throw new Unreadable(`[${step}] asks for a list where there is none`);
  const items = [...(node?.items ?? [])];
  if (step > items.length) throw new Unreadable(`there is no place for [${step}]: the list has ${items.length}`);
  const next = put(items[step], rest, { value, at, schema: schema?.kind === 'list' ? schema.items : undefined });
  if (isNull(next)) items.splice(step, 1);
  else items[step] = next;
  return listNode(items, node?.at ?? at);
}

function putMember(
  written: SourceNode | undefined,
  step: string,
  rest: readonly PathStep[],
  { value, at, schema }: Put,
): SourceNode {
  const node = written === undefined ? undefined : withMember(written, step, rest, schema);
  if (node !== undefined && node.kind !== 'map') throw new Unreadable(`${step} asks for a mapping where there is none`);
  const entries = node?.entries ?? [];
  const isSame = ({ key }: Entry): boolean => snakeCase(key) === snakeCase(step);
  const found = entries.find(({ key }) => key === step) ?? entries.find(isSame);
  const next = put(found?.value, rest, { value, at, schema: memberSchema(schema, step) });
  const entry: Entry = { key: found?.key ?? step, keyAt: found?.keyAt ?? at, value: next };
  const kept = isNull(next) ? [] : [entry];
  const changed =
    found === undefined ? [...entries, ...kept] : entries.flatMap((each) => (each === found ? kept : [each]));
  return mapNode(changed, node?.at ?? at);
}

/** The long form of a node, where it is written in a short one that has no place for the member. */
function withMember(node: SourceNode, step: string, rest: readonly PathStep[], schema: Schema | undefined): SourceNode {
  if (schema?.kind !== 'object' || schema.form === undefined || !spellings(schema).has(step)) return node;
  const present = node.kind === 'map' ? node.entries.find(({ key }) => snakeCase(key) === snakeCase(step)) : undefined;
  const isWhole = present !== undefined && (rest.length === 0 || present.value.kind !== 'scalar');
  return isWhole ? node : normalForm(schema, node);
}

function memberSchema(schema: Schema | undefined, step: string): Schema | undefined {
  if (schema?.kind === 'map') return schema.values;
  if (schema?.kind !== 'object') return undefined;
  return schema.fields[spellings(schema).get(step) ?? '']?.schema;
}

const isNull = (node: SourceNode): boolean => node.kind === 'scalar' && node.value === null;
