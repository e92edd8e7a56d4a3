/**
 * Approves the client certificates of kubelets where the requester was granted that; all other requests are left to
 * people.
 */
import { CERTIFICATE_SIGNING_REQUESTS, SUBJECT_ACCESS_REVIEWS } from '../../../core/api/registry/resources.ts';
import type { SubjectAccessReview } from '../../../core/api/types/authorization-v1.ts';
import type { CertificateSigningRequest } from '../../../core/api/types/certificates-v1.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import type { Actor } from '../../../machinery/actor.ts';
import { readCertificateRequest } from '../../../machinery/certificates/certificate-requests.ts';
import { createController } from '../../../machinery/controller/controller.ts';
import { hasCondition, isIssued, requestPem } from './certificate-conditions.ts';
import { KUBELET_CLIENT_SIGNER, kubeletClientProblem } from './certificate-rules.ts';
import type { AccessKeeperOptions } from './options.ts';

export function createCertificateApprover(options: AccessKeeperOptions): Actor {
  const { client, clock, informers, random } = options;
  const requests = informers.for(CERTIFICATE_SIGNING_REQUESTS);

  async function approve(name: string, signal: AbortSignal): Promise<void> {
    const request = requests.lister.get(name);
    if (request === undefined || !isOpen(request)) return;
    for (const permission of permissionsFor(request)) {
      if (!(await isGranted(request, permission, signal))) continue;
      const own = permission === 'selfnodeclient' ? 'its own ' : '';
      const approved = {
        type: 'Approved',
        status: 'True',
        reason: 'AutoApproved',
        message: `A kubelet may have ${own}client certificate: ${permission} is granted.`,
      };
      const conditions = [...(request.status?.conditions ?? []), approved];
      const next = { ...request, status: { ...request.status, conditions } };
      try {
        await client.update(CERTIFICATE_SIGNING_REQUESTS, next, { subresource: 'approval', signal });
      } catch (error) {
        // Changed meanwhile: the event requeues the request. Gone: there is nothing left to approve.
        if (!isStatus(error, 'Conflict') && !isStatus(error, 'NotFound')) throw error;
      }
      return;
    }
  }

  async function isGranted({ spec }: CertificateSigningRequest, subresource: string, signal: AbortSignal) {
    const { extra, groups = [], uid, username = '' } = spec;
    const review: SubjectAccessReview = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {} as SubjectAccessReview['metadata'],
      spec: {
        user: username,
        groups,
        ...(uid === undefined ? {} : { uid }),
        ...(extra === undefined ? {} : { extra }),
        resourceAttributes: {
          group: 'certificates.k8s.io',
          version: '*',
          resource: 'certificatesigningrequests',
          subresource,
          verb: 'create',
        },
      },
    };
    const answered = await client.create(SUBJECT_ACCESS_REVIEWS, review, { signal });
    return answered.status?.allowed === true;
  }

  return createController<string>({
    name: 'certificatesigningrequest-approving-controller',
    reconcile: approve,
    clock,
    random,
    ...(options.logger === undefined ? {} : { logger: options.logger }),
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
  }).watch(requests, (request, { type }) => (type !== 'delete' && isOpen(request) ? [request.metadata.name] : []));
}

const isOpen = (request: CertificateSigningRequest): boolean =>
  request.spec.signerName === KUBELET_CLIENT_SIGNER &&
  !isIssued(request) &&
  !hasCondition(request, 'Approved') &&
  !hasCondition(request, 'Denied');

/**
 * The permissions of which one is needed: for a certificate in the requester's own name, or in that of a future node.
 */
function permissionsFor(request: CertificateSigningRequest): readonly string[] {
  try {
    const read = readCertificateRequest(requestPem(request));
    if (kubeletClientProblem(read, request.spec.usages ?? []) !== undefined) return [];
    return request.spec.username === read.commonName ? ['selfnodeclient', 'nodeclient'] : ['nodeclient'];
  } catch {
    // A request that cannot be read is not approved automatically.
    return [];
  }
}
