/** Signs what was approved, with the cluster's authority. What it will not sign is marked as failed, with the reason. */
import { CERTIFICATE_SIGNING_REQUESTS } from '../../../core/api/registry/resources.ts';
import type { CertificateSigningRequest } from '../../../core/api/types/certificates-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import { formatTime } from '../../../core/kube/time.ts';
import type { Actor } from '../../../machinery/actor.ts';
import { readCertificateRequest, signCertificateRequest } from '../../../machinery/certificate-requests.ts';
import type { KeyPair } from '../../../machinery/certificates.ts';
import { createController } from '../../../machinery/controller.ts';
import { hasCondition, isIssued, requestPem } from './certificate-conditions.ts';
import { isOurSigner, signerProblem } from './certificate-rules.ts';
import type { AccessKeeperOptions } from './options.ts';

export interface CertificateSignerOptions extends AccessKeeperOptions {
  readonly authority: KeyPair;
}

const YEAR_SECONDS = 365 * 24 * 3600;
const SHORTEST_SECONDS = 600;

export function createCertificateSigner(options: CertificateSignerOptions): Actor {
  const { authority, client, clock, informers, random } = options;
  const requests = informers.for(CERTIFICATE_SIGNING_REQUESTS);

  async function sign(name: string, signal: AbortSignal): Promise<void> {
    const request = requests.lister.get(name);
    if (request === undefined || !isForUs(request)) return;
    const status = { ...request.status, ...(await answer(request)) };
    try {
      await client.update(CERTIFICATE_SIGNING_REQUESTS, { ...request, status }, { subresource: 'status', signal });
    } catch (error) {
      // Changed meanwhile: the change brings it back here. Gone: nobody wants it any more.
      if (!isStatus(error, 'Conflict') && !isStatus(error, 'NotFound')) throw error;
    }
  }

  async function answer(request: Stored<CertificateSigningRequest>): Promise<CertificateSigningRequest['status']> {
    const { expirationSeconds = YEAR_SECONDS, signerName, usages = [] } = request.spec;
    const pem = requestPem(request);
    let problem: string | undefined;
    try {
      problem = signerProblem(signerName, readCertificateRequest(pem), usages);
    } catch (error) {
      problem = (error as Error).message;
    }
    if (problem === undefined) {
      const seconds = Math.min(Math.max(expirationSeconds, SHORTEST_SECONDS), YEAR_SECONDS);
      const certificate = await signCertificateRequest(authority, pem, { now: clock.now(), seconds, usages });
      return { certificate: Buffer.from(certificate).toString('base64') };
    }
    const failed = {
      type: 'Failed',
      status: 'True',
      reason: 'SignerValidationFailure',
      message: problem,
      lastUpdateTime: formatTime(clock.now()),
    };
    return { conditions: [...(request.status?.conditions ?? []), failed] };
  }

  return createController<string>({
    name: 'certificatesigningrequest-signing-controller',
    reconcile: sign,
    clock,
    random,
    ...(options.logger === undefined ? {} : { logger: options.logger }),
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
  }).watch(requests, (request, { type }) => (type !== 'delete' && isForUs(request) ? [request.metadata.name] : []));
}

/** Approved, by nobody denied, not yet answered, and to be signed by one of ours. */
const isForUs = (request: CertificateSigningRequest): boolean =>
  isOurSigner(request.spec.signerName) &&
  !isIssued(request) &&
  hasCondition(request, 'Approved') &&
  !hasCondition(request, 'Denied') &&
  !hasCondition(request, 'Failed');
