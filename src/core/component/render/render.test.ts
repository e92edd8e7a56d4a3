import { describe, expect, it } from 'vitest';
import { SecretText } from '../../api/component/secret-text.ts';
import { appOf, brief, kindsOf, type Parts, podOf, problemsOf, readParts, rendered } from '../testing/manifests.ts';
import { renderComponent, revealed, toApply } from './render.ts';

const RULES = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];

describe('objects', () => {
  it('the smallest manifest is a DaemonSet alone', () => {
    expect(kindsOf(rendered({}))).toEqual(['DaemonSet/agent']);
  });

  it('are handed on to be applied with their secrets in base64', () => {
    const { identity, objects } = toApply(rendered({ app: { env: { secrets: { A: 'x' } } } }));
    expect(identity).toEqual({ name: 'agent', namespace: 'agents' });
    expect(objects[0]).toMatchObject({ kind: 'Secret', type: 'Opaque', data: { A: 'eA==' } });
  });

  it('a namespace comes first with its own labels', () => {
    const { objects } = rendered({
      spec: { createNamespace: true, namespaceLabels: { 'pod-security.kubernetes.io/enforce': 'privileged' } },
    });
    expect(objects[0]).toMatchObject({
      kind: 'Namespace',
      metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'privileged', 'planton.ai/name': 'agent' } },
    });
  });

  it('rights go to the account that is made, or to the one that is named', () => {
    const subject = (spec: Parts['spec']) => {
      const binding = rendered({ spec: { ...spec, rbac: { namespaceRules: RULES } } }).objects.find(
        (o) => o.kind === 'RoleBinding',
      );
      return (binding as unknown as { subjects: unknown[] }).subjects[0];
    };
    expect(subject({ createServiceAccount: true })).toEqual({
      kind: 'ServiceAccount',
      name: 'agent',
      namespace: 'agents',
    });
    expect(subject({ serviceAccountName: 'old' })).toEqual({
      kind: 'ServiceAccount',
      name: 'old',
      namespace: 'agents',
    });
    expect(brief(problemsOf({ spec: { rbac: { namespaceRules: RULES } } }))).toEqual([
      'EN_COMPONENT_RBAC_ACCOUNT spec.rbac',
    ]);
  });

  it('in compatible mode rights without an account are left out, as they always were', () => {
    expect(kindsOf(rendered({ spec: { rbac: { clusterRules: RULES } } }, 'compatible'))).toEqual(['DaemonSet/agent']);
  });

  it('empty rules make nothing', () => {
    expect(kindsOf(rendered({ spec: { rbac: { clusterRules: [], namespaceRules: [] } } }))).toEqual([
      'DaemonSet/agent',
    ]);
  });

  it('labels of pods cannot take those away that pods are selected by', () => {
    const { daemonSet } = rendered({ pod: { labels: { 'planton.ai/name': 'x', mine: 'y' } } });
    expect(daemonSet.spec.template.metadata?.labels).toMatchObject({ 'planton.ai/name': 'agent', mine: 'y' });
  });
});

