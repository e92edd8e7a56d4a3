/** Names of properties as expressions write them: `my-field` is `my__dash__field`, `namespace` is `__namespace__`. */

export const RESERVED_WORDS: ReadonlySet<string> = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
]);

const WRITABLE = /^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/;
const PLAIN = /^[a-zA-Z0-9]+(?:_[a-zA-Z0-9]+)*_?$/;
const SPECIAL = /__|[-./]/g;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
]);
const ESCAPED = /__[^_]+__/g;
const UNESCAPES: ReadonlyMap<string, string> = new Map([
  ['underscores', '__'],
  ['dot', '.'],
  ['dash', '-'],
  ['slash', '/'],
]);

/** `undefined` when no expression can name the property. */
export function escapeName(name: string): string | undefined {
  if (RESERVED_WORDS.has(name)) return `__${name}__`;
  if (PLAIN.test(name)) return /^[0-9]/.test(name) ? undefined : name;
  if (!WRITABLE.test(name)) return undefined;
  return name.replace(SPECIAL, (found) => ESCAPES.get(found) ?? found);
}

/** The property a name in an expression stands for; `undefined` when it cannot stand for one. */
export function unescapeName(escaped: string): string | undefined {
  if (!escaped.includes('__')) return escaped;
  let valid = true;
  const name = escaped.replace(ESCAPED, (found) => {
    const word = found.slice(2, -2);
    const plain = UNESCAPES.get(word);
    if (plain !== undefined) return plain;
    if (!RESERVED_WORDS.has(word) || found.length !== escaped.length) valid = false;
    return word;
  });
  return valid ? name : undefined;
}
