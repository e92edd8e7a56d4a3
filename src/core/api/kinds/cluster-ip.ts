/** Service addresses, taken from a range without any memory but the set of those in use. */
import { formatIP, parseCIDR, parseIP } from '../../kube/ip.ts';

/** The lower part of a range is left to addresses that people choose themselves. */
const MIN_STATIC = 16;
const MAX_STATIC = 256;
/** Ranges beyond this are walked only so far: no cluster has more services. */
const MAX_HOSTS = 1 << 20;

/**
 * The next free address of the range: first above the part kept for static addresses, then in it. The network's own
 * address and the last one of an IPv4 range are never given; undefined when all are taken.
 */
export function nextClusterIP(used: ReadonlySet<string>, cidr: string): string | undefined {
  const range = parseCIDR(cidr);
  if (!range) return undefined;
  const bits = range.ip.bytes.length * 8 - range.prefix;
  const size = bits >= 20 ? MAX_HOSTS : 2 ** bits;
  const last = range.ip.bytes.length === 4 ? size - 2 : size - 1;
  const reserved = size < 2 * MIN_STATIC ? 0 : Math.min(MAX_STATIC, Math.max(MIN_STATIC, Math.trunc(size / 16)));
  for (let host = reserved + 1; host <= last; host++) {
    const ip = addressAt(range.ip.bytes, host);
    if (!used.has(ip)) return ip;
  }
  for (let host = 1; host <= Math.min(reserved, last); host++) {
    const ip = addressAt(range.ip.bytes, host);
    if (!used.has(ip)) return ip;
  }
  return undefined;
}

/** Whether services of the range may have the address: not the network's own, nor the last one of an IPv4 range. */
export function isClusterIP(address: string, cidr: string): boolean {
  const range = parseCIDR(cidr);
  const ip = parseIP(address);
  if (!range || !ip || ip.bytes.length !== range.ip.bytes.length) return false;
  let isFirst = true;
  let isLast = true;
  for (const [index, byte] of ip.bytes.entries()) {
    const hostBits = Math.min(8, Math.max(0, (index + 1) * 8 - range.prefix));
    const hosts = 2 ** hostBits - 1;
    if ((byte & ~hosts & 0xff) !== ((range.ip.bytes[index] ?? 0) & ~hosts & 0xff)) return false;
    if ((byte & hosts) !== 0) isFirst = false;
    if ((byte & hosts) !== hosts) isLast = false;
  }
  return !isFirst && !(isLast && ip.bytes.length === 4);
}

function addressAt(network: readonly number[], host: number): string {
  const bytes = [...network];
  let carry = host;
  for (let index = bytes.length - 1; index >= 0 && carry > 0; index--) {
    const sum = (bytes[index] ?? 0) + (carry & 0xff);
    bytes[index] = sum & 0xff;
    carry = Math.floor(carry / 256) + (sum >> 8);
  }
  return formatIP({ bytes });
}
