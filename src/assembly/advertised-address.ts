/** The address under which other machines reach this one. */
import { networkInterfaces } from 'node:os';
import { isIP } from 'node:net';

/**
 * Addresses that other machines cannot use: a server that listens on one of them, or on all, must choose another to
 * advertise.
 */
const isLocal = (address: string): boolean => /^(?:127\.|0\.0\.0\.0$|::1?$|169\.254\.|fe80:)/i.test(address);

/**
 * The bound address, or the first of this machine where the bound one is of no use to others; undefined where there is
 * none.
 */
export function advertisedAddress(bind: string, interfaces = networkInterfaces()): string | undefined {
  if (isIP(bind) !== 0 && !isLocal(bind)) return bind;
  for (const addresses of Object.values(interfaces))
    for (const { address, family, internal } of addresses ?? [])
      if (family === 'IPv4' && !internal && !isLocal(address)) return address;
  return undefined;
}
