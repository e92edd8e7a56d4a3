/**
 * Paths into objects, as printer columns and selectable fields write them: `.spec.host`, `.status.conditions[0].type`,
 * `.status.conditions[?(@.type=="Ready")].status`, `.metadata.annotations.example\.com/owner`, `['a b']`, `..name`.
 * A path is compiled once; evaluation is bounded by the size of the object.
 */
export type JsonPath = (object: unknown) => readonly unknown[];

export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
  readonly code = 'EN_API_JSON_PATH';
}

type Step = (values: readonly unknown[]) => readonly unknown[];
type Bag = { readonly [key: string]: unknown };

const isBag = (value: unknown): value is Bag => typeof value === 'object' && value !== null && !Array.isArray(value);
const own = (value: unknown, name: string): readonly unknown[] =>
  isBag(value) && Object.hasOwn(value, name) ? [value[name]] : [];

/** Limits: longer paths are refused, and so are results beyond any use. */
const LONGEST = 4_096;
const MOST_RESULTS = 10_000;

/** Compiles the text of a path, with or without braces around it. Throws `JsonPathError`. */
export function compileJsonPath(text: string): JsonPath {
  const trimmed = text.trim();
  const inner = trimmed.startsWith('{') && trimmed.endsWith('}') ? trimmed.slice(1, -1) : trimmed;
  if (inner.length > LONGEST) throw new JsonPathError('the path is too long');
  const steps = parse(inner);
  return (object) => {
    let values: readonly unknown[] = [object];
    for (const step of steps) {
      values = step(values);
      if (values.length > MOST_RESULTS) values = values.slice(0, MOST_RESULTS);
    }
    return values;
  };
}

function parse(text: string): readonly Step[] {
  const steps: Step[] = [];
  let at = 0;
  if (text[at] === '$' || text[at] === '@') at++;
  while (at < text.length) {
    if (text.startsWith('..', at)) {
      at += 2;
      steps.push(recursively);
      if (text[at] !== '[') at = readName(text, at, steps);
    } else if (text[at] === '.') {
      at++;
      if (text[at] !== '[') at = readName(text, at, steps);
    } else if (text[at] === '[') at = readBracket(text, at + 1, steps);
    else if (/\s/.test(text[at] ?? '')) at++;
    else if (steps.length === 0) at = readName(text, at, steps);
    else throw new JsonPathError(`unrecognized character in action: ${JSON.stringify(text[at])}`);
  }
  return steps;
}

function readName(text: string, from: number, steps: Step[]): number {
  let name = '';
  let at = from;
  while (at < text.length && !/[.[\]\s]/.test(text[at] ?? '')) {
    if (text[at] === '\\') at++;
    name += text[at] ?? '';
    at++;
  }
  if (name === '') return at;
  steps.push(name === '*' ? everyMember : (values) => values.flatMap((value) => own(value, name)));
  return at;
}

const everyMember: Step = (values) =>
  values.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : isBag(value) ? Object.values(value) : []));

/** Every value below the given ones, the nearest first. */
const recursively: Step = (values) => {
  const found: unknown[] = [];
  const visit = (value: unknown): void => {
    if (found.length > MOST_RESULTS || typeof value !== 'object' || value === null) return;
    found.push(value);
    for (const member of Object.values(value)) visit(member);
  };
  for (const value of values) visit(value);
  return found;
};

function readBracket(text: string, from: number, steps: Step[]): number {
  const end = closing(text, from);
  const content = text.slice(from, end).trim();
  if (content.startsWith('?(') && content.endsWith(')')) steps.push(filter(content.slice(2, -1)));
  else if (content === '*') steps.push(everyMember);
  else {
    const choices = splitOutsideQuotes(content, ',').map(choice);
    steps.push((values) => values.flatMap((value) => choices.flatMap((choose) => choose(value))));
  }
  return end + 1;
}

function closing(text: string, from: number): number {
  let quote = '';
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? '';
    if (quote !== '') {
      if (character === '\\') at++;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '[') depth++;
    else if (character === ']' && depth-- === 0) return at;
  }
  throw new JsonPathError('unterminated array');
}

const INDEX = /^-?\d+$/;
const SLICE = /^(-?\d*):(-?\d*)(?::(\d*))?$/;

/** One of the alternatives between brackets: a name in quotes, an index, a slice. */
function choice(text: string): (value: unknown) => readonly unknown[] {
  const trimmed = text.trim();
  if (/^'.*'$|^".*"$/s.test(trimmed)) {
    const name = unquote(trimmed);
    return (value) => own(value, name);
  }
  if (INDEX.test(trimmed)) {
    const index = Number(trimmed);
    return (value) => {
      if (!Array.isArray(value)) return [];
      const item = value.at(index) as unknown;
      return index < value.length && index >= -value.length ? [item] : [];
    };
  }
  const [, start = '', end = '', step = ''] = SLICE.exec(trimmed) ?? [];
  if (!SLICE.test(trimmed)) throw new JsonPathError(`invalid array index ${trimmed}`);
  return (value) => {
    if (!Array.isArray(value)) return [];
    const part: unknown[] = value.slice(start === '' ? 0 : Number(start), end === '' ? undefined : Number(end));
    const stride = step === '' ? 1 : Number(step);
    return stride <= 1 ? part : part.filter((_, i) => i % stride === 0);
  };
}

const unquote = (text: string): string => text.slice(1, -1).replace(/\\(.)/g, '$1');

function splitOutsideQuotes(text: string, separator: string): readonly string[] {
  const parts: string[] = [];
  let quote = '';
  let part = '';
  for (const character of text) {
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    if (character === separator && quote === '') {
      parts.push(part);
      part = '';
    } else part += character;
  }
  return [...parts, part];
}

const OPERATOR = /^(.*?)\s*(==|!=|<=|>=|<|>)\s*(.*)$/s;

/** `@.type=="Ready"`: the items that satisfy the condition. */
function filter(text: string): Step {
  const [, left = text, operator = 'exists', right = ''] = OPERATOR.exec(text.trim()) ?? [];
  const readLeft = operand(left.trim());
  const readRight = operator === 'exists' ? undefined : operand(right.trim());
  return (values) =>
    values.flatMap((value) => {
      const items: readonly unknown[] = Array.isArray(value) ? value : [value];
      return items.filter((item) => {
        const [a] = readLeft(item);
        if (readRight === undefined) return readLeft(item).length > 0;
        const [b] = readRight(item);
        return compare(a, b, operator);
      });
    });
}

function operand(text: string): JsonPath {
  if (/^'.*'$|^".*"$/s.test(text)) {
    const literal = [unquote(text)];
    return () => literal;
  }
  if (/^-?\d+(?:\.\d+)?$/.test(text)) {
    const literal = [Number(text)];
    return () => literal;
  }
  if (text === 'true' || text === 'false') {
    const literal = [text === 'true'];
    return () => literal;
  }
  return compileJsonPath(text);
}

function compare(a: unknown, b: unknown, operator: string): boolean {
  if (operator === '==') return a === b;
  if (operator === '!=') return a !== b;
  const comparable =
    (typeof a === 'number' && typeof b === 'number') || (typeof a === 'string' && typeof b === 'string');
  if (!comparable) return false;
  const [x, y] = [a as number, b as number];
  return operator === '<' ? x < y : operator === '>' ? x > y : operator === '<=' ? x <= y : x >= y;
}
