/** A key to sign tokens with: ECDSA P-256, as PEM. Keys are the platform's chance. */
import { generateKeyPairSync } from 'node:crypto';

export function createSigningKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