describe('containers', () => {
  it('who sets a built-in variable wants to', () => {
    const env = appOf(rendered({ app: { env: { variables: { K8S_NODE_NAME: 'mine' } } } })).env ?? [];
    expect(env.filter(({ name }) => name === 'K8S_NODE_NAME')).toEqual([{ name: 'K8S_NODE_NAME', value: 'mine' }]);
  });

  it('the real host name is not hidden in safe mode', () => {
    expect(appOf(rendered({})).env?.map(({ name }) => name)).toEqual(['K8S_POD_ID', 'K8S_NODE_NAME']);
  });

  it('every source of a variable', () => {
    const variables = [
      { name: 'A', configMapKeyRef: { name: 'c', key: 'k', optional: false } },
      { name: 'B', fieldRef: { fieldPath: 'status.hostIP' } },
      { name: 'C', resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } },
    ];
    const envFrom = [{ prefix: 'X_', secretRef: { name: 's', optional: true } }, { configMapRef: { name: 'c' } }];
    const app = appOf(rendered({ app: { env: { variables, env_from: envFrom } } }));
    expect(app.env?.slice(2)).toEqual([
      { name: 'A', valueFrom: { configMapKeyRef: { name: 'c', key: 'k', optional: false } } },
      { name: 'B', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.hostIP' } } },
      { name: 'C', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } } },
    ]);
    expect(app.envFrom).toEqual([
      { prefix: 'X_', secretRef: { name: 's', optional: true } },
      { configMapRef: { name: 'c' } },
    ]);
  });

  it('every probe, with a delay of zero', () => {
    const app = appOf(
      rendered({
        app: {
          ports: [{ name: 'http', containerPort: 80 }],
          livenessProbe: { grpc: { port: 9, service: 's' }, initialDelaySeconds: 0 },
          readinessProbe: { httpGet: { portName: 'http', scheme: 'HTTPS', httpHeaders: [{ name: 'A', value: 'b' }] } },
          startupProbe: { tcpSocket: { portNumber: 80, host: 'h' }, failureThreshold: 60 },
        },
      }),
    );
    expect(app.livenessProbe).toEqual({ grpc: { port: 9, service: 's' }, initialDelaySeconds: 0 });
    expect(app.readinessProbe).toEqual({
      httpGet: { port: 'http', scheme: 'HTTPS', httpHeaders: [{ name: 'A', value: 'b' }] },
    });
    expect(app.startupProbe).toEqual({ tcpSocket: { port: 80, host: 'h' }, failureThreshold: 60 });
  });

  it('images with digests', () => {
    const digest = `sha256:${'b'.repeat(64)}`;
    expect(appOf(rendered({ app: { image: { repo: 'r', tag: '1', digest } } })).image).toBe(`r:1@${digest}`);
  });
});

describe('volumes', () => {
  it('of one name are one, wherever they are mounted', () => {
    const mount = { name: 'shared', mountPath: '/s', emptyDir: { medium: 'Memory' } };
    const pod = podOf(
      rendered({
        app: { volumeMounts: [mount] },
        sidecars: [{ name: 'a', image: 'a:1', volumeMounts: [{ name: 'shared', mountPath: '/t', readOnly: true }] }],
        pod: { initContainers: [{ name: 'i', image: 'i:1', volumeMounts: [mount] }] },
      }),
    );
    expect(pod.volumes).toEqual([{ name: 'shared', emptyDir: { medium: 'Memory' } }]);
    expect(pod.containers[1]?.volumeMounts).toEqual([{ name: 'shared', mountPath: '/t', readOnly: true }]);
  });

  it('without a source are refused; in compatible mode they are empty directories', () => {
    const parts: Parts = { app: { volumeMounts: [{ name: 'v', mountPath: '/v' }] } };
    expect(brief(problemsOf(parts))).toEqual(['EN_COMPONENT_VOLUME_SOURCE spec.container.app.volumeMounts[0]']);
    expect(podOf(rendered(parts, 'compatible')).volumes).toEqual([{ name: 'v', emptyDir: {} }]);
  });

  it('every source', () => {
    const sources = [
      { configMap: { name: 'c', key: 'k', path: 'p', defaultMode: 0 } },
      { secret: { name: 's', defaultMode: 256 } },
      { pvc: { claimName: 'p', readOnly: true } },
      { serviceAccountToken: { audience: 'a', expirationSeconds: 600 } },
      { hostPath: { path: '/h' } },
    ];
    const mounts = sources.map((source, index) => ({ name: `v${index}`, mountPath: `/m${index}`, ...source }));
    expect(podOf(rendered({ app: { volumeMounts: mounts } })).volumes).toEqual([
      { name: 'v0', configMap: { name: 'c', items: [{ key: 'k', path: 'p' }], defaultMode: 0 } },
      { name: 'v1', secret: { secretName: 's', defaultMode: 256 } },
      { name: 'v2', persistentVolumeClaim: { claimName: 'p', readOnly: true } },
      {
        name: 'v3',
        projected: { sources: [{ serviceAccountToken: { audience: 'a', expirationSeconds: 600, path: 'token' } }] },
      },
      { name: 'v4', hostPath: { path: '/h' } },
    ]);
  });
});

