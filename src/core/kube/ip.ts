/**
 * IP addresses and ranges as the API judges them. Reading is sloppy, as it was in Kubernetes' first years (leading
 * zeros), judging is strict: what may be misread elsewhere is refused for new values.
 */
import { type FieldError, invalid } from './field-errors.ts';
import { goQuote } from './go-text.ts';

/** The four or sixteen bytes of an address. */
export interface IPAddress {
  readonly bytes: readonly number[];
  /** Written without leading zeros, so that every reader understands the same address. */
  readonly strict: boolean;
}

export interface CIDR {
  readonly ip: IPAddress;
  readonly prefix: number;
  readonly strict: boolean;
}

const V4_IN_V6 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/** True for `::ffff:1.2.3.4`, an IPv4-mapped IPv6 address. */
const isMapped = (ip: IPAddress): boolean =>
  ip.bytes.length === 16 && V4_IN_V6.every((byte, index) => ip.bytes[index] === byte);

export const familyOf = (ip: IPAddress): 'IPv4' | 'IPv6' => (ip.bytes.length === 4 || isMapped(ip) ? 'IPv4' : 'IPv6');

const MAX_LENGTH = 64;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

export function parseIP(text: string): IPAddress | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  return text.includes(':') ? parseIPv6(text) : parseIPv4(text);
}

function parseIPv4(text: string): IPAddress | undefined {
  const bytes: number[] = [];
  let strict = true;
  let byte = 0;
  let digits = 0;
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : DOT;
    if (code === DOT) {
      if (digits === 0 || bytes.length === 4) return undefined;
      bytes.push(byte);
      byte = 0;
      digits = 0;
      continue;
    }
    if (code < ZERO || code > NINE) return undefined;
    if (digits > 0 && byte === 0) strict = false;
    byte = byte * 10 + (code - ZERO);
    digits++;
    if (byte > 255) return undefined;
  }
  return bytes.length === 4 ? { bytes, strict } : undefined;
}

function parseIPv6(text: string): IPAddress | undefined {
  const gap = text.indexOf('::');
  if (gap >= 0 && text.includes('::', gap + 1)) return undefined;
  const head = gap < 0 ? text : text.slice(0, gap);
  const tail = gap < 0 ? '' : text.slice(gap + 2);
  const before = parseGroups(head, gap < 0);
  const after = parseGroups(tail, true);
  if (!before || !after) return undefined;
  const known = before.bytes.length + after.bytes.length;
  if (gap < 0 ? known !== 16 : known >= 16) return undefined;
  const zeros = Array.from({ length: 16 - known }, () => 0);
  return { bytes: [...before.bytes, ...zeros, ...after.bytes], strict: before.strict && after.strict };
}

/** Groups between colons; the last of all may be an IPv4 address. */
function parseGroups(text: string, mayEndInV4: boolean): { bytes: number[]; strict: boolean } | undefined {
  const bytes: number[] = [];
  let strict = true;
  if (text === '') return { bytes, strict };
  const groups = text.split(':');
  for (const [index, group] of groups.entries()) {
    if (mayEndInV4 && index === groups.length - 1 && group.includes('.')) {
      const v4 = parseIPv4(group);
      if (!v4) return undefined;
      bytes.push(...v4.bytes);
      strict &&= v4.strict;
      continue;
    }
    if (!/^[0-9a-fA-F]+$/.test(group)) return undefined;
    const value = Number.parseInt(group, 16);
    if (value > 0xffff) return undefined;
    if (group.length > 4) strict = false;
    bytes.push(value >> 8, value & 0xff);
  }
  return { bytes, strict };
}

export function parseCIDR(text: string): CIDR | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const ip = parseIP(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (!ip || !/^[0-9]{1,9}$/.test(length)) return undefined;
  const prefix = Number(length);
  if (prefix > ip.bytes.length * 8) return undefined;
  return { ip, prefix, strict: ip.strict && (length === '0' || !length.startsWith('0')) };
}

