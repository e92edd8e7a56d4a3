/** Eighteen known defects of the tools that read this manifest before us, each shown not to be here. */
import { describe, expect, it } from 'vitest';
import { SecretText } from '../../api/component/secret-text.ts';
import type { ConfigMap } from '../../api/types/core-v1.ts';
import type { JsonObject } from '../../kube/json.ts';
import { prepareComponents, loadManifests } from './load.ts';
import { componentOutputs, liveOutputs } from '../render/outputs.ts';
import { CHECKSUM_ANNOTATIONS } from '../render/checksums.ts';
import type { Mode } from '../render/mode.ts';
import { renderComponent, revealed } from '../render/render.ts';
import { lintComponent } from '../lint/lint-component.ts';
import {
  appOf,
  brief,
  kindsOf,
  type Parts,
  podOf,
  problemsOf,
  readParts,
  rendered,
  textOf,
} from '../testing/manifests.ts';

const BOTH: readonly Mode[] = ['safe', 'compatible'];
const objectOf = (parts: Parts, kind: string, mode: Mode = 'safe') =>
  rendered(parts, mode).objects.find((object) => object.kind === kind);
const annotationsOf = (parts: Parts, mode: Mode = 'safe') =>
  rendered(parts, mode).daemonSet.spec.template.metadata?.annotations ?? {};

