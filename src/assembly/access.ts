/** The house-keepers of access in an embedded cluster: its authority signs, and every namespace knows it. */
import { createCertificateApprover } from '../control/housekeeping/access/certificate-approver.ts';
import { createCertificateCleaner } from '../control/housekeeping/access/certificate-cleaner.ts';
import { createCertificateSigner } from '../control/housekeeping/access/certificate-signer.ts';
import { createClusterRoleAggregation } from '../control/housekeeping/access/cluster-role-aggregation.ts';
import type { AccessKeeperOptions } from '../control/housekeeping/access/options.ts';
import { createRootCaPublisher } from '../control/housekeeping/access/root-ca-publisher.ts';
import type { Actor } from '../machinery/actor.ts';
import type { KeyPair } from '../machinery/certificates.ts';
import type { ControllerName } from './controllers.ts';

export interface AccessKeepersOptions extends AccessKeeperOptions {
  readonly authority: KeyPair;
}

export function accessKeepers(
  options: AccessKeepersOptions,
  runs: (name: ControllerName) => boolean,
): readonly Actor[] {
  const { certificate } = options.authority;
  const keepers: readonly (readonly [ControllerName, () => Actor])[] = [
    ['clusterrole-aggregation-controller', () => createClusterRoleAggregation(options)],
    ['root-ca-certificate-publisher-controller', () => createRootCaPublisher({ ...options, authority: certificate })],
    ['certificatesigningrequest-approving-controller', () => createCertificateApprover(options)],
    ['certificatesigningrequest-signing-controller', () => createCertificateSigner(options)],
    ['certificatesigningrequest-cleaner-controller', () => createCertificateCleaner(options)],
  ];
  return keepers.filter(([name]) => runs(name)).map(([, create]) => create());
}
