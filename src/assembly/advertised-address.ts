/** Under which address other machines reach this one. */
import { networkInterfaces } from 'node:os';
import { isIP } from 'node:net';

/** As every server that listens on all addresses, or on none that others see, must choose. */
const isLocal = (address: string): boolean => /^(?:127\.|0\.0\.0\.0$|::1?$|169\.254\.|fe80:)/i.test(address);

/** The address that is bound, or the first of this machine where it is no use to others; undefined where there is none. */
export function advertisedAddress(bind: string, interfaces = networkInterfaces()): string | undefined {
  if (isIP(bind) !== 0 && !isLocal(bind)) return bind;
  for (const addresses of Object.values(interfaces))
    for (const { address, family, internal } of addresses ?? [])
      if (family === 'IPv4' && !internal && !isLocal(address)) return address;
  return undefined;
}
