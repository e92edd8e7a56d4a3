/** Whether bytes are certificates in PEM, one or more, and nothing else of that form. */
import { goQuote } from '../../kube/go-text.ts';

const BLOCK = '-----BEGIN ';
const DASHES = '-----';
/** DER: a sequence whose length takes at least two bytes. */
const SEQUENCE = 0x30;

/** `encoded` is base64, as bytes are on the wire. Undefined where nothing is wrong. */
export function certificatePemProblem(encoded: string): string | undefined {
  const text = Buffer.from(encoded, 'base64').toString('latin1');
  let blocks = 0;
  for (let at = text.indexOf(BLOCK); at >= 0; at = text.indexOf(BLOCK, at + 1)) {
    const labelEnd = text.indexOf(DASHES, at + BLOCK.length);
    if (labelEnd < 0) break;
    const label = text.slice(at + BLOCK.length, labelEnd);
    const bodyEnd = text.indexOf(`-----END ${label}-----`, labelEnd);
    if (bodyEnd < 0) continue;
    if (label !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${goQuote(label)}`;
    const body = text.slice(labelEnd + DASHES.length, bodyEnd);
    if (body.includes(':')) return 'no PEM block headers are permitted';
    if (Buffer.from(body, 'base64')[0] !== SEQUENCE) return 'x509: malformed certificate';
    blocks++;
    at = bodyEnd;
  }
  return blocks === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}
