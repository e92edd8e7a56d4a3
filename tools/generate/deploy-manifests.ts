/** deploy/manifests/everynode.yaml: what the chart renders, for those who do without Helm. */
import { parseAllDocuments, stringify } from 'yaml';
import { VERSION } from '../../src/core/api/version.ts';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: { readonly [key: string]: string } };
  readonly [field: string]: unknown;
}

export const MANIFEST_NAMESPACE = 'everynode-system';

/** For `helm template`, after its own words. */
export const TEMPLATE_ARGUMENTS: readonly string[] = [
  'everynode',
  '--namespace',
  MANIFEST_NAMESPACE,
  // A helm that was not built by its makers believes to be for a very old one.
  '--kube-version',
  VERSION.gitVersion.split('+')[0] ?? '',
];

const HEAD = `# everynode without Helm: kubectl apply -f everynode.yaml
# Written by tools/generate/deploy.ts from the chart; change it with kustomize, not by hand.
`;

const NAMESPACE: Manifest = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: MANIFEST_NAMESPACE,
    labels: {
      'app.kubernetes.io/name': 'everynode',
      'app.kubernetes.io/part-of': 'everynode',
      'pod-security.kubernetes.io/enforce': 'restricted',
    },
  },
};

/** What others stand on comes first. */
const ORDER = [
  'Namespace',
  'CustomResourceDefinition',
  'ServiceAccount',
  'Secret',
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
  'Service',
  'NetworkPolicy',
  'PodDisruptionBudget',
  'Deployment',
];

const HELM_LABELS: ReadonlySet<string> = new Set(['helm.sh/chart', 'app.kubernetes.io/managed-by']);

function withoutHelm(manifest: Manifest): Manifest {
  const { labels } = manifest.metadata;
  if (labels === undefined) return manifest;
  const own = Object.fromEntries(Object.entries(labels).filter(([name]) => !HELM_LABELS.has(name)));
  return { ...manifest, metadata: { ...manifest.metadata, labels: own } };
}

export function plainManifests(rendered: string): string {
  const manifests = parseAllDocuments(rendered)
    .map((document) => document.toJSON() as Manifest | null)
    .filter((manifest) => manifest !== null)
    .map(withoutHelm);
  const place = ({ kind }: Manifest): number => (ORDER.includes(kind) ? ORDER.indexOf(kind) : ORDER.length);
  const sorted = [NAMESPACE, ...manifests].toSorted(
    (a, b) => place(a) - place(b) || (a.metadata.name < b.metadata.name ? -1 : 1),
  );
  return HEAD + sorted.map((manifest) => `---\n${stringify(manifest, { lineWidth: 0 })}`).join('');
}
