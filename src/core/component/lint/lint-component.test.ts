import { describe, expect, it } from 'vitest';
import type { DaemonSet } from '../../api/types/apps-v1.ts';
import type { JsonObject } from '../../kube/json.ts';
import type { Mode } from '../render/mode.ts';
import { renderComponent } from '../render/render.ts';
import { type Parts, readParts } from '../testing/manifests.ts';
import type { LintOptions } from './contract/lint.ts';
import { lintComponent } from './lint-component.ts';
import { lintCode, type LintName, LINTS } from './list.ts';

const lint = (parts: Parts, options: LintOptions = {}, mode: Mode = 'safe') => {
  const read = readParts(parts);
  return lintComponent(read, renderComponent(read.component, { mode }), options);
};
const rules = (...args: Parameters<typeof lint>) => lint(...args).map(({ rule, path }) => `${rule} ${path}`);
const only = (rule: LintName, ...args: Parameters<typeof lint>) =>
  rules(...args).filter((each) => each.startsWith(`${rule} `));

const APP = 'spec.container.app';
const CLEAN: JsonObject = {
  resources: { limits: { memory: '1Gi' }, requests: { cpu: '1m', memory: '1Mi' } },
  readinessProbe: { exec: { command: ['true'] } },
};

describe('lints', () => {
  it('find nothing wrong with a careful manifest', () => {
    expect(lint({ app: CLEAN })).toEqual([]);
  });

  it.each<[LintName, Parts, readonly string[]]>([
    ['default-resources', {}, [`${APP}.resources`]],
    ['missing-limits', { app: { resources: { limits: { cpu: '1' } } } }, [`${APP}.resources`]],
    ['missing-requests', { app: { resources: {} } }, [`${APP}.resources`]],
    ['missing-requests', { app: { resources: { limits: { cpu: '1', memory: '1Gi' } } } }, []],
    ['latest-image', { app: { image: 'a:latest' } }, [`${APP}.image`]],
    ['latest-image', { app: { image: `a:latest@sha256:${'0'.repeat(64)}` } }, []],
    ['privileged', { app: { securityContext: { privileged: true } } }, [`${APP}.securityContext.privileged`]],
    [
      'dangerous-capability',
      { app: { securityContext: { capabilities: { add: ['NET_ADMIN', 'SYS_ADMIN'], drop: ['ALL'] } } } },
      [`${APP}.securityContext.capabilities.add[1]`],
    ],
    [
      'capabilities-not-dropped',
      { app: { securityContext: { capabilities: { add: ['NET_ADMIN'] } } } },
      [`${APP}.securityContext.capabilities`],
    ],
    [
      'capabilities-beside-privileged',
      { app: { securityContext: { privileged: true, capabilities: { add: ['NET_ADMIN'] } } } },
      [`${APP}.securityContext.capabilities.add`],
    ],
    [
      'writable-host-path',
      { app: { volumeMounts: [{ name: 'v', mountPath: '/v', hostPath: { path: '/h' } }] } },
      [`${APP}.volumeMounts[0].readOnly`],
    ],
    [
      'writable-host-path',
      { app: { volumeMounts: [{ name: 'v', mountPath: '/v', readOnly: true, hostPath: { path: '/h' } }] } },
      [],
    ],
    ['writable-host-path', { app: { volumeMounts: [{ name: 'v', mountPath: '/v', emptyDir: {} }] } }, []],
    ['tolerate-everything', { spec: { tolerations: [{ operator: 'Exists' }] } }, ['spec.tolerations[0]']],
    ['tolerate-everything', { spec: { tolerations: [{ key: 'a', operator: 'Exists' }] } }, []],
    [
      'retired-taint',
      { spec: { tolerations: [{ key: 'node-role.kubernetes.io/master', operator: 'Exists' }] } },
      ['spec.tolerations[0].key'],
    ],
    ['missing-readiness', {}, [`${APP}.readinessProbe`]],
    ['literal-secret', { app: { env: { secrets: { A: 'x', B: 'env:B' } } } }, [`${APP}.env.secrets.A`]],
    ['reads-variable', { app: { env: { secrets: { A: 'x', B: 'env:B' } } } }, [`${APP}.env.secrets.B`]],
    [
      'reads-variable',
      { pod: { imageRegistries: [{ server: 'a.io', username: 'u', password: 'env:PASS' }] } },
      ['spec.pod.imageRegistries[0].password'],
    ],
    [
      'reads-file',
      { app: { env: { secrets: { A: 'file:a', B: 'file:b/../c/..d', C: 'file:/a', D: 'file:.ssh/a' } } } },
      [`${APP}.env.secrets.A`, `${APP}.env.secrets.B`],
    ],
    [
      'reads-outside',
      {
        app: {
          env: {
            secrets: {
              A: 'file:a',
              B: 'file:/etc/passwd',
              C: 'file:../a',
              D: 'file:a/../../a/b',
              E: 'file:.ssh/id_rsa',
              F: 'file:C:\\a',
              G: 'file:..\\a',
            },
          },
        },
      },
      ['B', 'C', 'D', 'E', 'F', 'G'].map((name) => `${APP}.env.secrets.${name}`),
    ],
    [
      'reads-outside',
      { metadata: { annotations: { 'kubernetes.planton.dev/docker-config-json-file': '/root/.docker/config.json' } } },
      ['metadata.annotations["kubernetes.planton.dev/docker-config-json-file"]'],
    ],
    [
      'literal-secret',
      {
        pod: {
          imageRegistries: ['plain', 'env:PASS', 'file:pass'].map((password, index) => ({
            server: `${index}.io`,
            username: 'u',
            password,
          })),
        },
      },
      ['spec.pod.imageRegistries[0].password'],
    ],
    [
      'label-without-effect',
      { pod: { labels: { app: 'mine', 'planton.ai/name': 'agent', team: 'a' } } },
      ['spec.pod.labels.app'],
    ],
    [
      'fraction-of-a-byte',
      { app: { resources: { limits: { cpu: '100m', memory: '100m' }, requests: { memory: '64Mi' } } } },
      [`${APP}.resources.limits.memory`],
    ],
    [
      'wildcard-rights',
      {
        spec: {
          createServiceAccount: true,
          rbac: { clusterRules: [{ apiGroups: [''], resources: ['*'], verbs: ['get'] }] },
        },
      },
      ['spec.rbac.clusterRules[0].resources'],
    ],
    [
      'bounds-without-effect',
      { spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: { maxUnavailable: 1 } } } },
      ['spec.updateStrategy.rollingUpdate'],
    ],
  ])('%s %#', (rule, parts, paths) => {
    expect(only(rule, parts)).toEqual(paths.map((path) => `${rule} ${path}`));
  });

  it('a mount that shares a writable host path of another container is one', () => {
    const mount = { name: 'v', mountPath: '/v', readOnly: true, hostPath: { path: '/h' } };
    const sidecars = [{ name: 's', image: 'a:1', volumeMounts: [{ name: 'v', mountPath: '/w' }] }];
    expect(only('writable-host-path', { app: { volumeMounts: [mount] }, sidecars })).toEqual([
      'writable-host-path spec.container.sidecars[0].volumeMounts[0].readOnly',
    ]);
  });

  it('in compatible mode what the existing tool does silently is told', () => {
    const parts: Parts = {
      app: {
        ...CLEAN,
        volumeMounts: [{ name: 'v', mountPath: '/v' }],
        env: { secrets: [{ name: 'A', secretRef: { namespace: 'x', name: 's', key: 'k' } }] },
      },
      spec: { rbac: { clusterRules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] } },
    };
    expect(new Set(rules(parts, {}, 'compatible'))).toEqual(
      new Set([
        `volume-without-source ${APP}.volumeMounts[0]`,
        `secret-namespace-ignored ${APP}.env.secrets[0].secretRef.namespace`,
        'rights-ignored spec.rbac',
      ]),
    );
  });

  it('have a code, a level and a place', () => {
    const [finding] = lint({ app: { ...CLEAN, image: 'a:latest' } });
    expect(finding).toMatchObject({
      code: 'EN_LINT_LATEST_IMAGE',
      level: 'warning',
      place: { file: 'agent.yaml', line: 9 },
    });
    expect(new Set(LINTS.map(({ name }) => lintCode(name))).size).toBe(LINTS.length);
  });
});

