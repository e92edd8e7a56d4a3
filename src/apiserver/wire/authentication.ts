/** Who is asking: a client certificate our authority signed, a bearer token we gave out, or nobody. */
import { createHash } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { unauthorized } from '../../core/kube/status-error.ts';
import type { UserInfo } from '../../machinery/admission.ts';
import { ANONYMOUS, AUTHENTICATED, certificateUser } from '../access/users.ts';

export interface TokenAuthenticator {
  /** The user behind a token, or undefined. Implementations compare digests, never the tokens themselves. */
  authenticate(token: string): UserInfo | undefined;
}

/** Tokens known from the start. They are kept as digests, so a heap dump or a log tells none of them. */
export function staticTokens(users: ReadonlyMap<string, UserInfo>): TokenAuthenticator {
  const digest = (token: string): string => createHash('sha256').update(token).digest('hex');
  const known = new Map([...users].map(([token, user]) => [digest(token), withAuthenticated(user)]));
  return { authenticate: (token) => known.get(digest(token)) };
}

const withAuthenticated = (user: UserInfo): UserInfo => ({
  ...user,
  groups: [...new Set([...user.groups, AUTHENTICATED])],
});

const users = new WeakMap<TLSSocket, UserInfo>();

/** The certificate's user: CN is the name, every O a group. Read once a connection. */
function connectionUser(socket: TLSSocket): UserInfo | undefined {
  const known = users.get(socket);
  if (known !== undefined) return known;
  if (!socket.authorized) return undefined;
  const subject = socket.getPeerCertificate().subject as { CN?: string; O?: string | string[] } | undefined;
  if (typeof subject?.CN !== 'string' || subject.CN === '') return undefined;
  const user = certificateUser(subject.CN, subject.O === undefined ? [] : [subject.O].flat());
  users.set(socket, user);
  return user;
}

/** A wrong token is refused even where a certificate would do: the client meant to be somebody else. */
export function authenticate(
  socket: TLSSocket,
  authorization: string | undefined,
  tokens: TokenAuthenticator,
): UserInfo {
  if (authorization !== undefined && authorization !== '') {
    const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
    const user = token === undefined ? undefined : tokens.authenticate(token);
    if (user === undefined) throw unauthorized();
    return user;
  }
  return connectionUser(socket) ?? ANONYMOUS;
}
