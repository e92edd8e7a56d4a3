import { describe, expect, it } from 'vitest';
import { fieldErrorMessage } from '../../kube/field-errors.ts';
import type { CertificateSigningRequest } from '../types/certificates-v1.ts';
import { certificatePemProblem } from './certificate-pem.ts';
import { certificateRequestStrategy } from './certificate-request.ts';

const META = { name: 'c', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const make = (
  spec: Partial<CertificateSigningRequest['spec']> = {},
  status?: CertificateSigningRequest['status'],
): CertificateSigningRequest => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: META,
  spec: { request: '', signerName: 'example.com/s', usages: ['client auth'], ...spec },
  ...(status === undefined ? {} : { status }),
});
const problems = (object: CertificateSigningRequest): readonly string[] =>
  certificateRequestStrategy.validate(object).map(fieldErrorMessage);
const changes = (object: CertificateSigningRequest, old: CertificateSigningRequest, subresource = 'status') =>
  certificateRequestStrategy.validateUpdate(object, old, subresource).map(fieldErrorMessage);
const condition = (type: string, status = 'True', more: object = {}) => ({ type, status, ...more });
const pem = (label: string, der = 'MAA='): string =>
  Buffer.from(`-----BEGIN ${label}-----\n${der}\n-----END ${label}-----\n`).toString('base64');

describe('a certificate signing request', () => {
  it.each([
    [{ usages: [] }, ['spec.usages: Required value']],
    [{ usages: ['client auth', 'client auth'] }, ['spec.usages[1]: Duplicate value: "client auth"']],
    [{ signerName: '' }, ['spec.signerName: Required value']],
    [
      { signerName: 'kubernetes.io/legacy-unknown' },
      [
        'spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version',
      ],
    ],
    [
      { signerName: 'a.b/c/d' },
      [
        'spec.signerName: Invalid value: "a.b/c/d": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
      ],
    ],
    [
      { signerName: 'local/c' },
      ['spec.signerName: Invalid value: "local": should be a domain with at least two segments separated by dots'],
    ],
    [
      { expirationSeconds: 599 },
      ['spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)'],
    ],
    [{ expirationSeconds: 600, signerName: 'kubernetes.io/kube-apiserver-client' }, []],
  ])('with %j is told %j', (spec, expected) => {
    expect(problems(make(spec))).toEqual(expected);
  });

  it('names only usages there are, and signers that could be', () => {
    expect(problems(make({ usages: ['flying'] }))[0]).toMatch(
      /^spec.usages\[0\]: Unsupported value: "flying": supported values: "any", "cert sign", "client auth"/,
    );
    expect(problems(make({ signerName: 'a_b.c/d' }))[0]).toMatch(
      /^spec.signerName: Invalid value: "a_b.c": validating label "a_b": /,
    );
    expect(problems(make({ signerName: 'a.b/D' }))[0]).toMatch(
      /^spec.signerName: Invalid value: "D": validating label "D": /,
    );
    expect(problems(make({ signerName: `${'a.'.repeat(130)}b/c` }))[0]).toContain('may not be more than 253 bytes');
  });

  it('is approved or denied, not both, once and for all', () => {
    const open = make({}, {});
    const approved = make({}, { conditions: [condition('Approved')] });
    expect(changes(approved, open, 'approval')).toEqual([]);
    const both = make({}, { conditions: [condition('Approved'), condition('Denied')] });
    expect(changes(both, approved, 'approval')).toEqual([
      'status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
    ]);
    expect(changes(open, approved, 'approval')).toEqual([
      'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    ]);
    const doubtful = make({}, { conditions: [condition('Approved', 'False')] });
    expect(changes(doubtful, open, 'approval')).toEqual([
      'status.conditions[0].status: Unsupported value: "False": supported values: "True"',
    ]);
    const odd = make({}, { conditions: [condition('', ''), condition('X'), condition('X')] });
    expect(changes(odd, open)).toEqual([
      'status.conditions[0].type: Required value',
      'status.conditions[0].status: Required value',
      'status.conditions[2].type: Duplicate value: "X"',
    ]);
  });

  it('is not approved by whoever may only answer it', () => {
    const open = make({}, {});
    const approved = make({}, { conditions: [condition('Approved')] });
    expect(changes(approved, open)).toEqual([
      'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
    ]);
    // A status update keeps the stored approval conditions, even where the request words them differently.
    const reworded = make({}, { conditions: [condition('Approved', 'True', { reason: 'Mine' }), condition('Failed')] });
    expect(certificateRequestStrategy.prepareForUpdate(reworded, approved, 'status').status?.conditions).toEqual([
      condition('Approved'),
      condition('Failed'),
    ]);
  });

  it('is answered once, in one place, with a certificate', () => {
    const open = make({}, {});
    const first = make({}, { certificate: pem('CERTIFICATE') });
    expect(changes(first, open)).toEqual([]);
    expect(changes(first, open, 'approval')).toEqual([
      'status.certificate: Forbidden: updates may not set certificate content',
    ]);
    const second = make({}, { certificate: pem('CERTIFICATE', 'MAEA') });
    expect(changes(second, first)).toEqual([
      'status.certificate: Forbidden: updates may not modify existing certificate content',
    ]);
    expect(changes(make({}, { certificate: pem('PRIVATE KEY') }), open)).toEqual([
      'status.certificate: Invalid value: "<certificate data>": only CERTIFICATE PEM blocks are allowed, found "PRIVATE KEY"',
    ]);
    expect(certificatePemProblem(pem('CERTIFICATE', 'Proc-Type: 4,ENCRYPTED\n\nMAA='))).toBe(
      'no PEM block headers are permitted',
    );
    expect(certificatePemProblem('AAAA')).toBe('must contain at least one CERTIFICATE PEM block');
    expect(certificatePemProblem(pem('CERTIFICATE', 'AAAA'))).toBe('x509: malformed certificate');
  });

  it('bears with what is stored already', () => {
    const old = make({ usages: ['flying', 'flying'], signerName: 'kubernetes.io/legacy-unknown' }, {});
    expect(changes(old, old)).toEqual([]);
  });
});
