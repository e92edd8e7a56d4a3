/**
 * A client certificate for a person, by way of the API: requested, approved and fetched by a user with these
 * permissions.
 */
import { CERTIFICATE_SIGNING_REQUESTS } from '../core/api/registry/resources.ts';
import type { CertificateSigningRequest } from '../core/api/types/certificates-v1.ts';
import { createCertificateRequest } from '../machinery/certificates/certificate-requests.ts';
import type { KeyPair, Subject } from '../machinery/certificates/certificates.ts';
import type { Client } from '../machinery/client/client.ts';
import type { Clock } from '../machinery/time/clock.ts';
import type { Random } from '../machinery/random/random.ts';

const SIGNER = 'kubernetes.io/kube-apiserver-client';
const DAY_SECONDS = 86_400;
const WAIT_MS = 30_000;
const LOOK_EVERY_MS = 100;

export async function issueUserCertificate(
  client: Client,
  subject: Subject,
  days: number,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<KeyPair> {
  const { key, request } = await createCertificateRequest(subject);
  const asked: CertificateSigningRequest = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: `everynode-user-${random.suffix(10)}` },
    spec: {
      request: Buffer.from(request).toString('base64'),
      signerName: SIGNER,
      usages: ['digital signature', 'client auth'],
      expirationSeconds: days * DAY_SECONDS,
    },
  };
  const created = await client.create(CERTIFICATE_SIGNING_REQUESTS, asked);
  const { name } = created.metadata;
  const approved = {
    type: 'Approved',
    status: 'True',
    reason: 'UserAdded',
    message: 'Asked for by everynode user add.',
  };
  await client.update(
    CERTIFICATE_SIGNING_REQUESTS,
    { ...created, status: { conditions: [approved] } },
    { subresource: 'approval' },
  );
  const end = clock.monotonic() + WAIT_MS;
  for (;;) {
    const { status } = await client.get(CERTIFICATE_SIGNING_REQUESTS, { name });
    const failed = status?.conditions?.find(({ type }) => type === 'Failed' || type === 'Denied');
    if (failed !== undefined) throw unsigned(`the certificate was refused: ${failed.message ?? failed.reason ?? ''}`);
    if (status?.certificate) return { key, certificate: Buffer.from(status.certificate, 'base64').toString('latin1') };
    if (clock.monotonic() > end) throw unsigned('nobody signed the certificate; does a controller for that run?');
    await clock.sleep(LOOK_EVERY_MS);
  }
}

const unsigned = (text: string): Error => Object.assign(new Error(text), { code: 'EN_ASSEMBLY_UNSIGNED' });
