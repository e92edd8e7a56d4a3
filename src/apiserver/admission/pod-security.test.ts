import { describe, expect, it } from 'vitest';
import { DEPLOYMENTS, NAMESPACES, PODS } from '../../core/api/registry/resources.ts';
import type { Pod, PodSpec } from '../../core/api/types/core-v1.ts';
import type { KubeObject } from '../../core/kube/objects.ts';
import { LOOPBACK } from '../contract/users.ts';
import { failure, pod } from '../testing/samples.ts';
import { createTestServer, type TestServer } from '../testing/test-server.ts';
import { createPodSecurity } from './pod-security.ts';

const label = (values: { [mode: string]: string }) =>
  Object.fromEntries(Object.entries(values).map(([mode, level]) => [`pod-security.kubernetes.io/${mode}`, level]));

const namespace = (labels: { [mode: string]: string }, name = 'team') => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: label(labels) },
  spec: {},
});

async function withTeam(labels: { [mode: string]: string }): Promise<TestServer> {
  const server = await createTestServer();
  await server.client.create(NAMESPACES, namespace(labels));
  return server;
}

const inTeam = (name: string, spec: Partial<PodSpec> = {}): Pod => ({
  ...pod(name, spec),
  metadata: { name, namespace: 'team' },
});

const FINE: Partial<PodSpec> = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [
    {
      name: 'main',
      image: 'example.test/app:1',
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    },
  ],
};

/** The warnings that the client gets beside the answer. */
async function warnings(
  { server }: TestServer,
  resource: typeof PODS | typeof DEPLOYMENTS | typeof NAMESPACES,
  object: KubeObject,
  verb: 'create' | 'update' = 'create',
): Promise<readonly string[]> {
  const told: string[] = [];
  const { group, version, resource: plural } = resource;
  const target = {
    tenant: 'system',
    group,
    version,
    resource: plural,
    namespace: resource.namespaced ? 'team' : '',
    name: verb === 'update' ? (object.metadata.name ?? '') : '',
    subresource: '',
  };
  await server.handle({ verb, target, user: LOOPBACK, object, options: {}, warn: (text) => void told.push(text) });
  return told;
}

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'team' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'example.test/web:1' }] },
    },
  },
};

const RESTRICTED =
  'allowPrivilegeEscalation != false (container "main" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "main" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "main" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "main" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")';

describe('PodSecurity', () => {
  it('refuses pods with everything that stands against them', async () => {
    const { client } = await withTeam({ enforce: 'restricted' });
    expect((await failure(client.create(PODS, inTeam('a')))).message).toBe(
      `pods "a" is forbidden: violates PodSecurity "restricted:latest": ${RESTRICTED}`,
    );
    await client.create(PODS, inTeam('b', FINE));
  });

  it('lets everything in where nothing is said', async () => {
    const { client } = await withTeam({});
    await client.create(PODS, inTeam('a', { hostNetwork: true, hostPID: true }));
  });

  it('keeps the known ways out shut at baseline, and judges by the version it is told', async () => {
    const { client } = await withTeam({ enforce: 'baseline', 'enforce-version': 'v1.30' });
    await client.create(PODS, inTeam('a'));
    const bad = inTeam('b', { hostNetwork: true, volumes: [{ name: 'root', hostPath: { path: '/' } }] });
    expect((await failure(client.create(PODS, bad))).message).toBe(
      'pods "b" is forbidden: violates PodSecurity "baseline:v1.30": host namespaces (hostNetwork=true), hostPath volumes (volume "root")',
    );
  });

  it('warns whoever makes pods, and lets them', async () => {
    const server = await withTeam({ enforce: 'restricted' });
    const text = RESTRICTED.replaceAll('"main"', '"web"');
    expect(await warnings(server, DEPLOYMENTS, deployment)).toEqual([
      `would violate PodSecurity "restricted:latest": ${text}`,
    ]);
  });

  it('warns of pods where that is all it is asked for', async () => {
    const server = await withTeam({ enforce: 'baseline', warn: 'restricted', 'warn-version': 'v1.20' });
    const told = await warnings(server, PODS, inTeam('a'));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^would violate PodSecurity "restricted:v1.20": allowPrivilegeEscalation != false/);
  });

  it('does not mind changes that bear on nothing', async () => {
    const { client } = await withTeam({});
    await client.create(PODS, inTeam('a'));
    const body = { metadata: { labels: label({ enforce: 'restricted' }) } };
    await client.patch(NAMESPACES, { name: 'team' }, { type: 'merge', body });
    const key = { namespace: 'team', name: 'a' };
    await client.patch(PODS, key, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
    const image = { spec: { containers: [{ name: 'main', image: 'example.test/agent:2' }] } };
    expect((await failure(client.patch(PODS, key, { type: 'strategic', body: image }))).message).toContain(
      'violates PodSecurity "restricted:latest"',
    );
  });

  it('refuses labels that cannot be read', async () => {
    const { client } = await createTestServer();
    expect((await failure(client.create(NAMESPACES, namespace({ enforce: 'strict' })))).message).toBe(
      'Namespace "team" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted',
    );
  });

  it('tells of the pods there are when a namespace becomes stricter', async () => {
    const server = await withTeam({});
    for (const name of ['c', 'a', 'b']) await server.client.create(PODS, inTeam(name));
    await server.client.create(PODS, inTeam('host', { ...FINE, hostNetwork: true }));
    expect(await warnings(server, NAMESPACES, namespace({ enforce: 'restricted' }), 'update')).toEqual([
      'existing pods in namespace "team" violate the new PodSecurity enforce level "restricted:latest"',
      'a (and 2 other pods): allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile',
      'host: host namespaces',
    ]);
  });

  it('spares namespaces, users and runtime classes that are exempt', async () => {
    const { store, client } = await createTestServer();
    await client.create(NAMESPACES, namespace({ enforce: 'restricted' }));
    const ask = (exemptions: object, spec = {}) =>
      createPodSecurity(store, { exemptions }).validate?.({
        operation: 'CREATE',
        resource: PODS,
        kind: 'Pod',
        subresource: '',
        tenant: 'system',
        namespace: 'team',
        name: 'a',
        object: inTeam('a', spec),
        dryRun: false,
        user: LOOPBACK,
      });
    expect(ask({})).toMatchObject({ allowed: false });
    expect(ask({ namespaces: ['team'] })).toEqual({ allowed: true });
    expect(ask({ usernames: [LOOPBACK.name] })).toEqual({ allowed: true });
    expect(ask({ runtimeClasses: ['sandbox'] }, { runtimeClassName: 'sandbox' })).toEqual({ allowed: true });
    expect(ask({ runtimeClasses: ['sandbox'] }, { runtimeClassName: 'other' })).toMatchObject({ allowed: false });
  });
});
