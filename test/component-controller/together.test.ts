/** Several who want something of one component: people with a command line, two custom resources, components that need each other. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyComponent } from '../../src/control/component/apply/apply.ts';
import { deleteComponent } from '../../src/control/component/apply/delete.ts';
import { componentToApply } from '../../src/control/component/apply/from-rendered.ts';
import { managedFieldsOf } from '../../src/control/component/apply/ownership.ts';
import { undoComponent } from '../../src/control/component/apply/undo.ts';
import { waitForRollout } from '../../src/control/component/apply/wait.ts';
import type { ComponentObject } from '../../src/control/component/controller/component-object.ts';
import { readObject } from '../../src/core/component/load/load.ts';
import { renderComponent } from '../../src/core/component/render/render.ts';
import { CONFIG_MAPS, DAEMON_SETS, NAMESPACES } from '../../src/core/api/registry/resources.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { contextOf, inventoryOf } from '../component-apply/setting.ts';
import {
  change,
  COMPONENTS,
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

let setting: Setting;
let client: Client;
beforeAll(async () => {
  setting = await openSetting(2);
  client = setting.client;
}, 60_000);
afterAll(() => setting.stop());

/** As `everynode apply` does it. */
const byHand = (object: ComponentObject, options = {}) =>
  applyComponent(contextOf(client), componentToApply(renderComponent(readObject(object).component)), options);

const imageOf = async (namespace: string, name: string) =>
  (await client.get(DAEMON_SETS, { namespace, name })).spec.template.spec?.containers[0]?.image;

const annotate = (name: string, annotations: { readonly [key: string]: string | null }) =>
  client.patch(COMPONENTS, { namespace: 'default', name }, { type: 'merge', body: { metadata: { annotations } } });

