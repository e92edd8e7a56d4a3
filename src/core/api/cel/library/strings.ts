/** Functions on texts. Positions count code points. */
import type { FunctionTable } from '../values/function-table.ts';
import { codePointLength } from '../values/source.ts';
import { ArrayList, CelError, CelList, isError, NO_OVERLOAD, type CelValue, type Val } from '../values/values.ts';
import { printGo } from '../values/print-go.ts';
import { OutOfBudget, work, workText } from '../values/work.ts';
import { formatText } from './format-text.ts';

const SURROGATES = /[\ud800-\udfff]/;
/** Texts of the basic plane need no splitting: their units are their code points. */
const isPlain = (text: string): boolean => !SURROGATES.test(text);

const outOfRange = (index: bigint): CelError => new CelError(`index out of range: ${index}`);

/** The offset in UTF-16 units of a code point. */
function unitOffset(text: string, index: number): number {
  if (isPlain(text)) return index;
  let unit = 0;
  for (let i = 0; i < index; i++) unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
  return unit;
}

function charAt(text: string, index: bigint): Val {
  const length = codePointLength(text);
  if (index < 0n || index > BigInt(length)) return outOfRange(index);
  if (index === BigInt(length)) return '';
  return String.fromCodePoint(text.codePointAt(unitOffset(text, Number(index))) ?? 0);
}

function substring(text: string, start: bigint, end: bigint | undefined): Val {
  const length = BigInt(codePointLength(text));
  const stop = end ?? length;
  if (end !== undefined && start > end) {
    return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  }
  if (start < 0n || start > length) return outOfRange(start);
  if (stop < 0n || stop > length) return outOfRange(stop);
  return text.slice(unitOffset(text, Number(start)), unitOffset(text, Number(stop)));
}

const codePointIndex = (text: string, unit: number): bigint =>
  BigInt(unit < 0 ? -1 : isPlain(text) ? unit : codePointLength(text.slice(0, unit)));

function indexOf(text: string, part: string, offset: bigint): Val {
  if (part === '') return offset;
  if (offset < 0n) return outOfRange(offset);
  if (offset >= BigInt(codePointLength(text))) return -1n;
  work(text.length >> 4);
  return codePointIndex(text, text.indexOf(part, unitOffset(text, Number(offset))));
}

function lastIndexOf(text: string, part: string, offset: bigint | undefined): Val {
  const length = BigInt(codePointLength(text));
  if (part === '') return offset ?? length;
  const from = offset ?? length - 1n;
  if (offset === undefined && text.length < part.length) return -1n;
  if (from < 0n) return outOfRange(from);
  if (from >= length) return -1n;
  work(text.length >> 4);
  return codePointIndex(text, text.lastIndexOf(part, unitOffset(text, Number(from))));
}

const countOf = (text: string, part: string): number => {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++;
  return count;
};

/** As strings.Replace: an empty text is found before and after every character. */
function replace(text: string, old: string, replacement: string, limit: bigint): Val {
  if (limit === 0n || old === replacement) return text;
  const found = old === '' ? codePointLength(text) + 1 : countOf(text, old);
  const count = limit < 0n || BigInt(found) < limit ? found : Number(limit);
  workText(text.length + count * replacement.length);
  if (old === '') return interleave(text, replacement, count);
  if (count === found) return text.replaceAll(old, () => replacement);
  const parts = text.split(old);
  return (
    parts
      .slice(0, count)
      .map((part) => part + replacement)
      .join('') + parts.slice(count).join(old)
  );
}

function interleave(text: string, inserted: string, count: number): string {
  let result = '';
  let left = count;
  for (const character of text) {
    if (left-- > 0) result += inserted;
    result += character;
  }
  return left > 0 ? result + inserted : result;
}

/** As strings.SplitN: the last piece holds the rest of the text. */
function split(text: string, separator: string, limit: bigint): Val {
  if (limit === 0n) return new ArrayList([]);
  const pieces = separator === '' ? Array.from(text) : text.split(separator);
  work(pieces.length);
  if (limit < 0n || BigInt(pieces.length) <= limit) return new ArrayList(pieces);
  const kept = Number(limit) - 1;
  return new ArrayList([...pieces.slice(0, kept), pieces.slice(kept).join(separator)]);
}

