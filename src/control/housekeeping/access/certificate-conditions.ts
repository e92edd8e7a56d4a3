/** States of a certificate signing request. */
import type { CertificateSigningRequest } from '../../../core/api/types/certificates-v1.ts';

export const hasCondition = ({ status }: CertificateSigningRequest, type: string): boolean =>
  status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;

export const isIssued = ({ status }: CertificateSigningRequest): boolean => (status?.certificate ?? '') !== '';

/** The request as PEM; on the wire bytes are base64. */
export const requestPem = ({ spec }: Pick<CertificateSigningRequest, 'spec'>): string =>
  Buffer.from(spec.request, 'base64').toString('latin1');
