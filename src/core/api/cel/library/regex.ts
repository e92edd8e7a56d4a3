/** Patterns, matched in time linear in the text. */
import { RE2JS, RE2JSSyntaxException } from 're2js';
import type { Fn, FunctionTable } from '../values/function-table.ts';
import { ArrayList, CelError, NO_OVERLOAD, type CelValue, type Val } from '../values/values.ts';
import { work } from '../values/work.ts';

export type Compiled = { readonly pattern: RE2JS } | { readonly problem: string };

/** Cached patterns that are made while expressions run; literal patterns are kept by their programs. */
const MAX_CACHED = 256;
const cache = new Map<string, Compiled>();

export function compiledPattern(text: string): Compiled {
  const known = cache.get(text);
  if (known) return known;
  const compiled = compile(text);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(text, compiled);
  return compiled;
}

function compile(text: string): Compiled {
  try {
    return { pattern: RE2JS.compile(text) };
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return { problem: error.message };
    throw error;
  }
}

const found = (pattern: RE2JS, text: string): boolean => {
  work(text.length >> 2);
  return pattern.matcher(text).find();
};

export const matches: Fn = (text, pattern) => {
  if (typeof text !== 'string') return new CelError('no such overload: matches');
  if (typeof pattern !== 'string') return NO_OVERLOAD;
  const compiled = compiledPattern(pattern);
  return 'problem' in compiled ? new CelError(compiled.problem) : found(compiled.pattern, text);
};

function findFirst(pattern: RE2JS, text: string): Val {
  work(text.length >> 2);
  const matcher = pattern.matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

/** All matches, none overlapping; an empty match does not directly follow another match, as in Go. */
function findEach(pattern: RE2JS, text: string, limit: bigint): Val {
  const items: string[] = [];
  const matcher = pattern.matcher(text);
  let lastEnd = -1;
  work(text.length >> 2);
  while ((limit < 0n || items.length < Number(limit)) && matcher.find()) {
    work(1);
    const [start, end] = [matcher.start(), matcher.end()];
    if (start === end && start === lastEnd) continue;
    items.push(text.slice(start, end));
    lastEnd = end;
  }
  return new ArrayList(items);
}

const withCompiled = (pattern: CelValue, use: (compiled: RE2JS) => Val): Val => {
  const compiled = compiledPattern(pattern as string);
  return 'problem' in compiled ? new CelError(`Illegal regex: ${compiled.problem}`) : use(compiled.pattern);
};

export const REGEX_FUNCTIONS: FunctionTable = [
  ['string_find_string', (text, pattern) => withCompiled(pattern, (compiled) => findFirst(compiled, text as string))],
  [
    'string_find_all_string',
    (text, pattern) => withCompiled(pattern, (compiled) => findEach(compiled, text as string, -1n)),
  ],
  [
    'string_find_all_string_int',
    (text, pattern, limit) => withCompiled(pattern, (compiled) => findEach(compiled, text as string, limit as bigint)),
  ],
];

/** A function whose pattern is written in the expression. */
export function withPattern(name: 'matches' | 'find' | 'findAll', pattern: RE2JS): Fn {
  return (text, _pattern, limit) => {
    if (typeof text !== 'string') return NO_OVERLOAD;
    if (name === 'matches') return found(pattern, text);
    if (name === 'find') return findFirst(pattern, text);
    return findEach(pattern, text, typeof limit === 'bigint' ? limit : -1n);
  };
}
