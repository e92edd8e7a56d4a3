/**
 * The identity of a client: from a client certificate our authority signed, a bearer token we gave out, or anonymous.
 */
import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { unauthorized } from '../../core/kube/status-error.ts';
import type { UserInfo } from '../../machinery/ports/admission.ts';
import { readCertificateSubject, type X509Subject } from '../../machinery/certificates/x509-names.ts';
import { ANONYMOUS, certificateUser } from '../contract/users.ts';

export interface TokenAuthenticator {
  /** The user behind a token, or undefined. Implementations compare digests, never the tokens themselves. */
  authenticate(token: string): UserInfo | undefined;
}

interface Holder {
  readonly user: UserInfo;
  /** In milliseconds since 1970. */
  readonly expires: number;
}
const holders = new WeakMap<TLSSocket, Holder>();

/** The certificate's user: CN is the name, every O a group. Read once a connection, which may outlive the certificate. */
function connectionUser(socket: TLSSocket, now: number): UserInfo | undefined {
  const holder = holders.get(socket) ?? readHolder(socket);
  if (holder !== undefined && now > holder.expires) throw unauthorized();
  return holder?.user;
}

function readHolder(socket: TLSSocket): Holder | undefined {
  const certificate = socket.authorized ? socket.getPeerX509Certificate() : undefined;
  if (certificate === undefined) return undefined;
  const { commonName, organizations } = subjectOf(certificate);
  if (commonName === '') return undefined;
  const digest = certificate.fingerprint256.replaceAll(':', '').toLowerCase();
  const holder = {
    user: certificateUser(commonName, organizations, digest),
    expires: Date.parse(certificate.validTo),
  };
  holders.set(socket, holder);
  return holder;
}

/**
 * The reader that certificate signing requests are judged with. A subject that it cannot read is no identity: Go ends
 * the handshake there.
 */
function subjectOf({ raw }: X509Certificate): X509Subject {
  try {
    return readCertificateSubject(raw);
  } catch (error) {
    throw unauthorized(`the client certificate cannot be used: ${(error as Error).message}`);
  }
}

/** A wrong token is refused even where a certificate would do: the client meant to use another identity. */
export function authenticate(
  socket: TLSSocket,
  authorization: string | undefined,
  tokens: TokenAuthenticator,
  now: number,
): UserInfo {
  if (authorization !== undefined && authorization !== '') {
    const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
    const user = token === undefined ? undefined : tokens.authenticate(token);
    if (user === undefined) throw unauthorized();
    return user;
  }
  return connectionUser(socket, now) ?? ANONYMOUS;
}
