/**
 * The keys of an embedded cluster. With a data directory they live beside the data, so that a kubeconfig written last
 * week still works; without one they are made anew and never touch the disk.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { createAuthority, expiryOf, issueCertificate, type KeyPair } from '../machinery/certificates/certificates.ts';
import { createSigningKey } from '../machinery/certificates/signing-key.ts';
import { makeDirectory } from '../machinery/make-directory.ts';

export interface ClusterKeys {
  readonly authority: KeyPair;
  readonly server: KeyPair;
  readonly admin: KeyPair;
  /** PEM: signs the tokens of service accounts. */
  readonly signingKey: string;
}

const RENEW_BEFORE_MS = 30 * 86_400_000;
const ALWAYS = [
  'localhost',
  '127.0.0.1',
  '::1',
  '10.96.0.1',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

/** Addresses that mean "all of them" cannot be named in a certificate. */
const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::';

export async function clusterKeys(directory: string | undefined, bind: string, now: number): Promise<ClusterKeys> {
  const hosts =
    isWildcard(bind) || ALWAYS.includes(bind) || (isIP(bind) === 0 && bind === '') ? ALWAYS : [...ALWAYS, bind];
  const authority = await keep(directory, 'ca', now, () => createAuthority('everynode', now));
  const [server, admin] = await Promise.all([
    // The serving certificate follows the bind address, so it is made at every start.
    issueCertificate(authority, now, { subject: { commonName: 'kube-apiserver' }, usage: 'server', hosts }),
    keep(directory, 'admin', now, () =>
      issueCertificate(authority, now, {
        subject: { commonName: 'kubernetes-admin', organizations: ['system:masters'] },
        usage: 'client',
        days: 3650,
      }),
    ),
  ]);
  return { authority, server, admin, signingKey: keepSigningKey(directory) };
}

/** Without a kept key every token issued before would be void. */
function keepSigningKey(directory: string | undefined): string {
  if (directory === undefined) return createSigningKey();
  const file = join(directory, 'pki', 'sa.key');
  if (!existsSync(file)) {
    const key = createSigningKey();
    makeDirectory(join(directory, 'pki'), 0o700);
    writeWhole(file, key, 0o600);
    return key;
  }
  const key = readFileSync(file, 'utf8');
  try {
    // A key of another curve would sign tokens that no client could verify.
    if (createPrivateKey(key).asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('not a P-256 key');
    return key;
  } catch (cause) {
    // OpenSSL's message about a broken key reveals nothing of the key, but is of no help either.
    const text = `${file} is no P-256 private key. Restore it from a backup; or remove it, and pods will need new tokens`;
    throw Object.assign(new Error(text, { cause }), { code: 'EN_ASSEMBLY_KEYS' });
  }
}

async function keep(
  directory: string | undefined,
  name: string,
  now: number,
  make: () => Promise<KeyPair>,
): Promise<KeyPair> {
  if (directory === undefined) return make();
  const folder = join(directory, 'pki');
  const files = { certificate: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) };
  if (existsSync(files.certificate) && existsSync(files.key)) {
    const pair = { certificate: readFileSync(files.certificate, 'utf8'), key: readFileSync(files.key, 'utf8') };
    if (readExpiry(files, pair) - now > RENEW_BEFORE_MS) return pair;
  }
  const pair = await make();
  makeDirectory(folder, 0o700);
  writeWhole(files.key, pair.key, 0o600);
  writeWhole(files.certificate, pair.certificate, 0o644);
  return pair;
}

/** When a kept pair expires, or clear words where it is no pair: guessing would lock out everyone who trusts it. */
function readExpiry(files: KeyPair, { certificate, key }: KeyPair): number {
  let broken = files.key;
  try {
    const privateKey = createPrivateKey(key);
    broken = files.certificate;
    if (!new X509Certificate(certificate).checkPrivateKey(privateKey)) throw new Error('its key is another');
    return expiryOf(certificate);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const text = `${broken} cannot be read: ${why}. Restore it and its ${broken === files.key ? 'certificate' : 'key'} from a backup; or remove both, and clients will need the new kubeconfig`;
    throw Object.assign(new Error(text, { cause }), { code: 'EN_ASSEMBLY_KEYS' });
  }
}

/** A start that is cut off leaves the file whole or absent, never half. */
function writeWhole(file: string, text: string, mode: number): void {
  const unfinished = `${file}.new`;
  rmSync(unfinished, { force: true });
  writeFileSync(unfinished, text, { mode, flush: true });
  renameSync(unfinished, file);
}
