/** Manifests that other readers of this format refuse or accept, each a test here. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../kube/json.ts';
import { brief, manifestOf, type Parts, problemsOf, problemsOfText, rendered } from '../testing/manifests.ts';
import { stringify } from 'yaml';

const PORT = { name: 'http', containerPort: 80, networkProtocol: 'TCP' };
const port = (parts: JsonObject): Parts => ({ app: { ports: [{ ...PORT, ...parts }] } });
const toleration = (parts: JsonObject): Parts => ({ spec: { tolerations: [{ key: 'a', ...parts }] } });
const RULE = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
const rule = (parts: JsonObject): Parts => ({
  spec: { createServiceAccount: true, rbac: { clusterRules: [{ ...RULE, ...parts }] } },
});
const secret = (parts: JsonObject): Parts => ({ app: { env: { secrets: [{ name: 'A', ...parts }] } } });
const variable = (parts: JsonObject): Parts => ({ app: { env: { variables: [{ name: 'A', value: 'x', ...parts }] } } });
const affinity = (expression: JsonObject): Parts => ({
  pod: { scheduling: { nodeAffinity: { required: [{ matchExpressions: [{ key: 'a', ...expression }] }] } } },
});
const strategy = (parts: JsonObject): Parts => ({ spec: { updateStrategy: parts } });
const probe = (parts: JsonObject): Parts => ({ app: { livenessProbe: parts } });
const mount = (...mounts: readonly JsonObject[]): Parts => ({ app: { volumeMounts: mounts } });
const APP = 'spec.container.app';

describe('refused by the second generation', () => {
  it.each<[string, Parts, string]>([
    ['an empty repo', { app: { image: { repo: '', tag: '1' } } }, `EN_COMPONENT_REQUIRED ${APP}.image.repo`],
    ['an empty tag', { app: { image: { repo: 'r', tag: '' } } }, `EN_COMPONENT_REQUIRED ${APP}.image.tag`],
    ['an upper case port name', port({ name: 'HTTP' }), `EN_COMPONENT_VALUE ${APP}.ports[0].name`],
    ['a port name that begins with a dash', port({ name: '-http' }), `EN_COMPONENT_VALUE ${APP}.ports[0].name`],
    ['a bad protocol', port({ networkProtocol: 'HTTP' }), `EN_COMPONENT_VALUE ${APP}.ports[0].networkProtocol`],
    ['a bad toleration operator', toleration({ operator: 'Has' }), 'EN_COMPONENT_VALUE spec.tolerations[0].operator'],
    ['a bad toleration effect', toleration({ effect: 'Never' }), 'EN_COMPONENT_VALUE spec.tolerations[0].effect'],
    ['a bad strategy', strategy({ type: 'Recreated' }), 'EN_COMPONENT_VALUE spec.updateStrategy.type'],
    ['no API groups', rule({ apiGroups: [] }), 'EN_COMPONENT_REQUIRED spec.rbac.clusterRules[0].apiGroups'],
    ['no resources', rule({ resources: [] }), 'EN_COMPONENT_REQUIRED spec.rbac.clusterRules[0].resources'],
    ['no verbs', rule({ verbs: [] }), 'EN_COMPONENT_REQUIRED spec.rbac.clusterRules[0].verbs'],
    [
      'a secret reference without name',
      secret({ secretRef: { key: 'k' } }),
      `EN_COMPONENT_REQUIRED ${APP}.env.secrets[0].secretRef.name`,
    ],
    [
      'a secret reference without key',
      secret({ secretRef: { name: 's' } }),
      `EN_COMPONENT_REQUIRED ${APP}.env.secrets[0].secretRef.key`,
    ],
    [
      'a reference without name',
      { spec: { namespace: { valueFrom: { kind: 'KubernetesNamespace' } } } },
      'EN_COMPONENT_REQUIRED spec.namespace.valueFrom.name',
    ],
    [
      'a variable from a reference without name',
      { app: { env: { variables: [{ name: 'A', valueFrom: { kind: 'X', fieldPath: 'spec.a' } }] } } },
      `EN_COMPONENT_REQUIRED ${APP}.env.variables[0].valueFrom.name`,
    ],
    [
      'a secret from a reference without name',
      secret({ valueFrom: { kind: 'X', fieldPath: 'spec.a' } }),
      `EN_COMPONENT_REQUIRED ${APP}.env.secrets[0].valueFrom.name`,
    ],
    [
      'rights in the namespace without verbs',
      { spec: { createServiceAccount: true, rbac: { namespaceRules: [{ ...RULE, verbs: [] }] } } },
      'EN_COMPONENT_REQUIRED spec.rbac.namespaceRules[0].verbs',
    ],
    [
      'a variable that begins with a digit',
      variable({ name: '1A' }),
      `EN_COMPONENT_VALUE ${APP}.env.variables[0].name`,
    ],
    ['a variable with a dash', variable({ name: 'A-B' }), `EN_COMPONENT_VALUE ${APP}.env.variables[0].name`],
    [
      'a secret that begins with a digit',
      secret({ name: '1A', value: 'x' }),
      `EN_COMPONENT_VALUE ${APP}.env.secrets[0].name`,
    ],
    ['a secret with a dash', secret({ name: 'A-B', value: 'x' }), `EN_COMPONENT_VALUE ${APP}.env.secrets[0].name`],
    ['an empty namespace', { spec: { namespace: { value: '' } } }, 'EN_COMPONENT_REQUIRED spec.namespace.value'],
    [
      'a bad host path type',
      mount({ name: 'v', mountPath: '/v', hostPath: { path: '/h', type: 'Dir' } }),
      `EN_COMPONENT_VALUE ${APP}.volumeMounts[0].hostPath.type`,
    ],
    [
      'a bad medium',
      mount({ name: 'v', mountPath: '/v', emptyDir: { medium: 'Disk' } }),
      `EN_COMPONENT_VALUE ${APP}.volumeMounts[0].emptyDir.medium`,
    ],
  ])('%s', (_, parts, problem) => {
    expect(brief(problemsOf(parts))).toEqual([problem]);
  });
});

describe('refused by the third generation', () => {
  it.each<[string, Parts, string]>([
    ['an unnamed sidecar', { sidecars: [{ image: 'a:1' }] }, 'EN_COMPONENT_REQUIRED spec.container.sidecars[0].name'],
    ['the strategy of Deployments', strategy({ type: 'Recreate' }), 'EN_COMPONENT_VALUE spec.updateStrategy.type'],
    [
      'both bounds zero',
      strategy({ maxUnavailable: '0%', maxSurge: '0' }),
      'EN_COMPONENT_BOUNDS spec.updateStrategy.maxUnavailable',
    ],
    [
      'both bounds zero, nested',
      strategy({ rollingUpdate: { maxUnavailable: 0, maxSurge: '0%' } }),
      'EN_COMPONENT_BOUNDS spec.updateStrategy.rollingUpdate.maxUnavailable',
    ],
    ['negative minReadySeconds', { spec: { minReadySeconds: -1 } }, 'EN_COMPONENT_VALUE spec.minReadySeconds'],
    ['a negative history', { spec: { revisionHistoryLimit: -1 } }, 'EN_COMPONENT_VALUE spec.revisionHistoryLimit'],
    ['a bad pull policy', { app: { imagePullPolicy: 'Sometimes' } }, `EN_COMPONENT_VALUE ${APP}.imagePullPolicy`],
    ['host port 70000', port({ hostPort: 70000 }), `EN_COMPONENT_VALUE ${APP}.ports[0].hostPort`],
    ['an unnamed port', { app: { ports: [{ containerPort: 80 }] } }, `EN_COMPONENT_REQUIRED ${APP}.ports[0].name`],
    [
      'In without values',
      affinity({ operator: 'In' }),
      'EN_COMPONENT_REJECTED spec.pod.scheduling.nodeAffinity.required[0].matchExpressions[0].values',
    ],
    [
      'Exists with values',
      affinity({ operator: 'Exists', values: ['x'] }),
      'EN_COMPONENT_REJECTED spec.pod.scheduling.nodeAffinity.required[0].matchExpressions[0].values',
    ],
    [
      'Gt with two values',
      affinity({ operator: 'Gt', values: ['1', '2'] }),
      'EN_COMPONENT_REJECTED spec.pod.scheduling.nodeAffinity.required[0].matchExpressions[0].values',
    ],
    [
      'the operator Equals',
      affinity({ operator: 'Equals', values: ['x'] }),
      'EN_COMPONENT_VALUE spec.pod.scheduling.nodeAffinity.required[0].matchExpressions[0].operator',
    ],
    [
      'weight 101',
      {
        pod: {
          scheduling: {
            nodeAffinity: {
              preferred: [{ weight: 101, term: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } }],
            },
          },
        },
      },
      'EN_COMPONENT_VALUE spec.pod.scheduling.nodeAffinity.preferred[0].weight',
    ],
    [
      'a bad alias address',
      { pod: { hostAliases: [{ ip: '10.0.0', hostnames: ['a'] }] } },
      'EN_COMPONENT_VALUE spec.pod.hostAliases[0].ip',
    ],
    [
      'an alias without names',
      { pod: { hostAliases: [{ ip: '10.0.0.1', hostnames: [] }] } },
      'EN_COMPONENT_REQUIRED spec.pod.hostAliases[0].hostnames',
    ],
    ['a bad DNS policy', { pod: { dnsPolicy: 'NodeFirst' } }, 'EN_COMPONENT_VALUE spec.pod.dnsPolicy'],
    ['a container name that is no label', { app: { name: 'My_App' } }, `EN_COMPONENT_VALUE ${APP}.name`],
    ['a bad digest', { app: { image: { repo: 'r', digest: 'sha256:abc' } } }, `EN_COMPONENT_VALUE ${APP}.image.digest`],
    ['service port 70000', port({ servicePort: 70000 }), `EN_COMPONENT_VALUE ${APP}.ports[0].servicePort`],
    [
      'one registry twice',
      {
        pod: {
          imageRegistries: [
            { server: 'ghcr.io', username: 'a', password: 'b' },
            { server: 'ghcr.io', username: 'c', password: 'd' },
          ],
        },
      },
      'EN_COMPONENT_DUPLICATE spec.pod.imageRegistries[1].server',
    ],
    [
      'a bad whenUnsatisfiable',
      {
        pod: {
          scheduling: { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'Never' }] },
        },
      },
      'EN_COMPONENT_VALUE spec.pod.scheduling.topologySpreadConstraints[0].whenUnsatisfiable',
    ],
    [
      'a bad fsGroupChangePolicy',
      { pod: { securityContext: { fsGroupChangePolicy: 'Never' } } },
      'EN_COMPONENT_VALUE spec.pod.securityContext.fsGroupChangePolicy',
    ],
    [
      'a bad seccomp type',
      { app: { securityContext: { seccompProfile: { type: 'None' } } } },
      `EN_COMPONENT_VALUE ${APP}.securityContext.seccompProfile.type`,
    ],
    [
      'Localhost seccomp without a profile',
      { app: { securityContext: { seccompProfile: { type: 'Localhost' } } } },
      `EN_COMPONENT_REJECTED ${APP}.securityContext.seccompProfile.localhostProfile`,
    ],
    [
      'a token that lives too short',
      mount({ name: 'v', mountPath: '/v', serviceAccountToken: { audience: 'a', expirationSeconds: 60 } }),
      `EN_COMPONENT_REJECTED ${APP}.volumeMounts[0].serviceAccountToken.expirationSeconds`,
    ],
  ])('%s', (_, parts, problem) => {
    expect(brief(problemsOf(parts))).toEqual([problem]);
  });

  it.each([
    ['namespace', (spec: JsonObject) => ({ ...spec, namespace: undefined }), 'spec.namespace'],
    ['container', (spec: JsonObject) => ({ ...spec, container: undefined }), 'spec.container'],
    ['app', (spec: JsonObject) => ({ ...spec, container: {} }), 'spec.container.app'],
  ])('no %s', (_, change, path) => {
    const manifest = manifestOf();
    const text = stringify({ ...manifest, spec: change(manifest['spec'] as JsonObject) });
    expect(brief(problemsOfText(text))).toEqual([`EN_COMPONENT_REQUIRED ${path}`]);
  });
});

describe('refused because Kubernetes would', () => {
  it.each<[string, Parts, string]>([
    ['a port name of 16 letters', port({ name: 'abcdefghijklmnop' }), `EN_COMPONENT_VALUE ${APP}.ports[0].name`],
    ['a port name without a letter', port({ name: '8080' }), `EN_COMPONENT_VALUE ${APP}.ports[0].name`],
    ['a port name with two dashes', port({ name: 'a--b' }), `EN_COMPONENT_VALUE ${APP}.ports[0].name`],
    ['port 0', port({ containerPort: 0 }), `EN_COMPONENT_VALUE ${APP}.ports[0].containerPort`],
    [
      'two ports of one name',
      { app: { ports: [PORT, { ...PORT, containerPort: 81 }] } },
      `EN_COMPONENT_REJECTED ${APP}.ports[1].name`,
    ],
    [
      'one host port twice',
      {
        app: {
          ports: [
            { ...PORT, hostPort: 80 },
            { ...PORT, name: 'b', containerPort: 81, hostPort: 80 },
          ],
        },
      },
      `EN_COMPONENT_REJECTED ${APP}.ports[1].hostPort`,
    ],
    [
      'a surge with a host port',
      { ...port({ hostPort: 80 }), spec: { updateStrategy: { rollingUpdate: { maxSurge: 1 } } } },
      'EN_COMPONENT_SURGE_HOST_PORT spec.updateStrategy.rollingUpdate.maxSurge',
    ],
    [
      "a surge in the node's network",
      { ...port({}), pod: { hostNetwork: true }, spec: { updateStrategy: { maxSurge: '10%' } } },
      'EN_COMPONENT_SURGE_HOST_PORT spec.updateStrategy.maxSurge',
    ],
    [
      'both bounds above zero',
      strategy({ rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } }),
      'EN_COMPONENT_BOUNDS spec.updateStrategy.rollingUpdate.maxSurge',
    ],
    [
      'a probe with two handlers',
      probe({ exec: { command: ['x'] }, tcpSocket: { portNumber: 1 } }),
      `EN_COMPONENT_ALTERNATIVES ${APP}.livenessProbe`,
    ],
    ['a probe without handler', probe({ periodSeconds: 5 }), `EN_COMPONENT_ALTERNATIVES ${APP}.livenessProbe`],
    [
      'a probe with port number and name',
      probe({ httpGet: { portNumber: 80, portName: 'http' } }),
      `EN_COMPONENT_ALTERNATIVES ${APP}.livenessProbe.httpGet`,
    ],
    ['a probe of no port', probe({ httpGet: { path: '/' } }), `EN_COMPONENT_ALTERNATIVES ${APP}.livenessProbe.httpGet`],
    [
      'a probe of a port that is not there',
      probe({ httpGet: { portName: 'http' } }),
      `EN_COMPONENT_VALUE ${APP}.livenessProbe.httpGet.portName`,
    ],
    [
      'a period of zero',
      probe({ exec: { command: ['x'] }, periodSeconds: 0 }),
      `EN_COMPONENT_VALUE ${APP}.livenessProbe.periodSeconds`,
    ],
    [
      'a liveness probe that must succeed twice',
      probe({ exec: { command: ['x'] }, successThreshold: 2 }),
      `EN_COMPONENT_REJECTED ${APP}.livenessProbe.successThreshold`,
    ],
    [
      'a bad quantity',
      { app: { resources: { limits: { cpu: 'lots' } } } },
      `EN_COMPONENT_VALUE ${APP}.resources.limits.cpu`,
    ],
    [
      'more requested than allowed',
      { app: { resources: { limits: { cpu: '1' }, requests: { cpu: '2' } } } },
      `EN_COMPONENT_REJECTED ${APP}.resources.requests`,
    ],
    ['a bad name', { metadata: { name: 'Agent' } }, 'EN_COMPONENT_VALUE metadata.name'],
    ['a name that is too long for a label', { metadata: { name: 'a'.repeat(64) } }, 'EN_COMPONENT_VALUE metadata.name'],
    ['a bad namespace', { spec: { namespace: 'My_Space' } }, 'EN_COMPONENT_REJECTED spec.namespace'],
    [
      'two mounts at one path',
      mount({ name: 'a', mountPath: '/x', emptyDir: {} }, { name: 'b', mountPath: '/x', emptyDir: {} }),
      `EN_COMPONENT_REJECTED ${APP}.volumeMounts[1].mountPath`,
    ],
    [
      'a volume with two sources',
      mount({ name: 'a', mountPath: '/x', emptyDir: {}, hostPath: { path: '/x' } }),
      `EN_COMPONENT_ALTERNATIVES ${APP}.volumeMounts[0]`,
    ],
    [
      'a host path that climbs',
      mount({ name: 'a', mountPath: '/x', hostPath: { path: '/a/../b' } }),
      `EN_COMPONENT_REJECTED ${APP}.volumeMounts[0].hostPath.path`,
    ],
    [
      'a variable with two sources',
      variable({ fieldRef: { fieldPath: 'metadata.name' } }),
      `EN_COMPONENT_ALTERNATIVES ${APP}.env.variables[0]`,
    ],
    [
      'a variable of a field that is not there',
      { app: { env: { variables: [{ name: 'A', fieldRef: { fieldPath: 'spec.no' } }] } } },
      `EN_COMPONENT_REJECTED ${APP}.env.variables[0].fieldRef.fieldPath`,
    ],
    [
      'a variable twice',
      {
        app: {
          env: {
            variables: [
              { name: 'A', value: '1' },
              { name: 'A', value: '2' },
            ],
          },
        },
      },
      `EN_COMPONENT_DUPLICATE ${APP}.env.variables[1].name`,
    ],
    [
      'a variable that is a secret, too',
      { app: { env: { variables: { A: '1' }, secrets: { A: '2' } } } },
      `EN_COMPONENT_DUPLICATE ${APP}.env.secrets.A`,
    ],
    [
      'two containers of one name',
      { sidecars: [{ name: 'app', image: 'a:1' }] },
      'EN_COMPONENT_DUPLICATE spec.container.sidecars[0].name',
    ],
    [
      'a toleration of Exists with a value',
      toleration({ operator: 'Exists', value: 'x' }),
      'EN_COMPONENT_REJECTED spec.tolerations[0].operator',
    ],
    [
      'seconds without NoExecute',
      toleration({ operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 0 }),
      'EN_COMPONENT_REJECTED spec.tolerations[0].effect',
    ],
    [
      'privileged without escalation',
      { app: { securityContext: { privileged: true, allowPrivilegeEscalation: false } } },
      `EN_COMPONENT_REJECTED ${APP}.securityContext`,
    ],
    ['a bad label on pods', { pod: { labels: { 'a b': 'c' } } }, 'EN_COMPONENT_VALUE spec.pod.labels["a b"]'],
    ['a bad label value on pods', { pod: { labels: { a: 'b c' } } }, 'EN_COMPONENT_REJECTED spec.pod.labels'],
    ['a bad ConfigMap name', { spec: { configMaps: { A_B: 'x' } } }, 'EN_COMPONENT_VALUE spec.configMaps.A_B'],
    ['a bad file name', { spec: { configMaps: { a: { 'b c': 'x' } } } }, 'EN_COMPONENT_VALUE spec.configMaps.a["b c"]'],
    [
      'a bad verb of rights',
      rule({ resources: ['pods'], verbs: ['get'], apiGroups: [''], resourceNames: [1] as never }),
      'EN_COMPONENT_TYPE spec.rbac.clusterRules[0].resourceNames[0]',
    ],
    [
      'a secret of another namespace',
      secret({ secretRef: { namespace: 'x', name: 's', key: 'k' } }),
      `EN_COMPONENT_SECRET_NAMESPACE ${APP}.env.secrets[0].secretRef.namespace`,
    ],
    [
      'a place given twice',
      { spec: { nodeSelector: { a: 'b' } }, pod: { scheduling: { nodeSelector: { a: 'c' } } } },
      'EN_COMPONENT_FIELD_TWICE spec.pod.scheduling.nodeSelector',
    ],
  ])('%s', (_, parts, problem) => {
    expect(brief(problemsOf(parts))).toEqual([problem]);
  });
});

describe('refused because no node could start it', () => {
  const configMaps = { cfg: { 'a.conf': 'x' } };
  it.each<[string, Parts, string]>([
    [
      'a hook to a port that is not there',
      { app: { lifecycle: { preStop: { httpGet: { portName: 'http' } } } } },
      `EN_COMPONENT_VALUE ${APP}.lifecycle.preStop.httpGet.portName`,
    ],
    [
      'root that is forbidden',
      { app: { securityContext: { runAsUser: 0, runAsNonRoot: true } } },
      `EN_COMPONENT_VALUE ${APP}.securityContext.runAsUser`,
    ],
    [
      'root that the pod forbids',
      { app: { securityContext: { runAsUser: 0 } }, pod: { securityContext: { runAsNonRoot: true } } },
      `EN_COMPONENT_VALUE ${APP}.securityContext.runAsUser`,
    ],
    [
      'root of the pod that the container forbids',
      { app: { securityContext: { runAsNonRoot: true } }, pod: { securityContext: { runAsUser: 0 } } },
      `EN_COMPONENT_VALUE ${APP}.securityContext.runAsNonRoot`,
    ],
    [
      'a mount of a key that its ConfigMap has not',
      { spec: { configMaps }, ...mount({ name: 'c', mountPath: '/c', configMap: { name: 'cfg', key: 'b.conf' } }) },
      `EN_COMPONENT_VALUE ${APP}.volumeMounts[0].configMap.key`,
    ],
    [
      'a variable of a key that its ConfigMap has not',
      {
        spec: { configMaps },
        app: { env: { variables: [{ name: 'A', configMapKeyRef: { name: 'cfg', key: 'cfg' } }] } },
      },
      `EN_COMPONENT_VALUE ${APP}.env.variables[0].configMapKeyRef.key`,
    ],
    [
      'a variable of a container that is not there',
      {
        app: { env: { variables: [{ name: 'A', resourceFieldRef: { resource: 'limits.cpu', containerName: 'no' } }] } },
      },
      `EN_COMPONENT_VALUE ${APP}.env.variables[0].resourceFieldRef.containerName`,
    ],
    [
      'a path of a key that is not named',
      mount({ name: 'c', mountPath: '/c', secret: { name: 's', path: 'x' } }),
      `EN_COMPONENT_REQUIRED ${APP}.volumeMounts[0].secret.key`,
    ],
    [
      'a repo in capitals',
      { app: { image: { repo: 'ghcr.io/Acme/agent', tag: '1' } } },
      `EN_COMPONENT_VALUE ${APP}.image.repo`,
    ],
    [
      'a repo with a scheme',
      { app: { image: { repo: 'https://a.io/b', tag: '1' } } },
      `EN_COMPONENT_VALUE ${APP}.image.repo`,
    ],
    [
      'a ConfigMap that would write over what is kept',
      { spec: { configMaps: { 'everynode-inventory-agent': 'x' } } },
      'EN_COMPONENT_VALUE spec.configMaps.everynode-inventory-agent',
    ],
  ])('%s', (_, parts, problem) => {
    expect(brief(problemsOf(parts))).toEqual([problem]);
  });

  it.each<[string, Parts]>([
    ['another user', { app: { securityContext: { runAsUser: 10001, runAsNonRoot: true } } }],
    [
      'a container that allows root again',
      {
        app: { securityContext: { runAsUser: 0, runAsNonRoot: false } },
        pod: { securityContext: { runAsNonRoot: true } },
      },
    ],
    [
      'an optional key',
      {
        spec: { configMaps },
        ...mount({ name: 'c', mountPath: '/c', configMap: { name: 'cfg', key: 'b', optional: true } }),
      },
    ],
    [
      'a key of a ConfigMap of somebody else',
      mount({ name: 'c', mountPath: '/c', configMap: { name: 'other', key: 'b' } }),
    ],
    ['a registry in capitals with a port', { app: { image: 'Registry.Example.COM:5000/team/a_b-c.d/agent__x:1' } }],
    ['a host without dots', { app: { image: 'localhost:5000/agent:1' } }],
  ])('but not %s', (_, parts) => {
    expect(problemsOf(parts)).toEqual([]);
  });

  it('compatible mode drops such a path, as ever', () => {
    expect(
      problemsOf(mount({ name: 'c', mountPath: '/c', secret: { name: 's', path: 'x' } }), { mode: 'compatible' }),
    ).toEqual([]);
  });
});

describe('told at the field that is wrong, also where Kubernetes is vague', () => {
  it.each<[string, Parts, string]>([
    [
      'a path in the volume',
      mount(
        { name: 'a', mountPath: '/a', emptyDir: {} },
        { name: 'b', mountPath: '/b', emptyDir: {}, subPath: '../x' },
      ),
      `${APP}.volumeMounts[1].subPath`,
    ],
    [
      'a path of a key',
      mount({ name: 'a', mountPath: '/a', configMap: { name: 'c', key: 'k', path: '../x' } }),
      `${APP}.volumeMounts[0].configMap.path`,
    ],
    [
      'a shared process namespace',
      { pod: { hostPID: true, shareProcessNamespace: true } },
      'spec.pod.shareProcessNamespace',
    ],
  ])('%s', (_, parts, path) => {
    expect(brief(problemsOf(parts))).toEqual([`EN_COMPONENT_REJECTED ${path}`]);
  });
});

describe('accepted', () => {
  it('maxUnavailable "0" with maxSurge "1"', () => {
    const { updateStrategy } = rendered(
      strategy({ type: 'RollingUpdate', rollingUpdate: { max_unavailable: '0', max_surge: '1' } }),
    ).daemonSet.spec;
    expect(updateStrategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
  });

  it('a surge alone: nothing else may be down', () => {
    const { updateStrategy } = rendered(strategy({ maxSurge: '10%' })).daemonSet.spec;
    expect(updateStrategy?.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: '10%' });
  });

  it.each<[string, Parts]>([
    ['the smallest manifest', {}],
    ['an empty operator and effect', toleration({ operator: '', effect: '', value: 'x' })],
    ['an empty strategy', strategy({})],
    ['an empty strategy type', strategy({ type: '' })],
    ['OnDelete', strategy({ type: 'OnDelete' })],
    ['no protocol', { app: { ports: [{ name: 'http', containerPort: 80 }] } }],
    ['SCTP', port({ networkProtocol: 'SCTP' })],
    ['a port name of one letter', port({ name: 'a' })],
    ['host port 0', port({ hostPort: 0 })],
    ['a digest without tag', { app: { image: { repo: 'r', digest: `sha256:${'0'.repeat(64)}` } } }],
    ['Gt with one value', affinity({ operator: 'Gt', values: ['1'] })],
    [
      'a token with the default lifetime',
      mount({ name: 'v', mountPath: '/v', serviceAccountToken: { audience: 'a', expirationSeconds: 0 } }),
    ],
    ['an optional secret', secret({ secretRef: { name: 's', key: 'k', optional: true } })],
    ['a secret of its own namespace', secret({ secretRef: { namespace: 'agents', name: 's', key: 'k' } })],
    ['minReadySeconds and history 0', { spec: { minReadySeconds: 0, revisionHistoryLimit: 0 } }],
    ['an IPv6 alias', { pod: { hostAliases: [{ ip: '2001:db8::1', hostnames: ['a.b'] }] } }],
    ['a surge without host ports', { ...port({}), spec: { updateStrategy: { maxSurge: 1 } } }],
    ['all rights', rule({ apiGroups: ['*'], resources: ['*'], verbs: ['*'] })],
    ['a target cluster', { spec: { target_cluster: { cluster_kind: 'AwsEks', cluster_name: 'x' } } }],
  ])('%s', (_, parts) => {
    expect(problemsOf(parts)).toEqual([]);
  });
});