describe.each(BOTH)('in %s mode', (mode) => {
  it('1: sidecars are there, and pull secrets of images are used', () => {
    const parts: Parts = {
      app: { image: { repo: 'r', tag: 't', pull_secret_name: 'mine' } },
      sidecars: [
        {
          name: 'side',
          image: 'a/b:1',
          ports: [{ name: 'x', container_port: 1, protocol: 'UDP' }],
          env: [{ name: 'A', value: 'b' }],
        },
      ],
    };
    const pod = podOf(rendered(parts, mode));
    expect(pod.containers).toHaveLength(2);
    expect(pod.containers[1]).toMatchObject({
      name: 'side',
      image: 'a/b:1',
      ports: [{ name: 'x', containerPort: 1, protocol: 'UDP' }],
    });
    expect(pod.containers[1]?.env).toContainEqual({ name: 'A', value: 'b' });
    expect(pod.imagePullSecrets).toEqual([{ name: 'mine' }]);
  });

  it('2: resources that are left out get their defaults', () => {
    expect(appOf(rendered({}, mode)).resources).toEqual({
      limits: { cpu: '1000m', memory: '1Gi' },
      requests: { cpu: '50m', memory: '100Mi' },
    });
    expect(appOf(rendered({ app: { resources: {} } }, mode)).resources).toEqual({});
  });

  it('3: a bound written as a text of digits is a number', () => {
    const spec = { update_strategy: { type: 'RollingUpdate', rolling_update: { max_unavailable: '1' } } };
    expect(rendered({ spec }, mode).daemonSet.spec.updateStrategy?.rollingUpdate?.maxUnavailable).toBe(1);
  });

  it('4: user 0 and 0 seconds are kept', () => {
    const spec = { tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', toleration_seconds: 0 }] };
    const result = rendered({ app: { security_context: { run_as_user: 0, run_as_group: 0 } }, spec }, mode);
    expect(appOf(result).securityContext).toEqual({ runAsUser: 0, runAsGroup: 0 });
    expect(podOf(result).tolerations).toEqual([
      { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 0 },
    ]);
  });

  it('7: secrets are encoded once', () => {
    const { objects } = rendered({ app: { env: { secrets: { TOKEN: 'hunter2' } } } }, mode);
    const secret = revealed(objects).find(({ kind }) => kind === 'Secret') as unknown as { data: { TOKEN: string } };
    expect(Buffer.from(secret.data.TOKEN, 'base64').toString()).toBe('hunter2');
  });

  it('8: the file of a ConfigMap has the name of the ConfigMap', () => {
    expect((objectOf({ spec: { config_maps: { cfg: 'text' } } }, 'ConfigMap', mode) as ConfigMap).data).toEqual({
      cfg: 'text',
    });
  });

  it('10: no service account is named that is not there', () => {
    expect(podOf(rendered({}, mode)).serviceAccountName).toBeUndefined();
    expect(podOf(rendered({ spec: { createServiceAccount: true } }, mode)).serviceAccountName).toBe('agent');
  });

  it('11: built-in variables come first, so that others can be made of them', () => {
    const env =
      appOf(rendered({ app: { env: { variables: [{ name: 'N', value: '$(K8S_NODE_NAME)' }] } } }, mode)).env ?? [];
    const names = env.map(({ name }) => name);
    expect(names.at(-1)).toBe('N');
    expect(names.slice(0, -1)).toEqual(expect.arrayContaining(['K8S_POD_ID', 'K8S_NODE_NAME']));
  });

  it('13: every declared output is there, and the same from the cluster', () => {
    const status = { desiredNumberScheduled: 5, currentNumberScheduled: 4, numberReady: 3, numberMisscheduled: 0 };
    const { daemonSet } = rendered({}, mode);
    expect(componentOutputs(readParts({}).component, mode, { ...daemonSet, status })).toMatchObject({
      namespace: 'agents',
      daemonsetName: 'agent',
      desiredNumberScheduled: '5',
      currentNumberScheduled: '4',
      numberReady: '3',
    });
    expect(liveOutputs({ ...daemonSet, status })).toEqual(
      componentOutputs(readParts({}).component, mode, { ...daemonSet, status }),
    );
  });

  it('14: a rolling update needs no type; bounds that cannot work are refused', () => {
    const { updateStrategy } = rendered(
      { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: '20%' } } } },
      mode,
    ).daemonSet.spec;
    expect(updateStrategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '20%' } });
    const zero = { updateStrategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } };
    expect(brief(problemsOf({ spec: zero }, { mode }))).toEqual([
      'EN_COMPONENT_BOUNDS spec.updateStrategy.rollingUpdate.maxUnavailable',
    ]);
    const surge = { updateStrategy: { rollingUpdate: { maxSurge: 1 } } };
    const ports = [{ name: 'a', containerPort: 1, hostPort: 1 }];
    expect(brief(problemsOf({ spec: surge, app: { ports } }, { mode }))).toEqual([
      'EN_COMPONENT_SURGE_HOST_PORT spec.updateStrategy.rollingUpdate.maxSurge',
    ]);
  });

  it('15: pods can be in the network of the node, and everything else a network plugin needs', () => {
    const result = rendered(
      {
        app: {
          imagePullPolicy: 'Always',
          securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
        },
        pod: {
          hostNetwork: true,
          hostPID: true,
          priorityClassName: 'system-node-critical',
          terminationGracePeriodSeconds: 0,
          annotations: { a: 'b' },
          initContainers: [{ name: 'init', image: 'i:1' }],
          scheduling: { nodeAffinity: { required: [{ matchExpressions: [{ key: 'gpu', operator: 'Exists' }] }] } },
        },
      },
      mode,
    );
    expect(result.daemonSet.spec.template.metadata?.annotations).toEqual({ a: 'b' });
    expect(podOf(result)).toMatchObject({
      hostNetwork: true,
      hostPID: true,
      dnsPolicy: 'ClusterFirstWithHostNet',
      priorityClassName: 'system-node-critical',
      terminationGracePeriodSeconds: 0,
      initContainers: [{ name: 'init', image: 'i:1' }],
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'gpu', operator: 'Exists' }] }],
          },
        },
      },
      containers: [{ imagePullPolicy: 'Always', securityContext: { seccompProfile: { type: 'RuntimeDefault' } } }],
    });
  });
});