/** The address with all bits beyond the prefix cleared. */
function masked(bytes: readonly number[], prefix: number): number[] {
  return bytes.map((byte, index) => {
    const kept = Math.min(8, Math.max(0, prefix - index * 8));
    return byte & (0xff00 >> kept) & 0xff;
  });
}

const sameBytes = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index]);

/** RFC 5952 for IPv6, dotted decimal for IPv4 and IPv4-mapped addresses. */
export function formatIP(ip: { readonly bytes: readonly number[] }): string {
  const plain = { bytes: ip.bytes, strict: true };
  if (ip.bytes.length === 4) return ip.bytes.join('.');
  if (isMapped(plain)) return ip.bytes.slice(12).join('.');
  return formatIPv6(ip.bytes);
}

const hex = (groups: readonly number[]): string => groups.map((group) => group.toString(16)).join(':');

function formatIPv6(bytes: readonly number[]): string {
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[i * 2] ?? 0) << 8) | (bytes[i * 2 + 1] ?? 0));
  let start = -1;
  let length = 1;
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (end < 8 && groups[end] === 0) end++;
    if (end - i > length) [start, length] = [i, end - i];
    if (end > i) i = end;
  }
  return start < 0 ? hex(groups) : `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
}

/** The range in its normal form, `10.0.0.0/8`. */
function formatCIDR(cidr: CIDR): string {
  const { bytes, prefix } = plain(cidr);
  return `${formatIP({ bytes })}/${prefix}`;
}

const NOTHING: readonly FieldError[] = [];

function ipProblem(value: string): string | undefined {
  const ip = parseIP(value);
  if (!ip) return 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
  if (!ip.strict) return 'must not have leading 0s';
  return isMapped(ip) ? 'must not be an IPv4-mapped IPv6 address' : undefined;
}

/** The problem of an address that must be in canonical form; undefined if there is none. */
export function strictIPProblem(value: string): string | undefined {
  const problem = ipProblem(value);
  if (problem !== undefined) return problem;
  const normal = formatIP(parseIP(value) ?? { bytes: [] });
  return normal === value ? undefined : `must be in canonical form (${goQuote(normal)})`;
}

const found = (path: string, value: string, problem: string | undefined): readonly FieldError[] =>
  problem === undefined ? NOTHING : [invalid(path, value, problem)];

/** An address in a field that is older than strict rules; `known` values, those of the stored object, stay allowed. */
export const validateIP = (path: string, value: string, known: readonly string[] = []): readonly FieldError[] =>
  known.includes(value) ? NOTHING : found(path, value, ipProblem(value));

export const validateStrictIP = (path: string, value: string): readonly FieldError[] =>
  found(path, value, strictIPProblem(value));

/** A range in a field that is older than strict rules; `known` values, those of the stored object, stay allowed. */
export function validateCIDR(path: string, value: string, known: readonly string[] = []): readonly FieldError[] {
  if (known.includes(value)) return NOTHING;
  const cidr = parseCIDR(value);
  if (!cidr) return [invalid(path, value, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')];
  if (!cidr.strict) return [invalid(path, value, 'must not have leading 0s in IP or prefix length')];
  if (isMapped(cidr.ip)) return [invalid(path, value, 'must not have an IPv4-mapped IPv6 address')];
  return sameBytes(cidr.ip.bytes, masked(cidr.ip.bytes, cidr.prefix))
    ? NOTHING
    : [invalid(path, value, 'must not have bits set beyond the prefix length')];
}

/** A range that must be in canonical form. */
export function validateStrictCIDR(path: string, value: string): readonly FieldError[] {
  const errors = validateCIDR(path, value);
  const cidr = parseCIDR(value);
  if (errors.length > 0 || !cidr) return errors;
  const normal = formatCIDR(cidr);
  return normal === value ? NOTHING : [invalid(path, value, `must be in canonical form (${goQuote(normal)})`)];
}

/** Whether `outer` contains all of `inner` and is greater. */
export function containsStrictly(outer: CIDR, inner: CIDR): boolean {
  if (outer.prefix >= inner.prefix) return false;
  const [range, address] = [plain(outer), plain(inner)];
  if (range.bytes.length !== address.bytes.length) return false;
  return sameBytes(masked(range.bytes, range.prefix), masked(address.bytes, range.prefix));
}

/** An IPv4-mapped range as the IPv4 range; other ranges as they are. */
function plain({ ip, prefix }: CIDR): { readonly bytes: readonly number[]; readonly prefix: number } {
  const network = masked(ip.bytes, prefix);
  const mapped = prefix >= 96 && isMapped({ bytes: network, strict: true });
  return mapped ? { bytes: network.slice(12), prefix: prefix - 96 } : { bytes: network, prefix };
}

/** Rejects addresses that no endpoint can have. */
export function validateEndpointIP(path: string, value: string): readonly FieldError[] {
  const ip = parseIP(value);
  if (!ip) return [invalid(path, value, 'must be a valid IP address')];
  const errors: FieldError[] = [];
  const v4 = familyOf(ip) === 'IPv4' ? ip.bytes.slice(-4) : undefined;
  const [a = 0, b = 0, c = 0] = v4 ?? ip.bytes;
  if (ip.bytes.every((byte) => byte === 0) || v4?.every((byte) => byte === 0)) {
    errors.push(invalid(path, value, `may not be unspecified (${value})`));
  }
  const loopback = v4 ? a === 127 : ip.bytes.every((byte, index) => byte === (index === 15 ? 1 : 0));
  if (loopback) errors.push(invalid(path, value, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'));
  if (v4 ? a === 169 && b === 254 : a === 0xfe && (b & 0xc0) === 0x80) {
    errors.push(invalid(path, value, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'));
  }
  if (v4 ? a === 224 && b === 0 && c === 0 : a === 0xff && (b & 0x0f) === 0x02) {
    errors.push(invalid(path, value, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'));
  }
  return errors;
}

/** Warnings about an address that is accepted but not in canonical form. */
export function warningsForIP(path: string, value: string): readonly string[] {
  const ip = parseIP(value);
  if (!ip) return [];
  if (!ip.strict || isMapped(ip)) {
    return [
      `${path}: non-standard IP address ${JSON.stringify(value)} is invalid: use ${JSON.stringify(formatIP(ip))}`,
    ];
  }
  const canonical = formatIP(ip);
  if (ip.bytes.length === 4 || canonical === value) return [];
  return [
    `${path}: IPv6 address ${JSON.stringify(value)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`,
  ];
}

export function warningsForCIDR(path: string, value: string): readonly string[] {
  const cidr = parseCIDR(value);
  if (!cidr) return [];
  const warnings: string[] = [];
  const { ip, prefix } = cidr;
  const quoted = JSON.stringify(value);
  const network = formatCIDR(cidr);
  if (!sameBytes(ip.bytes, masked(ip.bytes, prefix))) {
    const single = `${formatIP(ip)}/${ip.bytes.length * 8}`;
    warnings.push(
      `${path}: CIDR value ${quoted} is ambiguous in this context (should be ${JSON.stringify(network)} or ${JSON.stringify(single)}?)`,
    );
  }
  if (!cidr.strict || isMapped(ip)) {
    warnings.push(`${path}: non-standard CIDR value ${quoted} is invalid: use ${JSON.stringify(network)}`);
  }
  const canonical = `${formatIP(ip)}/${prefix}`;
  if (warnings.length === 0 && ip.bytes.length === 16 && canonical !== value) {
    warnings.push(
      `${path}: IPv6 CIDR value ${quoted} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`,
    );
  }
  return warnings;
}

/** Whether addresses of both families are among these. */
export function isDualStack(addresses: readonly (IPAddress | undefined)[]): boolean {
  const families = new Set(addresses.map((ip) => (ip ? familyOf(ip) : undefined)));
  return families.has('IPv4') && families.has('IPv6');
}
