/**
 * Signing requests and certificates built byte by byte, with subjects that no decent tool would write. Written apart from
 * what reads them, so that the two cannot share a mistake.
 */
import { createPublicKey, generateKeyPairSync, randomBytes, sign, X509Certificate, type KeyObject } from 'node:crypto';
import type { KeyPair } from '../certificates/certificates.ts';

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8: 0x0c,
  numeric: 0x12,
  printable: 0x13,
  teletex: 0x14,
  ia5: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  visible: 0x1a,
  general: 0x1b,
  universal: 0x1c,
  bmp: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

type Content = Buffer | string;

/** One element of DER. */
export function der(tag: number, ...content: readonly Content[]): Buffer {
  const body = Buffer.concat(content.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

const oid = (hex: string): Buffer => der(TAG.objectIdentifier, Buffer.from(hex, 'hex'));
export const OID = {
  commonName: '550403',
  serialNumber: '550405',
  country: '550406',
  organization: '55040a',
  organizationalUnit: '55040b',
  uid: '0992268993f22c640101',
} as const;

/** One attribute of a name: its type, and its value with a tag of the forger's choice. */
export const attribute = (type: keyof typeof OID, tag: number, value: Content): Buffer =>
  der(TAG.sequence, oid(OID[type]), der(tag, value));

/** A name of these sets of attributes; a set of more than one is a multi-valued RDN. */
export const nameOf = (...sets: readonly (readonly Buffer[])[]): Buffer =>
  der(TAG.sequence, ...sets.map((set) => der(TAG.set, ...set)));

const ECDSA_SHA256 = der(TAG.sequence, oid('2a8648ce3d040302'));
const pem = (label: string, bytes: Buffer): string =>
  [`-----BEGIN ${label}-----`, ...(bytes.toString('base64').match(/.{1,64}/g) ?? []), `-----END ${label}-----\n`].join(
    '\n',
  );

/** One key for all that is forged: making it takes longer than the rest. */
const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
export const forgedKey = String(keys.privateKey.export({ type: 'pkcs8', format: 'pem' }));
const publicKey = keys.publicKey.export({ type: 'spki', format: 'der' });

const signed = (body: Buffer, key: KeyObject | string): Buffer =>
  der(
    TAG.sequence,
    body,
    ECDSA_SHA256,
    der(TAG.bitString, Buffer.from([0]), sign('sha256', body, { key, dsaEncoding: 'der' } as never)),
  );

export interface ForgedRequest {
  /** DER of the whole subject. */
  readonly subject: Buffer;
  /** Extensions that are asked for, each DER of an Extension; every list is an attribute of its own. */
  readonly extensions?: readonly (readonly Buffer[])[];
}

export function forgeRequest({ extensions = [], subject }: ForgedRequest): string {
  const attributes = extensions.map((list) =>
    der(TAG.sequence, oid('2a864886f70d01090e'), der(TAG.set, der(TAG.sequence, ...list))),
  );
  const info = der(TAG.sequence, der(TAG.integer, Buffer.from([0])), subject, publicKey, der(0xa0, ...attributes));
  return pem('CERTIFICATE REQUEST', signed(info, keys.privateKey));
}

/** An Extension with alternative names, each given with its context tag (1 email, 2 DNS, 6 URI, 7 IP). */
export const alternativeNames = (...names: readonly (readonly [number, Content])[]): Buffer =>
  der(
    TAG.sequence,
    oid('551d11'),
    der(TAG.octetString, der(TAG.sequence, ...names.map(([tag, value]) => der(0x80 | tag, value)))),
  );

/** A client certificate that the authority really signed, for a day, with a subject of the forger's choice. */
export function forgeCertificate(authority: KeyPair, subject: Buffer): KeyPair {
  const issuer = new X509Certificate(authority.certificate);
  const time = (ms: number): Buffer =>
    der(
      TAG.utcTime,
      new Date(ms)
        .toISOString()
        .replaceAll(/[-:T]|\.\d+/g, '')
        .slice(2),
    );
  const now = Date.now();
  const clientAuth = der(TAG.sequence, oid('2b06010505070302'));
  const extensions = der(TAG.sequence, der(TAG.sequence, oid('551d25'), der(TAG.octetString, clientAuth)));
  const body = der(
    TAG.sequence,
    der(0xa0, der(TAG.integer, Buffer.from([2]))),
    der(TAG.integer, Buffer.from([0x11]), randomBytes(8)),
    ECDSA_SHA256,
    subjectOf(issuer.raw),
    der(TAG.sequence, time(now - 3_600_000), time(now + 86_400_000)),
    subject,
    createPublicKey(forgedKey).export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  return { certificate: pem('CERTIFICATE', signed(body, authority.key)), key: forgedKey };
}

/** The bytes of an authority's own subject: it signs itself, so it is also the issuer, the third field after the version. */
function subjectOf(certificate: Buffer): Buffer {
  const inside = (bytes: Buffer): Buffer => bytes.subarray(headLength(bytes));
  const whole = (bytes: Buffer): Buffer => bytes.subarray(0, headLength(bytes) + bodyLength(bytes));
  let rest = inside(inside(certificate));
  for (let skipped = 0; skipped < 3; skipped++) rest = rest.subarray(whole(rest).length);
  return whole(rest);
}

const headLength = (bytes: Buffer): number => ((bytes[1] ?? 0) < 0x80 ? 2 : 2 + ((bytes[1] ?? 0) & 0x7f));
const bodyLength = (bytes: Buffer): number =>
  (bytes[1] ?? 0) < 0x80 ? (bytes[1] ?? 0) : bytes.readUIntBE(2, (bytes[1] ?? 0) & 0x7f);