describe('the command line and the controller', () => {
  it('what people applied stays theirs until the custom resource is told to take it over', async () => {
    const wish = { name: 'manual', namespace: 'manual' };
    await byHand(manifest({ ...wish, image: 'example.test/agent:by-hand' }));
    await client.create(COMPONENTS, manifest(wish));
    const object = await untilTrue(client, 'Conflict', 'manual');
    expect(conditionOf(object, 'Conflict')).toMatchObject({ reason: 'ComponentOwnedByOthers' });
    expect(conditionOf(object, 'Conflict')?.message).toContain('everynode.dev/adopt');
    await quiet(setting);
    expect(await imageOf('manual', 'manual')).toBe('example.test/agent:by-hand');

    await annotate('manual', { 'everynode.dev/adopt': 'unowned' });
    await untilTrue(client, 'Ready', 'manual');
    expect(await imageOf('manual', 'manual')).toBe('example.test/agent:1');
    const { uid } = (await getComponent(client, 'manual')).metadata;
    expect((await inventoryOf(client, 'manual', 'manual'))['uid']).toBe(uid);
    // Both speak under one name, so nothing is left of the other's ownership.
    const set = await client.get(DAEMON_SETS, { namespace: 'manual', name: 'manual' });
    const owners = managedFieldsOf(set).filter(({ subresource = '' }) => subresource === '');
    expect(owners.map(({ manager, operation }) => `${manager} ${operation}`)).toEqual(['everynode Apply']);
    await annotate('manual', { 'everynode.dev/adopt': null });
  });

  it('what a custom resource keeps, people are refused to apply and to delete; who takes it by force keeps it', async () => {
    const theirs = manifest({ name: 'manual', namespace: 'manual', image: 'example.test/agent:forced' });
    for (const adopt of ['never', 'unowned'] as const)
      await expect(byHand(theirs, { adopt })).rejects.toMatchObject({
        code: 'EN_COMPONENT_APPLY_OTHER_OWNER',
        message: expect.stringContaining(
          'a custom resource, KubernetesDaemonSet default/manual (change that',
        ) as string,
        problems: [{ adopt: 'any' }],
      });
    const identity = { name: 'manual', namespace: 'manual' };
    await expect(deleteComponent(contextOf(client), identity)).rejects.toMatchObject({
      code: 'EN_COMPONENT_APPLY_OTHER_OWNER',
      message: expect.stringContaining('KubernetesDaemonSet default/manual') as string,
    });
    await byHand(theirs, { adopt: 'any' });
    await untilTrue(client, 'Conflict', 'manual');
    await quiet(setting);
    expect(await imageOf('manual', 'manual')).toBe('example.test/agent:forced');
    // The custom resource goes, and what is not its own stays.
    await removed(client, 'manual');
    expect(await imageOf('manual', 'manual')).toBe('example.test/agent:forced');
    await deleteComponent(contextOf(client), identity);
    expect(await find(client, NAMESPACES, 'manual')).toBe(undefined);
  }, 40_000);

  it('an undo is not undone, until the spec changes', async () => {
    await client.create(COMPONENTS, manifest({ name: 'back', namespace: 'back' }));
    await untilTrue(client, 'Ready', 'back');
    await change(client, { container: { app: { image: 'example.test/agent:2' } } }, 'back');
    await until(
      () => imageOf('back', 'back'),
      (image) => image === 'example.test/agent:2',
    );
    await untilTrue(client, 'Ready', 'back');
    const { warnings } = await undoComponent(contextOf(client), { name: 'back', namespace: 'back' });
    expect(warnings[0]).toMatch(/^KubernetesDaemonSet \S+\/back said .*: this stays until its spec changes$/);
    const undone = await until(
      () => getComponent(client, 'back'),
      ({ status }) => status?.phase === 'Undone',
    );
    expect(undone.status?.undone).toMatchObject({ revision: 1, generation: 2 });
    await waitForRollout(contextOf(client), { name: 'back', namespace: 'back', timeoutMs: 10_000 });
    await client.delete(CONFIG_MAPS, { namespace: 'back', name: 'back-config' });
    await quiet(setting);
    expect(await imageOf('back', 'back')).toBe('example.test/agent:1');
    expect((await eventsAbout(client, 'back')).filter(({ reason }) => reason === 'Undone').length).toBe(1);
    await change(client, { container: { app: { image: 'example.test/agent:3' } } }, 'back');
    await until(
      () => imageOf('back', 'back'),
      (image) => image === 'example.test/agent:3',
    );
    const after = await untilTrue(client, 'Ready', 'back');
    expect(after.status?.undone).toBe(undefined);
    expect(await find(client, CONFIG_MAPS, 'back-config', 'back')).toBeDefined();
    await removed(client, 'back');
  }, 40_000);
});

describe('two custom resources', () => {
  it('that stand for the same component: the second says so, steals nothing, and takes nothing along', async () => {
    await makeNamespace(client, 'other-home');
    await client.create(COMPONENTS, manifest({ name: 'twin', namespace: 'twin' }));
    await untilTrue(client, 'Ready', 'twin');
    const second = manifest({
      name: 'twin',
      namespace: 'twin',
      home: 'other-home',
      image: 'example.test/agent:stolen',
    });
    await client.create(COMPONENTS, second);
    const object = await untilTrue(client, 'Conflict', 'twin', 'other-home');
    expect(conditionOf(object, 'Conflict')?.message).toContain('another custom resource');
    await quiet(setting);
    expect(await imageOf('twin', 'twin')).toBe('example.test/agent:1');
    // What another one keeps is not nobody's.
    const body = { metadata: { annotations: { 'everynode.dev/adopt': 'unowned' } } };
    await client.patch(COMPONENTS, { namespace: 'other-home', name: 'twin' }, { type: 'merge', body });
    await quiet(setting);
    expect(await imageOf('twin', 'twin')).toBe('example.test/agent:1');
    expect((await getComponent(client, 'twin', 'other-home')).status?.phase).toBe('Conflict');
    await removed(client, 'twin', 'other-home');
    expect(await imageOf('twin', 'twin')).toBe('example.test/agent:1');
    // And the other way round: the first goes, the second may have it.
    await client.create(COMPONENTS, second);
    await untilTrue(client, 'Conflict', 'twin', 'other-home');
    await removed(client, 'twin');
    await until(
      () => imageOf('twin', 'twin').catch(() => ''),
      (image) => image === 'example.test/agent:stolen',
    );
    await removed(client, 'twin', 'other-home');
  }, 60_000);

  it('that bring an object of the same name: the second is refused it', async () => {
    const spec = { configMaps: { common: 'first' } };
    await client.create(COMPONENTS, manifest({ name: 'one', namespace: 'common', spec }));
    await untilTrue(client, 'Ready', 'one');
    await client.create(
      COMPONENTS,
      manifest({ name: 'two', namespace: 'common', spec: { configMaps: { common: 'second' } } }),
    );
    const object = await untilTrue(client, 'Conflict', 'two');
    expect(conditionOf(object, 'Conflict')?.message).toContain('belongs to component common/one');
    await removed(client, 'two');
    expect((await find(client, CONFIG_MAPS, 'common', 'common'))?.data).toEqual({ common: 'first' });
    await removed(client, 'one');
  }, 40_000);
});

