/** Certificate signing requests: written once, approved in one subresource, answered in another. */
import {
  duplicate,
  type FieldError,
  field,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../kube/field-errors.ts';
import { exceedsBytes, goQuote } from '../../kube/go-text.ts';
import { deepEqual } from '../../kube/immutable.ts';
import { dns1123LabelProblems, dns1123SubdomainProblems, nameIsPathSegment } from '../../kube/names.ts';
import type { KindStrategy } from '../kind/kind-definition.ts';
import { createGenericStrategy, withFieldOf } from '../kind/generic-strategy.ts';
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from '../types/certificates-v1.ts';
import { append } from '../rules/append.ts';
import { certificatePemProblem } from './certificate-pem.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../rules/metadata.ts';

const RULES = { namespaced: false, name: nameIsPathSegment };
const SHORTEST_SECONDS = 600;
const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown';
const MAX_DOMAIN = 253;
const MAX_SIGNER_NAME = MAX_DOMAIN + 1 + (253 + 63 + 1);
const APPROVALS = ['Approved', 'Denied'] as const;
/** Types that are said when they are true, or not at all. */
const ONLY_TRUE: ReadonlySet<string> = new Set(['Approved', 'Denied', 'Failed']);

/** Sorted, as messages list them. */
const USAGES: readonly string[] = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

type Request = CertificateSigningRequest;

const conditionsOf = ({ status }: Request): readonly CertificateSigningRequestCondition[] => status?.conditions ?? [];
const ofType = (request: Request, type: string) => conditionsOf(request).filter((each) => each.type === type);
const hasTwice = (values: readonly string[]): boolean => new Set(values).size < values.length;

/** Validation ratcheting: violations that the stored request has already are no findings. */
function validate(request: Request, old?: Request): FieldError[] {
  const errors = validateObjectMeta(request.metadata, RULES, 'metadata');
  append(errors, validateUsages(request, old));
  const { expirationSeconds, signerName } = request.spec;
  if (signerName === LEGACY_SIGNER && old?.spec?.signerName !== LEGACY_SIGNER) {
    errors.push(invalid('spec.signerName', signerName, 'the legacy signerName is not allowed via this API version'));
  } else append(errors, validateSignerName(signerName, 'spec.signerName'));
  if (expirationSeconds !== undefined && expirationSeconds < SHORTEST_SECONDS) {
    const why = 'may not specify a duration less than 600 seconds (10 minutes)';
    errors.push(invalid('spec.expirationSeconds', expirationSeconds, why));
  }
  append(errors, validateConditions(request, old));
  append(errors, validateCertificate(request, old));
  return errors;
}

function validateUsages({ spec }: Request, old: Request | undefined): readonly FieldError[] {
  const usages = spec?.usages ?? [];
  const before = old?.spec?.usages ?? [];
  if (usages.length === 0) return [required('spec.usages', '')];
  const errors: FieldError[] = [];
  if (before.every((usage) => USAGES.includes(usage))) {
    for (const [index, usage] of usages.entries()) {
      if (!USAGES.includes(usage)) errors.push(notSupported(field.index('spec.usages', index), usage, USAGES));
    }
  }
  if (!hasTwice(before)) {
    for (const [index, usage] of usages.entries()) {
      if (usages.indexOf(usage) < index) errors.push(duplicate(field.index('spec.usages', index), usage));
    }
  }
  return errors;
}

function validateSignerName(name: string, path: string): readonly FieldError[] {
  if (name === '') return [required(path, '')];
  const [domain = '', label = '', ...more] = name.split('/');
  if (more.length > 0 || !name.includes('/')) {
    const form = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalid(path, name, form)];
  }
  const errors: FieldError[] = [];
  if (exceedsBytes(domain, MAX_DOMAIN)) errors.push(tooLong(path, MAX_DOMAIN));
  append(errors, firstBadLabel(domain, path, dns1123LabelProblems));
  if (!domain.includes('.')) {
    errors.push(invalid(path, domain, 'should be a domain with at least two segments separated by dots'));
  }
  append(errors, firstBadLabel(label, path, dns1123SubdomainProblems));
  if (exceedsBytes(name, MAX_SIGNER_NAME)) errors.push(tooLong(path, MAX_SIGNER_NAME));
  return errors;
}

/** Findings for the first invalid label only, as upstream reports them. */
function firstBadLabel(
  text: string,
  path: string,
  problemsOf: (label: string) => readonly string[],
): readonly FieldError[] {
  for (const label of text.split('.')) {
    const problems = problemsOf(label);
    if (problems.length > 0) {
      return problems.map((problem) => invalid(path, text, `validating label ${goQuote(label)}: ${problem}`));
    }
  }
  return [];
}

