/**
 * The names that a certificate is for, read from its bytes. Signing requests are judged, approved and signed by these names, and
 * clients are authenticated by them: one reader, because two that disagree about one byte let a client pass as an administrator. The reader accepts
 * the string types that Go's crypto/x509 accepts in a name, reads them as that does, and refuses every other type.
 */
import { contentOf, DER, malformed, readElements, readOnly, type DerElement } from './der.ts';

export interface NameAttribute {
  /** The object identifier of the attribute, such as `2.5.4.11`. */
  readonly type: string;
  readonly value: string;
}

export interface X509Subject {
  /** The last one, where there are several; empty where there is none. */
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Country, unit and the like: kept in the certificate, and no part of an identity here. */
  readonly others: readonly NameAttribute[];
}

interface AlternativeNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emails: readonly string[];
  readonly uris: readonly string[];
}

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
/** Attributes that Kubernetes' signer takes over into a certificate; everything else in a subject is left behind. */
const KNOWN: ReadonlyMap<string, string> = new Map([
  [COMMON_NAME, 'common name (CN)'],
  ['2.5.4.5', 'serial number'],
  ['2.5.4.6', 'country (C)'],
  ['2.5.4.7', 'locality (L)'],
  ['2.5.4.8', 'province (ST)'],
  ['2.5.4.9', 'street address'],
  [ORGANIZATION, 'organization (O)'],
  ['2.5.4.11', 'organizational unit (OU)'],
  ['2.5.4.17', 'postal code'],
]);

/** The subject of a certificate, DER. Throws an `Error` that names the attribute that cannot be read. */
export function readCertificateSubject(certificate: Buffer): X509Subject {
  const fields = readElements(contentOf(readOnly(certificate, DER.sequence)[0], DER.sequence));
  // The version comes first where it is not the first version.
  const at = fields[0]?.tag === VERSION ? 5 : 4;
  return readSubject(fields[at]);
}
const VERSION = 0xa0;

export interface RequestNames extends X509Subject, AlternativeNames {}

/** The subject and the alternative names of a signing request (PKCS#10), DER. */
export function readRequestNames(request: Buffer): RequestNames {
  const [info, algorithm, signature, ...rest] = readOnly(request, DER.sequence);
  contentOf(algorithm, DER.sequence);
  contentOf(signature, DER.bitString);
  const [version, subject, key, attributes, ...more] = readElements(contentOf(info, DER.sequence));
  contentOf(version, DER.integer);
  contentOf(key, DER.sequence);
  if (rest.length > 0 || more.length > 0) throw malformed();
  const asked = attributes === undefined ? [] : readElements(contentOf(attributes, ATTRIBUTES));
  return { ...readSubject(subject), ...readAlternativeNames(asked) };
}
const ATTRIBUTES = 0xa0;

function readSubject(name: DerElement | undefined): X509Subject {
  let commonName = '';
  const organizations: string[] = [];
  const others: NameAttribute[] = [];
  for (const set of readElements(contentOf(name, DER.sequence))) {
    for (const each of readElements(contentOf(set, DER.set))) {
      const attribute = readAttribute(each);
      if (attribute.type === COMMON_NAME) commonName = attribute.value;
      else if (attribute.type === ORGANIZATION) organizations.push(attribute.value);
      else if (KNOWN.has(attribute.type)) others.push(attribute);
    }
  }
  return { commonName, organizations, others };
}

function readAttribute(element: DerElement): NameAttribute {
  const [identifier, value, ...rest] = readElements(contentOf(element, DER.sequence));
  if (value === undefined || rest.length > 0) throw malformed();
  const type = readIdentifier(contentOf(identifier, DER.objectIdentifier));
  return { type, value: readString(value, KNOWN.get(type) ?? type) };
}

function readIdentifier(bytes: Buffer): string {
  const parts: number[] = [];
  let part = 0;
  let isOpen = false;
  for (const byte of bytes) {
    // A part that begins with nothing could be written in as many ways as one likes.
    if (!isOpen && byte === 0x80) throw malformed();
    part = part * 0x80 + (byte & 0x7f);
    isOpen = byte >= 0x80;
    if (isOpen) continue;
    if (parts.length > 0) parts.push(part);
    else parts.push(Math.min(Math.trunc(part / 40), 2), part - 40 * Math.min(Math.trunc(part / 40), 2));
    part = 0;
  }
  if (isOpen || parts.length === 0) throw malformed();
  return parts.join('.');
}

