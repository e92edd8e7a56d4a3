/** Certificate signing requests (PKCS#10): read, checked, made and signed. */
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { authorityKey, newKeys, newSerial, type KeyPair, type Subject, subjectName } from './certificates.ts';
import { DerError } from './der.ts';
import { readRequestNames, type RequestNames } from './x509-names.ts';

export interface ReadRequest extends RequestNames {
  readonly publicKey: x509.PublicKey;
  /** Whether the requester holds the key. */
  verify(): Promise<boolean>;
}

/** Requests are a few hundred bytes; alternative names make some of them a few thousand. */
const MAX_PEM_LENGTH = 64 * 1024;

/** Throws an `Error` that says what is wrong with the request, and nothing of its content. */
export function readCertificateRequest(pem: string): ReadRequest {
  const block = pem.length > MAX_PEM_LENGTH ? undefined : firstBlock(pem);
  if (block === undefined) throw new Error('PEM block type must be CERTIFICATE REQUEST');
  const der = Buffer.from(block, 'base64');
  const names = orMalformed(() => readRequestNames(der), DerError);
  const { publicKey, request } = orMalformed(() => {
    const parsed = new x509.Pkcs10CertificateRequest(der);
    return { request: parsed, publicKey: parsed.publicKey };
  }, Error);
  return { ...names, publicKey, verify: () => request.verify().catch(() => false) };
}

/** Errors of this class say where the parser gave up, which does not help a requester; others are about the request. */
function orMalformed<T>(read: () => T, unhelpful: new (message?: string) => Error): T {
  try {
    return read();
  } catch (cause) {
    throw cause instanceof unhelpful ? new Error('the certificate request is malformed', { cause }) : cause;
  }
}

const BEGIN = '-----BEGIN CERTIFICATE REQUEST-----';
const END = '-----END CERTIFICATE REQUEST-----';

/** The base64 between the lines, where the first block is a request. */
function firstBlock(pem: string): string | undefined {
  const begin = pem.indexOf('-----BEGIN ');
  if (begin < 0 || !pem.startsWith(BEGIN, begin)) return undefined;
  const end = pem.indexOf(END, begin);
  return end < 0 ? undefined : pem.slice(begin + BEGIN.length, end).replaceAll(/\s/g, '');
}

const KEY_USAGES: ReadonlyMap<string, x509.KeyUsageFlags> = new Map([
  ['signing', x509.KeyUsageFlags.digitalSignature],
  ['digital signature', x509.KeyUsageFlags.digitalSignature],
  ['content commitment', x509.KeyUsageFlags.nonRepudiation],
  ['key encipherment', x509.KeyUsageFlags.keyEncipherment],
  ['key agreement', x509.KeyUsageFlags.keyAgreement],
  ['data encipherment', x509.KeyUsageFlags.dataEncipherment],
  ['cert sign', x509.KeyUsageFlags.keyCertSign],
  ['crl sign', x509.KeyUsageFlags.cRLSign],
  ['encipher only', x509.KeyUsageFlags.encipherOnly],
  ['decipher only', x509.KeyUsageFlags.decipherOnly],
]);
const EXTENDED_USAGES: ReadonlyMap<string, string> = new Map([
  ['any', '2.5.29.37.0'],
  ['server auth', '1.3.6.1.5.5.7.3.1'],
  ['client auth', '1.3.6.1.5.5.7.3.2'],
  ['code signing', '1.3.6.1.5.5.7.3.3'],
  ['email protection', '1.3.6.1.5.5.7.3.4'],
  ['s/mime', '1.3.6.1.5.5.7.3.4'],
  ['ipsec end system', '1.3.6.1.5.5.7.3.5'],
  ['ipsec tunnel', '1.3.6.1.5.5.7.3.6'],
  ['ipsec user', '1.3.6.1.5.5.7.3.7'],
  ['timestamping', '1.3.6.1.5.5.7.3.8'],
  ['ocsp signing', '1.3.6.1.5.5.7.3.9'],
  ['microsoft sgc', '1.3.6.1.4.1.311.10.3.3'],
  ['netscape sgc', '2.16.840.1.113730.4.1'],
]);

export interface SigningOptions {
  /** In milliseconds since 1970. */
  readonly now: number;
  readonly seconds: number;
  /** As certificate signing requests name them; unknown ones are left out. */
  readonly usages: readonly string[];
}

/** Clocks differ: a certificate is good from a little before it was made. */
const BACKDATE_MS = 5 * 60_000;
/** Certificates that live shorter than this are not shortened by the backdating. */
const SHORT_MS = 8 * 3600_000;

/** The authority's own end has come; no request is at fault. */
export class AuthorityExpiredError extends Error {}

/**
 * The certificate as PEM. Subject and alternative names are encoded anew from the names that were read, so that the certificate holds
 * the names that were judged and nothing else that stood in the request.
 */
export async function signCertificateRequest(
  authority: KeyPair,
  request: ReadRequest,
  options: SigningOptions,
): Promise<string> {
  const issuer = new x509.X509Certificate(authority.certificate);
  const lifetime = options.seconds * 1000;
  const end = options.now + (lifetime < SHORT_MS ? lifetime : lifetime - BACKDATE_MS);
  const signerEnd = issuer.notAfter.getTime();
  if (options.now >= signerEnd) throw new AuthorityExpiredError('the authority that signs has expired');
  const alternatives = alternativeNames(request);
  const flags = options.usages.reduce((all, usage) => all | (KEY_USAGES.get(usage) ?? 0), 0);
  const extended = [...new Set(options.usages.flatMap((usage) => EXTENDED_USAGES.get(usage) ?? []))];
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: subjectName(request),
    issuer: issuer.subjectName,
    notBefore: new Date(options.now - BACKDATE_MS),
    notAfter: new Date(Math.min(end, signerEnd)),
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    publicKey: request.publicKey,
    signingKey: await authorityKey(authority),
    extensions: [
      ...(flags === 0 ? [] : [new x509.KeyUsagesExtension(flags, true)]),
      ...(extended.length === 0 ? [] : [new x509.ExtendedKeyUsageExtension(extended)]),
      new x509.BasicConstraintsExtension(false, undefined, true),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      ...(alternatives.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(alternatives)]),
    ],
  });
  return `${certificate.toString('pem')}\n`;
}

const alternativeNames = ({ dnsNames, emails, ipAddresses, uris }: ReadRequest): x509.JsonGeneralName[] => [
  ...dnsNames.map((value) => ({ type: 'dns', value }) as const),
  ...emails.map((value) => ({ type: 'email', value }) as const),
  ...ipAddresses.map((value) => ({ type: 'ip', value }) as const),
  ...uris.map((value) => ({ type: 'url', value }) as const),
];

/** A new key and a request for a certificate of it, both PEM. */
export async function createCertificateRequest(
  subject: Subject,
): Promise<{ readonly request: string; readonly key: string }> {
  const keys = await newKeys();
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subjectName(subject),
    keys,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
  });
  const der = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { request: `${request.toString('pem')}\n`, key: `${x509.PemConverter.encode(der, 'PRIVATE KEY')}\n` };
}
