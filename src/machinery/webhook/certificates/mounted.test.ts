import { mkdtempSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAuthority, issueCertificate, type KeyPair } from '../../certificates/certificates.ts';
import { rememberingLogger } from '../../logging/logger.ts';
import { realClock } from '../../time/real-clock.ts';
import { createMountedCertificates } from './mounted.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'everynode-certs-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const authority = await createAuthority('test', Date.now());
const pair = (): Promise<KeyPair> =>
  issueCertificate(authority, Date.now(), { subject: { commonName: 'x' }, usage: 'server', hosts: ['x.y.svc'] });

/** As kubelet does: a folder for each state, and one link that is moved. */
let states = 0;
function mount({ certificate, key }: KeyPair): void {
  const state = `..state-${(states += 1)}`;
  mkdirSync(join(folder, state));
  writeFileSync(join(folder, state, 'tls.crt'), certificate);
  writeFileSync(join(folder, state, 'tls.key'), key);
  symlinkSync(state, join(folder, '..new'));
  renameSync(join(folder, '..new'), join(folder, '..data'));
  for (const name of ['tls.crt', 'tls.key']) {
    try {
      symlinkSync(join('..data', name), join(folder, name));
    } catch {
      // There already.
    }
  }
}

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe('mounted certificates', () => {
  it('are used when they come, change by change, and complained of once', async () => {
    const used: KeyPair[] = [];
    const { logger, lines } = rememberingLogger();
    const source = createMountedCertificates({
      clock: realClock,
      logger,
      directory: folder,
      use: (next) => void used.push(next),
      everyMs: 5,
    });
    const stopping = new AbortController();
    const run = source.start(stopping.signal);
    await until(() => lines.length === 1);
    expect(source.ready?.()).toBe(false);
    const [first, second] = await Promise.all([pair(), pair()]);
    mount(first);
    await until(() => used.length === 1);
    expect(source.ready?.()).toBe(true);
    // Half of a new pair is not used.
    mount({ certificate: second.certificate, key: first.key });
    await until(() => lines.filter(({ level }) => level === 'warn').length === 2);
    expect(used).toEqual([first]);
    mount(second);
    await until(() => used.length === 2);
    expect(used).toEqual([first, second]);
    stopping.abort();
    await run;
  });
});
