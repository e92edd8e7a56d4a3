import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority, issueCertificate, type KeyPair } from '../../certificates/certificates.ts';
import { certificateFileCredentials } from './certificate-files.ts';

const NOW = Date.UTC(2026, 0, 1);
let folder: string;
let pairs: readonly KeyPair[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'everynode-certificates-'));
  const authority = await createAuthority('test', NOW);
  pairs = await Promise.all(
    ['one', 'two'].map((commonName) => issueCertificate(authority, NOW, { subject: { commonName }, usage: 'client' })),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const pair = (i: number): KeyPair => pairs[i] as KeyPair;
const files = (name: string) => ({ cert: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) });
const write = ({ cert, key }: ReturnType<typeof files>, { certificate, key: text }: KeyPair): void => {
  writeFileSync(cert, certificate);
  writeFileSync(key, text);
};
const clockAt = (at: { now: number }) => ({ monotonic: () => at.now });
const given = ({ certificate, key }: KeyPair) => ({ cert: certificate, key });

describe('a client certificate in files', () => {
  it('is read again after a minute', async () => {
    const paths = files('minute');
    const at = { now: 0 };
    write(paths, pair(0));
    const source = certificateFileCredentials(clockAt(at), paths);
    expect(await source.get()).toEqual(given(pair(0)));
    write(paths, pair(1));
    at.now = 59_000;
    expect(await source.get()).toEqual(given(pair(0)));
    at.now = 61_000;
    expect(await source.get()).toEqual(given(pair(1)));
  });

  it('is read again when the server refused it, and only then is a retry worth while', async () => {
    const paths = files('refused');
    write(paths, pair(0));
    const source = certificateFileCredentials(clockAt({ now: 0 }), paths);
    await source.get();
    expect(await source.refresh()).toBe(false);
    write(paths, pair(1));
    expect(await source.refresh()).toBe(true);
    expect(await source.get()).toEqual(given(pair(1)));
  });

  it('stays what it was while only half of the new one is written, or it is gone', async () => {
    const paths = files('half');
    write(paths, pair(0));
    const source = certificateFileCredentials(clockAt({ now: 0 }), paths);
    const first = await source.get();
    writeFileSync(paths.cert, pair(1).certificate);
    expect(await source.refresh()).toBe(false);
    expect(await source.get()).toBe(first);
    rmSync(paths.cert);
    expect(await source.refresh()).toBe(false);
    writeFileSync(paths.cert, pair(1).certificate);
    writeFileSync(paths.key, pair(1).key);
    expect(await source.refresh()).toBe(true);
  });

  it('that was never there, or makes no sense, is said with both names', async () => {
    const missing = certificateFileCredentials(clockAt({ now: 0 }), files('missing'));
    await expect(missing.get()).rejects.toMatchObject({
      code: 'EN_MACHINERY_CREDENTIALS',
      message: expect.stringMatching(/missing\.crt with its key .*missing\.key/) as unknown,
    });
    const mixed = files('mixed');
    write(mixed, { certificate: pair(0).certificate, key: pair(1).key });
    await expect(certificateFileCredentials(clockAt({ now: 0 }), mixed).get()).rejects.toThrow(
      'the key is not that of the certificate',
    );
  });
});
