/**
 * Objects as YAML, bit by bit: the text is made in pieces, so that a list of any length and an object of any size can be
 * written between other work. Sorted, nothing folded, every string quoted that a reader of YAML 1.1 would take for
 * something else: byte for byte what the `yaml` library writes of the whole, which the tests compare it with. The
 * library is asked only about strings that are not plainly plain; it takes fifteen times as long for the rest.
 */
import { Document, Scalar } from 'yaml';
import { stringifyString, type StringifyContext } from 'yaml/util';

/** Options that make the library write like Go. */
export const YAML_FORM = {
  version: '1.1',
  aliasDuplicateObjects: false,
  indentSeq: false,
  lineWidth: 0,
  sortMapEntries: true,
} as const;

/** A list whose items are made when they are written. */
export class LazyItems {
  readonly length: number;
  readonly at: (index: number) => unknown;
  constructor(length: number, at: (index: number) => unknown) {
    this.length = length;
    this.at = at;
  }
}

/** A map or list that is being written. */
interface Open {
  /** Sorted, only those with a value; undefined for a list. */
  readonly keys: readonly string[] | undefined;
  readonly value: { readonly [key: string]: unknown } | LazyItems;
  readonly length: number;
  next: number;
  /** Indentation of the lines; the first stands where its parent has put it. */
  readonly indent: string;
}

/** Returns about that many further characters, and the empty text when all is written. */
export type YamlPieces = (enough: number) => string;

export function yamlPieces(root: object): YamlPieces {
  const open: Open[] = [];
  let text = begin(root, '', open);
  let isDone = false;
  return (enough) => {
    while (text.length < enough) {
      const level = open.at(-1);
      if (level === undefined) {
        if (!isDone) text += '\n';
        isDone = true;
        break;
      }
      if (level.next === level.length) open.pop();
      else text += nextEntry(level, open);
    }
    const piece = text;
    text = '';
    return piece;
  };
}

/** The whole text at once, for objects known to be small. */
export const writeYaml = (root: object): string => yamlPieces(root)(Number.POSITIVE_INFINITY);

function nextEntry(level: Open, open: Open[]): string {
  const index = level.next++;
  const start = index === 0 ? '' : `\n${level.indent}`;
  const { keys, indent, value } = level;
  const inner = `${indent}  `;
  if (keys === undefined) return `${start}- ${begin((value as LazyItems).at(index), inner, open)}`;
  const name = keys[index] as string;
  const member = (value as { readonly [key: string]: unknown })[name];
  const key = keyText(name, inner);
  // A key that is too long for its line has its value behind a colon of its own, as an item has its dash.
  if (key.length > LONGEST_KEY) return `${start}? ${key}\n${indent}: ${begin(member, inner, open)}`;
  if (typeof member !== 'object' || member === null) return `${start}${key}: ${scalarText(member, inner)}`;
  const isList = Array.isArray(member) || member instanceof LazyItems;
  // The dash counts as indentation.
  const valueIndent = isList ? indent : inner;
  const before = open.length;
  const first = begin(member, valueIndent, open);
  return open.length === before ? `${start}${key}: ${first}` : `${start}${key}:\n${valueIndent}${first}`;
}

const LONGEST_KEY = 1024;

/**
 * The text at the beginning of a value: a scalar, an empty collection, or nothing yet of a collection that is now open.
 */
function begin(value: unknown, indent: string, open: Open[]): string {
  if (typeof value !== 'object' || value === null) return scalarText(value, indent);
  if (Array.isArray(value)) return openList(new LazyItems(value.length, (i) => value[i] as unknown), indent, open);
  if (value instanceof LazyItems) return openList(value, indent, open);
  const map = value as { readonly [key: string]: unknown };
  const keys: string[] = [];
  for (const key of Object.keys(map)) if (map[key] !== undefined) keys.push(key);
  if (keys.length === 0) return '{}';
  open.push({ keys: keys.sort(byCodeUnits), value: map, length: keys.length, next: 0, indent });
  return '';
}

