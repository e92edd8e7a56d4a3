/**
 * Rows of the house-keepers of access in an embedded cluster: its authority signs, and every namespace knows it. Each acts under
 * its own name, with no more rights than Kubernetes gives it.
 */
import { createCertificateApprover } from '../../control/housekeeping/access/certificate-approver.ts';
import { createCertificateCleaner } from '../../control/housekeeping/access/certificate-cleaner.ts';
import { createCertificateSigner } from '../../control/housekeeping/access/certificate-signer.ts';
import { createClusterRoleAggregation } from '../../control/housekeeping/access/cluster-role-aggregation.ts';
import { createRootCaPublisher } from '../../control/housekeeping/access/root-ca-publisher.ts';
import { createTokenSecrets } from '../../control/housekeeping/access/token-secrets.ts';
import type { Catalogue, EmbeddedParts } from './entry.ts';

/** The parts with the client of an account in kube-system. */
const as = (account: string, parts: EmbeddedParts): EmbeddedParts => ({ ...parts, client: parts.clientOf(account) });

export const ACCESS_CONTROLLERS: Catalogue = [
  {
    name: 'clusterrole-aggregation-controller',
    aliases: ['clusterrole-aggregation'],
    about: 'gathers the rules of ClusterRoles into those that select them',
    profiles: {
      embedded: {
        runs: 'default',
        create: (parts) => createClusterRoleAggregation(as('clusterrole-aggregation-controller', parts)),
      },
    },
  },
  {
    name: 'root-ca-certificate-publisher-controller',
    aliases: ['root-ca-cert-publisher'],
    about: "publishes the authority's certificate in every namespace",
    profiles: {
      embedded: {
        runs: 'default',
        create: (parts) =>
          createRootCaPublisher({ ...as('root-ca-cert-publisher', parts), authority: parts.authority.certificate }),
      },
    },
  },
  {
    name: 'certificatesigningrequest-approving-controller',
    aliases: ['csrapproving'],
    about: 'approves CertificateSigningRequests of kubelets',
    profiles: {
      embedded: { runs: 'default', create: (parts) => createCertificateApprover(as('certificate-controller', parts)) },
    },
  },
  {
    name: 'certificatesigningrequest-signing-controller',
    aliases: ['csrsigning'],
    about: 'signs approved CertificateSigningRequests',
    profiles: {
      embedded: { runs: 'default', create: (parts) => createCertificateSigner(as('certificate-controller', parts)) },
    },
  },
  {
    name: 'certificatesigningrequest-cleaner-controller',
    aliases: ['csrcleaner'],
    about: 'deletes CertificateSigningRequests that are done or expired',
    profiles: {
      embedded: { runs: 'default', create: (parts) => createCertificateCleaner(as('certificate-controller', parts)) },
    },
  },
  {
    name: 'serviceaccount-token-controller',
    aliases: ['serviceaccount-token'],
    about: 'fills Secrets of service account tokens',
    profiles: {
      embedded: {
        runs: 'default',
        // Kubernetes has no role for this account: there the controller holds the signing key, here it requests tokens.
        create: (parts) => createTokenSecrets({ ...parts, authority: parts.authority.certificate }),
      },
    },
  },
];
