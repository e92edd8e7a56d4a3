/**
 * YAML as people like to read it: block style, keys in the order they are given, long texts as blocks, quotes only where a
 * word would mean something else. Much faster than a general printer, and byte for byte the same every time.
 */
import { MASK, SecretText } from '../../api/component/secret-text.ts';

export interface PrintOptions {
  /** Show the values of secrets, in base64 as they stand in a Secret. */
  readonly showSecrets?: boolean;
}

type Show = (secret: SecretText) => string;

const masked: Show = () => MASK;
const inBase64: Show = (secret) => {
  const text = secret.reveal();
  return text === undefined ? MASK : Buffer.from(text, 'utf8').toString('base64');
};

/** Every object a document. */
export const printObjects = (objects: readonly object[], options: PrintOptions = {}): string =>
  objects.map((object) => printYaml(object, options)).join('---\n');

export function printYaml(value: unknown, { showSecrets = false }: PrintOptions = {}): string {
  return `${block(value, '', showSecrets ? inBase64 : masked).replace(/^\n/, '')}\n`;
}

/** A value after its key: on the same line with a space before it, or on lines of its own. */
function block(value: unknown, indent: string, show: Show): string {
  if (value instanceof SecretText) return ` ${scalar(show(value), indent)}`;
  if (Array.isArray(value)) return listBlock(value, indent, show);
  if (typeof value === 'object' && value !== null) return mapBlock(value, indent, show);
  return ` ${scalar(value, indent)}`;
}

function mapBlock(value: object, indent: string, show: Show): string {
  let text = '';
  for (const key of Object.keys(value)) {
    const member = (value as { readonly [key: string]: unknown })[key];
    if (member === undefined) continue;
    const isList = Array.isArray(member);
    text += `\n${indent}${scalar(key, indent, true)}:${block(member, isList ? indent : `${indent}  `, show)}`;
  }
  return text === '' ? ' {}' : text;
}

/** Lists stand at the indent of their key, as kubectl writes them. */
function listBlock(items: readonly unknown[], indent: string, show: Show): string {
  if (items.length === 0) return ' []';
  let text = '';
  for (const item of items) {
    const inner = block(item, `${indent}  `, show);
    // The first key of a mapping, or the first item of a list, stands behind the dash.
    text += `\n${indent}-${inner.startsWith('\n') ? ` ${inner.slice(indent.length + 3)}` : inner}`;
  }
  return text;
}

/** Letters that no reader of YAML, of whatever age, takes for anything but a text. */
const SAFE_WORD = /^[A-Za-z_/][A-Za-z0-9_./@()=+-]*(?::[A-Za-z0-9_./@()=+-]+)*$/;
const RESERVED = /^(?:true|false|yes|no|on|off|null|y|n)$/i;
// oxlint-disable-next-line no-control-regex -- what cannot stand in a block
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ud800-\udfff]/;

function scalar(value: unknown, indent: string, isKey = false): string {
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value !== 'string') return 'null';
  if (SAFE_WORD.test(value) && !RESERVED.test(value)) return value;
  if (!isKey && value.includes('\n') && isBlockText(value)) return literal(value, indent);
  return JSON.stringify(value);
}

/** A block keeps its text but for lines that end in blanks or begin with them, which readers see differently. */
const isBlockText = (value: string): boolean =>
  !UNPRINTABLE.test(value) && !/^[ \n]/.test(value) && !/[ \t]\n|[ \t]$|\t/.test(value) && value.trim() !== '';

function literal(value: string, indent: string): string {
  const ends = value.endsWith('\n') ? (value.endsWith('\n\n') ? '|+' : '|') : '|-';
  const body = value.endsWith('\n') ? value.slice(0, -1) : value;
  const lines = body.split('\n').map((line) => (line === '' ? '' : `${indent === '' ? '  ' : indent}${line}`));
  return `${ends}\n${lines.join('\n')}`;
}
