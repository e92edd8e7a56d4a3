/** Certificate signing requests: written once, approved in one subresource, answered in another. */
import { type FieldError, invalid, required } from '../../kube/field-errors.ts';
import { nameIsPathSegment } from '../../kube/names.ts';
import type { KindStrategy } from '../kind-definition.ts';
import { createGenericStrategy, withFieldOf } from '../registry/generic-strategy.ts';
import type { CertificateSigningRequest } from '../types/certificates-v1.ts';
import { validateObjectMeta } from './metadata.ts';

const RULES = { namespaced: false, name: nameIsPathSegment };
const SHORTEST_SECONDS = 600;

function validate(request: CertificateSigningRequest): FieldError[] {
  const errors = validateObjectMeta(request.metadata, RULES, 'metadata');
  const { usages = [], signerName, expirationSeconds } = request.spec ?? {};
  if (usages.length === 0) errors.push(required('spec.usages', ''));
  if (signerName === '') errors.push(required('spec.signerName', ''));
  else if (signerName.split('/').length !== 2) {
    const form = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    errors.push(invalid('spec.signerName', signerName, form));
  }
  if (expirationSeconds !== undefined && expirationSeconds < SHORTEST_SECONDS) {
    const why = 'may not specify a duration less than 600 seconds (10 minutes)';
    errors.push(invalid('spec.expirationSeconds', expirationSeconds, why));
  }
  return errors;
}

export const certificateRequestStrategy: KindStrategy<CertificateSigningRequest> = {
  ...createGenericStrategy<CertificateSigningRequest>({
    namespaced: false,
    hasStatus: true,
    hasGeneration: false,
    nameRule: nameIsPathSegment,
  }),
  prepareForUpdate(request, old, subresource) {
    const kept = withFieldOf(request, old, 'spec');
    if (subresource === 'status') return kept;
    if (subresource !== 'approval') return withFieldOf(kept, old, 'status');
    const conditions = request.status?.conditions;
    return { ...kept, status: { ...old.status, ...(conditions ? { conditions } : {}) } };
  },
  validate,
};
