/**
 * Certificates that another controller keeps, as files: cert-manager writes them into a Secret that is mounted. Read again every
 * while, because file events do not come through every kind of mount; a half-written pair is left for the next time.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { wasAborted } from '../../time/abort.ts';
import type { Actor } from '../../actor.ts';
import type { KeyPair } from '../../certificates/certificates.ts';
import type { Clock } from '../../time/clock.ts';
import { silentLogger, type Logger } from '../../logging/logger.ts';
import type { UseCertificate } from './source.ts';
import { isPair } from './state.ts';

export interface MountedOptions {
  readonly clock: Clock;
  readonly logger?: Logger;
  /** Holds `tls.crt` and `tls.key`. */
  readonly directory: string;
  readonly use: UseCertificate;
  readonly everyMs?: number;
}

const EVERY_MS = 10_000;

export function createMountedCertificates(options: MountedOptions): Actor {
  const { clock, directory, use, everyMs = EVERY_MS } = options;
  const logger = (options.logger ?? silentLogger).with({ directory });
  let used: KeyPair | undefined;
  let complaint = '';

  async function reload(): Promise<void> {
    try {
      const [certificate, key] = await Promise.all([
        readFile(join(directory, 'tls.crt'), 'utf8'),
        readFile(join(directory, 'tls.key'), 'utf8'),
      ]);
      if (used?.certificate === certificate && used.key === key) return;
      const pair = { certificate, key };
      if (!isPair(pair)) throw new Error('tls.key does not belong to tls.crt');
      use(pair);
      logger.info(used === undefined ? 'Read the certificate of the webhook' : 'Read a new certificate of the webhook');
      used = pair;
      complaint = '';
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      // Said once, not every ten seconds.
      if (text !== complaint) logger.warn('The certificate of the webhook cannot be read', { error: text });
      complaint = text;
    }
  }

  return {
    name: 'webhook-certificates',
    ready: () => used !== undefined,
    async start(signal) {
      try {
        for (;;) {
          await reload();
          await clock.sleep(everyMs, signal);
        }
      } catch (error) {
        if (!wasAborted(error, signal)) throw error;
      }
    },
  };
}
