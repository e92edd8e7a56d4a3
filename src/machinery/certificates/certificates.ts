/**
 * Certificates of our own making: a CA, serving certificates and client certificates, ECDSA P-256. Times come from the
 * caller's clock; only keys and serial numbers are the platform's chance.
 */
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { NameAttribute } from './x509-names.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY = 86_400_000;

x509.cryptoProvider.set(webcrypto as never);

export interface KeyPair {
  /** PEM */
  readonly certificate: string;
  /** PEM, PKCS#8 */
  readonly key: string;
}

export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  /** Further attributes, by object identifier. */
  readonly others?: readonly NameAttribute[];
}

/** Values are given as typed strings: a bare one would be parsed, and a comma or quote in a name would change it. */
export const subjectName = ({ commonName, organizations = [], others = [] }: Subject): x509.Name =>
  new x509.Name([
    ...others.map(({ type, value }) => ({ [type]: [{ utf8String: value }] })),
    ...organizations.map((organization) => ({ O: [{ utf8String: organization }] })),
    ...(commonName === '' ? [] : [{ CN: [{ utf8String: commonName }] }]),
  ]);

export const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
export const newSerial = (): string =>
  Buffer.from(webcrypto.getRandomValues(new Uint8Array(16)))
    .toString('hex')
    .replace(/^[89a-f]/, '7');

async function exportPair(certificate: x509.X509Certificate, keys: webcrypto.CryptoKeyPair): Promise<KeyPair> {
  const der = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { certificate: `${certificate.toString('pem')}\n`, key: `${x509.PemConverter.encode(der, 'PRIVATE KEY')}\n` };
}

export async function createAuthority(commonName: string, now: number, days = 3650): Promise<KeyPair> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    name: subjectName({ commonName }),
    notBefore: new Date(now - 5 * 60_000),
    notAfter: new Date(now + days * DAY),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return exportPair(certificate, keys);
}

export const authorityKey = (authority: KeyPair): Promise<webcrypto.CryptoKey> =>
  webcrypto.subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(authority.key), ALGORITHM, false, ['sign']);

export interface IssueOptions {
  readonly subject: Subject;
  readonly usage: 'server' | 'client';
  /** DNS names and IP addresses a serving certificate is good for. */
  readonly hosts?: readonly string[];
  readonly days?: number;
}

export async function issueCertificate(authority: KeyPair, now: number, options: IssueOptions): Promise<KeyPair> {
  const keys = await newKeys();
  const issuer = new x509.X509Certificate(authority.certificate);
  const hosts = options.hosts ?? [];
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: subjectName(options.subject),
    // The name as it is encoded, not its text: verifiers compare bytes.
    issuer: issuer.subjectName,
    notBefore: new Date(now - 5 * 60_000),
    notAfter: new Date(Math.min(now + (options.days ?? 365) * DAY, issuer.notAfter.getTime())),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: await authorityKey(authority),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([
        options.usage === 'server' ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth,
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      ...(hosts.length === 0
        ? []
        : [
            new x509.SubjectAlternativeNameExtension(
              hosts.map((host) => ({ type: isAddress(host) ? 'ip' : 'dns', value: host })),
            ),
          ]),
    ],
  });
  return exportPair(certificate, keys);
}

const isAddress = (host: string): boolean => host.includes(':') || /^\d+(\.\d+){3}$/.test(host);

/** When the certificate stops being good, in epoch milliseconds. */
export const expiryOf = (pem: string): number => new x509.X509Certificate(pem).notAfter.getTime();