describe('a component that takes something from another', () => {
  const from = (name: string, fieldPath: string) => ({
    env: { variables: [{ name: 'PEER', valueFrom: { name, fieldPath } }] },
  });
  const peerOf = async (name: string) =>
    (await find(client, DAEMON_SETS, name, name))?.spec.template.spec?.containers[0]?.env?.find(
      (each) => each.name === 'PEER',
    )?.value;

  it('waits for it, gets it, and follows when it changes', async () => {
    await client.create(
      COMPONENTS,
      manifest({ name: 'taker', namespace: 'taker', container: from('giver', 'status.outputs.service_account_name') }),
    );
    const waiting = await until(
      () => getComponent(client, 'taker'),
      ({ status }) => status?.phase === 'Waiting',
    );
    expect(conditionOf(waiting, 'Progressing')?.message).toContain('giver is not in namespace default');
    expect(await find(client, NAMESPACES, 'taker')).toBe(undefined);
    await client.create(COMPONENTS, manifest({ name: 'giver', namespace: 'giver' }));
    await untilTrue(client, 'Ready', 'taker');
    expect(await peerOf('taker')).toBe('giver');
    await change(client, { serviceAccountName: 'somebody' }, 'giver');
    await until(
      () => peerOf('taker'),
      (value) => value === 'somebody',
    );
    await removed(client, 'taker');
    await removed(client, 'giver');
  }, 40_000);

  it('finds nothing in other namespaces', async () => {
    await makeNamespace(client, 'private');
    await client.create(COMPONENTS, manifest({ name: 'hidden', namespace: 'hidden', home: 'private' }));
    await client.create(
      COMPONENTS,
      manifest({ name: 'spy', namespace: 'spy', container: from('hidden', 'spec.namespace') }),
    );
    await untilTrue(client, 'Ready', 'hidden', 'private');
    await quiet(setting);
    expect((await getComponent(client, 'spy')).status?.phase).toBe('Waiting');
    await removed(client, 'spy');
    await removed(client, 'hidden', 'private');
  }, 40_000);

  it('in a circle is told so, both of them; whoever breaks it frees both', async () => {
    await client.create(
      COMPONENTS,
      manifest({ name: 'hen', namespace: 'hen', container: from('egg', 'spec.namespace') }),
    );
    await client.create(
      COMPONENTS,
      manifest({ name: 'egg', namespace: 'egg', container: from('hen', 'spec.namespace') }),
    );
    for (const name of ['hen', 'egg']) {
      const object = await untilTrue(client, 'Invalid', name);
      expect(conditionOf(object, 'Invalid')?.message).toContain('in a circle');
    }
    await change(client, { container: { app: { env: null } } }, 'hen');
    await untilTrue(client, 'Ready', 'hen');
    await untilTrue(client, 'Ready', 'egg');
    expect(await peerOf('egg')).toBe('hen');
    await removed(client, 'egg');
    await removed(client, 'hen');
  }, 40_000);
});
