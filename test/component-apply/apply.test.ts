/** Applying a component to the embedded cluster, through both transports. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyComponent } from '../../src/control/component/apply/apply.ts';
import { diffComponent } from '../../src/control/component/apply/diff/diff-component.ts';
import { ComponentApplyError } from '../../src/control/component/apply/errors.ts';
import { managedFieldsOf } from '../../src/control/component/apply/ownership.ts';
import {
  CLUSTER_ROLES,
  CONFIG_MAPS,
  DAEMON_SETS,
  NAMESPACES,
  PERSISTENT_VOLUME_CLAIMS,
  SECRETS,
} from '../../src/core/api/registry/resources.ts';
import type { CustomResourceDefinition } from '../../src/core/api/types/apiextensions-v1.ts';
import type { PersistentVolumeClaim } from '../../src/core/api/types/core-v1.ts';
import type { DaemonSet } from '../../src/core/api/types/apps-v1.ts';
import type { KubeObject } from '../../src/core/kube/objects.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import type { Progress } from '../../src/control/component/apply/progress.ts';
import { agent } from './component.ts';
import { counting, stumbling } from './faulty-client.ts';
import {
  contextOf,
  freshNamespace,
  inventoryOf,
  openSetting,
  outcomes,
  stateOf,
  TRANSPORTS,
  type Setting,
} from './setting.ts';

let setting: Setting;
beforeAll(async () => {
  setting = await openSetting(0);
}, 60_000);
afterAll(() => setting.stop());

const failureOf = async (attempt: Promise<unknown>): Promise<ComponentApplyError> => {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ComponentApplyError);
  return error as ComponentApplyError;
};

describe.each(TRANSPORTS)('applying, %s', (transport) => {
  const client = (): Client => setting.clients[transport];
  const makeNamespace = (name: string) =>
    client().create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} });
  const imageOf = (set: DaemonSet): string => set.spec.template.spec?.containers[0]?.image ?? '';

  it('makes everything in order and lists it; again, it writes nothing', async () => {
    const namespace = freshNamespace();
    const { steps, changed } = await applyComponent(contextOf(client()), agent({ namespace }));
    expect(changed).toBe(true);
    expect(outcomes(steps)).toEqual([
      `created Namespace ${namespace}`,
      `created ClusterRole ${namespace}-agent`,
      `created ClusterRoleBinding ${namespace}-agent`,
      `created ConfigMap ${namespace}/agent-config`,
      `created ServiceAccount ${namespace}/agent`,
      `created Role ${namespace}/agent`,
      `created RoleBinding ${namespace}/agent`,
      `created Secret ${namespace}/agent-env-secrets`,
      `created DaemonSet ${namespace}/agent`,
    ]);
    const data = await inventoryOf(client(), namespace);
    expect(data).toMatchObject({ version: '1', component: `${namespace}/agent`, phase: 'settled' });
    expect(data['objects']?.split('\n')[0]).toBe(`v1 Namespace namespaces ${namespace}`);
    expect(data['objects']?.split('\n').at(-2)).toBe(`apps/v1 DaemonSet daemonsets ${namespace}/agent`);

    const writes = counting(client());
    const again = await applyComponent(contextOf(writes.client), agent({ namespace }));
    expect(writes.seen).toEqual([]);
    expect(again.changed).toBe(false);
    expect(new Set(again.steps.map(({ outcome }) => outcome))).toEqual(new Set(['unchanged']));
    expect((await diffComponent(contextOf(client()), agent({ namespace }))).changed).toBe(false);
  });

  it('prunes what vanished from the manifest, and only touches what changed', async () => {
    const namespace = freshNamespace();
    await applyComponent(contextOf(client()), agent({ namespace, extraConfig: 'x' }));
    const writes = counting(client());
    const { steps } = await applyComponent(contextOf(writes.client), agent({ namespace }));
    expect(outcomes(steps).filter((line) => !line.startsWith('unchanged'))).toEqual([
      `pruned ConfigMap ${namespace}/agent-extra`,
    ]);
    expect(writes.seen).toEqual([
      'update configmaps everynode-inventory-agent',
      'delete configmaps agent-extra',
      'update configmaps everynode-inventory-agent',
    ]);
    await expect(client().get(CONFIG_MAPS, { namespace, name: 'agent-extra' })).rejects.toThrow('not found');
    expect((await inventoryOf(client(), namespace))['objects']).not.toContain('agent-extra');
  });

  it('removes keys of a Secret that vanished from it', async () => {
    const namespace = freshNamespace();
    const secret = (stringData: { readonly [key: string]: string }): KubeObject =>
      ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'more' }, stringData }) as KubeObject;
    await applyComponent(contextOf(client()), agent({ namespace, more: [secret({ a: '1', b: '2' })] }));
    await applyComponent(contextOf(client()), agent({ namespace, more: [secret({ b: '3' })] }));
    const { data } = await client().get(SECRETS, { namespace, name: 'more' });
    expect(data).toEqual({ b: Buffer.from('3').toString('base64') });
  });

  it('keeps what is annotated so, claims, and what is no longer ours', async () => {
    const namespace = freshNamespace();
    const claim: PersistentVolumeClaim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    const named = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
    await applyComponent(
      contextOf(client()),
      agent({ namespace, more: [claim, named('kept'), named('remade'), named('gone')] }),
    );
    await client().patch(
      CONFIG_MAPS,
      { namespace, name: 'kept' },
      { type: 'merge', body: { metadata: { annotations: { 'everynode.dev/keep': 'true' } } } },
    );
    for (const name of ['remade', 'gone']) await client().delete(CONFIG_MAPS, { namespace, name });
    await client().create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'remade', namespace },
    });
    const { steps } = await applyComponent(contextOf(client()), agent({ namespace }));
    expect(
      steps
        .filter(({ outcome }) => outcome !== 'unchanged')
        .map(({ object, outcome, why }) => [object.name, outcome, why]),
    ).toEqual([
      ['remade', 'kept', 'it was made anew by somebody else'],
      ['kept', 'kept', 'it is annotated to be kept'],
      ['data', 'kept', 'claims hold data and are never removed'],
    ]);
    await client().get(CONFIG_MAPS, { namespace, name: 'kept' });
    await client().get(PERSISTENT_VOLUME_CLAIMS, { namespace, name: 'data' });
    const writes = counting(client());
    await applyComponent(contextOf(writes.client), agent({ namespace }));
    expect(writes.seen).toEqual([]);
  });

  it('reports foreign owners of fields with what they own, and writes nothing; by force it takes them', async () => {
    const namespace = freshNamespace();
    await applyComponent(contextOf(client()), agent({ namespace }));
    const body = {
      spec: { template: { spec: { containers: [{ name: 'main', image: 'example.test/agent:hotfix' }] } } },
    };
    await client().patch(
      DAEMON_SETS,
      { namespace, name: 'agent' },
      { type: 'strategic', body },
      { fieldManager: 'ops' },
    );
    const next = agent({ namespace, image: 'example.test/agent:2', config: 'level: debug\n' });
    const writes = counting(client());
    const error = await failureOf(applyComponent(contextOf(writes.client), next));
    expect(writes.seen).toEqual([]);
    expect(error.code).toBe('EN_COMPONENT_APPLY_CONFLICT');
    expect(error.problems[0]?.conflicts).toEqual([
      {
        object: expect.objectContaining({ kind: 'DaemonSet', namespace, name: 'agent' }) as unknown,
        field: '.spec.template.spec.containers[name="main"].image',
        manager: 'ops',
        owner: '"ops" using apps/v1',
      },
    ]);
    expect(error.message).toContain('containers[name="main"].image is owned by "ops"');

    const diff = await diffComponent(contextOf(client()), next);
    expect(diff.problems.map(({ code }) => code)).toEqual(['EN_COMPONENT_APPLY_CONFLICT']);
    expect(diff.texts.map(({ object }) => object.kind)).toEqual(['ConfigMap', 'DaemonSet']);

    const { taken } = await applyComponent(contextOf(client()), next, { force: true });
    expect(taken.map(({ manager }) => manager)).toEqual(['ops']);
    expect(imageOf(await client().get(DAEMON_SETS, { namespace, name: 'agent' }))).toBe('example.test/agent:2');
  });

  it('leaves fields of others alone that it does not set', async () => {
    const namespace = freshNamespace();
    await applyComponent(contextOf(client()), agent({ namespace }));
    const body = { spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': 'now' } } } } };
    await client().patch(
      DAEMON_SETS,
      { namespace, name: 'agent' },
      { type: 'merge', body },
      { fieldManager: 'kubectl' },
    );
    await applyComponent(contextOf(client()), agent({ namespace, image: 'example.test/agent:2' }));
    const set = await client().get(DAEMON_SETS, { namespace, name: 'agent' });
    expect(set.spec.template.metadata?.annotations?.['kubectl.kubernetes.io/restartedAt']).toBe('now');
  });

  it('touches nothing of others unless it may adopt it', async () => {
    const namespace = freshNamespace();
    await makeNamespace(namespace);
    await client().create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'agent-config', namespace },
      data: { config: 'theirs' },
    });
    const writes = counting(client());
    const error = await failureOf(applyComponent(contextOf(writes.client), agent({ namespace })));
    expect([error.code, writes.seen]).toEqual(['EN_COMPONENT_APPLY_NOT_OURS', []]);
    expect(error.message).toContain(`ConfigMap ${namespace}/agent-config is there already`);
    // The value differs and is owned by whoever made it.
    const conflict = await failureOf(applyComponent(contextOf(client()), agent({ namespace }), { adopt: 'unowned' }));
    expect(conflict.code).toBe('EN_COMPONENT_APPLY_CONFLICT');
    const { steps } = await applyComponent(contextOf(client()), agent({ namespace }), {
      adopt: 'unowned',
      force: true,
    });
    expect(outcomes(steps)).toContain(`adopted ConfigMap ${namespace}/agent-config`);
    expect(outcomes(steps)).toContain(`shared Namespace ${namespace}`);
    const namespaceObject = await client().get(NAMESPACES, { name: namespace });
    expect(namespaceObject.metadata.annotations?.['everynode.dev/created-by']).toBeUndefined();
  });

  it('takes nothing from another component unless told so; the other lets go of it', async () => {
    const namespace = freshNamespace();
    const shared: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shared' } };
    await applyComponent(contextOf(client()), agent({ namespace, more: [shared] }));
    const other = agent({ namespace, name: 'other', more: [shared] });
    const error = await failureOf(applyComponent(contextOf(client()), other, { adopt: 'unowned' }));
    expect(error.message).toContain(`ConfigMap ${namespace}/shared belongs to component ${namespace}/agent`);
    await applyComponent(contextOf(client()), other, { adopt: 'any' });
    const { steps } = await applyComponent(contextOf(client()), agent({ namespace }));
    expect(outcomes(steps)).toContain(`kept ConfigMap ${namespace}/shared`);
    await client().get(CONFIG_MAPS, { namespace, name: 'shared' });
  });

  it('takes over from client-side kubectl apply: what the manifest dropped goes', async () => {
    const namespace = freshNamespace();
    await makeNamespace(namespace);
    const rendered = agent({ namespace });
    const set = rendered.objects.at(-1) as DaemonSet;
    const [container] = set.spec.template.spec?.containers ?? [];
    const old = {
      ...set,
      metadata: {
        ...set.metadata,
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"old":true}' },
        labels: { old: 'label' },
      },
      spec: {
        ...set.spec,
        template: {
          ...set.spec.template,
          spec: {
            ...set.spec.template.spec,
            containers: [
              { ...container, name: 'main', image: 'example.test/agent:0', env: [{ name: 'OLD', value: '1' }] },
            ],
          },
        },
      },
    } as DaemonSet;
    await client().create(DAEMON_SETS, old, { fieldManager: 'kubectl-client-side-apply' });
    const told: Progress[] = [];
    await applyComponent(contextOf(client(), told), rendered, { adopt: 'unowned' });
    const live = await client().get(DAEMON_SETS, { namespace, name: 'agent' });
    expect(live.spec.template.spec?.containers[0]?.env).toBeUndefined();
    expect(imageOf(live)).toBe('example.test/agent:1');
    expect(live.metadata.labels?.['old']).toBeUndefined();
    expect(live.metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration']).toBeUndefined();
    const owners = managedFieldsOf(live).filter(({ subresource = '' }) => subresource === '');
    expect(owners.map(({ manager, operation }) => [manager, operation])).toEqual([['everynode', 'Apply']]);
    expect(
      told.some((each) => each.type === 'note' && each.message.includes('fields of kubectl-client-side-apply')),
    ).toBe(true);
  });

  it('says that a selector cannot change, and how to go on; recreates when it may', async () => {
    const namespace = freshNamespace();
    await applyComponent(contextOf(client()), agent({ namespace }));
    const { uid } = (await client().get(DAEMON_SETS, { namespace, name: 'agent' })).metadata;
    const next = agent({ namespace, selector: { app: 'daemonset', more: 'x' }, config: 'new' });
    const writes = counting(client());
    const error = await failureOf(applyComponent(contextOf(writes.client), next));
    expect([error.code, writes.seen]).toEqual(['EN_COMPONENT_APPLY_IMMUTABLE', []]);
    expect(error.message).toContain(`DaemonSet ${namespace}/agent: spec.selector would change`);
    expect(error.problems[0]?.fix).toContain('recreate');
    const { steps } = await applyComponent(contextOf(client()), next, { recreate: true });
    expect(outcomes(steps)).toContain(`recreated DaemonSet ${namespace}/agent`);
    const live = await client().get(DAEMON_SETS, { namespace, name: 'agent' });
    expect(live.metadata.uid).not.toBe(uid);
    expect(live.spec.selector.matchLabels?.['more']).toBe('x');
  }, 40_000);

  it('tells of a namespace that is missing or ending', async () => {
    const namespace = freshNamespace();
    const missing = await failureOf(applyComponent(contextOf(client()), agent({ namespace, createsNamespace: false })));
    expect(missing.code).toBe('EN_COMPONENT_APPLY_NO_NAMESPACE');
    await makeNamespace(namespace);
    await client().create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'holds', namespace, finalizers: ['example.test/hold'] },
    });
    await client().delete(NAMESPACES, { name: namespace });
    const ending = await failureOf(applyComponent(contextOf(client()), agent({ namespace })));
    expect(ending.code).toBe('EN_COMPONENT_APPLY_NAMESPACE_ENDS');
    expect(ending.message).toContain(`namespace ${namespace} is being deleted`);
    const body = { metadata: { finalizers: null } };
    await client().patch(CONFIG_MAPS, { namespace, name: 'holds' }, { type: 'merge', body });
  });

  it('waits until a kind of its own is served before it uses it', async () => {
    const namespace = freshNamespace();
    const group = `${namespace}.example.test`;
    const definition: CustomResourceDefinition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `rules.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'rules', kind: 'Rule', singular: 'rule', listKind: 'RuleList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    };
    const rule = { apiVersion: `${group}/v1`, kind: 'Rule', metadata: { name: 'one' }, spec: { a: 1 } } as KubeObject;
    const component = agent({ namespace, hasRbac: false, more: [rule, definition] });
    const { steps } = await applyComponent(contextOf(client()), component);
    expect(outcomes(steps).slice(0, 2)).toEqual([
      `created Namespace ${namespace}`,
      `created CustomResourceDefinition rules.${group}`,
    ]);
    expect(outcomes(steps)).toContain(`created Rule ${namespace}/one`);
    const writes = counting(client());
    await applyComponent(contextOf(writes.client), component);
    expect(writes.seen).toEqual([]);
  });

  it('leaves a component of a custom resource to it', async () => {
    const namespace = freshNamespace();
    await applyComponent(contextOf(client()), agent({ namespace, uid: 'one' }));
    const byHand = await failureOf(applyComponent(contextOf(client()), agent({ namespace })));
    expect(byHand.code).toBe('EN_COMPONENT_APPLY_OTHER_OWNER');
    const other = await failureOf(applyComponent(contextOf(client()), agent({ namespace, uid: 'two' })));
    expect(other.code).toBe('EN_COMPONENT_APPLY_OTHER_OWNER');
    for (const uid of [undefined, 'two']) {
      const component = agent({ namespace, ...(uid === undefined ? {} : { uid }) });
      const error = await failureOf(applyComponent(contextOf(client()), component, { adopt: 'unowned' }));
      expect(error.code, 'it is not nobody’s').toBe('EN_COMPONENT_APPLY_OTHER_OWNER');
    }
    await applyComponent(contextOf(client()), agent({ namespace, uid: 'two' }), { adopt: 'any' });
    expect((await inventoryOf(client(), namespace))['uid']).toBe('two');
  });

  it('removes nothing when its list cannot be read', async () => {
    const namespace = freshNamespace();
    await applyComponent(contextOf(client()), agent({ namespace, extraConfig: 'x' }));
    const key = { namespace, name: 'everynode-inventory-agent' };
    await client().patch(CONFIG_MAPS, key, { type: 'merge', body: { data: { objects: 'not an object\n' } } });
    const error = await failureOf(applyComponent(contextOf(client()), agent({ namespace })));
    expect(error.code).toBe('EN_COMPONENT_APPLY_INVENTORY');
    await client().get(CONFIG_MAPS, { namespace, name: 'agent-extra' });
  });

  it.each(['before', 'after'] as const)(
    'rides out a server that stumbles %s every write',
    async (moment) => {
      const namespace = freshNamespace();
      const plain = freshNamespace();
      const told: Progress[] = [];
      await applyComponent(contextOf(stumbling(client(), moment).client, told), agent({ namespace, extraConfig: 'x' }));
      await applyComponent(contextOf(stumbling(client(), moment).client, told), agent({ namespace }));
      expect(told.some((each) => each.type === 'retry')).toBe(true);
      await applyComponent(contextOf(client()), agent({ namespace: plain, extraConfig: 'x' }));
      await applyComponent(contextOf(client()), agent({ namespace: plain }));
      const text = async (space: string): Promise<string> =>
        JSON.stringify(await stateOf(client(), [agent({ namespace: space, extraConfig: 'x' })])).replaceAll(
          space,
          'NS',
        );
      expect(await text(namespace)).toBe(await text(plain));
    },
    60_000,
  );

  it('names what the server finds invalid, all of it at once', async () => {
    const namespace = freshNamespace();
    await makeNamespace(namespace);
    const bad = (name: string): KubeObject =>
      ({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports: [{ port: 0 }] } }) as KubeObject;
    const writes = counting(client());
    const error = await failureOf(
      applyComponent(contextOf(writes.client), agent({ namespace, more: [bad('one'), bad('two')] })),
    );
    expect(writes.seen).toEqual([]);
    expect(error.problems.map(({ code, object }) => [code, object?.name])).toEqual([
      ['EN_COMPONENT_APPLY_INVALID', 'one'],
      ['EN_COMPONENT_APPLY_INVALID', 'two'],
    ]);
    await expect(client().get(CLUSTER_ROLES, { name: `${namespace}-agent` })).rejects.toThrow('not found');
  });
});