function validateConditions(request: Request, old: Request | undefined): readonly FieldError[] {
  const path = 'status.conditions';
  const errors: FieldError[] = [];
  const before = old === undefined ? [] : conditionsOf(old).map(({ type }) => type);
  const bearsBoth = APPROVALS.every((type) => before.includes(type));
  const seen = new Set<string>();
  for (const [index, { status, type }] of conditionsOf(request).entries()) {
    const at = field.index(path, index);
    if (type === '' && !before.includes('')) errors.push(required(field.child(at, 'type'), ''));
    const allowed = ONLY_TRUE.has(type) ? ['True'] : ['False', 'True', 'Unknown'];
    if (status === '') errors.push(required(field.child(at, 'status'), ''));
    else if (!allowed.includes(status)) errors.push(notSupported(field.child(at, 'status'), status, allowed));
    const other = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined;
    if (other !== undefined && !bearsBoth && seen.has(other)) {
      errors.push(invalid(path, type, 'Approved and Denied conditions are mutually exclusive'));
    }
    if (seen.has(type) && !hasTwice(before)) errors.push(duplicate(field.child(at, 'type'), type));
    seen.add(type);
  }
  return errors;
}

function validateCertificate({ status }: Request, old: Request | undefined): readonly FieldError[] {
  const certificate = status?.certificate ?? '';
  const before = old?.status?.certificate ?? '';
  if (certificate === '' || (old !== undefined && certificate === before)) return [];
  if (before !== '' && certificatePemProblem(before) !== undefined) return [];
  const problem = certificatePemProblem(certificate);
  return problem === undefined ? [] : [invalid('status.certificate', '<certificate data>', problem)];
}

function validateUpdate(request: Request, old: Request, subresource: string): FieldError[] {
  const errors = validate(request, old);
  const path = 'status.conditions';
  for (const type of ['Approved', 'Denied', 'Failed']) {
    if (ofType(request, type).length < ofType(old, type).length) {
      errors.push(forbidden(path, `updates may not remove a condition of type ${goQuote(type)}`));
    }
  }
  if (subresource !== 'approval') {
    for (const type of APPROVALS) {
      const [before, now] = [ofType(old, type), ofType(request, type)];
      if (now.length > before.length) {
        errors.push(forbidden(path, `updates may not add a condition of type ${goQuote(type)}`));
      } else if (now.length === before.length && !deepEqual(now, before)) {
        errors.push(forbidden(path, `updates may not modify a condition of type ${goQuote(type)}`));
      }
    }
  }
  const before = old.status?.certificate ?? '';
  if ((request.status?.certificate ?? '') !== before) {
    if (subresource !== 'status')
      errors.push(forbidden('status.certificate', 'updates may not set certificate content'));
    else if (before !== '') {
      errors.push(forbidden('status.certificate', 'updates may not modify existing certificate content'));
    }
  }
  append(errors, validateObjectMetaUpdate(request.metadata, old.metadata, 'metadata'));
  return errors;
}

/**
 * A status update may not change the approval conditions: as long as their number is the same, the stored ones stay.
 */
function withApprovalsOf(request: Request, old: Request): Request {
  let conditions = conditionsOf(request);
  for (const type of APPROVALS) {
    const before = ofType(old, type);
    if (before.length === 0 || before.length !== conditions.filter((each) => each.type === type).length) continue;
    let at = 0;
    conditions = conditions.map((each) => (each.type === type ? (before[at++] ?? each) : each));
  }
  return request.status?.conditions === undefined ? request : { ...request, status: { ...request.status, conditions } };
}

export const certificateRequestStrategy: KindStrategy<Request> = {
  ...createGenericStrategy<Request>({
    namespaced: false,
    hasStatus: true,
    hasGeneration: false,
    nameRule: nameIsPathSegment,
  }),
  prepareForUpdate(request, old, subresource) {
    const kept = withFieldOf(request, old, 'spec');
    if (subresource === 'status') return withApprovalsOf(kept, old);
    if (subresource !== 'approval') return withFieldOf(kept, old, 'status');
    const conditions = request.status?.conditions;
    const { conditions: _, ...status } = old.status ?? {};
    return { ...kept, status: { ...status, ...(conditions ? { conditions } : {}) } };
  },
  validate: (request) => validate(request),
  validateUpdate,
};
