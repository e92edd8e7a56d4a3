/** Rules of each of Kubernetes' own signers. A request may be approved and yet be one that its signer refuses. */
import type { ReadRequest } from '../../../machinery/certificates/certificate-requests.ts';

const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';
export const KUBELET_CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
const KUBELET_SERVING_SIGNER = 'kubernetes.io/kubelet-serving';
const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown';

const MASTERS = 'system:masters';

type Problem = string | undefined;
type Rule = (request: ReadRequest, usages: readonly string[]) => Problem;

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  [CLIENT_SIGNER, clientProblem],
  [KUBELET_CLIENT_SIGNER, kubeletClientProblem],
  [KUBELET_SERVING_SIGNER, kubeletServingProblem],
  [LEGACY_SIGNER, () => undefined],
]);

export const isOurSigner = (signerName: string): boolean => RULES.has(signerName);

/** Why the signer refuses; undefined where it signs. */
export const signerProblem = (signerName: string, request: ReadRequest, usages: readonly string[]): Problem =>
  RULES.get(signerName)?.(request, usages);

/** The API server refuses masters when the request is made; a request that came past it is not signed either. */
function clientProblem({ organizations }: ReadRequest, usages: readonly string[]): Problem {
  if (organizations.includes(MASTERS)) return `use of ${CLIENT_SIGNER} signer with ${MASTERS} group is not allowed`;
  const odd = usages.find((usage) => !['digital signature', 'key encipherment', 'client auth'].includes(usage));
  if (odd !== undefined) return `invalid usage for client certificate: ${odd}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
}

export function kubeletClientProblem(request: ReadRequest, usages: readonly string[]): Problem {
  if (!isOfNodes(request)) return 'subject organization is not system:nodes';
  if (request.dnsNames.length > 0) return 'DNS subjectAltNames are not allowed';
  if (request.emails.length > 0) return 'Email subjectAltNames are not allowed';
  if (request.ipAddresses.length > 0) return 'IP subjectAltNames are not allowed';
  if (request.uris.length > 0) return 'URI subjectAltNames are not allowed';
  if (!isNodeName(request)) return 'subject common name does not begin with system:node:';
  return usageProblem(usages, 'client auth');
}

function kubeletServingProblem(request: ReadRequest, usages: readonly string[]): Problem {
  if (!isOfNodes(request)) return 'subject organization is not system:nodes';
  if (request.dnsNames.length === 0 && request.ipAddresses.length === 0) {
    return 'DNS or IP subjectAltName is required';
  }
  if (request.emails.length > 0) return 'Email subjectAltNames are not allowed';
  if (request.uris.length > 0) return 'URI subjectAltNames are not allowed';
  return (
    usageProblem(usages, 'server auth') ??
    (isNodeName(request) ? undefined : 'subject common name does not begin with system:node:')
  );
}

const isOfNodes = ({ organizations }: ReadRequest): boolean =>
  organizations.length === 1 && organizations[0] === 'system:nodes';
const isNodeName = ({ commonName }: ReadRequest): boolean => commonName.startsWith('system:node:');

/** Signing and the one purpose; keys of the older kind also encipher. */
function usageProblem(usages: readonly string[], purpose: string): Problem {
  const said = new Set(usages);
  said.delete('key encipherment');
  const fits = said.size === 2 && said.has('digital signature') && said.has(purpose);
  const sorted = ['digital signature', 'key encipherment', purpose].sort();
  return fits ? undefined : `usages did not match [${sorted.join(' ')}]`;
}
