/**
 * deploy/manifests: the rendered chart, for users without Helm. Definitions have a file of their own: a user who
 * deletes the operator by its file must not delete every custom resource with it.
 */
import { parseAllDocuments, stringify } from 'yaml';
import { VERSION } from '../../src/core/api/version.ts';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Texts; readonly annotations?: Texts };
  readonly [field: string]: unknown;
}

const MANIFEST_NAMESPACE = 'everynode-system';

/** Arguments of `helm template`. */
export const TEMPLATE_ARGUMENTS: readonly string[] = [
  'everynode',
  '--namespace',
  MANIFEST_NAMESPACE,
  // A helm that was not built by its makers assumes a very old version of Kubernetes.
  '--kube-version',
  VERSION.gitVersion.split('+')[0] ?? '',
];

const OPERATOR_HEAD = `# everynode without Helm: kubectl apply -f crds.yaml -f everynode.yaml
# Written by tools/generate/deploy.ts from the chart; change it with kustomize, not by hand.
`;
const DEFINITIONS_HEAD = `# Definitions of everynode's custom resources. To delete them deletes every KubernetesDaemonSet, and leaves the daemons
# running: see "Uninstall" in docs/install.md, and do it while the operator runs.
# Written by tools/generate/deploy.ts from the chart; do not edit.
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

/** Kinds that others depend on come first. */
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

const HELM_ANNOTATIONS: ReadonlySet<string> = new Set(['helm.sh/resource-policy']);
const HELM_LABELS: ReadonlySet<string> = new Set(['helm.sh/chart', 'app.kubernetes.io/managed-by']);

interface Texts {
  readonly [key: string]: string;
}

function withoutHelm(manifest: Manifest): Manifest {
  const { annotations, labels, ...metadata } = manifest.metadata;
  const rest = (texts: Texts | undefined, gone: ReadonlySet<string>): Texts =>
    Object.fromEntries(Object.entries(texts ?? {}).filter(([name]) => !gone.has(name)));
  const kept = { annotations: rest(annotations, HELM_ANNOTATIONS), labels: rest(labels, HELM_LABELS) };
  const some = Object.fromEntries(Object.entries(kept).filter(([, texts]) => Object.keys(texts).length > 0));
  return { ...manifest, metadata: { ...some, ...metadata } };
}

export interface PlainManifests {
  /** crds.yaml */
  readonly definitions: string;
  /** everynode.yaml */
  readonly operator: string;
}

const DEFINITION = 'CustomResourceDefinition';

export function plainManifests(rendered: string): PlainManifests {
  const manifests = parseAllDocuments(rendered)
    .map((document) => document.toJSON() as Manifest | null)
    .filter((manifest) => manifest !== null)
    .map(withoutHelm);
  const place = ({ kind }: Manifest): number => (ORDER.includes(kind) ? ORDER.indexOf(kind) : ORDER.length);
  const sorted = [NAMESPACE, ...manifests].toSorted(
    (a, b) => place(a) - place(b) || (a.metadata.name < b.metadata.name ? -1 : 1),
  );
  const fileOf = (head: string, part: readonly Manifest[]): string =>
    head + part.map((manifest) => `---\n${stringify(manifest, { lineWidth: 0 })}`).join('');
  return {
    definitions: fileOf(
      DEFINITIONS_HEAD,
      sorted.filter(({ kind }) => kind === DEFINITION),
    ),
    operator: fileOf(
      OPERATOR_HEAD,
      sorted.filter(({ kind }) => kind !== DEFINITION),
    ),
  };
}