describe('silences', () => {
  const annotated = (annotations: JsonObject): Parts => ({
    app: { ...CLEAN, image: 'a:latest' },
    metadata: { annotations },
  });

  it('keep the finding and say why it does not count', () => {
    expect(lint(annotated({ 'lint.everynode.dev/latest-image': 'built here' }))).toMatchObject([
      { rule: 'latest-image', silenced: 'built here' },
    ]);
  });

  it('need a reason', () => {
    const findings = lint(annotated({ 'lint.everynode.dev/latest-image': ' ' }));
    expect(findings.map(({ rule, silenced }) => [rule, silenced])).toEqual(
      expect.arrayContaining([
        ['latest-image', undefined],
        ['silence-without-reason', undefined],
      ]),
    );
  });

  it('of nothing are told', () => {
    expect(rules(annotated({ 'lint.everynode.dev/lates-image': 'x' }))).toContain(
      'unknown-silence metadata.annotations["lint.everynode.dev/lates-image"]',
    );
  });
});

describe('other daemons', () => {
  const other = (spec: JsonObject, extra: JsonObject = {}, namespace = 'other'): DaemonSet =>
    ({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'other', namespace },
      spec: {
        selector: { matchLabels: { app: 'other' } },
        template: { metadata: { labels: { app: 'other' } }, spec: { containers: [], ...spec } },
        ...extra,
      },
    }) as unknown as DaemonSet;
  const ports = (hostPort: number, protocol = 'TCP', hostIP?: string) => ({
    containers: [
      {
        name: 'c',
        image: 'i',
        ports: [{ containerPort: 1, hostPort, protocol, ...(hostIP === undefined ? {} : { hostIP }) }],
      },
    ],
  });
  const mine: Parts = { app: { ports: [{ name: 'a', containerPort: 9100, hostPort: 9100 }] } };
  const clashes = (daemon: DaemonSet, parts = mine) => only('host-port-clash', parts, { otherDaemons: [daemon] });

  it('that take the same port of the node clash', () => {
    expect(clashes(other(ports(9100)))).toEqual([`host-port-clash ${APP}.ports[0]`]);
    expect(clashes(other(ports(9100, 'TCP', '127.0.0.1')))).toHaveLength(1);
  });

  it('with another port or protocol, or on other nodes, do not', () => {
    expect(clashes(other(ports(9101)))).toEqual([]);
    expect(clashes(other(ports(9100, 'UDP')))).toEqual([]);
    const selector = { ...mine, spec: { nodeSelector: { os: 'linux' } } };
    expect(clashes(other({ ...ports(9100), nodeSelector: { os: 'windows' } }), selector)).toEqual([]);
  });

  it("in the node's network take every port they have", () => {
    const network: Parts = { app: { ports: [{ name: 'a', containerPort: 9100 }] }, pod: { hostNetwork: true } };
    expect(clashes(other(ports(9100)), network)).toHaveLength(1);
    const containers = [{ name: 'c', image: 'i', ports: [{ containerPort: 9100 }] }];
    expect(clashes(other({ hostNetwork: true, containers }))).toHaveLength(1);
  });

  it('of the same name and namespace are this one', () => {
    const self = { ...other(ports(9100)), metadata: { name: 'agent', namespace: 'agents' } };
    expect(clashes(self)).toEqual([]);
  });

  it('that select the same pods overlap', () => {
    const old = other({}, { selector: { matchLabels: { app: 'daemonset' } } }, 'agents');
    expect(only('selector-overlap', {}, { otherDaemons: [old] })).toHaveLength(1);
    expect(only('selector-overlap', {}, { otherDaemons: [old] }, 'compatible')).toHaveLength(1);
    expect(
      only('selector-overlap', {}, { otherDaemons: [{ ...old, metadata: { name: 'other', namespace: 'x' } }] }),
    ).toEqual([]);
    expect(only('selector-overlap', {}, { otherDaemons: [other({}, {}, 'agents')] })).toEqual([]);
  });
});

