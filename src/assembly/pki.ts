/**
 * The keys of an embedded cluster. With a data directory they live beside the data, so that a kubeconfig written last
 * week still works; without one they are made anew and never touch the disk.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { createAuthority, expiryOf, issueCertificate, type KeyPair } from '../machinery/certificates.ts';

export interface ClusterKeys {
  readonly authority: KeyPair;
  readonly server: KeyPair;
  readonly admin: KeyPair;
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
  return { authority, server, admin };
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
    if (expiryOf(pair.certificate) - now > RENEW_BEFORE_MS) return pair;
  }
  const pair = await make();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(files.key, pair.key, { mode: 0o600 });
  writeFileSync(files.certificate, pair.certificate, { mode: 0o644 });
  return pair;
}
