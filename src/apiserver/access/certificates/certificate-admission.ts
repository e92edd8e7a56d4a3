/**
 * Signing requests carry the identity of their sender, which a client cannot choose; approving and signing take a
 * permission of their own for each signer; and no certificate can make a user a master.
 */
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from '../../../core/api/types/certificates-v1.ts';
import { invalid } from '../../../core/kube/field-errors.ts';
import { goQuote } from '../../../core/kube/go-text.ts';
import { deepEqual } from '../../../core/kube/immutable.ts';
import { forbiddenRequest, invalidObject, type StatusError } from '../../../core/kube/status-error.ts';
import { formatTime } from '../../../core/kube/time.ts';
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from '../../../machinery/ports/admission.ts';
import type { ReadRequest } from '../../../machinery/certificates/certificate-requests.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import { type Authorizer, MASTERS } from '../../contract/authorization.ts';

const GROUP = 'certificates.k8s.io';
const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';
const ALLOWED: AdmissionResponse = { allowed: true };

export function createCertificateAdmission(authorizer: Authorizer, clock: Clock): AdmissionPlugin {
  return {
    name: 'CertificateSigningRequests',
    handles: ({ operation, resource }) =>
      (operation === 'CREATE' || operation === 'UPDATE') &&
      resource.group === GROUP &&
      resource.resource === 'certificatesigningrequests',
    mutate(request) {
      if (request.operation === 'CREATE') return signedBy(request);
      return request.subresource === '' ? ALLOWED : withTimes(request, formatTime(clock.now()));
    },
    validate(request) {
      return request.operation === 'CREATE'
        ? masterProblem(request).then(answer)
        : answer(permissionProblem(authorizer, request));
    },
  };
}

const answer = (error: StatusError | undefined): AdmissionResponse =>
  error === undefined ? ALLOWED : { allowed: false, error };

const refuse = ({ name, resource }: AdmissionRequest, why: string): StatusError =>
  forbiddenRequest(resource, name, why);

/** Loaded when the first request comes: most servers never see one, and what reads them is large. */
async function read({ spec }: CertificateSigningRequest): Promise<ReadRequest> {
  const { readCertificateRequest } = await import('../../../machinery/certificates/certificate-requests.ts');
  return readCertificateRequest(Buffer.from(spec.request, 'base64').toString('latin1'));
}

/** The request with the identity of its sender, once its signature has proved that the sender holds the key. */
async function signedBy(request: AdmissionRequest): Promise<AdmissionResponse> {
  const object = request.object as CertificateSigningRequest;
  const problem = await requestProblem(object);
  if (problem !== undefined) {
    const errors = [invalid('spec.request', object.spec.request, problem)];
    const kind = { group: GROUP, kind: request.kind };
    return { allowed: false, error: invalidObject(kind, object.metadata.name ?? '', errors) };
  }
  const { extra: _extra, groups: _groups, uid: _uid, username: _username, ...asked } = object.spec;
  const { extra, groups, name, uid } = request.user;
  const spec = {
    ...asked,
    username: name,
    ...(uid === undefined || uid === '' ? {} : { uid }),
    groups,
    ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra }),
  };
  const named: CertificateSigningRequest = { ...object, spec };
  return { allowed: true, object: named };
}

async function requestProblem(object: CertificateSigningRequest): Promise<string | undefined> {
  try {
    const asked = await read(object);
    return (await asked.verify()) ? undefined : 'the signature of the certificate request does not match its key';
  } catch (error) {
    return (error as Error).message;
  }
}

/** Fills in the times of conditions where the client sent none. */
function withTimes(request: AdmissionRequest, now: string): AdmissionResponse {
  const object = request.object as CertificateSigningRequest;
  const old = request.oldObject as CertificateSigningRequest | undefined;
  const conditions = object.status?.conditions;
  if (conditions === undefined || conditions.every((each) => each.lastUpdateTime && each.lastTransitionTime)) {
    return ALLOWED;
  }
  const timed = conditions.map((each): CertificateSigningRequestCondition => {
    const before = old?.status?.conditions?.find(({ status, type }) => type === each.type && status === each.status);
    return {
      ...each,
      lastUpdateTime: each.lastUpdateTime ?? now,
      lastTransitionTime: each.lastTransitionTime ?? before?.lastTransitionTime ?? now,
    };
  });
  const next: CertificateSigningRequest = { ...object, status: { ...object.status, conditions: timed } };
  return { allowed: true, object: next };
}

async function masterProblem(request: AdmissionRequest): Promise<StatusError | undefined> {
  const object = request.object as CertificateSigningRequest;
  if (object.spec.signerName !== CLIENT_SIGNER) return undefined;
  const { organizations } = await read(object);
  if (!organizations.includes(MASTERS)) return undefined;
  return refuse(request, `use of ${CLIENT_SIGNER} signer with ${MASTERS} group is not allowed`);
}

/** The stored signer counts: it is the one whose name will stand under the certificate. */
function permissionProblem(authorizer: Authorizer, request: AdmissionRequest): StatusError | undefined {
  const old = request.oldObject as CertificateSigningRequest;
  const now = request.object as CertificateSigningRequest;
  const { signerName } = old.spec;
  if (request.subresource === 'approval' && !mayUse(authorizer, request, 'approve', signerName)) {
    return refuse(request, `user not permitted to approve requests with signerName ${goQuote(signerName)}`);
  }
  const isSigning =
    request.subresource === 'status' &&
    (old.status?.certificate !== now.status?.certificate ||
      !deepEqual(old.status?.conditions ?? [], now.status?.conditions ?? []));
  if (isSigning && !mayUse(authorizer, request, 'sign', signerName)) {
    return refuse(request, `user not permitted to sign requests with signerName ${goQuote(signerName)}`);
  }
  return undefined;
}

/** Granted for the signer, or for all of its domain. */
function mayUse(authorizer: Authorizer, { tenant, user }: AdmissionRequest, verb: string, signerName: string): boolean {
  const about = { user, verb, tenant, group: GROUP, version: '*', resource: 'signers', subresource: '', namespace: '' };
  const domain = signerName.slice(0, Math.max(signerName.indexOf('/'), 0));
  return [signerName, `${domain}/*`].some((name) => authorizer.authorize({ ...about, name }).allowed);
}
