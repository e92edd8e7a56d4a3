/**
 * KubernetesDaemonSets on a real Kubernetes, kept by an operator that has the rights that are listed and no others: made, put right,
 * changed, turned back, moved and taken away.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NAMESPACE_RIGHTS } from '../../src/assembly/catalogue/rights.ts';
import { undoComponent } from '../../src/control/component/apply/undo.ts';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  DAEMON_SETS,
  NAMESPACES,
} from '../../src/core/api/registry/resources.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { loadKubeconfig } from '../../src/machinery/client/http/kubeconfig.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { contextOf, inventoryOf } from '../component-apply/setting.ts';
import { counting } from '../component-apply/faulty-client.ts';
import {
  change,
  COMPONENTS,
  componentsOf,
  conditionOf,
  eventsAbout,
  find,
  getComponent,
  installDefinitions,
  isTrue,
  manifest,
  until as untilSoon,
} from '../component-controller/setting.ts';
import { createAccount, giveRights, rightsOf } from '../operator/support/account.ts';
import { startWatched, withToken, type WatchedOperator } from '../operator/support/watched-operator.ts';
import { startOperatedPlane, type OperatedPlane } from './support/operated-plane.ts';
import { missingPrograms } from './support/programs.ts';

const NODES = 3;
const LIMIT_MS = 120_000;
const RIGHTS = rightsOf('base', 'component');
const key = { namespace: 'logging', name: 'agent' };

const until = <T>(read: () => Promise<T>, isIt: (value: T) => boolean): Promise<T> => untilSoon(read, isIt, LIMIT_MS);

describe.skipIf(missingPrograms().length > 0)('KubernetesDaemonSets on a kube-apiserver', () => {
  let plane: OperatedPlane;
  let admin: Client;
  let token = '';
  let operator: WatchedOperator;
  let writes: readonly string[] = [];

  async function start(): Promise<void> {
    const config = withToken(await loadKubeconfig({ path: plane.admin, clock: realClock }), token);
    operator = await startWatched({
      config,
      controllers: ['component'],
      through(client) {
        const counted = counting(client);
        writes = counted.seen;
        return counted.client;
      },
    });
  }
  const ready = (name = 'agent', resource = COMPONENTS) =>
    until(
      () => admin.get(resource, { namespace: 'default', name }),
      (object) => isTrue(object, 'Ready'),
    );
  const gone = (name = 'agent', resource = COMPONENTS) =>
    until(
      () => find(admin, resource, name, 'default'),
      (object) => object === undefined,
    );
  const image = async () => (await admin.get(DAEMON_SETS, key)).spec.template.spec?.containers[0]?.image;

  beforeAll(async () => {
    plane = await startOperatedPlane('kubernetes', NODES);
    admin = plane.client;
    token = await createAccount(admin);
    await giveRights(admin, RIGHTS);
    // It hears of definitions that come later.
    await start();
    await installDefinitions(admin, until);
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') plane.keepLogs();
  });
  afterAll(async () => {
    await operator?.stop();
    await plane?.stop();
  });

  it('are brought whole, with roles and bindings, by who may give only what they have', async () => {
    await admin.create(COMPONENTS, manifest());
    // Ready, too, while the DaemonSet controller has not heard of the nodes yet.
    const { status, metadata } = await until(ready, (each) => each.status?.outputs?.numberReady === String(NODES));
    expect(status?.outputs).toMatchObject({
      namespace: 'logging',
      daemonsetName: 'agent',
      desiredNumberScheduled: String(NODES),
      currentNumberScheduled: String(NODES),
      numberReady: String(NODES),
    });
    expect(metadata.finalizers).toEqual(['everynode.dev/component']);
    expect(await find(admin, CLUSTER_ROLE_BINDINGS, 'logging:agent')).toBeDefined();
    expect(await inventoryOf(admin)).toMatchObject({ phase: 'settled', uid: metadata.uid });
    expect(operator.refusals()).toEqual([]);
  });

  it('are left alone when nothing changes', async () => {
    await realClock.sleep(3_000);
    const before = writes.length;
    await realClock.sleep(10_000);
    expect(writes.slice(before)).toEqual([]);
  });

  it('are put right, and fields that somebody applies are theirs', async () => {
    await admin.delete(CLUSTER_ROLES, { name: 'logging:agent' });
    await admin.delete(CONFIG_MAPS, { namespace: 'logging', name: 'agent-config' });
    const body = {
      spec: { template: { spec: { containers: [{ name: 'app', image: 'example.test/agent:hotfix' }] } } },
    };
    await admin.patch(DAEMON_SETS, key, { type: 'strategic', body }, { fieldManager: 'kubectl-edit' });
    await until(image, (each) => each === 'example.test/agent:1');
    await until(
      () => find(admin, CLUSTER_ROLES, 'logging:agent'),
      (role) => role !== undefined,
    );
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'logging', name: 'agent-config' } };
    const data = { 'agent.conf': 'level: theirs\n' };
    await until(
      () => find(admin, CONFIG_MAPS, 'agent-config', 'logging'),
      (each) => each !== undefined,
    );
    await admin.apply(CONFIG_MAPS, { ...map, data }, { fieldManager: 'gitops', force: true });
    const object = await until(
      () => getComponent(admin),
      (each) => isTrue(each, 'Conflict'),
    );
    expect(conditionOf(object, 'Conflict')?.message).toContain('"gitops"');
    await admin.apply(CONFIG_MAPS, map, { fieldManager: 'gitops' });
    await ready();
  });

  it('roll out what changes, and stay turned back until the spec changes', async () => {
    await change(admin, { container: { app: { image: 'example.test/agent:2' } } });
    await until(image, (each) => each === 'example.test/agent:2');
    await ready();
    await undoComponent(contextOf(admin), key);
    const undone = await until(
      () => getComponent(admin),
      ({ status }) => status?.phase === 'Undone',
    );
    expect(undone.status?.undone).toMatchObject({ generation: 2 });
    await realClock.sleep(3_000);
    expect(await image()).toBe('example.test/agent:1');
    await change(admin, { container: { app: { image: 'example.test/agent:3' } } });
    await until(image, (each) => each === 'example.test/agent:3');
    await ready();
  });

  it('are taken away by a controller that was not there when it began; the namespace stays, and why is told', async () => {
    await operator.stop();
    await admin.delete(COMPONENTS, { namespace: 'default', name: 'agent' });
    await start();
    await gone();
    expect(await find(admin, DAEMON_SETS, 'agent', 'logging')).toBe(undefined);
    expect(await find(admin, CLUSTER_ROLES, 'logging:agent')).toBe(undefined);
    expect(await find(admin, CLUSTER_ROLE_BINDINGS, 'logging:agent')).toBe(undefined);
    expect((await find(admin, NAMESPACES, 'logging'))?.metadata.deletionTimestamp).toBe(undefined);
    await until(
      () => eventsAbout(admin, 'agent'),
      (all) => all.some(({ message = '' }) => message.includes('kept Namespace logging: it could not be seen whether')),
    );
  });

  it.each(['kubernetes.openmcf.org', 'kubernetes.project-planton.org'])(
    'of %s go with their namespace, where the operator may see that nobody else lives there',
    async (group) => {
      await giveRights(admin, [...RIGHTS, ...NAMESPACE_RIGHTS]);
      const resource = componentsOf(group);
      const name = `of-${group.split('.')[1] ?? ''}`;
      await admin.create(resource, manifest({ name, namespace: name, apiVersion: `${group}/v1` }));
      await ready(name, resource);
      await admin.delete(resource, { namespace: 'default', name });
      await gone(name, resource);
      expect(await find(admin, NAMESPACES, name)).toBe(undefined);
    },
  );

  it('leave their daemons running when their definition is deleted, also while nobody was there', async () => {
    const name = 'left';
    const definition = `${COMPONENTS.resource}.${COMPONENTS.group}`;
    await admin.create(COMPONENTS, manifest({ name, namespace: name }));
    await ready(name);
    const uidOf = async () => (await find(admin, DAEMON_SETS, name, name))?.metadata.uid;
    const before = await uidOf();
    await operator.stop();
    await admin.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: definition });
    await until(
      () => find(admin, COMPONENTS, name, 'default'),
      (object) => object?.metadata.deletionTimestamp !== undefined,
    );
    await start();
    await until(
      () => find(admin, CUSTOM_RESOURCE_DEFINITIONS, definition),
      (object) => object === undefined,
    );
    await realClock.sleep(2_000);
    expect([before, await uidOf()]).toEqual([expect.any(String), before]);
    expect(await find(admin, CLUSTER_ROLES, `${name}:${name}`)).toBeDefined();
    expect(operator.refusals()).toEqual([]);
  });
});
