import { readFile } from 'node:fs/promises';
import type { Clock } from '../../time/clock.ts';
import { MachineryError } from '../../errors.ts';
import type { CredentialSource } from './rest-config.ts';

/** A minute, as client-go: the kubelet renews projected tokens long before they expire. */
const REREAD_MS = 60_000;

/** A bearer token in a file that someone else renews. If it cannot be read again, the last one is used. */
export function tokenFileCredentials(clock: Pick<Clock, 'monotonic'>, path: string): CredentialSource {
  let token: string | undefined;
  let readAt = 0;

  const read = async (): Promise<string> => {
    try {
      const text = (await readFile(path, 'utf8')).trim();
      if (text === '') throw new Error('the file is empty');
      token = text;
      readAt = clock.monotonic();
      return text;
    } catch (cause) {
      if (token !== undefined) return token;
      throw new MachineryError('EN_MACHINERY_CREDENTIALS', `cannot read the token file ${path}: ${String(cause)}`, {
        cause,
      });
    }
  };

  return {
    async get() {
      const current = token !== undefined && clock.monotonic() - readAt < REREAD_MS ? token : await read();
      return { authorization: `Bearer ${current}` };
    },
    async refresh() {
      const before = token;
      return (await read()) !== before;
    },
  };
}
