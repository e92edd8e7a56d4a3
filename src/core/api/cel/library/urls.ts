/** URLs as Go's net/url reads them, where an absolute one is wanted. */
import { goQuote } from '../../../kube/go-text.ts';
import type { FunctionTable } from '../values/function-table.ts';
import { URL_TYPE, type Comparable } from '../values/opaque.ts';
import { ArrayList, CelError, CelOpaque, EntryMap, mapKeyOf, type CelValue, type Val } from '../values/values.ts';
import { addressProblem } from './net-problems.ts';

interface ParsedUrl extends Comparable {
  readonly scheme: string;
  readonly host: string;
  readonly escapedPath: string;
  readonly query: string;
}

type Reading = ParsedUrl | { readonly problem: string };

const problem = (text: string): { readonly problem: string } => ({ problem: text });

// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/;
const SCHEME = /^([a-zA-Z][a-zA-Z0-9+.-]*):/;
const USER_INFO = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;
const BAD_ESCAPE = /%(?![0-9a-fA-F]{2})/;

/** The error of a text that is no URI, in the words of ParseRequestURI. */
export function uriProblem(text: string): string | undefined {
  const reading = read(text, true);
  return 'problem' in reading ? `parse ${goQuote(text)}: ${reading.problem}` : undefined;
}

function read(text: string, request: boolean): Reading {
  if (CONTROL.test(text)) return problem('net/url: invalid control character in URL');
  if (text === '' && request) return problem('empty url');
  if (text === '*') return made('', '', '*', '', text);
  if (text.startsWith(':')) return problem('missing protocol scheme');
  const scheme = SCHEME.exec(text)?.[1];
  const afterScheme = scheme === undefined ? text : text.slice(scheme.length + 1);
  const mark = afterScheme.indexOf('?');
  const beforeQuery = mark < 0 ? afterScheme : afterScheme.slice(0, mark);
  const query = mark < 0 ? '' : afterScheme.slice(mark + 1);
  const lower = scheme?.toLowerCase() ?? '';
  if (!beforeQuery.startsWith('/')) {
    if (scheme !== undefined) return made(lower, '', '', query, text);
    if (request) return problem('invalid URI for request');
    if ((beforeQuery.split('/')[0] ?? '').includes(':')) {
      return problem('first path segment in URL cannot contain colon');
    }
  }
  const authority = lower !== '' || (!request && !beforeQuery.startsWith('///'));
  if (!authority || !beforeQuery.startsWith('//')) return withPath(lower, '', beforeQuery, query, text);
  const slash = beforeQuery.indexOf('/', 2);
  const host = readAuthority(lower, slash < 0 ? beforeQuery.slice(2) : beforeQuery.slice(2, slash));
  if ('problem' in host) return host;
  return withPath(lower, host.host, slash < 0 ? '' : beforeQuery.slice(slash), query, text);
}

const made = (scheme: string, host: string, escapedPath: string, query: string, identity: string): ParsedUrl => ({
  scheme,
  host,
  escapedPath,
  query,
  identity,
});

const escapeProblem = (text: string): { readonly problem: string } | undefined => {
  const bad = BAD_ESCAPE.exec(text);
  return bad ? problem(`invalid URL escape ${goQuote(text.slice(bad.index, bad.index + 3))}`) : undefined;
};

function withPath(scheme: string, host: string, path: string, query: string, text: string): Reading {
  return escapeProblem(path) ?? made(scheme, host, escapePath(path), query, text);
}

