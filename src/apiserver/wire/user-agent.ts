/** The name of a client's program: its user agent up to the first slash, as far as it is printable. */
import { utf8Length } from '../../core/kube/go-text.ts';

/** As long as the name of a field manager may be. */
const MOST_BYTES = 128;
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

export function programName(userAgent: string): string {
  let name = '';
  let bytes = 0;
  for (const character of userAgent.split('/', 1)[0] ?? '') {
    if (UNPRINTABLE.test(character)) continue;
    bytes += utf8Length(character);
    if (bytes > MOST_BYTES) break;
    name += character;
  }
  return name;
}
