/**
 * Prints API values the way Kubernetes' messages do when they quote a whole structure. It quotes its in-memory types,
 * which have names of their own and print every field, set or not; users know these texts from `field is immutable` and
 * `pod updates may not change fields other than …`.
 */
import { encodeJson, encodePrettyJson, type Json } from '../../../kube/json.ts';
import { INTERNAL_SHAPES } from './internal-shapes.ts';

interface FieldShape {
  readonly printed: string;
  readonly key: string;
  readonly omitEmpty: boolean;
  readonly inline: boolean;
  readonly type: string;
}

type Dictionary = { readonly [key: string]: unknown };

let parsed: ReadonlyMap<string, readonly FieldShape[]> | undefined;

/** Parsed on first use: most processes never print an internal form. */
function shapes(): ReadonlyMap<string, readonly FieldShape[]> {
  parsed ??= new Map(
    INTERNAL_SHAPES.trim()
      .split('\n')
      .map((line) => {
        const [name = '', ...fields] = line.split(' ');
        return [name, fields.map(parseField)];
      }),
  );
  return parsed;
}

function parseField(text: string): FieldShape {
  const colon = text.indexOf(':');
  const name = text.slice(0, colon);
  const type = text.slice(colon + 1);
  const plain = { omitEmpty: false, inline: false, type };
  if (name.startsWith('@')) return { ...plain, printed: '', key: name.slice(1), inline: true };
  if (name.endsWith('~')) return { ...plain, printed: name.slice(0, -1), key: name.slice(0, -1), omitEmpty: true };
  if (name.endsWith('!')) return { ...plain, printed: name.slice(0, -1), key: name.slice(0, -1) };
  const equals = name.indexOf('=');
  if (equals >= 0) return { ...plain, printed: name.slice(0, equals), key: name.slice(equals + 1) };
  return { ...plain, printed: name, key: name.slice(0, 1).toLowerCase() + name.slice(1) };
}

/** The value in its in-memory form: a tree of plain objects whose key order is the printed order. */
function internalForm(type: string, value: unknown): unknown {
  switch (type.charAt(0)) {
    case '*':
      return value === undefined || value === null ? null : internalForm(type.slice(1), value);
    case '[':
      return Array.isArray(value) ? value.map((element) => internalForm(type.slice(1), element)) : null;
    case '{':
      return mapForm(type.slice(1), value);
    default:
      return scalarForm(type, value) ?? structForm(type, (value ?? {}) as Dictionary);
  }
}

function scalarForm(type: string, value: unknown): unknown {
  switch (type) {
    case 's':
      return value ?? '';
    case 'i':
    case 'x':
      return value ?? 0;
    case 'b':
      return value ?? false;
    case 'q':
      return typeof value === 'number' ? String(value) : (value ?? '0');
    case 't':
      return value ?? { toJSON: (): null => null };
    default:
      return undefined;
  }
}

function mapForm(elementType: string, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  const source = value as Dictionary;
  const form: { [key: string]: unknown } = Object.create(null) as { [key: string]: unknown };
  for (const key of Object.keys(source).toSorted()) form[key] = internalForm(elementType, source[key]);
  return form;
}

function structForm(type: string, value: Dictionary): unknown {
  const form: { [key: string]: unknown } = {};
  fill(form, type, type === 'core.PodSpec' ? withHostNamespaces(value) : value);
  return form;
}

function fill(form: { [key: string]: unknown }, type: string, value: Dictionary): void {
  for (const field of shapes().get(type) ?? []) {
    if (field.inline) {
      fill(form, field.type, (value[field.key] ?? {}) as Dictionary);
    } else if (!field.omitEmpty || !isEmpty(value[field.key])) {
      form[field.printed] = internalForm(field.type, value[field.key]);
    }
  }
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** In memory the namespaces a pod shares with its host are part of the security context. */
function withHostNamespaces(spec: Dictionary): Dictionary {
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers } = spec;
  const securityContext = {
    ...(spec['securityContext'] as Dictionary | undefined),
    hostNetwork,
    hostPID,
    hostIPC,
    shareProcessNamespace,
  };
  return { ...spec, securityContext: { ...securityContext, hostUsers } };
}

const MARKUP = /[<>&\u2028\u2029]/g;

/** Go's JSON keeps markup characters out of its strings. */
const escapeMarkup = (json: string): string =>
  json.replace(MARKUP, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);

/** A value to hand to a finding: prints as the JSON of the in-memory form. */
export function internalValue(type: string, value: unknown): unknown {
  return internalForm(type, value);
}

export const internalJson = (type: string, value: unknown): string =>
  escapeMarkup(encodeJson(internalForm(type, value) as Json));

export const prettyInternalJson = (type: string, value: unknown): string =>
  escapeMarkup(encodePrettyJson(internalForm(type, value) as Json, 1));
