/** Errors in the text of an address or range, in the words of Go's netip. `undefined` for a valid text. */
import { goQuote } from '../../../kube/go-text.ts';

type Problem = { readonly message: string; readonly at?: string };

export function addressProblem(text: string): string | undefined {
  const problem = findProblem(text);
  if (problem === undefined) return undefined;
  const place = problem.at === undefined || problem.at === '' ? '' : ` (at ${goQuote(problem.at)})`;
  return `ParseAddr(${goQuote(text)}): ${problem.message}${place}`;
}

export function prefixProblem(text: string): string | undefined {
  const fail = (message: string): string => `netip.ParsePrefix(${goQuote(text)}): ${message}`;
  const slash = text.lastIndexOf('/');
  if (slash < 0) return fail("no '/'");
  const address = text.slice(0, slash);
  const problem = addressProblem(address);
  if (problem !== undefined) return fail(problem);
  if (address.includes('%')) return fail('IPv6 zones cannot be present in a prefix');
  const bits = text.slice(slash + 1);
  if (!/^(?:0|[1-9][0-9]{0,8})$/.test(bits)) return fail(`bad bits after slash: ${goQuote(bits)}`);
  return Number(bits) > (address.includes(':') ? 128 : 32) ? fail('prefix length out of range') : undefined;
}

function findProblem(text: string): Problem | undefined {
  const first = /[.:%]/.exec(text)?.[0];
  if (first === '.') return v4Problem(text);
  if (first === ':') return v6Problem(text);
  return { message: first === '%' ? 'missing IPv6 address' : 'unable to parse IP' };
}

function v4Problem(text: string): Problem | undefined {
  let value = 0;
  let digits = 0;
  let dots = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text[i] ?? '';
    if (/[0-9]/.test(character)) {
      if (digits === 1 && value === 0) return { message: 'IPv4 field has octet with leading zero' };
      value = value * 10 + Number(character);
      digits++;
      if (value > 255) return { message: 'IPv4 field has value >255' };
    } else if (character === '.') {
      if (i === 0 || i === text.length - 1 || text[i - 1] === '.') {
        return { message: 'IPv4 field must have at least one digit', at: text.slice(i) };
      }
      if (dots === 3) return { message: 'IPv4 address too long' };
      dots++;
      value = 0;
      digits = 0;
    } else return { message: 'unexpected character', at: text.slice(i) };
  }
  return dots < 3 ? { message: 'IPv4 address too short' } : undefined;
}

function v6Problem(text: string): Problem | undefined {
  const percent = text.indexOf('%');
  if (percent === text.length - 1 && percent >= 0) return { message: 'zone must be a non-empty string' };
  let rest = percent < 0 ? text : text.slice(0, percent);
  let ellipsis = rest.startsWith('::');
  if (ellipsis) rest = rest.slice(2);
  if (ellipsis && rest === '') return undefined;
  let bytes = 0;
  while (bytes < 16) {
    const group = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? '';
    if (group.length > 4) return { message: 'each group must have 4 or less digits', at: rest };
    if (group === '') return { message: 'each colon-separated field must have at least one digit', at: rest };
    if (rest[group.length] === '.') return embeddedProblem(rest, bytes, ellipsis);
    bytes += 2;
    rest = rest.slice(group.length);
    if (rest === '') break;
    if (!rest.startsWith(':')) return { message: 'unexpected character, want colon', at: rest };
    if (rest.length === 1) return { message: 'colon must be followed by more characters', at: rest };
    rest = rest.slice(1);
    if (!rest.startsWith(':')) continue;
    if (ellipsis) return { message: 'multiple :: in address', at: rest };
    ellipsis = true;
    rest = rest.slice(1);
    if (rest === '') break;
  }
  return lengthProblem(rest, bytes, ellipsis);
}

function lengthProblem(rest: string, bytes: number, ellipsis: boolean): Problem | undefined {
  if (rest !== '') return { message: 'trailing garbage after address', at: rest };
  if (bytes < 16) return ellipsis ? undefined : { message: 'address string too short' };
  return ellipsis ? { message: 'the :: must expand to at least one field of zeros' } : undefined;
}

function embeddedProblem(rest: string, bytes: number, ellipsis: boolean): Problem | undefined {
  if (!ellipsis && bytes !== 12) {
    return { message: 'embedded IPv4 address must replace the final 2 fields of the address', at: rest };
  }
  if (bytes + 4 > 16) {
    return { message: 'too many hex fields to fit an embedded IPv4 at the end of the address', at: rest };
  }
  return v4Problem(rest) ?? lengthProblem('', bytes + 4, ellipsis);
}
