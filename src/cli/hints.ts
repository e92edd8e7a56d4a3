/** Hints for a command line that the parser refuses: what the user most likely meant. Pure. */
import { nearest } from '../core/kube/nearest-word.ts';

/** Flags that people know from elsewhere. */
const ALIASES: { readonly [flag: string]: string } = {
  '--file': '--filename',
  '--files': '--filename',
  '--ns': '--namespace',
  '--kube-context': '--context',
};

export interface Asked {
  /** Long flags of the command. */
  readonly flags: readonly string[];
  /** Arguments beside flags. */
  readonly args: readonly string[];
}

/** The parser's message, with a hint where it has none. */
export function hinted(message: string, asked: Asked): string {
  if (message.includes('Did you mean')) return message;
  const meant = meantBy(message, asked);
  return meant === undefined ? message : `${message.trimEnd()}\n(Did you mean ${meant}?)\n`;
}

function meantBy(message: string, { flags, args }: Asked): string | undefined {
  if (message.includes('too many arguments'))
    return flags.includes('--filename') && args.length > 0 ? args.map((arg) => `-f ${arg}`).join(' ') : undefined;
  const alias = ALIASES[/unknown option '(--[\w-]+)/.exec(message)?.[1] ?? ''];
  if (alias !== undefined && flags.includes(alias)) return alias;
  const [, value = '', choices = ''] = /'([^']*)' is invalid[^]*Allowed choices are ([^.]*)\./.exec(message) ?? [];
  return value === '' ? undefined : nearest(value, choices.split(', '));
}
