import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Clock } from '../../time/clock.ts';
import { MachineryError } from '../../errors.ts';
import type { Credentials, CredentialSource } from './rest-config.ts';

/** As often as tokens: certificates are renewed long before they expire. */
const REREAD_MS = 60_000;

/**
 * A client certificate and its key in files that someone else renews. If they cannot be read again, or do not belong to
 * each other because only one has been written yet, the last pair is used.
 */
export function certificateFileCredentials(
  clock: Pick<Clock, 'monotonic'>,
  files: { readonly cert: string; readonly key: string },
): CredentialSource {
  let current: Credentials | undefined;
  let readAt = 0;

  const read = async (): Promise<Credentials> => {
    try {
      const [cert, key] = await Promise.all([readFile(files.cert, 'utf8'), readFile(files.key, 'utf8')]);
      readAt = clock.monotonic();
      if (current?.cert === cert && current.key === key) return current;
      if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
        throw new Error('the key is not that of the certificate');
      current = { cert, key };
      return current;
    } catch (cause) {
      if (current !== undefined) return current;
      const message = `cannot read the client certificate ${files.cert} with its key ${files.key}: ${(cause as Error).message}`;
      throw new MachineryError('EN_MACHINERY_CREDENTIALS', message, { cause });
    }
  };

  return {
    async get() {
      return current !== undefined && clock.monotonic() - readAt < REREAD_MS ? current : read();
    },
    async refresh() {
      const before = current;
      return (await read()) !== before;
    },
  };
}
