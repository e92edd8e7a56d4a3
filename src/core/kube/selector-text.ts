/** The text form of label selectors: `app=web,tier in (front,back),!canary,cores>4`. */
import { compareBytes } from './go-text.ts';
import { aggregateMessage, invalid, type FieldError } from './field-errors.ts';
import { qualifiedNameProblems } from './names.ts';
import { EVERYTHING, requirementErrors, selectorOf, SelectorError } from './selector.ts';
import type { Requirement, Selector, SelectorOperator } from './selector.ts';

/** `word` is an identifier; the others are the literal they stand for, `end` the end of the text. */
interface Token {
  readonly kind: 'word' | 'end' | ')' | ',' | '!' | '==' | '=' | '>' | '<' | '!=' | '(' | 'in' | 'notin';
  readonly text: string;
}

const SYMBOLS = new Set(['=', '!', '(', ')', ',', '>', '<']);
const SPACES = new Set([' ', '\t', '\r', '\n']);
const END: Token = { kind: 'end', text: '' };

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    if (SPACES.has(character)) {
      at++;
    } else if (character === '\0') {
      // Upstream takes a zero byte for the end.
      break;
    } else if (SYMBOLS.has(character)) {
      const two = text.slice(at, at + 2);
      const symbol = two === '==' || two === '!=' ? two : character;
      tokens.push({ kind: symbol as Token['kind'], text: symbol });
      at += symbol.length;
    } else {
      let end = at;
      while (end < text.length && !SYMBOLS.has(text.charAt(end)) && !SPACES.has(text.charAt(end))) {
        if (text.charAt(end) === '\0') break;
        end++;
      }
      const word = text.slice(at, end);
      tokens.push({ kind: word === 'in' || word === 'notin' ? word : 'word', text: word });
      at = text.charAt(end) === '\0' ? end + 1 : end;
    }
  }
  tokens.push(END);
  return tokens;
}

class Reader {
  readonly #tokens: readonly Token[];
  #at = 0;
  constructor(text: string) {
    this.#tokens = tokenize(text);
  }
  peek(): Token {
    return this.#tokens[this.#at] ?? END;
  }
  take(): Token {
    const token = this.peek();
    this.#at++;
    return token;
  }
}

/** `in` and `notin` are ordinary words where a key or a value is expected. */
const isWord = ({ kind }: Token): boolean => kind === 'word' || kind === 'in' || kind === 'notin';

const found = ({ text }: Token, expected: string): SelectorError => new SelectorError(`found '${text}', ${expected}`);

const OPERATORS = new Map<Token['kind'], SelectorOperator>([
  ['in', 'in'],
  ['notin', 'notin'],
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['>', 'gt'],
  ['<', 'lt'],
]);

/** Reads a selector. Throws `SelectorError` in upstream's words. The empty text selects everything. */
export function parseSelector(text: string): Selector {
  const reader = new Reader(text);
  const requirements: Requirement[] = [];
  for (;;) {
    const token = reader.peek();
    if (token.kind === 'end') break;
    if (!isWord(token) && token.kind !== '!') throw found(token, "expected: !, identifier, or 'end of string'");
    requirements.push(readRequirement(reader));
    const after = reader.take();
    if (after.kind === 'end') break;
    if (after.kind !== ',') throw found(after, "expected: ',' or 'end of string'");
    const next = reader.peek();
    if (!isWord(next) && next.kind !== '!') throw found(next, "expected: identifier after ','");
  }
  return requirements.length === 0 ? EVERYTHING : selectorOf(requirements);
}

function readRequirement(reader: Reader): Requirement {
  try {
    const requirement = readParts(reader);
    const errors: readonly FieldError[] = requirementErrors(requirement);
    if (errors.length > 0) throw new SelectorError(aggregateMessage(errors));
    return requirement;
  } catch (error) {
    if (error instanceof SelectorError) throw new SelectorError(`unable to parse requirement: ${error.message}`);
    throw error;
  }
}

function readParts(reader: Reader): Requirement {
  let token = reader.take();
  const negated = token.kind === '!';
  if (negated) token = reader.take();
  if (!isWord(token)) throw found(token, 'expected: identifier');
  const key = token.text;
  const problems = qualifiedNameProblems(key);
  if (problems.length > 0) throw new SelectorError(aggregateMessage([invalid('', key, problems.join('; '))]));

  const next = reader.peek();
  if (negated) return { key, operator: '!', values: [] };
  if (next.kind === 'end' || next.kind === ',') return { key, operator: 'exists', values: [] };

  const operator = OPERATORS.get(reader.take().kind);
  if (operator === undefined) throw found(next, 'expected: in, notin, =, ==, !=, gt, lt');
  const values = operator === 'in' || operator === 'notin' ? readSet(reader) : [readValue(reader)];
  return { key, operator, values };
}

function readValue(reader: Reader): string {
  const next = reader.peek();
  if (next.kind === 'end' || next.kind === ',') return '';
  const token = reader.take();
  if (!isWord(token)) throw found(token, 'expected: identifier');
  return token.text;
}

/** `(a,b)`: sorted, each value once; nothing between commas is the empty value. */
function readSet(reader: Reader): readonly string[] {
  const open = reader.take();
  if (open.kind !== '(') throw new SelectorError(`found '${open.text}' expected: '('`);
  const first = reader.peek();
  if (first.kind === ')') {
    reader.take();
    return [''];
  }
  if (!isWord(first) && first.kind !== ',') throw found(first, "expected: ',', ')' or identifier");
  const values = new Set<string>();
  for (;;) {
    const token = reader.take();
    const next = reader.peek();
    if (isWord(token)) {
      values.add(token.text);
      if (next.kind === ')') break;
      if (next.kind !== ',') throw found(next, "expected: ',' or ')'");
    } else if (token.kind === ',') {
      if (values.size === 0 || next.kind === ',' || next.kind === ')') values.add('');
      if (next.kind === ')') break;
    } else {
      throw found(token, "expected: ',', or identifier");
    }
  }
  reader.take();
  return [...values].toSorted(compareBytes);
}
