/** Removes signing requests that have had their day: answered or refused an hour ago, or left open for a day. */
import { CERTIFICATE_SIGNING_REQUESTS } from '../../../core/api/registry/resources.ts';
import type { CertificateSigningRequest } from '../../../core/api/types/certificates-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import { parseTime } from '../../../core/kube/time.ts';
import type { Actor } from '../../../machinery/actor.ts';
import { createController, type ReconcileResult } from '../../../machinery/controller/controller.ts';
import { isIssued } from './certificate-conditions.ts';
import type { AccessKeeperOptions } from './options.ts';

const HOUR_MS = 3600_000;
const DAY_MS = 24 * HOUR_MS;

export function createCertificateCleaner(options: AccessKeeperOptions): Actor {
  const { client, clock, informers, random } = options;
  const requests = informers.for(CERTIFICATE_SIGNING_REQUESTS);

  async function clean(name: string, signal: AbortSignal): Promise<ReconcileResult | void> {
    const request = requests.lister.get(name);
    if (request === undefined) return;
    const left = endOf(request) - clock.now();
    if (left === Infinity) return;
    if (left > 0) return { requeueAfterMs: left };
    const preconditions = { uid: request.metadata.uid, resourceVersion: request.metadata.resourceVersion };
    try {
      await client.delete(CERTIFICATE_SIGNING_REQUESTS, { name }, { preconditions, signal });
    } catch (error) {
      // The request has changed: its event requeues it.
      if (!isStatus(error, 'Conflict') && !isStatus(error, 'NotFound')) throw error;
    }
  }

  return createController<string>({
    name: 'certificatesigningrequest-cleaner-controller',
    reconcile: clean,
    clock,
    random,
    ...(options.logger === undefined ? {} : { logger: options.logger }),
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
  }).watch(requests, ({ metadata }, { type }) => (type === 'delete' ? [] : [metadata.name]));
}

/** When the request may go, in milliseconds since 1970. A time that cannot be read is no reason to delete. */
function endOf(request: Stored<CertificateSigningRequest>): number {
  const conditions = request.status?.conditions ?? [];
  if (conditions.length === 0) return after(request.metadata.creationTimestamp, DAY_MS);
  const ends = conditions.map(({ lastUpdateTime, type }) => {
    if (type === 'Approved') return after(lastUpdateTime, isIssued(request) ? HOUR_MS : DAY_MS);
    return type === 'Denied' || type === 'Failed' ? after(lastUpdateTime, HOUR_MS) : Infinity;
  });
  return Math.min(...ends);
}

function after(time: string | undefined, ms: number): number {
  const at = time === undefined ? undefined : parseTime(time);
  return at === undefined ? Infinity : at + ms;
}