/** A path that is already escaped stays; otherwise its special characters are escaped. */
function escapePath(path: string): string {
  if (/^[A-Za-z0-9\-._~$&+,/:;=@!'()*%[\]]*$/.test(path)) return path;
  const bytes = unescapeBytes(path);
  return Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9\-._~$&+,/:;=@]/.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

function unescapeBytes(text: string): Buffer {
  const parts = text.split(/(%[0-9a-fA-F]{2})/);
  return Buffer.concat(
    parts.map((part, index) => (index % 2 === 1 ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part))),
  );
}

function readAuthority(scheme: string, authority: string): { readonly host: string } | { readonly problem: string } {
  const at = authority.lastIndexOf('@');
  const host = readHost(scheme, authority.slice(at + 1));
  if ('problem' in host || at < 0) return host;
  const user = authority.slice(0, at);
  if (!USER_INFO.test(user)) return problem('net/url: invalid userinfo');
  return escapeProblem(user) ?? host;
}

const PORT = /^(?::[0-9]*)?$/;

function readHost(scheme: string, host: string): { readonly host: string } | { readonly problem: string } {
  const open = host.lastIndexOf('[');
  if (open > 0) return problem('invalid IP-literal');
  if (open === 0) return readLiteral(host);
  const colon = host.indexOf(':');
  if (colon >= 0) {
    const strict = scheme === 'http' || scheme === 'https';
    const port = host.slice(strict ? colon : host.lastIndexOf(':'));
    if (!PORT.test(port)) return problem(`invalid port ${goQuote(port)} after host`);
  }
  return unescapeHost(host);
}

function readLiteral(host: string): { readonly host: string } | { readonly problem: string } {
  const close = host.lastIndexOf(']');
  if (close < 0) return problem("missing ']' in host");
  const port = host.slice(close + 1);
  if (!PORT.test(port)) return problem(`invalid port ${goQuote(port)} after host`);
  const name = host.slice(1, close).replace('%25', '%');
  const wrong = addressProblem(name);
  if (wrong !== undefined) return problem(`invalid host: ${wrong}`);
  return name.includes(':') ? { host: `[${name}]${port}` } : problem('invalid IP-literal');
}

/** Only characters beyond ASCII may be escaped in hosts. */
function unescapeHost(host: string): { readonly host: string } | { readonly problem: string } {
  const bad = escapeProblem(host);
  if (bad) return bad;
  for (const [escape] of host.matchAll(/%[0-9a-fA-F]{2}/g)) {
    if (Number.parseInt(escape.slice(1), 16) < 0x80) return problem(`invalid URL escape ${goQuote(escape)}`);
  }
  // eslint-disable-next-line no-control-regex
  const forbidden = /[^A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"%\u0080-\uffff]/.exec(host);
  if (forbidden) return problem(`invalid character ${goQuote(forbidden[0])} in host name`);
  return { host: unescapeBytes(host).toString() };
}

function toUrl(text: string): Val {
  const request = read(text, true);
  const error = 'URL parse error during conversion from string: ';
  if ('problem' in request) return new CelError(`${error}parse ${goQuote(text)}: ${request.problem}`);
  const hash = text.indexOf('#');
  const whole = hash < 0 ? text : text.slice(0, hash);
  const parsed = read(whole, false);
  if ('problem' in parsed) return new CelError(`${error}parse ${goQuote(whole)}: ${parsed.problem}`);
  return new CelOpaque(URL_TYPE, { ...parsed, identity: text } satisfies ParsedUrl);
}

const of = (value: CelValue): ParsedUrl => (value as CelOpaque).payload as ParsedUrl;

function hostParts(host: string): { readonly name: string; readonly port: string } {
  const colon = host.lastIndexOf(':');
  const split = colon >= 0 && PORT.test(host.slice(colon)) ? [host.slice(0, colon), host.slice(colon + 1)] : [host, ''];
  const [name = '', port = ''] = split;
  return { name: name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name, port };
}

const decode = (text: string): string => unescapeBytes(text.replaceAll('+', ' ')).toString();

function queryOf(query: string): Val {
  const values = new Map<string, string[]>();
  for (const part of query.split('&')) {
    if (part === '' || part.includes(';') || BAD_ESCAPE.test(part)) continue;
    const equal = part.indexOf('=');
    const key = decode(equal < 0 ? part : part.slice(0, equal));
    const value = equal < 0 ? '' : decode(part.slice(equal + 1));
    const known = values.get(key);
    if (known) known.push(value);
    else values.set(key, [value]);
  }
  return new EntryMap(
    new Map(Array.from(values, ([key, list]) => [mapKeyOf(key) ?? '', [key, new ArrayList(list)] as const])),
  );
}

export const URL_FUNCTIONS: FunctionTable = [
  ['string_to_url', (text) => toUrl(text as string)],
  ['is_url_string', (text) => uriProblem(text as string) === undefined],
  ['url_get_scheme', (url) => of(url).scheme],
  ['url_get_host', (url) => of(url).host],
  ['url_get_hostname', (url) => hostParts(of(url).host).name],
  ['url_get_port', (url) => hostParts(of(url).host).port],
  ['url_get_escaped_path', (url) => of(url).escapedPath],
  ['url_get_query', (url) => queryOf(of(url).query)],
];
