/** Paths that name one field of a schema: `.spec.host`, `.labels['a.b']`. */
import { field } from '../../../kube/field-errors.ts';
import type { Structural } from './structural.ts';

export type FoundField =
  | { readonly path: string; readonly steps: readonly string[]; readonly schema: Structural | undefined }
  /** Why the path names nothing, in Kubernetes' words. */
  | { readonly error: string };

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ["'", "'"],
  ['\\', '\\'],
]);

export function findFieldPath(text: string, root: Structural, allowBrackets = true): FoundField {
  const tokens = tokenize(text);
  let schema: Structural | undefined = root;
  let path = '';
  const steps: string[] = [];
  let at = 0;

  const enter = (name: string): string | undefined => {
    const isNamed = (schema?.properties.size ?? 0) > 0;
    if (schema === undefined || (!isNamed && schema.additionalProperties === undefined)) {
      return 'does not refer to a valid field';
    }
    steps.push(name);
    if (!isNamed) {
      path = field.key(path, name);
      schema = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
      return undefined;
    }
    path = field.child(path, name);
    const property: Structural | undefined = schema.properties.get(name);
    if (property === undefined) return 'does not refer to a valid field';
    schema = property;
    return undefined;
  };

  while (at < tokens.length) {
    const token = tokens[at++] ?? '';
    let name: string | undefined;
    if (token === '[') {
      if (!allowBrackets) return { error: 'array notation is not allowed' };
      const quoted = tokens[at++];
      if (quoted === undefined) return { error: 'unexpected end of JSON path' };
      if (quoted.length < 2 || !quoted.startsWith("'") || !quoted.endsWith("'")) {
        return { error: `expected single quoted string but got ${quoted}` };
      }
      name = quoted.slice(1, -1).replace(/\\(.)/gs, (all, letter: string) => ESCAPES.get(letter) ?? all);
    } else if (token === '.') {
      name = tokens[at++];
      if (name === undefined) return { error: 'unexpected end of JSON path' };
    } else return { error: `expected [ or . but got: ${token}` };
    const error = enter(name);
    if (error !== undefined) return { error };
    if (token !== '[') continue;
    const close = tokens[at++];
    if (close === undefined) return { error: 'unexpected end of JSON path' };
    if (close !== ']') return { error: `expected ] but got ${close}` };
  }
  return { path, steps, schema };
}

/** Delimiters alone, text in single quotes whole, everything between them. */
const tokenize = (text: string): readonly string[] => text.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]']+|'/gs) ?? [];
