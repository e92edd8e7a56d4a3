/** IP addresses and ranges, read strictly. */
import { goQuote } from '../../../kube/go-text.ts';
import { formatIP, parseIP } from '../../../kube/ip.ts';
import type { Fn, FunctionTable } from '../values/function-table.ts';
import { CIDR_TYPE, IP_TYPE, type Comparable } from '../values/opaque.ts';
import { CelError, CelOpaque, isError, NO_OVERLOAD, type CelValue, type Val } from '../values/values.ts';
import { addressProblem, prefixProblem } from './net-problems.ts';

interface Address extends Comparable {
  readonly bytes: readonly number[];
}

interface Range extends Comparable {
  readonly bytes: readonly number[];
  readonly prefix: number;
}

const isMapped = (bytes: readonly number[]): boolean =>
  bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;

const addressOf = (bytes: readonly number[]): CelOpaque =>
  new CelOpaque(IP_TYPE, { bytes, identity: formatIP({ bytes }) } satisfies Address, bytes.length);

/** Bytes of the address, or the error of the text. */
function readAddress(text: string): readonly number[] | CelError {
  const problem = addressProblem(text);
  if (problem !== undefined) {
    return new CelError(`IP Address ${goQuote(text)} parse error during conversion from string: ${problem}`);
  }
  if (text.includes('%')) return new CelError(`IP address ${goQuote(text)} with zone value is not allowed`);
  const bytes = parseIP(text)?.bytes ?? [];
  return isMapped(bytes) ? new CelError(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`) : bytes;
}

function toAddress(text: string): Val {
  const bytes = readAddress(text);
  return bytes instanceof CelError ? bytes : addressOf(bytes);
}

const rangeOf = (bytes: readonly number[], prefix: number): CelOpaque =>
  new CelOpaque(
    CIDR_TYPE,
    { bytes, prefix, identity: `${formatIP({ bytes })}/${prefix}` } satisfies Range,
    Math.ceil(prefix / 8),
  );

const PARSE_ERROR = 'network address parse error during conversion from string: ';

function toRange(text: string): Val {
  const problem = prefixProblem(text);
  if (problem !== undefined) return new CelError(`${PARSE_ERROR}${PARSE_ERROR}${problem}`);
  const slash = text.lastIndexOf('/');
  const bytes = parseIP(text.slice(0, slash))?.bytes ?? [];
  if (isMapped(bytes)) return new CelError(`${PARSE_ERROR}IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
  return rangeOf(bytes, Number(text.slice(slash + 1)));
}

const address = (value: CelValue): Address => (value as CelOpaque).payload as Address;
const range = (value: CelValue): Range => (value as CelOpaque).payload as Range;

/** Whether the first bits are the same. */
function samePrefix(a: readonly number[], b: readonly number[], bits: number): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i * 8 < bits; i++) {
    const mask = 0xff00 >> Math.min(8, bits - i * 8);
    if ((((a[i] ?? 0) ^ (b[i] ?? 0)) & mask & 0xff) !== 0) return false;
  }
  return true;
}

const masked = ({ bytes, prefix }: Range): CelOpaque =>
  rangeOf(
    bytes.map((byte, index) => byte & (0xff00 >> Math.min(8, Math.max(0, prefix - index * 8))) & 0xff),
    prefix,
  );

const containsAddress = (outer: Range, inner: Address): boolean => samePrefix(outer.bytes, inner.bytes, outer.prefix);

const containsRange = (outer: Range, inner: Range): boolean =>
  outer.prefix <= inner.prefix && samePrefix(outer.bytes, inner.bytes, Math.min(outer.prefix, inner.prefix));

const all = (bytes: readonly number[], value: number): boolean => bytes.every((byte) => byte === value);

const isUnspecified = (bytes: readonly number[]): boolean => all(bytes, 0);
const isLoopback = (bytes: readonly number[]): boolean =>
  bytes.length === 4 ? bytes[0] === 127 : all(bytes.slice(0, 15), 0) && bytes[15] === 1;
const isMulticast = ([first = 0, second = 0, ...rest]: readonly number[]): boolean =>
  rest.length === 2 ? (first & 0xf0) === 0xe0 : first === 0xff && second >= 0;
const isLinkLocalMulticast = (bytes: readonly number[]): boolean =>
  bytes.length === 4
    ? bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0
    : bytes[0] === 0xff && ((bytes[1] ?? 0) & 0x0f) === 2;
const isLinkLocalUnicast = (bytes: readonly number[]): boolean =>
  bytes.length === 4 ? bytes[0] === 169 && bytes[1] === 254 : bytes[0] === 0xfe && ((bytes[1] ?? 0) & 0xc0) === 0x80;
const isGlobalUnicast = (bytes: readonly number[]): boolean =>
  !(bytes.length === 4 && all(bytes, 255)) &&
  !isUnspecified(bytes) &&
  !isLoopback(bytes) &&
  !isMulticast(bytes) &&
  !isLinkLocalUnicast(bytes);

const property =
  (test: (bytes: readonly number[]) => boolean): Fn =>
  (ip) =>
    test(address(ip).bytes);

const withRange = (text: CelValue, use: (other: Range) => Val): Val => {
  const other = toRange(text as string);
  return isError(other) ? other : use(range(other));
};

const withAddress = (text: CelValue, use: (other: Address) => Val): Val => {
  const other = toAddress(text as string);
  // Upstream reports an invalid address as a missing overload.
  return isError(other) ? NO_OVERLOAD : use(address(other));
};

function isCanonical(text: string): Val {
  const bytes = readAddress(text);
  return bytes instanceof CelError ? bytes : formatIP({ bytes }) === text;
}

export const NET_FUNCTIONS: FunctionTable = [
  ['string_to_ip', (text) => toAddress(text as string)],
  ['is_ip', (text) => !isError(toAddress(text as string))],
  ['ip_is_canonical', (text) => isCanonical(text as string)],
  ['ip_family', (ip) => (address(ip).bytes.length === 4 ? 4n : 6n)],
  ['ip_is_unspecified', property(isUnspecified)],
  ['ip_is_loopback', property(isLoopback)],
  ['ip_is_link_local_multicast', property(isLinkLocalMulticast)],
  ['ip_is_link_local_unicast', property(isLinkLocalUnicast)],
  ['ip_is_global_unicast', property(isGlobalUnicast)],
  ['string_to_cidr', (text) => toRange(text as string)],
  ['is_cidr', (text) => !isError(toRange(text as string))],
  ['cidr_contains_ip_ip', (cidr, ip) => containsAddress(range(cidr), address(ip))],
  ['cidr_contains_ip_string', (cidr, ip) => withAddress(ip, (other) => containsAddress(range(cidr), other))],
  ['cidr_contains_cidr', (cidr, other) => containsRange(range(cidr), range(other))],
  ['cidr_contains_cidr_string', (cidr, text) => withRange(text, (other) => containsRange(range(cidr), other))],
  ['cidr_ip', (cidr) => addressOf(range(cidr).bytes)],
  ['cidr_prefix_length', (cidr) => BigInt(range(cidr).prefix)],
  ['cidr_masked', (cidr) => masked(range(cidr))],
];
