import type { CertificateSigningRequest } from '../types/certificates-v1.ts';
import { AGE, NAME, printer, text } from './columns.ts';
import { humanDuration } from '../../kube/time.ts';
import { age, NONE } from './text.ts';

function verdict(request: CertificateSigningRequest): string {
  const has = (type: string): boolean => request.status?.conditions?.some((c) => c.type === type) === true;
  let text = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  if (has('Failed')) text += ',Failed';
  if (request.status?.certificate) text += ',Issued';
  return text;
}

export const certificateSigningRequestPrinter = printer<CertificateSigningRequest>(
  [
    NAME,
    AGE,
    text('SignerName', 'Who is asked to sign'),
    text('Requestor', 'Who asks'),
    text('RequestedDuration', 'How long the certificate should be valid'),
    text('Condition', 'What became of the request'),
  ],
  (object, now) => {
    const seconds = object.spec?.expirationSeconds;
    return [
      object.metadata.name,
      age(object, now),
      object.spec?.signerName || NONE,
      object.spec?.username ?? '',
      seconds === undefined ? NONE : humanDuration(seconds * 1000),
      verdict(object),
    ];
  },
);