function openList(items: LazyItems, indent: string, open: Open[]): string {
  if (items.length === 0) return '[]';
  open.push({ keys: undefined, value: items, length: items.length, next: 0, indent });
  return '';
}

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function scalarText(value: unknown, indent: string): string {
  if (typeof value === 'string') return stringText(value, indent);
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : JSON.stringify(value);
  if (typeof value === 'boolean' || typeof value === 'bigint') return value.toString();
  return 'null';
}

/**
 * Plain in every place and for every reader, unless it is one of the words below: a colon or a space stands only between
 * two other characters. Not all that is plain, but most.
 */
const PLAIN = /^[\w/.+$(-][\w./@%=+,;()$*!?&'"<>|~^{}[\]\\-]*(?:[: ][\w./@%=+,;()$*!?&'"<>|~^{}[\]\\-]+)*$/;
/** Words of YAML 1.1 that are no strings, and an `e` with digits, which is a number to some. */
const WORD = /^(?:y|n|yes|no|true|false|on|off|null|e[-+]?\d+)$/i;
const LONGEST_WORD = 5;
const LETTER_E = 0x65;
/** No number, date or time has such a letter; infinity is spelt with some. */
const LETTER_OF_WORDS = /[g-su-wyzG-SU-Y]/;
const INFINITE = /^[-+]?\.(?:inf|nan)$/i;
const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-/;
/** Ends a document where it begins a line. */
const MARKER = /^(?:---|\.\.\.)/;
const DIGITS = /^\d+$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

function isPlain(text: string): boolean {
  if (!PLAIN.test(text)) return false;
  const first = text.charCodeAt(0) | 0x20;
  const isLetter = (first >= 0x61 && first <= 0x7a) || first === 0x5f;
  if (isLetter) return (text.length > LONGEST_WORD && first !== LETTER_E) || !WORD.test(text);
  if (text.length === 1) return false;
  if (UID.test(text)) return true;
  return LETTER_OF_WORDS.test(text) && !INFINITE.test(text) && !MARKER.test(text) && !text.startsWith('- ');
}

/** The library's form of texts, where it is the same at every depth. */
type Answers = Map<string, string>;
const valueTexts: Answers = new Map();
const keyTexts: Answers = new Map();
const MOST_KEPT = 4096;
const LONGEST_KEPT = 128;

function keep(answers: Answers, text: string, answer: string): string {
  if (answers.size >= MOST_KEPT) answers.clear();
  answers.set(text, answer);
  return answer;
}

function stringText(text: string, indent: string): string {
  if (isPlain(text)) return text;
  if (text === '') return '""';
  if (DIGITS.test(text) || TIME.test(text)) return `"${text}"`;
  // Text of several lines is indented.
  if (text.length > LONGEST_KEPT || text.includes('\n')) return oddText(text, indent, false);
  return valueTexts.get(text) ?? keep(valueTexts, text, oddText(text, indent, false));
}

function keyText(key: string, indent: string): string {
  if (isPlain(key)) return key;
  // At the top of a document some keys are written otherwise.
  if (key.length > LONGEST_KEPT || indent.length === 2) return oddText(key, indent, true);
  return keyTexts.get(key) ?? keep(keyTexts, key, oddText(key, indent, true));
}

const schema = new Document(null, YAML_FORM).schema;
const OPTIONS = {
  blockQuote: true,
  defaultKeyType: null,
  defaultStringType: Scalar.PLAIN,
  doubleQuotedAsJSON: false,
  doubleQuotedMinMultiLineLength: 40,
  lineWidth: 0,
  minContentWidth: 20,
  singleQuote: null,
};

/** The text as the library writes it in that place. */
function oddText(text: string, indent: string, implicitKey: boolean): string {
  // The library always takes this for the key that merges maps, also where it is none.
  if (text === '<<') return text;
  const place = {
    actualString: true,
    doc: { schema },
    implicitKey,
    indent,
    indentStep: '  ',
    inFlow: null,
    options: OPTIONS,
  };
  return stringifyString(new Scalar(text), place as unknown as StringifyContext);
}
