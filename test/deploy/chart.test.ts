/** The chart as helm renders it, with several sets of values. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ADMISSION_CATALOGUE } from '../../src/assembly/catalogue/admission.ts';
import { OPERATOR_RIGHTS } from '../../src/assembly/catalogue/operator-rights.ts';
import { NAMESPACE_RIGHTS, WEBHOOK_RIGHTS } from '../../src/assembly/catalogue/rights.ts';
import { selectControllers } from '../../src/assembly/catalogue/select.ts';
import { createProgram } from '../../src/cli/main.ts';
import { webhookPath } from '../../src/machinery/webhook/answer-review.ts';
import type { AdmissionPhase } from '../../src/machinery/webhook/review.ts';
import { PACKAGED_KINDS } from '../../tools/generate/deploy-crds.ts';
import { generateManifests, ROOT } from '../../tools/generate/deploy.ts';
import {
  chartWith,
  CHART,
  helm,
  KUBE_VERSION,
  manifestsIn,
  missHelm,
  runHelm,
  template,
  TEST_WEBHOOKS,
  valuesFile,
} from './helm.ts';
import type { Manifest } from './helm.ts';

missHelm();

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface PodSpec {
  readonly securityContext: object;
  readonly containers: readonly {
    readonly args: readonly string[];
    readonly image: string;
    readonly env: readonly { readonly name: string; readonly value?: string }[];
    readonly securityContext: object;
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
    readonly lifecycle?: object;
  }[];
  readonly volumes: readonly { readonly name: string; readonly secret?: object }[];
  readonly [field: string]: unknown;
}

const kinds = (manifests: readonly Manifest[]): readonly string[] => manifests.map(({ kind }) => kind).toSorted();
const one = (manifests: readonly Manifest[], kind: string): Manifest => {
  const found = manifests.filter((manifest) => manifest.kind === kind);
  expect(found, kind).toHaveLength(1);
  return found[0] as Manifest;
};
const podOf = (manifests: readonly Manifest[]): PodSpec =>
  (one(manifests, 'Deployment')['spec'] as { template: { spec: PodSpec } }).template.spec;
const container = (manifests: readonly Manifest[]): PodSpec['containers'][number] => {
  const [first] = podOf(manifests).containers;
  if (first === undefined) throw new Error('no container');
  return first;
};
const rulesOf = (manifests: readonly Manifest[], kind: string): readonly Rule[] =>
  one(manifests, kind)['rules'] as readonly Rule[];

const BY_DEFAULT = selectControllers('operator').map(({ row }) => row.name);
const DEFINITIONS = PACKAGED_KINDS.map(() => 'CustomResourceDefinition');
const WITHOUT_WEBHOOKS = [
  'ClusterRole',
  'ClusterRoleBinding',
  ...DEFINITIONS,
  'Deployment',
  'NetworkPolicy',
  'PodDisruptionBudget',
  'Role',
  'RoleBinding',
  'Service',
  'ServiceAccount',
];
const USUAL = [
  ...WITHOUT_WEBHOOKS,
  'MutatingWebhookConfiguration',
  'Secret',
  'Service',
  'ValidatingWebhookConfiguration',
].toSorted();
const NO_WEBHOOKS = ['--set', 'webhook.enabled=false'];

describe.skipIf(helm === undefined)('the chart', () => {
  it.each(['', 'small', 'everything'])('passes the strict linter with values "%s"', async (values) => {
    const file = values === '' ? [] : ['--values', valuesFile(values)];
    const { code, stdout, stderr } = await runHelm(['lint', '--strict', CHART, ...KUBE_VERSION, ...file]);
    expect(code, stdout + stderr).toBe(0);
  });

  it('makes the usual objects, all with its labels and in its namespace', async () => {
    const manifests = await template(CHART);
    expect(kinds(manifests)).toEqual(USUAL);
    for (const { kind, metadata } of manifests) {
      expect(metadata.labels, kind).toMatchObject({
        'app.kubernetes.io/name': 'everynode',
        'app.kubernetes.io/instance': 'everynode',
        'app.kubernetes.io/managed-by': 'Helm',
      });
      if (!/^Cluster|^Custom|WebhookConfiguration$/.test(kind)) expect(metadata.namespace, kind).toBe('daemons-here');
    }
  });

  it('can be called and put where a name looks like a number', async () => {
    const { code, stdout, stderr } = await runHelm([
      'template',
      '123',
      CHART,
      ...KUBE_VERSION,
      '--namespace',
      '456',
      '--set-string',
      'fullnameOverride=789',
    ]);
    expect(code, stderr).toBe(0);
    for (const { kind, metadata } of manifestsIn(stdout)) {
      const { name, namespace = '', labels = {} } = metadata;
      for (const text of [name, namespace, ...Object.values(labels)])
        expect(typeof text, `${kind} ${text}`).toBe('string');
    }
    expect(podOf(manifestsIn(stdout))['serviceAccountName']).toBe('789');
  });

  it('writes each label once, and keeps those that selectors go by', async () => {
    const [ours, partOf] = ['app.kubernetes.io/name', 'app.kubernetes.io/part-of'];
    const labels = { [ours]: 'theirs', [partOf]: 'platform' };
    const common = ['--set-json', `commonLabels=${JSON.stringify(labels)}`];
    const manifests = await template(
      CHART,
      ...common,
      '--set-json',
      `podLabels=${JSON.stringify({ [ours]: 'a', x: 'y' })}`,
    );
    for (const { kind, metadata } of manifests)
      expect(metadata.labels, kind).toMatchObject({ [ours]: 'everynode', [partOf]: 'platform' });
    const { template: pod } = one(manifests, 'Deployment')['spec'] as { template: Manifest };
    expect(pod.metadata.labels).toEqual({
      [ours]: 'everynode',
      'app.kubernetes.io/instance': 'everynode',
      [partOf]: 'platform',
      x: 'y',
    });
  });

  it('ends the old pod before the new one acts where nobody elects a leader', async () => {
    const manifests = await template(CHART, '--set', 'replicas=1', '--set', 'leaderElection.enabled=false');
    expect(one(manifests, 'Deployment')['spec']).toMatchObject({ strategy: { type: 'Recreate' } });
    expect(Object.keys((one(manifests, 'Deployment')['spec'] as { strategy: object }).strategy)).toEqual(['type']);
  });

  it('runs without a right that it does not need: no root, no writing, no capabilities', async () => {
    const manifests = await template(CHART, '--values', valuesFile('everything'));
    expect(podOf(manifests).securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      fsGroup: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container(manifests).securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container(manifests).volumeMounts).toContainEqual({ name: 'tmp', mountPath: '/tmp' });
  });

  it.each(['', 'small', 'everything'])(
    'gives the operator only arguments that it has, with values "%s"',
    async (values) => {
      const { args } = container(await template(CHART, ...(values === '' ? [] : ['--values', valuesFile(values)])));
      const [command, ...flags] = args;
      expect(command).toBe('operator');
      const operator = createProgram().commands.find((each) => each.name() === 'operator');
      const known = new Set(operator?.options.map(({ long }) => long));
      expect(flags.map((flag) => flag.split('=')[0]).filter((flag) => !known.has(flag))).toEqual([]);
    },
  );

  it('leaves out what a single replica does not need', async () => {
    const manifests = await template(CHART, '--values', valuesFile('small'));
    expect(kinds(manifests)).toEqual([
      'ClusterRole',
      'ClusterRoleBinding',
      ...DEFINITIONS,
      'Deployment',
      'ServiceAccount',
    ]);
    expect(container(manifests).args).toContain('--leader-elect=false');
  });

  it('hands on everything that is given', async () => {
    const manifests = await template(CHART, '--values', valuesFile('everything'));
    expect(kinds(manifests)).toEqual([...USUAL, 'ServiceMonitor'].toSorted());
    const { image, args, env } = container(manifests);
    expect(image).toBe(`registry.example:5000/mirror/everynode@sha256:${'0123456789abcdef'.repeat(4)}`);
    expect(args).toEqual(
      expect.arrayContaining([
        '--controllers=*,daemonset,kube-scheduler',
        '--instead-of-upstream',
        '--leader-elect-resource-name=daemons-operator',
        '--metrics-port=9090',
        '--log-format=text',
        '--webhook-port=9444',
        '--webhook-name=daemons-webhook',
        '--webhook-cert-lifetime=720h',
        '--initial-state=pages',
      ]),
    );
    expect(env).toContainEqual({
      name: 'OTHER_DAEMON_GVKS',
      value: 'custom.io/v1/CustomDaemon,monitoring.io/v1/MonitoringAgent',
    });
    expect(env).toContainEqual({ name: 'NODE_OPTIONS', value: '--max-old-space-size-percentage=80' });
    expect(podOf(manifests)).toMatchObject({
      serviceAccountName: 'walker',
      imagePullSecrets: [{ name: 'pull' }],
      priorityClassName: 'system-cluster-critical',
      nodeSelector: { 'kubernetes.io/arch': 'amd64' },
      tolerations: [{ operator: 'Exists' }],
      affinity: { podAntiAffinity: {} },
      topologySpreadConstraints: [{ matchLabelKeys: ['pod-template-hash'] }, {}],
    });
    expect(one(manifests, 'ServiceMonitor')).toMatchObject({
      metadata: { labels: { release: 'prometheus' } },
      spec: { endpoints: [{ port: 'metrics', interval: '15s', scrapeTimeout: '10s' }] },
    });
    expect(one(manifests, 'PodDisruptionBudget')['spec']).toMatchObject({ maxUnavailable: '50%' });
    expect(one(manifests, 'NetworkPolicy')['spec']).toMatchObject({
      ingress: [{ ports: [{ port: 8081 }] }, { ports: [{ port: 9090 }], from: [{}] }, { ports: [{ port: 9444 }] }],
      egress: [{ ports: [{ port: 53 }, { port: 53 }] }, { ports: [{ port: 6443 }], to: [{}] }],
    });
    for (const { kind, metadata } of manifests) expect(metadata.labels, kind).toMatchObject({ team: 'platform' });
  });

  const ruleset = (features: readonly string[], scope: string): readonly unknown[] =>
    OPERATOR_RIGHTS.filter((rights) => features.includes(rights.feature) && rights.scope === scope).flatMap(
      ({ rules }) => rules,
    );

  it.each<[string, readonly string[]]>([
    ['*', BY_DEFAULT],
    ['daemonset', ['daemonset']],
    ['*,daemonset-controller,scheduler', [...BY_DEFAULT, 'daemonset', 'scheduler']],
    ['*,-rollout-driver,scheduler', [...BY_DEFAULT.filter((name) => name !== 'rollout-driver'), 'scheduler']],
    ['-scheduler,*,scheduler', BY_DEFAULT],
  ])('gives for --controllers=%s the rights of these and no more', async (controllers, features) => {
    const manifests = await template(CHART, '--set', `controllers={${controllers}}`, ...NO_WEBHOOKS);
    expect(rulesOf(manifests, 'ClusterRole')).toEqual(ruleset(features, 'cluster'));
    expect(rulesOf(manifests, 'Role')).toEqual(ruleset(['base', ...features], 'namespace'));
  });

  it('gives rights for certificates where it makes them itself, and only there', async () => {
    const rights = (scope: string) =>
      WEBHOOK_RIGHTS.filter((each) => each.scope === scope).flatMap(({ rules }) => rules);
    const usual = await template(CHART);
    expect(rulesOf(usual, 'Role')).toEqual([...ruleset(['base', ...BY_DEFAULT], 'namespace'), ...rights('namespace')]);
    expect(rulesOf(usual, 'ClusterRole')).toEqual([...ruleset(BY_DEFAULT, 'cluster'), ...rights('cluster')]);
    const certManager = await template(CHART, '--set', 'webhook.certManager.enabled=true');
    expect(rulesOf(certManager, 'ClusterRole')).toEqual(ruleset(BY_DEFAULT, 'cluster'));
  });

  it('lets namespaces go with their component only where that is asked for, and components are kept', async () => {
    const more = NAMESPACE_RIGHTS.flatMap(({ rules }) => rules);
    const asked = ['--set', 'rbac.deleteNamespaces=true', ...NO_WEBHOOKS];
    expect(rulesOf(await template(CHART, ...asked), 'ClusterRole')).toEqual([
      ...ruleset(BY_DEFAULT, 'cluster'),
      ...more,
    ]);
    const others = await template(CHART, ...asked, '--set', 'controllers={*,-component}');
    expect(rulesOf(others, 'ClusterRole')).toEqual(
      ruleset(
        BY_DEFAULT.filter((name) => name !== 'component'),
        'cluster',
      ),
    );
  });

  it('asks about every kind that a plugin judges before it is stored, and about nothing else', async () => {
    const manifests = await template(CHART);
    const registered = (wanted: AdmissionPhase) =>
      ADMISSION_CATALOGUE.filter(({ phase }) => phase === wanted).map(({ name: plugin, phase, webhook }) => ({
        ...webhook,
        clientConfig: {
          service: {
            name: 'everynode-webhook',
            namespace: 'daemons-here',
            path: webhookPath(phase, plugin),
            port: 443,
          },
        },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        matchPolicy: 'Equivalent',
      }));
    expect(one(manifests, 'ValidatingWebhookConfiguration')['webhooks']).toEqual(registered('validate'));
    expect(one(manifests, 'MutatingWebhookConfiguration')['webhooks']).toEqual(registered('mutate'));
    const strict = await template(CHART, '--set', 'webhook.failurePolicy=Fail');
    expect(one(strict, 'MutatingWebhookConfiguration')['webhooks']).toEqual(registered('mutate'));
    expect(container(manifests).args).toEqual(
      expect.arrayContaining(['--webhook-port=9443', '--webhook-name=everynode-webhook']),
    );
    expect(one(manifests, 'NetworkPolicy')['spec']).toMatchObject({ ingress: [{}, {}, { ports: [{ port: 9443 }] }] });
    expect(kinds(await template(CHART, ...NO_WEBHOOKS))).toEqual(WITHOUT_WEBHOOKS);
  });

  it('brings the definitions of every generation, kept when it goes unless told otherwise', async () => {
    const policy = async (...args: readonly string[]) =>
      (await template(CHART, ...args))
        .filter(({ kind }) => kind === 'CustomResourceDefinition')
        .map(({ metadata }) => [metadata.name, metadata.annotations?.['helm.sh/resource-policy']]);
    expect(await policy()).toEqual(PACKAGED_KINDS.toSorted().map((name) => [name, 'keep']));
    expect(await policy('--set', 'crds.keep=false')).toEqual(
      PACKAGED_KINDS.toSorted().map((name) => [name, undefined]),
    );
    expect(await policy('--set', 'crds.install=false')).toEqual([]);
  });

  it('names the Lease and the webhook after the release', async () => {
    const { chart, remove } = chartWith(TEST_WEBHOOKS);
    try {
      const args = ['--values', valuesFile('webhooks'), '--set', 'fullnameOverride=everynode-webhook-x'];
      const manifests = await template(chart, ...args);
      const names = [...rulesOf(manifests, 'Role'), ...rulesOf(manifests, 'ClusterRole')].flatMap(
        ({ resourceNames = [] }) => resourceNames,
      );
      // Definitions are called the same in every release.
      const own = names.filter((name) => !PACKAGED_KINDS.includes(name));
      expect([...new Set(own)].toSorted()).toEqual(['everynode-webhook-x-operator', 'everynode-webhook-x-webhook']);
    } finally {
      remove();
    }
  });

  it.each([
    ['several replicas without election', ['--set', 'leaderElection.enabled=false'], 'only with one replica'],
    ['an unknown controller', ['--set', 'controllers={*,deamonset}'], `known are ${BY_DEFAULT[0]}`],
    [
      'every controller off',
      ['--set', `controllers={${BY_DEFAULT.map((name) => `-${name}`).join(',')}}`],
      'every controller is off',
    ],
    ['a policy for silence that there is not', ['--set', 'webhook.failurePolicy=Perhaps'], 'failurePolicy'],
    ['a lifetime without a unit', ['--set-string', 'webhook.certificateLifetime=90'], 'certificateLifetime'],
    [
      'a monitor without metrics',
      ['--set', 'metrics.enabled=false,metrics.serviceMonitor.enabled=true'],
      'needs metrics',
    ],
    ['a value nobody knows', ['--set', 'replicaCount=3'], 'replicaCount'],
    ['a port that is none', ['--set', 'health.port=0'], 'health'],
  ])('refuses %s, and says why', async (_, args, words) => {
    await expect(template(CHART, ...args)).rejects.toThrow(words);
  });

  it('refuses a Kubernetes that is too old', async () => {
    const args = ['template', 'everynode', CHART, '--kube-version', 'v1.29.0'];
    expect((await runHelm(args)).stderr).toContain('chart requires kubeVersion');
  });

  it('serves webhooks with certificates of its own, or of cert-manager', async () => {
    const { chart, remove } = chartWith(TEST_WEBHOOKS);
    try {
      for (const values of ['webhooks', 'cert-manager']) {
        const linted = await runHelm(['lint', '--strict', chart, ...KUBE_VERSION, '--values', valuesFile(values)]);
        expect(linted.code, linted.stdout + linted.stderr).toBe(0);
      }
      const own = await template(chart, '--values', valuesFile('webhooks'));
      expect(kinds(own)).toEqual(USUAL);
      expect(one(own, 'Secret')).not.toHaveProperty('data');
      expect(one(own, 'ValidatingWebhookConfiguration')['webhooks']).toMatchObject([
        {
          name: 'test-guard.everynode.dev',
          clientConfig: {
            service: { name: 'everynode-webhook', namespace: 'daemons-here', path: '/validate/test-guard', port: 443 },
          },
          failurePolicy: 'Fail',
          namespaceSelector: { matchLabels: { judged: 'yes' } },
        },
      ]);
      expect(container(own).lifecycle).toEqual({ preStop: { sleep: { seconds: 5 } } });
      const certManager = await template(chart, '--values', valuesFile('cert-manager'));
      expect(kinds(certManager)).toEqual(
        [
          ...WITHOUT_WEBHOOKS,
          'Certificate',
          'MutatingWebhookConfiguration',
          'Service',
          'ValidatingWebhookConfiguration',
        ].toSorted(),
      );
      expect(one(certManager, 'ValidatingWebhookConfiguration').metadata.annotations).toEqual({
        'cert-manager.io/inject-ca-from': 'daemons-here/everynode-webhook',
      });
      expect(container(certManager).args).toContain('--webhook-cert-dir=/etc/everynode/webhook');
      expect(rulesOf(certManager, 'Role')).toEqual(ruleset(['base', ...BY_DEFAULT], 'namespace'));
      const selfSigned = ['--set-json', 'webhook.certManager.issuerRef=null'];
      const issued = await template(chart, '--values', valuesFile('cert-manager'), ...selfSigned);
      expect(kinds(issued)).toContain('Issuer');
    } finally {
      remove();
    }
  });

  it('is what the plain manifests were made of (node tools/generate/deploy.ts)', () => {
    for (const [path, text] of generateManifests(helm?.path ?? ''))
      expect(readFileSync(`${ROOT}/${path}`, 'utf8'), path).toBe(text);
  });
});