interface StringType {
  readonly name: string;
  /** Undefined where the bytes are no text of this type. */
  read(bytes: Buffer): string | undefined;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const latin1 = (bytes: Buffer): string => bytes.toString('latin1');
const ofLetters =
  (letters: RegExp) =>
  (bytes: Buffer): string | undefined =>
    letters.test(latin1(bytes)) ? latin1(bytes) : undefined;

/** The string types that may stand in a name. Others (UniversalString, GeneralString, VisibleString, …) mean nothing here. */
const STRING_TYPES: ReadonlyMap<number, StringType> = new Map<number, StringType>([
  [0x0c, { name: 'UTF8String', read: readUtf8 }],
  [0x12, { name: 'NumericString', read: ofLetters(/^[0-9 ]*$/) }],
  // An asterisk and an ampersand are none of its letters, but stand in certificates that are in use.
  [0x13, { name: 'PrintableString', read: ofLetters(/^[A-Za-z0-9 '()*+,\-./:=?&]*$/) }],
  [0x14, { name: 'TeletexString', read: latin1 }],
  [0x16, { name: 'IA5String', read: (bytes) => (bytes.every((byte) => byte < 0x80) ? latin1(bytes) : undefined) }],
  [0x1e, { name: 'BMPString', read: readBmp }],
]);

function readUtf8(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Two bytes a letter, and no pairs of them; a NUL at the end is not part of the text. */
function readBmp(bytes: Buffer): string | undefined {
  if (bytes.length % 2 !== 0) return undefined;
  const text = Buffer.from(bytes).swap16().toString('utf16le');
  const ended = text.endsWith('\0') ? text.slice(0, -1) : text;
  return /[\uD800-\uDFFF\uFDD0-\uFDEF\uFFFE\uFFFF]/.test(ended) ? undefined : ended;
}

const UTF8_INSTEAD = 'make the request with a UTF8String or PrintableString';

function readString({ content, tag }: DerElement, attribute: string): string {
  const type = STRING_TYPES.get(tag);
  if (type === undefined) {
    throw new Error(`the ${attribute} of the subject has the ASN.1 tag ${tag}, which is no text; ${UTF8_INSTEAD}`);
  }
  const text = type.read(content);
  if (text === undefined) {
    throw new Error(`the ${attribute} of the subject is no valid ${type.name}; ${UTF8_INSTEAD}`);
  }
  return text;
}

const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const ALTERNATIVE_NAME = '2.5.29.17';

/** Of the attributes of a request only the extensions that it asks for are read, and of those the alternative names. */
function readAlternativeNames(attributes: readonly DerElement[]): AlternativeNames {
  const seen = new Set<string>();
  let names: readonly DerElement[] = [];
  for (const attribute of attributes) {
    const [type, values] = readElements(contentOf(attribute, DER.sequence));
    if (readIdentifier(contentOf(type, DER.objectIdentifier)) !== EXTENSION_REQUEST) continue;
    const [list] = readElements(contentOf(values, DER.set));
    for (const extension of readElements(contentOf(list, DER.sequence))) {
      const parts = readElements(contentOf(extension, DER.sequence));
      const id = readIdentifier(contentOf(parts[0], DER.objectIdentifier));
      if (seen.has(id)) throw new Error('the certificate request asks for one extension twice');
      seen.add(id);
      if (id === ALTERNATIVE_NAME) names = readOnly(contentOf(parts.at(-1), DER.octetString), DER.sequence);
    }
  }
  const texts = (tag: number): readonly string[] =>
    names.filter((name) => name.tag === tag).map(({ content }) => readIa5(content));
  const ipAddresses = names.filter(({ tag }) => tag === IP).map(({ content }) => readAddress(content));
  return { dnsNames: texts(DNS), emails: texts(EMAIL), uris: texts(URI), ipAddresses };
}

const EMAIL = 0x81;
const DNS = 0x82;
const URI = 0x86;
const IP = 0x87;

function readIa5(bytes: Buffer): string {
  if (bytes.some((byte) => byte >= 0x80)) throw new Error('a subjectAltName has letters beyond ASCII; use punycode');
  return latin1(bytes);
}

function readAddress(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) throw new Error('an IP subjectAltName has neither 4 nor 16 bytes');
  return Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(2 * at).toString(16)).join(':');
}