describe('Pod Security', () => {
  const privilegedOnly: NonNullable<LintOptions['podSecurity']> = ({ level }, _, spec) =>
    level !== 'privileged' && spec.hostNetwork === true
      ? [{ reason: 'host namespaces', detail: 'hostNetwork=true' }]
      : [];
  const parts: Parts = { app: CLEAN, pod: { hostNetwork: true } };
  const options = (level?: string): LintOptions => ({
    podSecurity: privilegedOnly,
    ...(level === undefined ? {} : { namespaceLabels: { 'pod-security.kubernetes.io/enforce': level } }),
  });

  it('a namespace that refuses the pods is an error with the reasons', () => {
    expect(lint(parts, options('baseline'))).toMatchObject([
      {
        rule: 'pod-security',
        level: 'error',
        message: 'the namespace enforces baseline, which refuses the pods: host namespaces (hostNetwork=true)',
      },
    ]);
  });

  it('a namespace that allows them is none', () => {
    expect(lint(parts, options('privileged'))).toEqual([]);
    expect(lint({ app: CLEAN }, options('restricted'))).toEqual([]);
  });

  it('where nothing is known the level is told', () => {
    expect(rules(parts, options())).toEqual(['pod-security-level spec.namespace']);
  });

  it('a namespace that is made has the labels it is made with', () => {
    const made = (level: string): Parts => ({
      ...parts,
      spec: { createNamespace: true, namespaceLabels: { 'pod-security.kubernetes.io/enforce': level } },
    });
    expect(only('pod-security', made('restricted'), options('privileged'))).toHaveLength(1);
    expect(lint(made('privileged'), options('restricted'))).toEqual([]);
  });
});
