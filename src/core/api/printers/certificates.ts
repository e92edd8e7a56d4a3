import type { CertificateSigningRequest } from '../types/certificates-v1.ts';
import { AGE, NAME, printer, text } from './columns.ts';
import { humanDuration } from '../../kube/time.ts';
import { NONE } from './text.ts';

function verdict(request: CertificateSigningRequest): string {
  const has = (type: string): boolean => request.status?.conditions?.some((c) => c.type === type) === true;
  let text = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  if (has('Failed')) text += ',Failed';
  if (request.status?.certificate) text += ',Issued';
  return text;
}

function requestedDuration({ spec }: CertificateSigningRequest): string {
  const seconds = spec?.expirationSeconds;
  return seconds === undefined ? NONE : humanDuration(seconds * 1000);
}

export const certificateSigningRequestPrinter = printer<CertificateSigningRequest>([
  NAME,
  AGE,
  text('SignerName', 'Who is asked to sign', ({ spec }) => spec?.signerName || NONE),
  text('Requestor', 'Who asks', ({ spec }) => spec?.username ?? ''),
  text('RequestedDuration', 'How long the certificate should be valid', requestedDuration),
  text('Condition', 'What became of the request', verdict),
]);
