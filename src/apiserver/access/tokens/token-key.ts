/**
 * Signs and verifies JSON web tokens with the cluster's key. One algorithm (ES256) and no other, whatever a token says of
 * itself; nothing of a token is read as claims before its signature is known to be ours.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

const ALGORITHM = 'ES256';
const SIGNATURE_BYTES = 64;
/** Tokens of this server are well under two thousand characters. */
export const MAX_TOKEN_LENGTH = 16 * 1024;
const MAX_HEADER_LENGTH = 1024;
const BASE64URL = /^[\w-]+$/;

export interface TokenKey {
  /** Names the key in the tokens it signed. */
  readonly id: string;
  /** The public half as a JSON web key. */
  readonly publicKey: { readonly [member: string]: string };
  sign(claims: object): string;
  /** The claims of a token that this key signed; undefined for anything else. */
  verify(token: string): { readonly [claim: string]: unknown } | undefined;
}

/** `pem` is an ECDSA P-256 private key. */
export function createTokenKey(pem: string): TokenKey {
  const privateKey = createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey);
  const id = keyId(publicKey);
  const { crv = '', kty = '', x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const header = encode({ alg: ALGORITHM, kid: id });
  return {
    id,
    publicKey: { use: 'sig', kty, kid: id, crv, alg: ALGORITHM, x, y },
    sign(claims) {
      const content = `${header}.${encode(claims)}`;
      const signature = sign('sha256', Buffer.from(content), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return `${content}.${signature.toString('base64url')}`;
    },
    verify(token) {
      const parts = splitToken(token);
      if (parts === undefined) return undefined;
      const [head, payload, mark] = parts;
      const said = decode(head);
      if (said?.['alg'] !== ALGORITHM || said['kid'] !== id) return undefined;
      const signature = Buffer.from(mark, 'base64url');
      if (signature.length !== SIGNATURE_BYTES) return undefined;
      const content = Buffer.from(`${head}.${payload}`);
      const isOurs = verify('sha256', content, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature);
      return isOurs ? decode(payload) : undefined;
    },
  };
}

/** As Kubernetes names keys: the digest of the public key in its standard encoding. */
const keyId = (key: KeyObject): string =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64url');

function splitToken(token: string): readonly [string, string, string] | undefined {
  if (token.length > MAX_TOKEN_LENGTH) return undefined;
  const [head = '', payload = '', mark = '', ...more] = token.split('.', 4);
  if (more.length > 0 || head.length > MAX_HEADER_LENGTH) return undefined;
  return BASE64URL.test(head) && BASE64URL.test(payload) && BASE64URL.test(mark) ? [head, payload, mark] : undefined;
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function decode(text: string): { readonly [claim: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
