/**
 * The house-keepers of access in an embedded cluster: its authority signs, and every namespace knows it. Each acts under
 * its own name, with no more rights than Kubernetes gives it.
 */
import { createCertificateApprover } from '../../control/housekeeping/access/certificate-approver.ts';
import { createCertificateCleaner } from '../../control/housekeeping/access/certificate-cleaner.ts';
import { createCertificateSigner } from '../../control/housekeeping/access/certificate-signer.ts';
import { createClusterRoleAggregation } from '../../control/housekeeping/access/cluster-role-aggregation.ts';
import type { AccessKeeperOptions } from '../../control/housekeeping/access/options.ts';
import { createRootCaPublisher } from '../../control/housekeeping/access/root-ca-publisher.ts';
import { createTokenSecrets } from '../../control/housekeeping/access/token-secrets.ts';
import type { Actor } from '../../machinery/actor.ts';
import type { KeyPair } from '../../machinery/certificates/certificates.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { ControllerName } from './select.ts';

export interface AccessKeepersOptions extends AccessKeeperOptions {
  readonly authority: KeyPair;
  /** A client that acts as the account of a controller. */
  readonly clientOf: (account: string) => Client;
}

export function accessKeepers(
  { authority, clientOf, ...around }: AccessKeepersOptions,
  runs: (name: ControllerName) => boolean,
): readonly Actor[] {
  const as = (account: string): AccessKeeperOptions => ({ ...around, client: clientOf(account) });
  const published = { authority: authority.certificate };
  const keepers: readonly (readonly [ControllerName, () => Actor])[] = [
    [
      'clusterrole-aggregation-controller',
      () => createClusterRoleAggregation(as('clusterrole-aggregation-controller')),
    ],
    [
      'root-ca-certificate-publisher-controller',
      () => createRootCaPublisher({ ...as('root-ca-cert-publisher'), ...published }),
    ],
    ['certificatesigningrequest-approving-controller', () => createCertificateApprover(as('certificate-controller'))],
    [
      'certificatesigningrequest-signing-controller',
      () => createCertificateSigner({ ...as('certificate-controller'), authority }),
    ],
    ['certificatesigningrequest-cleaner-controller', () => createCertificateCleaner(as('certificate-controller'))],
    // Kubernetes has no role of its own for it: there it holds the key, here it asks for tokens.
    ['serviceaccount-token-controller', () => createTokenSecrets({ ...around, ...published })],
  ];
  return keepers.filter(([name]) => runs(name)).map(([, create]) => create());
}
