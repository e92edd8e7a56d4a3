/** JSON values as Go prints them: messages of Kubernetes quote what they complain about that way. */
import { compareBytes, goQuote } from '../kube/go-text.ts';
import type { Json, JsonObject } from '../kube/json.ts';
import { formatGoFloat } from '../kube/go-float.ts';

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
const isFloat = (value: Json): value is number => typeof value === 'number' && !Number.isSafeInteger(value);

/** The type a decoded value has (`%T`). */
export function goTypeName(value: Json): string {
  if (isList(value)) return '[]interface {}';
  if (value === null) return '<nil>';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'string') return 'string';
  return typeof value === 'boolean' ? 'bool' : isFloat(value) ? 'float64' : 'int64';
}

/** `%v` */
export function goText(value: Json): string {
  if (isList(value)) return `[${value.map(goText).join(' ')}]`;
  if (value === null) return '<nil>';
  if (typeof value === 'object') {
    return `map[${membersOf(value)
      .map(([key, member]) => `${key}:${goText(member)}`)
      .join(' ')}]`;
  }
  return isFloat(value) && Math.abs(value) < 1e-4 ? formatGoFloat(value) : String(value);
}

/** As it would be written in a program (`%#v`). */
export function goSyntax(value: Json): string {
  if (isList(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'object') {
    const members = membersOf(value).map(([key, member]) => `${goQuote(key)}:${goSyntax(member)}`);
    return `map[string]interface {}{${members.join(', ')}}`;
  }
  return typeof value === 'string' ? goQuote(value) : goText(value);
}

const membersOf = (map: JsonObject): readonly (readonly [string, Json])[] =>
  Object.entries(map)
    .filter((entry): entry is [string, Json] => entry[1] !== undefined)
    .sort(([a], [b]) => compareBytes(a, b));