describe('pods', () => {
  it('short forms of scheduling become long ones', () => {
    const term = { matchLabels: { app: 'x' }, topologyKey: 'zone' };
    const pod = podOf(
      rendered({
        pod: {
          scheduling: {
            nodeSelector: { a: 'b' },
            podAffinity: { required: [term] },
            podAntiAffinity: { preferred: [{ weight: 5, term: { ...term, namespaces: ['n'] } }] },
            topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }],
          },
        },
      }),
    );
    expect(pod.nodeSelector).toEqual({ a: 'b' });
    expect(pod.affinity).toEqual({
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: { matchLabels: { app: 'x' } }, topologyKey: 'zone' },
        ],
      },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 5,
            podAffinityTerm: { labelSelector: { matchLabels: { app: 'x' } }, namespaces: ['n'], topologyKey: 'zone' },
          },
        ],
      },
    });
    expect(pod.topologySpreadConstraints?.[0]?.labelSelector?.matchLabels).toMatchObject({
      'planton.ai/name': 'agent',
    });
  });

  it('false is said, not left out', () => {
    const pod = podOf(
      rendered({ pod: { automountServiceAccountToken: false, hostNetwork: false, enableServiceLinks: false } }),
    );
    expect(pod).toMatchObject({ automountServiceAccountToken: false, hostNetwork: false, enableServiceLinks: false });
  });
});

describe('registry logins', () => {
  const registries = [
    { server: 'z.io', username: 'u', password: 'p', email: 'e@x' },
    { server: 'a.io', username: 'v', password: 'q' },
  ];
  const configOf = (parts: Parts, dockerConfig?: string): unknown => {
    const given = dockerConfig === undefined ? {} : { dockerConfig: SecretText.literal(dockerConfig) };
    const secret = revealed(rendered(parts, 'safe', given).objects).find(({ kind }) => kind === 'Secret');
    const data = (secret as unknown as { data: { [key: string]: string } }).data['.dockerconfigjson'] ?? '';
    return JSON.parse(Buffer.from(data, 'base64').toString());
  };

  it('are composed, sorted by server', () => {
    const config = configOf({ pod: { imageRegistries: registries } });
    expect(JSON.stringify(config)).toBe(
      '{"auths":{"a.io":{"username":"v","password":"q","auth":"djpx"},"z.io":{"username":"u","password":"p","email":"e@x","auth":"dTpw"}}}',
    );
  });

  it('are merged with a configuration from outside, and go before it', () => {
    const given = '{"auths":{"a.io":{"auth":"b2xk"},"m.io":{"auth":"bQ=="}},"credsStore":"x"}';
    expect(configOf({ pod: { imageRegistries: registries } }, given)).toMatchObject({
      auths: { 'a.io': { username: 'v' }, 'm.io': { auth: 'bQ==' }, 'z.io': { username: 'u' } },
    });
  });

  it('are used after those the manifest names', () => {
    const pod = podOf(
      rendered({
        app: { image: { repo: 'r', tag: 't', pullSecretName: 'two' } },
        pod: { imagePullSecrets: ['one', { value: 'two' }], imageRegistries: registries },
      }),
    );
    expect(pod.imagePullSecrets).toEqual([{ name: 'one' }, { name: 'two' }, { name: 'agent-image-pull-secret' }]);
  });

  it('a configuration that is none is refused without a word about what is in it', () => {
    const dockerConfig = SecretText.literal('hunter2');
    const { findings } = renderComponent(readParts({}).component, { dockerConfig });
    expect(findings).toMatchObject([{ fault: { code: 'EN_COMPONENT_DOCKER_CONFIG' } }]);
    expect(JSON.stringify(findings)).not.toContain('hunter2');
  });
});
