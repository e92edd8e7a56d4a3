/** Reading the resourceVersion a client sends, and the answers for versions that cannot be served. */
import { StatusError, badRequest } from '../../../core/kube/status-error.ts';

/** Decimal, without sign or leading zeros that would make two texts mean one version. */
const DECIMAL = /^[0-9]{1,20}$/;

/** 0 for "" and "0". Throws 400 for a text that is not a number. */
export function parseResourceVersion(text: string): number {
  if (text === '' || text === '0') return 0;
  const value = readRevision(text);
  if (value === undefined) throw badRequest(invalidVersionText(text));
  return value;
}

export function readRevision(text: string): number | undefined {
  if (!DECIMAL.test(text)) return undefined;
  const value = Number(text);
  return value > Number.MAX_SAFE_INTEGER ? undefined : value;
}

export const invalidVersionText = (text: string): string =>
  `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;

/** A version from the future: the client has talked to another server, or this one lost its memory. */
export const tooLargeResourceVersion = (wanted: number, current: number): StatusError =>
  new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
