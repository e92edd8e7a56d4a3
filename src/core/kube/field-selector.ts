/** Field selectors: `spec.nodeName=n1,status.phase!=Running`. Each kind has its own selectable fields. */
import { compareBytes, goQuote } from './go-text.ts';
import { SelectorError } from './selector.ts';

interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  /** Selects everything. */
  readonly isEmpty: boolean;
  toString(): string;
  /** The one value the field must have, if the selector demands one. */
  requiredValue(field: string): string | undefined;
}

/** Backslash, comma and equals sign are escaped with a backslash in a value. */
export const escapeFieldValue = (value: string): string => value.replace(/[\\,=]/g, (character) => `\\${character}`);

function fieldSelectorOf(requirements: readonly FieldRequirement[]): FieldSelector {
  return {
    requirements,
    isEmpty: requirements.length === 0,
    toString: () =>
      requirements.map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`).join(','),
    requiredValue: (name) => requirements.find(({ field, operator }) => field === name && operator === '=')?.value,
  };
}

/** Reads a field selector. Throws `SelectorError` in upstream's words. */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text).toSorted(compareBytes)) {
    if (term === '') continue;
    const equals = term.indexOf('=');
    if (equals === -1) throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
    const negated = term.charAt(equals - 1) === '!';
    const valueStart = !negated && term.charAt(equals + 1) === '=' ? equals + 2 : equals + 1;
    requirements.push({
      field: term.slice(0, negated ? equals - 1 : equals),
      operator: negated ? '!=' : '=',
      value: unescapeFieldValue(term.slice(valueStart)),
    });
  }
  return fieldSelectorOf(requirements);
}

/** Splits at commas that are not escaped; the terms keep their escapes. */
function splitTerms(text: string): readonly string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (character === '\\') i++;
    else if (character === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

export function unescapeFieldValue(text: string): string {
  if (!/[\\,=]/.test(text)) return text;
  let value = '';
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (character === '\\') {
      const escaped = String.fromCodePoint(text.codePointAt(i + 1) ?? 0);
      if (i + 1 >= text.length) throw new SelectorError('invalid field selector: invalid escape sequence: \\');
      if (!'\\,='.includes(escaped)) {
        throw new SelectorError(`invalid field selector: invalid escape sequence: \\${escaped}`);
      }
      value += escaped;
      i++;
    } else if (character === ',' || character === '=') {
      // Upstream's message has the character's code, not the character.
      throw new SelectorError(`invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`);
    } else {
      value += character;
    }
  }
  return value;
}

/** Reads one field of an object; an absent field is the empty text. */
export type FieldReader<T> = (object: T) => string;
export type FieldReaders<T> = ReadonlyMap<string, FieldReader<T>>;

/** Most kinds' message about a field that cannot be selected by. */
export const unsupportedField = (field: string): string => `field label not supported: ${field}`;
/** The message of kinds without selectable fields of their own. */
export const unknownMetadataField = (field: string): string =>
  `${goQuote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;

/** Compiles a selector over a kind's readers. Throws `SelectorError` for a field the kind does not offer. */
export function compileFieldSelector<T>(
  selector: FieldSelector,
  readers: FieldReaders<T>,
  unsupported: (field: string) => string = unsupportedField,
): (object: T) => boolean {
  /** One rule for each reader, however many requirements name its field. */
  const rules = new Map<FieldReader<T>, { required: string | undefined; readonly denied: Set<string> }>();
  let isContradiction = false;
  for (const { field, operator, value } of selector.requirements) {
    const read = readers.get(field);
    if (read === undefined) throw new SelectorError(unsupported(field));
    let rule = rules.get(read);
    if (rule === undefined) rules.set(read, (rule = { required: undefined, denied: new Set() }));
    if (operator === '!=') rule.denied.add(value);
    else if (rule.required === undefined || rule.required === value) rule.required = value;
    else isContradiction = true;
  }
  if (isContradiction) return () => false;
  const tests = [...rules].map(([read, { required, denied }]) => fieldTest(read, required, denied));
  const [only] = tests;
  if (only === undefined) return () => true;
  if (tests.length === 1) return only;
  return (object) => tests.every((test) => test(object));
}

function fieldTest<T>(
  read: FieldReader<T>,
  required: string | undefined,
  denied: ReadonlySet<string>,
): (object: T) => boolean {
  if (required !== undefined) return denied.has(required) ? () => false : (object) => read(object) === required;
  const [only] = denied;
  if (denied.size === 1) return (object) => read(object) !== only;
  return (object) => !denied.has(read(object));
}
