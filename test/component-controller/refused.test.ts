/** What cannot be brought, though it is stored: mistakes, secrets, rights that nobody has, servers that say no. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  DAEMON_SETS,
  EVENTS,
  NAMESPACES,
} from '../../src/core/api/registry/resources.ts';
import { componentDefinitions } from '../../src/core/api/component/definitions.ts';
import type { StatusError } from '../../src/core/kube/status-error.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { startTestCluster } from '../support/cluster.ts';
import {
  change,
  COMPONENTS,
  conditionOf,
  eventsAbout,
  find,
  getComponent,
  installDefinitions,
  makeNamespace,
  manifest,
  openSetting,
  quiet,
  removed,
  startController,
  until,
  untilTrue,
  type Setting,
} from './setting.ts';

let setting: Setting;
let client: Client;
beforeAll(async () => {
  setting = await openSetting(2);
  client = setting.client;
}, 60_000);
afterAll(() => setting.stop());

const SECRET = 'hunter2-never-to-be-seen';

describe('a component that is judged before it is stored', () => {
  it.each([
    ['the value of a secret', { container: { env: { secrets: [{ name: 'TOKEN', value: SECRET }] } } }, 'secretRef'],
    [
      'the password of a registry',
      {
        spec: { pod: { imageRegistries: [{ server: 'registry.test', username: 'me', password: SECRET }] } },
      },
      'imagePullSecrets',
    ],
  ])(
    'is refused with %s in it, told what to write instead, and its value is repeated nowhere',
    async (_, options, instead) => {
      const frank = manifest({ name: 'frank', namespace: 'frank', ...options });
      const refusal = await setting.judged.create(COMPONENTS, frank).then(
        () => new Error('it was stored'),
        (error: unknown) => error as Error,
      );
      expect(refusal).toMatchObject({ code: 422 });
      expect(refusal.message).toContain('EN_COMPONENT_LITERAL_SECRET');
      expect(refusal.message).toContain(instead);
      expect(JSON.stringify([refusal.message, (refusal as StatusError).status])).not.toContain(SECRET);
      expect(await find(client, COMPONENTS, 'frank', 'default')).toBe(undefined);
    },
  );
});

describe('a component with mistakes that nobody has judged', () => {
  it('is told all of them with their paths, and nothing is brought', async () => {
    const spec = { tolerations: [{ key: 'a b', operator: 'Exists' }], minReadySeconds: -1 };
    await setting.careless.create(COMPONENTS, manifest({ name: 'wrong', namespace: 'wrong', spec }));
    const object = await untilTrue(client, 'Invalid', 'wrong');
    const message = conditionOf(object, 'Invalid')?.message ?? '';
    for (const path of ['spec.tolerations[0].key', 'spec.minReadySeconds']) expect(message).toContain(path);
    expect(object.status).toMatchObject({ phase: 'Invalid', observedGeneration: 1 });
    await quiet(setting);
    expect(await find(client, NAMESPACES, 'wrong')).toBe(undefined);
    // Nothing of it is there, so nothing keeps it.
    expect(object.metadata.finalizers).toBe(undefined);
    const told = (await eventsAbout(client, 'wrong')).filter(({ reason }) => reason === 'Invalid');
    expect(told.map(({ count }) => count)).toEqual([1]);
    await removed(client, 'wrong');
  });

  it.each([
    ['a literal', SECRET],
    ['a variable', `env:${SECRET}`],
    ['a file', `file:/run/${SECRET}`],
  ])('may not hold %s of a secret, and shows it to nobody', async (_what, value) => {
    const container = { env: { secrets: [{ name: 'TOKEN', value }] } };
    await setting.careless.create(COMPONENTS, manifest({ name: 'leaky', namespace: 'leaky', container }));
    const object = await untilTrue(client, 'Invalid', 'leaky');
    const message = conditionOf(object, 'Invalid')?.message ?? '';
    expect(message).toContain('spec.container.app.env.secrets[0].value');
    expect(message).toContain('secretRef');
    await quiet(setting);
    expect(JSON.stringify(object.status)).not.toContain(SECRET);
    expect(JSON.stringify((await client.list(EVENTS, {})).items)).not.toContain(SECRET);
    expect(JSON.stringify(setting.controller.lines)).not.toContain(SECRET);
    expect(await find(client, NAMESPACES, 'leaky')).toBe(undefined);
    await removed(client, 'leaky');
  });

  it('keeps what it brought while it was right, and takes it along when it is deleted so', async () => {
    await client.create(COMPONENTS, manifest({ name: 'turned', namespace: 'turned' }));
    await untilTrue(client, 'Ready', 'turned');
    const body = { spec: { namespace: '', minReadySeconds: -1 } };
    await setting.careless.patch(COMPONENTS, { namespace: 'default', name: 'turned' }, { type: 'merge', body });
    const object = await untilTrue(client, 'Invalid', 'turned');
    expect(conditionOf(object, 'Available')?.status).toBe('True');
    expect(object.status?.outputs?.namespace).toBe('turned');
    expect(await find(client, DAEMON_SETS, 'turned', 'turned')).toBeDefined();
    await removed(client, 'turned');
    expect(await find(client, NAMESPACES, 'turned')).toBe(undefined);
  });
});

describe('a component that must wait', () => {
  it('for its namespace goes on when that comes', async () => {
    await client.create(COMPONENTS, manifest({ name: 'early', namespace: 'later', spec: { createNamespace: false } }));
    const waiting = await until(
      () => getComponent(client, 'early'),
      ({ status }) => status?.phase === 'Waiting',
    );
    expect(conditionOf(waiting, 'Progressing')).toMatchObject({ status: 'True', reason: 'NamespaceMissing' });
    await makeNamespace(client, 'later');
    await untilTrue(client, 'Ready', 'early');
    await removed(client, 'early');
    expect(await find(client, NAMESPACES, 'later')).toBeDefined();
  });

  it('for nodes that cannot run it says which and why', async () => {
    const container = { resources: { requests: { cpu: '4000' } } };
    await client.create(COMPONENTS, manifest({ name: 'heavy', namespace: 'heavy', container }));
    const object = await until(
      () => getComponent(client, 'heavy'),
      (each) => conditionOf(each, 'Degraded')?.message.includes('node-1') === true,
    );
    const { reason, message } = conditionOf(object, 'Degraded') ?? {};
    expect(reason).toBe('Unschedulable');
    expect(message).toMatch(/^node-0, node-1: .*Insufficient cpu/);
    expect(object.status?.phase).toBe('Degraded');
    expect(conditionOf(object, 'Available')?.message).toBe('0 of 2 nodes have an available pod');
    await quiet(setting, 1500);
    const told = (await eventsAbout(client, 'heavy')).filter(({ reason: each }) => each === 'Degraded');
    expect(told.length).toBe(1);
    await change(client, { container: { app: { resources: { requests: { cpu: '10m' } } } } }, 'heavy');
    await untilTrue(client, 'Ready', 'heavy');
    await removed(client, 'heavy');
  });

  it('backs off while nothing gets better', async () => {
    await makeNamespace(client, 'taken');
    const map = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'theirs', namespace: 'taken' },
      data: { a: 'b' },
    };
    await client.create(CONFIG_MAPS, map);
    const spec = { createNamespace: false, configMaps: { theirs: 'ours' } };
    await client.create(COMPONENTS, manifest({ name: 'covetous', namespace: 'taken', spec }));
    const object = await untilTrue(client, 'Conflict', 'covetous');
    expect(conditionOf(object, 'Conflict')).toMatchObject({ reason: 'ObjectOwnedByOthers' });
    expect(conditionOf(object, 'Conflict')?.message).toContain('ConfigMap taken/theirs');
    const before = setting.writes.length;
    await realClock.sleep(3000);
    expect(setting.writes.slice(before)).toEqual([]);
    expect((await find(client, CONFIG_MAPS, 'theirs', 'taken'))?.data).toEqual({ a: 'b' });
    // It may take it when it is told to; and takes it along then.
    await client.patch(
      COMPONENTS,
      { namespace: 'default', name: 'covetous' },
      {
        type: 'merge',
        body: { metadata: { annotations: { 'everynode.dev/adopt': 'unowned' } } },
      },
    );
    await until(
      () => find(client, CONFIG_MAPS, 'theirs', 'taken'),
      (each) => each?.data?.['theirs'] === 'ours',
    );
    await untilTrue(client, 'Ready', 'covetous');
    await removed(client, 'covetous');
  });
});

describe('definitions that come and go', () => {
  it('are followed without a restart, and their absence is no error', async () => {
    const cluster = await startTestCluster({
      groups: [{ name: 'node', count: 1 }],
      controllers: ['*', '-component-controller'],
    });
    const { client: admin } = cluster;
    for (const { metadata } of componentDefinitions())
      await admin.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: metadata.name }).catch(() => undefined);
    const definitions = async () => (await admin.list(CUSTOM_RESOURCE_DEFINITIONS, {})).items.length;
    await until(definitions, (count) => count === 0);
    const controller = startController(admin);
    try {
      await realClock.sleep(1000);
      expect(controller.lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
      for (const round of ['first', 'second']) {
        await installDefinitions(admin);
        await admin.create(COMPONENTS, manifest({ name: round, namespace: round }));
        await untilTrue(admin, 'Ready', round);
        // A definition takes its objects along; what those brought runs on.
        for (const { metadata } of componentDefinitions())
          await admin.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: metadata.name });
        await until(definitions, (count) => count === 0);
        expect(await find(admin, NAMESPACES, round)).toMatchObject({ status: { phase: 'Active' } });
      }
      expect(controller.lines.filter(({ level }) => level === 'error')).toEqual([]);
    } finally {
      await controller.stop();
      await cluster.stop();
    }
  }, 60_000);
});
