/** What the controller does when nothing, or something, happens to what a component has brought. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMPONENT_ANNOTATIONS, COMPONENT_LABELS } from '../../src/core/api/names.ts';
import {
  CLUSTER_ROLES,
  CONFIG_MAPS,
  DAEMON_SETS,
  NAMESPACES,
  PODS,
  SECRETS,
  SERVICE_ACCOUNTS,
} from '../../src/core/api/registry/resources.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import {
  change,
  COMPONENTS,
  componentsOf,
  conditionOf,
  eventsAbout,
  find,
  getComponent,
  makeNamespace,
  manifest,
  openSetting,
  quiet,
  removed,
  until,
  untilTrue,
  type Setting,
} from './setting.ts';

const NODES = 3;
const NAMESPACE = 'logging';
let setting: Setting;
let client: Client;
beforeAll(async () => {
  setting = await openSetting(NODES);
  client = setting.client;
}, 60_000);
afterAll(() => setting.stop());

const set = () => client.get(DAEMON_SETS, { namespace: NAMESPACE, name: 'agent' });
const imageOf = async () => (await set()).spec.template.spec?.containers[0]?.image;
const config = () => find(client, CONFIG_MAPS, 'agent-config', NAMESPACE);

describe('a component that is there', () => {
  beforeAll(async () => {
    await client.create(COMPONENTS, manifest());
    await untilTrue(client, 'Ready');
    await quiet(setting);
  }, 60_000);
  afterAll(() => removed(client));

  it('is left alone: no write, whatever its pods and its status do', async () => {
    const before = setting.writes.length;
    await client.patch(
      COMPONENTS,
      { namespace: 'default', name: 'agent' },
      {
        type: 'merge',
        body: { metadata: { labels: { team: 'platform' } } },
      },
    );
    await quiet(setting);
    expect(setting.writes.slice(before)).toEqual([]);
  });

  it('gets back what somebody deleted, wherever it lives', async () => {
    await client.delete(CONFIG_MAPS, { namespace: NAMESPACE, name: 'agent-config' });
    await client.delete(CLUSTER_ROLES, { name: `${NAMESPACE}:agent` });
    await client.delete(SERVICE_ACCOUNTS, { namespace: NAMESPACE, name: 'agent' });
    await until(config, (map) => map !== undefined);
    await until(
      () => find(client, CLUSTER_ROLES, `${NAMESPACE}:agent`),
      (role) => role !== undefined,
    );
    await until(
      () => find(client, SERVICE_ACCOUNTS, 'agent', NAMESPACE),
      (account) => account !== undefined,
    );
  });

  it('gets back what somebody changed by hand, but keeps what they added', async () => {
    const body = {
      metadata: { annotations: { note: 'by hand' } },
      spec: { template: { spec: { containers: [{ name: 'app', image: 'example.test/agent:hotfix' }] } } },
    };
    await client.patch(
      DAEMON_SETS,
      { namespace: NAMESPACE, name: 'agent' },
      { type: 'strategic', body },
      {
        fieldManager: 'kubectl-edit',
      },
    );
    await until(imageOf, (image) => image === 'example.test/agent:1');
    expect((await set()).metadata.annotations?.['note']).toBe('by hand');
    await until(
      async () => (await eventsAbout(client, 'agent')).map(({ message = '' }) => message),
      (messages) => messages.includes('applied DaemonSet logging/agent (spec.template.spec.containers[app].image)'),
    );
    const key = { namespace: NAMESPACE, name: 'agent-config' };
    await client.patch(CONFIG_MAPS, key, { type: 'merge', body: { data: { 'agent.conf': 'level: debug\n' } } });
    await until(config, (map) => map?.data?.['agent.conf'] === 'level: info\n');
    await client.patch(CONFIG_MAPS, key, {
      type: 'merge',
      body: { metadata: { labels: { [COMPONENT_LABELS.component]: null } } },
    });
    await until(config, (map) => map?.metadata.labels?.[COMPONENT_LABELS.component] === 'agent');
    await until(
      () => getComponent(client),
      (object) => object.status?.phase === 'Ready',
    );
  });

  it('does not take a field from who applies it: says so, names them, and goes on when they let go', async () => {
    const key = { namespace: NAMESPACE, name: 'agent-config' };
    const theirs = { apiVersion: 'v1', kind: 'ConfigMap', metadata: key };
    const claimed = { ...theirs, data: { 'agent.conf': 'level: theirs\n' } };
    await client.apply(CONFIG_MAPS, claimed, { fieldManager: 'gitops', force: true });
    const object = await untilTrue(client, 'Conflict');
    expect(conditionOf(object, 'Conflict')?.message).toContain('"gitops"');
    expect(object.status?.phase).toBe('Conflict');
    expect(conditionOf(object, 'Ready')?.status).toBe('False');
    await quiet(setting);
    expect((await config())?.data?.['agent.conf']).toBe('level: theirs\n');
    // They own nothing of it any more.
    await client.apply(CONFIG_MAPS, theirs, { fieldManager: 'gitops' });
    await until(config, (map) => map?.data?.['agent.conf'] === 'level: info\n');
    await untilTrue(client, 'Ready');
  });

  it('follows its spec: pods roll, and what vanished from it is pruned', async () => {
    await change(client, { configMaps: { 'agent-config': { 'agent.conf': 'level: warn\n' }, more: 'x' } });
    await until(
      () => find(client, CONFIG_MAPS, 'more', NAMESPACE),
      (map) => map !== undefined,
    );
    const ready = await untilTrue(client, 'Ready');
    expect(ready.status?.observedGeneration).toBe(ready.metadata.generation);
    await change(client, { configMaps: { more: null } });
    await until(
      () => find(client, CONFIG_MAPS, 'more', NAMESPACE),
      (map) => map === undefined,
    );
    await untilTrue(client, 'Ready');
    const notes = await eventsAbout(client, 'agent');
    expect(notes.some(({ reason, message = '' }) => reason === 'Applied' && message.includes('pruned ConfigMap'))).toBe(
      true,
    );
  });

  it('moves with its namespace: what it brought to the old one goes', async () => {
    await change(client, { namespace: 'elsewhere' });
    await until(
      () => find(client, NAMESPACES, NAMESPACE),
      (namespace) => namespace === undefined,
    );
    const moved = await untilTrue(client, 'Ready');
    expect(moved.status?.inventory).toBe('elsewhere/everynode-inventory-agent');
    await change(client, { namespace: NAMESPACE });
    await until(
      () => find(client, NAMESPACES, 'elsewhere'),
      (namespace) => namespace === undefined,
    );
    await untilTrue(client, 'Ready');
  });

  it('writes nothing while it is paused, and says so; then it catches up', async () => {
    const pause = (paused: string | null) =>
      client.patch(
        COMPONENTS,
        { namespace: 'default', name: 'agent' },
        {
          type: 'merge',
          body: { metadata: { annotations: { [COMPONENT_ANNOTATIONS.paused]: paused } } },
        },
      );
    await pause('true');
    const object = await untilTrue(client, 'Paused');
    expect(object.status?.phase).toBe('Paused');
    await client.delete(CONFIG_MAPS, { namespace: NAMESPACE, name: 'agent-config' });
    await quiet(setting);
    expect(await config()).toBe(undefined);
    await pause(null);
    await until(config, (map) => map !== undefined);
    await until(
      () => getComponent(client),
      (each) => conditionOf(each, 'Paused') === undefined && each.status?.phase === 'Ready',
    );
  });
});

describe('pods that read a Secret of somebody else', () => {
  const secret = (token: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'credentials', namespace: 'secretive' },
    data: { token: Buffer.from(token).toString('base64') },
  });
  const podUids = async () =>
    new Set((await client.list(PODS, { namespace: 'secretive' })).items.map(({ metadata }) => metadata.uid));

  it('are rolled when it changes, stay when it vanishes, and nobody can guess at it from outside', async () => {
    await makeNamespace(client, 'secretive');
    await client.create(SECRETS, secret('first-token-value'));
    const env = { secrets: [{ name: 'TOKEN', secretRef: { name: 'credentials', key: 'token' } }] };
    const spec = { createNamespace: false, updateStrategy: { rollingUpdate: { maxUnavailable: '100%' } } };
    await client.create(COMPONENTS, manifest({ name: 'reader', namespace: 'secretive', container: { env }, spec }));
    await untilTrue(client, 'Ready', 'reader');
    const first = await podUids();
    expect(first.size).toBe(NODES);
    await client.update(SECRETS, secret('second-token-value'));
    await until(podUids, (uids) => uids.size === NODES && [...uids].every((uid) => !first.has(uid)));
    await untilTrue(client, 'Ready', 'reader');
    await quiet(setting);
    const second = await podUids();
    const writes = setting.writes.length;
    await client.delete(SECRETS, { namespace: 'secretive', name: 'credentials' });
    await quiet(setting);
    expect(setting.writes.slice(writes)).toEqual([]);
    expect(await podUids()).toEqual(second);
    await removed(client, 'reader');
    // Others made it.
    expect(await find(client, NAMESPACES, 'secretive')).toBeDefined();
  }, 60_000);
});

describe('every group and version', () => {
  const GENERATIONS: readonly (readonly [group: string, version: string, app: object, rest: object])[] = [
    [
      'kubernetes.planton.dev',
      'v1',
      {
        image: { repo: 'example.test/agent', tag: '1' },
        env: { variables: [{ name: 'LEVEL', value: 'info' }] },
        volumeMounts: [{ name: 'logs', mountPath: '/logs', hostPath: { path: '/var/log', type: 'Directory' } }],
      },
      { pod: { terminationGracePeriodSeconds: 0 } },
    ],
    [
      'kubernetes.planton.dev',
      'v1alpha1',
      {
        image: { repo: 'example.test/agent', tag: '1' },
        env: { variables: [{ name: 'LEVEL', value: 'info' }] },
        volumeMounts: [{ name: 'logs', mountPath: '/logs', hostPath: { path: '/var/log', type: 'Directory' } }],
      },
      {
        pod: { terminationGracePeriodSeconds: 0, scheduling: { tolerations: [{ operator: 'Exists' }] } },
        updateStrategy: { type: 'RollingUpdate', maxUnavailable: '1' },
      },
    ],
    [
      'kubernetes.openmcf.org',
      'v1',
      {
        image: { repo: 'example.test/agent', tag: '1' },
        env: { variables: { LEVEL: { value: 'info' } } },
        volume_mounts: [{ name: 'logs', mount_path: '/logs', host_path: { path: '/var/log', type: 'Directory' } }],
      },
      { tolerations: [{ operator: 'Exists' }] },
    ],
    [
      'kubernetes.project-planton.org',
      'v1',
      {
        image: { repo: 'example.test/agent', tag: '1' },
        env: { variables: { LEVEL: 'info' } },
        volume_mounts: [{ name: 'logs', mount_path: '/logs', host_path: '/var/log', host_path_type: 'Directory' }],
      },
      { tolerations: [{ operator: 'Exists' }] },
    ],
  ];

  it.each(GENERATIONS)('%s/%s is kept in the shape that it had', async (group, version, app, rest) => {
    const resource = componentsOf(group, version);
    const name = `of-${group.split('.')[1] ?? ''}-${version}`;
    const key = { namespace: 'default', name };
    await client.create(resource, {
      apiVersion: `${group}/${version}`,
      kind: 'KubernetesDaemonSet',
      metadata: key,
      spec: { namespace: { value: name }, create_namespace: true, container: { app }, ...rest },
    });
    const object = await until(
      () => client.get(resource, key),
      ({ status }) => status?.phase === 'Ready',
    );
    expect(object.apiVersion).toBe(`${group}/${version}`);
    const { containers, volumes } = (await client.get(DAEMON_SETS, { namespace: name, name })).spec.template.spec ?? {};
    expect(containers?.[0]).toMatchObject({ image: 'example.test/agent:1' });
    expect(containers?.[0]?.env).toContainEqual({ name: 'LEVEL', value: 'info' });
    expect(volumes?.[0]).toMatchObject({ name: 'logs', hostPath: { path: '/var/log', type: 'Directory' } });
    await client.delete(resource, key);
    await until(
      () => find(client, NAMESPACES, name),
      (namespace) => namespace === undefined,
    );
    await until(
      () => find(client, resource, name, 'default'),
      (each) => each === undefined,
    );
  });
});
