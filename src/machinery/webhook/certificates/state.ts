/**
 * The certificates as the Secret keeps them. Parts that are damaged, expired beyond use or do not belong together count as
 * absent: such parts are made anew rather than served.
 *
 * | key | content |
 * |---|---|
 * | `tls.crt`, `tls.key` | the serving certificate of all replicas |
 * | `ca.crt` | the bundle: every authority to be believed |
 * | `authority.crt`, `authority.key` | the authority that signs |
 * | `next-authority.crt`, `next-authority.key` | the authority that will sign, once configurations hold it |
 * | `next-authority.everywhere-since` | when every configuration was first seen to hold it |
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Secret } from '../../../core/api/types/core-v1.ts';
import { formatMicroTime, parseTime } from '../../../core/kube/time.ts';
import type { KeyPair } from '../../certificates/certificates.ts';
import type { CertificateView, Validity } from './plan.ts';

export interface CertificateState {
  readonly authority?: KeyPair;
  readonly next?: KeyPair;
  /** Since when every configuration holds `next`, in epoch milliseconds. */
  readonly everywhereSince?: number;
  /** Certificates, PEM, of authorities that signed once. Their keys are gone. */
  readonly retired: readonly string[];
  readonly serving?: KeyPair;
}

export const NO_CERTIFICATES: CertificateState = { retired: [] };

const EVERYWHERE_SINCE = 'next-authority.everywhere-since';
const PEM = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+?-----END CERTIFICATE-----/g;
/** A larger bundle was not written by a keeper. */
const MOST_AUTHORITIES = 64;

const normal = (pem: string): string => `${pem.trim()}\n`;

/** The certificates of a bundle, in their order, each once. Text between them does not count. */
export const certificatesIn = (bundle: string): readonly string[] => [
  ...new Set((bundle.match(PEM) ?? []).slice(0, MOST_AUTHORITIES).map(normal)),
];

/** Every authority to be believed: the present, the next and the retired ones. */
export const bundleOf = ({ authority, next, retired }: CertificateState): string =>
  [
    ...new Set([authority?.certificate, next?.certificate, ...retired].filter((pem) => pem !== undefined).map(normal)),
  ].join('');

/** Whether the key belongs to the certificate. */
export function isPair({ certificate, key }: KeyPair): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function parsed(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

export function decodeState({ data }: Pick<Secret, 'data'>): CertificateState {
  const textOf = (name: string): string => Buffer.from(data?.[name] ?? '', 'base64').toString('utf8');
  const pairOf = (name: string): KeyPair | undefined => {
    const pair = { certificate: textOf(`${name}.crt`), key: textOf(`${name}.key`) };
    return pair.certificate !== '' && isPair(pair) ? pair : undefined;
  };
  const authority = pairOf('authority');
  const next = pairOf('next-authority');
  const serving = pairOf('tls');
  const everywhereSince = next === undefined ? undefined : parseTime(textOf(EVERYWHERE_SINCE));
  const known = new Set([authority, next].map((pair) => normal(pair?.certificate ?? '')));
  const retired = certificatesIn(textOf('ca.crt')).filter((pem) => !known.has(pem) && parsed(pem) !== undefined);
  return {
    ...(authority === undefined ? {} : { authority }),
    ...(next === undefined ? {} : { next }),
    ...(everywhereSince === undefined ? {} : { everywhereSince }),
    ...(serving === undefined ? {} : { serving }),
    retired,
  };
}

export function encodeState(state: CertificateState): { readonly [key: string]: string } {
  const data: { [key: string]: string } = { 'ca.crt': base64(bundleOf(state)) };
  const put = (name: string, pair: KeyPair | undefined): void => {
    if (pair === undefined) return;
    data[`${name}.crt`] = base64(pair.certificate);
    data[`${name}.key`] = base64(pair.key);
  };
  put('tls', state.serving);
  put('authority', state.authority);
  put('next-authority', state.next);
  if (state.next !== undefined && state.everywhereSince !== undefined) {
    data[EVERYWHERE_SINCE] = base64(formatMicroTime(state.everywhereSince));
  }
  return data;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The plan's view of the state. `hosts`: the names that the serving certificate should be good for. */
export function viewOf(state: CertificateState, hosts: readonly string[]): CertificateView {
  const { authority, next, serving, retired } = state;
  const validity = (pem: string): Validity => {
    const certificate = new X509Certificate(pem);
    return { notBefore: certificate.validFromDate.getTime(), notAfter: certificate.validToDate.getTime() };
  };
  return {
    ...(authority === undefined ? {} : { authority: validity(authority.certificate) }),
    ...(next === undefined
      ? {}
      : {
          next: {
            ...validity(next.certificate),
            ...(state.everywhereSince === undefined ? {} : { everywhereSince: state.everywhereSince }),
          },
        }),
    retired: retired.map(validity),
    ...(serving === undefined
      ? {}
      : { serving: { ...validity(serving.certificate), isRight: isRight(serving.certificate, state, hosts) } }),
  };
}

function isRight(pem: string, state: CertificateState, hosts: readonly string[]): boolean {
  const certificate = new X509Certificate(pem);
  if (!hosts.every((host) => certificate.checkHost(host) !== undefined)) return false;
  return certificatesIn(bundleOf(state)).some((authority) => isSignedBy(certificate, new X509Certificate(authority)));
}

export const isSignedBy = (certificate: X509Certificate, authority: X509Certificate): boolean =>
  certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
