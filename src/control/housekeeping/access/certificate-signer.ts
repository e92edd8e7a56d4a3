/**
 * Signs approved requests with the cluster's authority. A request that it refuses is marked as failed, with the reason.
 */
import { CERTIFICATE_SIGNING_REQUESTS } from '../../../core/api/registry/resources.ts';
import type { CertificateSigningRequest } from '../../../core/api/types/certificates-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import { formatTime } from '../../../core/kube/time.ts';
import type { Actor } from '../../../machinery/actor.ts';
import {
  AuthorityExpiredError,
  readCertificateRequest,
  signCertificateRequest,
} from '../../../machinery/certificates/certificate-requests.ts';
import type { KeyPair } from '../../../machinery/certificates/certificates.ts';
import { createController } from '../../../machinery/controller/controller.ts';
import { hasCondition, isIssued, requestPem } from './certificate-conditions.ts';
import { isOurSigner, signerProblem } from './certificate-rules.ts';
import type { AccessKeeperOptions } from './options.ts';

export interface CertificateSignerOptions extends AccessKeeperOptions {
  readonly authority: KeyPair;
}

type Outcome = { readonly certificate: string } | { readonly problem: string };

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
      // Changed meanwhile: the event requeues the request. Gone: there is nothing left to sign.
      if (!isStatus(error, 'Conflict') && !isStatus(error, 'NotFound')) throw error;
    }
  }

  async function answer(request: Stored<CertificateSigningRequest>): Promise<CertificateSigningRequest['status']> {
    const outcome = await certificateFor(request);
    if ('certificate' in outcome) return { certificate: Buffer.from(outcome.certificate).toString('base64') };
    const failed = {
      type: 'Failed',
      status: 'True',
      reason: 'SignerValidationFailure',
      message: outcome.problem,
      lastUpdateTime: formatTime(clock.now()),
    };
    return { conditions: [...(request.status?.conditions ?? []), failed] };
  }

  /**
   * The very request that was checked is signed. An error of one request would occur every time and is its end; only an
   * expired authority may be replaced by another, so that error is retried.
   */
  async function certificateFor({ spec }: CertificateSigningRequest): Promise<Outcome> {
    const { expirationSeconds = YEAR_SECONDS, signerName, usages = [] } = spec;
    try {
      const read = readCertificateRequest(requestPem({ spec }));
      const problem = signerProblem(signerName, read, usages);
      if (problem !== undefined) return { problem };
      if (!(await read.verify())) return { problem: 'the signature of the certificate request does not match its key' };
      const seconds = Math.min(Math.max(expirationSeconds, SHORTEST_SECONDS), YEAR_SECONDS);
      return { certificate: await signCertificateRequest(authority, read, { now: clock.now(), seconds, usages }) };
    } catch (error) {
      if (error instanceof AuthorityExpiredError) throw error;
      return { problem: (error as Error).message };
    }
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

/** Approved, not denied, not yet issued, and for one of our signers. */
const isForUs = (request: CertificateSigningRequest): boolean =>
  isOurSigner(request.spec.signerName) &&
  !isIssued(request) &&
  hasCondition(request, 'Approved') &&
  !hasCondition(request, 'Denied') &&
  !hasCondition(request, 'Failed');