function join(list: CelList, separator: string): Val {
  const parts: string[] = [];
  let length = 0;
  work(list.size);
  for (let i = 0; i < list.size; i++) {
    const item = list.at(i);
    if (typeof item !== 'string') return isError(item) ? item : new CelError(`join: invalid input: ${printGo(item)}`);
    parts.push(item);
    length += item.length + separator.length;
    if (length > 1 << 26) throw new OutOfBudget();
  }
  return parts.join(separator);
}

const QUOTED: ReadonlyMap<string, string> = new Map([
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);

// eslint-disable-next-line no-control-regex
const QUOTABLE = /[\u0007\b\f\n\r\t\v\\"]/g;

const quote = (text: string): string =>
  `"${text.toWellFormed().replace(QUOTABLE, (character) => QUOTED.get(character) ?? character)}"`;

/** Go's white space; JavaScript trims a little more and a little less. */
const SPACES = '[\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const LEADING = new RegExp(`^${SPACES}+`);

function trim(text: string): string {
  const start = LEADING.exec(text)?.[0].length ?? 0;
  let end = text.length;
  const space = new RegExp(SPACES);
  while (end > start && space.test(text[end - 1] ?? '')) end--;
  return text.slice(start, end);
}

const pair =
  (test: (text: string, part: string) => boolean) =>
  (text: CelValue, part: CelValue): Val =>
    typeof text === 'string' && typeof part === 'string' ? test(text, part) : NO_OVERLOAD;

const ESCAPED_KEY: ReadonlyMap<string, string> = new Map([
  ['/', '~1'],
  ['~', '~0'],
]);

export const STRING_FUNCTIONS: FunctionTable = [
  ['contains_string', pair((text, part) => text.includes(part))],
  ['starts_with_string', pair((text, part) => text.startsWith(part))],
  ['ends_with_string', pair((text, part) => text.endsWith(part))],
  ['string_char_at_int', (text, index) => charAt(text as string, index as bigint)],
  ['string_index_of_string', (text, part) => indexOf(text as string, part as string, 0n)],
  ['string_index_of_string_int', (text, part, from) => indexOf(text as string, part as string, from as bigint)],
  ['string_last_index_of_string', (text, part) => lastIndexOf(text as string, part as string, undefined)],
  [
    'string_last_index_of_string_int',
    (text, part, from) => lastIndexOf(text as string, part as string, from as bigint),
  ],
  ['string_lower_ascii', (text) => (text as string).replace(/[A-Z]+/g, (found) => found.toLowerCase())],
  ['string_upper_ascii', (text) => (text as string).replace(/[a-z]+/g, (found) => found.toUpperCase())],
  ['string_replace_string_string', (text, old, by) => replace(text as string, old as string, by as string, -1n)],
  [
    'string_replace_string_string_int',
    (text, old, by, limit) => replace(text as string, old as string, by as string, limit as bigint),
  ],
  ['string_split_string', (text, separator) => split(text as string, separator as string, -1n)],
  ['string_split_string_int', (text, separator, limit) => split(text as string, separator as string, limit as bigint)],
  ['string_substring_int', (text, start) => substring(text as string, start as bigint, undefined)],
  ['string_substring_int_int', (text, start, end) => substring(text as string, start as bigint, end as bigint)],
  ['string_trim', (text) => trim(text as string)],
  ['list_join', (list) => join(list as CelList, '')],
  ['list_join_string', (list, separator) => join(list as CelList, separator as string)],
  ['strings_quote', (text) => quote(text as string)],
  ['string_format', (format, args) => formatText(format as string, args as CelList)],
  [
    'string_jsonpatch_escapeKey_string',
    (key) => (key as string).replace(/[/~]/g, (found) => ESCAPED_KEY.get(found) ?? found),
  ],
];
