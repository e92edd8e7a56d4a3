/**
 * Certificates and keys of a kubeconfig, looked at when it is read: TLS would only say that something cannot be decoded, and not
 * which field of which file. Their contents are never told.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { type Entry, fromDirectory, invalid } from './kubeconfig-file.ts';

export interface Pem {
  readonly bytes: Buffer;
  /** File, entry and field, for people. */
  readonly where: string;
  /** `client-key-data`, or `client-key` with its file. */
  readonly field: string;
}

/** Of a field and the same field with `-data`; data in the file itself wins over a path beside it. */
export async function readPem<F extends string>(
  entry: Entry<{ readonly [field in F | `${F}-data`]?: string }>,
  whose: string,
  field: F,
): Promise<Pem | undefined> {
  const value: { readonly [field: string]: unknown } = entry.value;
  const data = value[`${field}-data`];
  const path = value[field];
  const of = `${entry.file}: ${whose}: `;
  if (data !== undefined && data !== null && data !== '') {
    if (typeof data !== 'string') throw invalid(`${of}${field}-data is no text`);
    return { bytes: Buffer.from(data, 'base64'), where: `${of}${field}-data`, field: `${field}-data` };
  }
  if (path === undefined || path === null || path === '') return undefined;
  if (typeof path !== 'string') throw invalid(`${of}${field} is no path`);
  const file = fromDirectory(entry.directory, path);
  try {
    return { bytes: await readFile(file), where: `${of}${field} ${file}`, field: `${field} ${file}` };
  } catch (cause) {
    throw invalid(`${of}${field}: cannot read ${file}: ${(cause as Error).message}`, cause);
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g;

/** One authority that can be read is enough, as for kubectl; but a bundle that TLS stumbles over is of no use. */
export function checkAuthority({ bytes, where }: Pem): void {
  const certificates = bytes.toString('latin1').match(CERTIFICATE) ?? [];
  if (!certificates.some((text) => attempt(() => new X509Certificate(text)) !== undefined))
    throw invalid(`${where} holds no certificate that can be read`);
  if (attempt(() => createSecureContext({ ca: bytes })) === undefined)
    throw invalid(`${where} holds something beside certificates that cannot be read`);
}

export function checkPair(cert: Pem, key: Pem): void {
  const certificate = attempt(() => new X509Certificate(cert.bytes));
  if (certificate === undefined) throw invalid(`${cert.where} holds no certificate that can be read`);
  const secret = attempt(() => createPrivateKey(key.bytes));
  if (secret === undefined)
    throw invalid(
      isEncrypted(key.bytes)
        ? `${key.where} holds a private key with a passphrase, which nobody could enter`
        : `${key.where} holds no private key that can be read`,
    );
  if (!isKeyOf(certificate, secret)) throw invalid(`${key.where} is not the key of ${cert.field}`);
}

const isKeyOf = (certificate: X509Certificate, key: KeyObject): boolean =>
  attempt(() => certificate.checkPrivateKey(key)) === true;

const isEncrypted = (bytes: Buffer): boolean => /ENCRYPTED/.test(bytes.toString('latin1'));

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