describe('names', () => {
  it('5: two daemons in a namespace do not select each other, and are still found by app=daemonset', () => {
    const [one, two] = [rendered({ metadata: { name: 'one' } }), rendered({ metadata: { name: 'two' } })].map(
      ({ daemonSet }) => daemonSet,
    );
    const labels = two?.spec.template.metadata?.labels ?? {};
    expect(Object.entries(one?.spec.selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value)).toBe(
      false,
    );
    expect(labels['app']).toBe('daemonset');
  });

  it('6: cluster roles of one name in two namespaces differ', () => {
    const parts = (namespace: string): Parts => ({
      spec: {
        namespace,
        createServiceAccount: true,
        rbac: { clusterRules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
      },
    });
    expect(objectOf(parts('a'), 'ClusterRole')?.metadata.name).toBe('a:agent');
    expect(objectOf(parts('b'), 'ClusterRole')?.metadata.name).toBe('b:agent');
  });

  it('9: there is one set of labels and selectors in each mode', () => {
    expect(rendered({}, 'compatible').daemonSet.spec.selector).toEqual({ matchLabels: { app: 'daemonset' } });
    expect(rendered({}).daemonSet.spec.selector).toEqual({
      matchLabels: { 'planton.ai/kind': 'KubernetesDaemonSet', 'planton.ai/name': 'agent' },
    });
  });
});

describe('pull secrets', () => {
  it.each([
    'kubernetes.planton.dev',
    'kubernetes.planton.io',
    'kubernetes.openmcf.org',
    'kubernetes.project-planton.org',
  ])('12: the Docker configuration that a label under %s names is used', async (domain) => {
    const loaded = loadManifests([
      { file: 'm', text: textOf({ metadata: { labels: { [`${domain}/docker-config-json-file`]: 'd.json' } } }) },
    ]);
    const { components, problems } = await prepareComponents(loaded, {
      secrets: {
        env: () => undefined,
        file: (path) => (path === 'd.json' ? '{"auths":{"a.io":{"auth":"eDp5"}}}' : undefined),
      },
    });
    expect(problems).toEqual([]);
    const objects = revealed(components[0]?.rendered.objects ?? []);
    const secret = objects.find(({ kind }) => kind === 'Secret') as unknown as { data: { [key: string]: string } };
    expect(Buffer.from(secret.data['.dockerconfigjson'] ?? '', 'base64').toString()).toBe(
      '{"auths":{"a.io":{"auth":"eDp5"}}}',
    );
  });
});

describe('changes', () => {
  it('16: another configuration or secret rolls pods, and nothing else does', () => {
    const parts = (text: string, token: string): Parts => ({
      app: {
        env: { secrets: { TOKEN: token } },
        volumeMounts: [{ name: 'c', mountPath: '/c', configMap: { name: 'cfg' } }],
      },
      spec: { configMaps: { cfg: text, unused: text } },
    });
    const before = annotationsOf(parts('a', 'x'));
    expect(Object.keys(before).toSorted()).toEqual(Object.values(CHECKSUM_ANNOTATIONS).toSorted());
    expect(annotationsOf(parts('a', 'x'))).toEqual(before);
    expect(annotationsOf(parts('b', 'x'))[CHECKSUM_ANNOTATIONS.config]).not.toBe(before[CHECKSUM_ANNOTATIONS.config]);
    expect(annotationsOf(parts('a', 'y'))[CHECKSUM_ANNOTATIONS.secrets]).not.toBe(before[CHECKSUM_ANNOTATIONS.secrets]);
    expect(annotationsOf({ spec: { configMaps: { unused: 'a' } } })).toEqual({});
  });

  it.each<[string, (parts: JsonObject) => Parts]>([
    ['a volume of a sidecar', (app) => ({ sidecars: [{ name: 's', image: 'a:1', ...app }] })],
    ['an init container', (app) => ({ pod: { initContainers: [{ name: 'i', image: 'a:1', ...app }] } })],
    ['the daemon', (app) => ({ app })],
  ])('16: whoever reads the configuration, in whatever way: %s', (_, place) => {
    const uses: readonly JsonObject[] = [
      { volumeMounts: [{ name: 'c', mountPath: '/c', configMap: { name: 'cfg' } }] },
      { env: { variables: [{ name: 'A', configMapKeyRef: { name: 'cfg', key: 'cfg' } }] } },
      { env: { envFrom: [{ configMapRef: { name: 'cfg' } }] } },
    ];
    for (const mode of BOTH)
      for (const use of uses) {
        const of = (cfg: string) =>
          annotationsOf({ ...place(use), spec: { configMaps: { cfg } } }, mode)[CHECKSUM_ANNOTATIONS.config];
        expect(of('a')).toMatch(/^[0-9a-f]{16}$/);
        expect(of('b')).not.toBe(of('a'));
      }
  });

  it('17: secrets of one name in two containers keep their values; volumes that contradict each other are refused', () => {
    const result = rendered({
      app: { env: { secrets: { TOKEN: 'one', ONLY: 'x' } } },
      sidecars: [{ name: 'side', image: 'a:1', env: { secrets: { TOKEN: 'two' } } }],
    });
    const secret = result.objects.find(({ kind }) => kind === 'Secret') as unknown as {
      data: { [key: string]: SecretText };
    };
    expect(Object.entries(secret.data).map(([key, value]) => [key, value.reveal()])).toEqual([
      ['ONLY', 'x'],
      ['TOKEN', 'one'],
      ['side.TOKEN', 'two'],
    ]);
    expect(podOf(result).containers[1]?.env).toContainEqual({
      name: 'TOKEN',
      valueFrom: { secretKeyRef: { name: 'agent-env-secrets', key: 'side.TOKEN' } },
    });
    const mount = (path: string) => ({ name: 'v', mountPath: '/v', hostPath: { path } });
    expect(
      brief(
        problemsOf({
          app: { volumeMounts: [mount('/a')] },
          sidecars: [{ name: 's', image: 'a:1', volumeMounts: [mount('/b')] }],
        }),
      ),
    ).toEqual(['EN_COMPONENT_VOLUME_CONFLICT spec.container.sidecars[0].volumeMounts[0]']);
    const optional = { name: 'A', secretRef: { name: 's', key: 'k', optional: true } };
    expect(appOf(rendered({ app: { env: { secrets: [optional] } } })).env).toContainEqual({
      name: 'A',
      valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: true } },
    });
  });

  it('18: a key mounted at a file is a file, not a directory', () => {
    const parts: Parts = {
      app: {
        volumeMounts: [
          {
            name: 'c',
            mountPath: '/etc/vector/vector.yaml',
            configMap: { name: 'cfg', key: 'cfg', path: 'vector.yaml' },
          },
        ],
      },
      spec: { configMaps: { cfg: 'x' } },
    };
    expect(appOf(rendered(parts)).volumeMounts).toEqual([
      { name: 'c', mountPath: '/etc/vector/vector.yaml', subPath: 'vector.yaml' },
    ]);
    const read = readParts(parts);
    const lints = lintComponent(read, renderComponent(read.component, { mode: 'compatible' }));
    expect(lints.map(({ rule }) => rule)).toContain('file-becomes-directory');
    const directory: Parts = {
      app: { volumeMounts: [{ name: 'c', mountPath: '/etc/conf.d', configMap: { name: 'cfg', key: 'a.conf' } }] },
    };
    expect(appOf(rendered(directory)).volumeMounts).toEqual([{ name: 'c', mountPath: '/etc/conf.d' }]);
  });
});

it('compatible mode makes exactly what the existing tool made', () => {
  const result = rendered(
    {
      metadata: { id: 'k8sds-1', org: 'acme', env: 'prod' },
      app: { env: { secrets: { TOKEN: 'x' } } },
      spec: {
        createNamespace: true,
        createServiceAccount: true,
        configMaps: { cfg: 'x' },
        rbac: {
          clusterRules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
          namespaceRules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
        },
      },
    },
    'compatible',
    { dockerConfig: SecretText.literal('{"auths":{}}') },
  );
  expect(kindsOf(result)).toEqual([
    'Namespace/agents',
    'ServiceAccount/agent',
    'ClusterRole/agent',
    'ClusterRoleBinding/agent',
    'Role/agent',
    'RoleBinding/agent',
    'ConfigMap/cfg',
    'Secret/agent-env-secrets',
    'Secret/agent-image-pull-secret',
    'DaemonSet/agent',
  ]);
  expect(result.identity.labels).toEqual({
    app: 'daemonset',
    'planton.ai/environment': 'prod',
    'planton.ai/id': 'k8sds-1',
    'planton.ai/kind': 'KubernetesDaemonSet',
    'planton.ai/name': 'agent',
    'planton.ai/organization': 'acme',
    'planton.ai/resource': 'true',
  });
  for (const { metadata } of result.objects) expect(metadata.labels).toEqual(result.identity.labels);
  expect(appOf(result).name).toBe('daemonset-container');
  expect(appOf(result).env?.map(({ name }) => name)).toEqual(['HOSTNAME', 'K8S_POD_ID', 'K8S_NODE_NAME', 'TOKEN']);
});
