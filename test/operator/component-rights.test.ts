/**
 * The controller of KubernetesDaemonSets works with the rights it is given and uses every one of them; where one is missing it says
 * which, and goes on when it is given.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureComponentDefinitions } from '../../src/assembly/component-definitions.ts';
import { OPERATOR_RIGHTS } from '../../src/assembly/catalogue/operator-rights.ts';
import { NAMESPACE_RIGHTS, OPERATOR_LEASE } from '../../src/assembly/catalogue/rights.ts';
import { applyComponent } from '../../src/control/component/apply/apply.ts';
import { componentToApply } from '../../src/control/component/apply/from-rendered.ts';
import { readObject } from '../../src/core/component/load/load.ts';
import { renderComponent } from '../../src/core/component/render/render.ts';
import { CLUSTER_ROLES, DAEMON_SETS, LEASES, NAMESPACES, SECRETS } from '../../src/core/api/registry/resources.ts';
import type { Resource } from '../../src/core/kube/objects.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { loadKubeconfig } from '../../src/machinery/client/http/kubeconfig.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import {
  change,
  componentsOf,
  COMPONENTS,
  conditionOf,
  eventsAbout,
  find,
  getComponent,
  isTrue,
  manifest,
  until,
} from '../component-controller/setting.ts';
import { contextOf } from '../component-apply/setting.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { createAccount, giveRights, NAMESPACE, rightsOf, rightsOneByOne, without } from './support/account.ts';
import { startWatched, type WatchedOperator, withToken } from './support/watched-operator.ts';

const GROUPS = ['kubernetes.planton.dev', 'kubernetes.openmcf.org', 'kubernetes.project-planton.org'];
const LIMIT_MS = 30_000;
const RIGHTS = rightsOf('base', 'component');

let count = 0;
/** Another one in every attempt. */
const freshName = (prefix: string): string => `${prefix}-${(count += 1)}`;

let cluster: TestCluster;
let admin: Client;
let token: string;
beforeAll(async () => {
  cluster = await startTestCluster({
    groups: [{ name: 'node', count: 2 }],
    controllers: ['*', '-component-controller'],
  });
  admin = cluster.client;
  // As the chart brings them, where no controller of the cluster's own does.
  await ensureComponentDefinitions({ client: admin, clock: realClock, registry: cluster.api.registry });
  token = await createAccount(admin);
}, 60_000);
afterAll(() => cluster.stop());

/** With a controller that has no other rights than those. */
async function operating(
  rights: typeof RIGHTS,
  run: (operator: WatchedOperator) => Promise<void>,
  through?: (client: Client) => Client,
): Promise<void> {
  await giveRights(admin, rights);
  await admin.delete(LEASES, { namespace: NAMESPACE, name: OPERATOR_LEASE }).catch(() => undefined);
  const config = withToken(await loadKubeconfig({ path: cluster.kubeconfigFile, clock: realClock }), token);
  const operator = await startWatched({
    config,
    controllers: ['component'],
    ...(through === undefined ? {} : { through }),
  });
  try {
    await run(operator);
  } finally {
    await operator.stop();
  }
}

/** What somebody asks for, as roles name it. An apply of what is not there is a creation, too. */
function recorded(client: Client, used: Set<string>): Client {
  const note = (verb: string, { group, resource }: Resource, subresource = ''): void => {
    used.add(`${verb} ${subresource === '' ? resource : `${resource}/${subresource}`} ${group}`);
  };
  return {
    ...client,
    get: (resource, ...rest) => (note('get', resource), client.get(resource, ...rest)),
    list: (resource, ...rest) => (note('list', resource), client.list(resource, ...rest)),
    watch: (resource, ...rest) => (note('watch', resource), client.watch(resource, ...rest)),
    create: (resource, ...rest) => (note('create', resource), client.create(resource, ...rest)),
    update: (resource, object, options) => (
      note('update', resource, options?.subresource),
      client.update(resource, object, options)
    ),
    patch: (resource, ...rest) => (note('patch', resource), client.patch(resource, ...rest)),
    async apply(resource, object, options) {
      note('patch', resource);
      const { name, namespace = '' } = object.metadata;
      const present = await find(admin, resource, name, resource.namespaced ? namespace : undefined);
      if (present === undefined) note('create', resource);
      return client.apply(resource, object, options);
    },
    delete: (resource, ...rest) => (note('delete', resource), client.delete(resource, ...rest)),
  };
}

async function make(name: string): Promise<void> {
  await admin.create(COMPONENTS, manifest({ name, namespace: name }));
  await until(
    () => getComponent(admin, name),
    (object) => isTrue(object, 'Ready'),
    LIMIT_MS,
  );
}

const gone = (resource: typeof COMPONENTS, name: string) =>
  until(
    () => find(admin, resource, name, 'default'),
    (object) => object === undefined,
    LIMIT_MS,
  );

describe('readiness', () => {
  it('names what the controller of components may not list', async () => {
    await operating(rightsOf('base'), async ({ healthPort }) => {
      const ask = async (): Promise<string> => (await fetch(`http://127.0.0.1:${healthPort}/readyz?verbose`)).text();
      await eventually(ask, /informers failed: not known yet: customresourcedefinitions\.apiextensions\.k8s\.io\n/);
    });
  });
});

describe('the rights of the component controller', () => {
  it('are enough for the whole life of a component of each group, and none is too much', async () => {
    // Somebody has applied it by hand, with a secret in it; the custom resource takes it over, and the Secret goes.
    const secrets = { env: { secrets: [{ name: 'TOKEN', value: 'for-a-test-only' }] } };
    const names = GROUPS.map(() => freshName('of'));
    const [first = ''] = names;
    const byHand = manifest({ name: first, namespace: first, container: secrets });
    await applyComponent(contextOf(admin), componentToApply(renderComponent(readObject(byHand).component)));
    const used = new Set<string>();
    await operating(
      RIGHTS,
      async ({ refusals }) => {
        for (const [at, group] of GROUPS.entries()) {
          const resource = componentsOf(group);
          const name = names[at] ?? '';
          const annotations = { 'everynode.dev/adopt': 'unowned' };
          await admin.create(
            resource,
            manifest({ name, namespace: name, apiVersion: `${group}/v1`, annotations, image: 'example.test/agent:2' }),
          );
          const ready = (generation: number) =>
            until(
              () => admin.get(resource, { namespace: 'default', name }),
              (object) => isTrue(object, 'Ready') && object.metadata.generation === generation,
              LIMIT_MS,
            );
          await ready(1);
          // The same events again are told by a patch of the first.
          for (const generation of [2, 3]) {
            const body = { spec: { container: { app: { image: `example.test/agent:${generation + 1}` } } } };
            await admin.patch(resource, { namespace: 'default', name }, { type: 'merge', body });
            await ready(generation);
          }
        }
        expect((await admin.list(SECRETS, { namespace: first })).items).toEqual([]);
        for (const [at, group] of GROUPS.entries()) {
          const name = names[at] ?? '';
          await admin.delete(componentsOf(group), { namespace: 'default', name });
          await gone(componentsOf(group), name);
          expect(await find(admin, CLUSTER_ROLES, `${name}:${name}`)).toBe(undefined);
          expect(await find(admin, DAEMON_SETS, name, name)).toBe(undefined);
        }
        // It may not look who lives in a namespace, so it deletes none.
        expect(refusals().every((each) => /cannot list resource/.test(each))).toBe(true);
      },
      (client) => recorded(client, used),
    );
    expect(await find(admin, NAMESPACES, first)).toBeDefined();
    const told = await eventsAbout(admin, first);
    expect(
      told.some(({ message = '' }) => message.includes(`kept Namespace ${first}: it could not be seen whether`)),
    ).toBe(true);
    const listed = rightsOneByOne(rightsOf('component')).map(
      ({ verb, resource, group }) => `${verb} ${resource} ${group}`,
    );
    // Servers that can stream a list are asked for no other; and caches that all controllers share are not its own.
    const isFollowing = (right: string): boolean =>
      /^(list|watch) (nodes|namespaces) $/.test(right) ||
      (right.startsWith('list ') && used.has(right.replace('list', 'watch')));
    expect(listed.filter((right) => !used.has(right) && !isFollowing(right))).toEqual([]);
  }, 120_000);

  it('of which one is missing: it is said which, nothing is half done, and it goes on when it is given', async () => {
    const name = freshName('lacking');
    const right = {
      feature: 'component',
      verb: 'create',
      group: 'rbac.authorization.k8s.io',
      resource: 'clusterroles',
    };
    await operating(without(RIGHTS, { ...right, name: undefined }), async ({ lines }) => {
      await admin.create(COMPONENTS, manifest({ name, namespace: name }));
      const object = await until(
        () => getComponent(admin, name),
        ({ status }) => status?.phase === 'Failed',
        LIMIT_MS,
      );
      expect(conditionOf(object, 'Degraded')).toMatchObject({ status: 'True', reason: 'Forbidden' });
      expect(conditionOf(object, 'Degraded')?.message).toContain(
        'you may not create clusterroles.rbac.authorization.k8s.io',
      );
      expect(await find(admin, DAEMON_SETS, name, name)).toBe(undefined);
      // The line is written after the status, so that whoever saw the status may be ahead of it.
      await until(
        () => Promise.resolve(lines.some(({ message }) => message === 'A component could not be applied')),
        (isLogged) => isLogged,
        LIMIT_MS,
      );
      await giveRights(admin, RIGHTS);
      await until(
        () => getComponent(admin, name),
        (each) => isTrue(each, 'Ready'),
        LIMIT_MS,
      );
    });
  }, 90_000);

  it('a component can be given no more than the operator itself has', async () => {
    const name = freshName('greedy');
    await operating(RIGHTS, async () => {
      await make(name);
      const rule = { apiGroups: ['batch'], resources: ['cronjobs'], verbs: ['create'] };
      await change(admin, { rbac: { clusterRules: [rule] } }, name);
      const object = await until(
        () => getComponent(admin, name),
        ({ status, metadata }) => status?.phase === 'Failed' && status.observedGeneration === metadata.generation,
        LIMIT_MS,
      );
      expect(conditionOf(object, 'Degraded')?.message).toContain('attempting to grant RBAC permissions');
      const role = await find(admin, CLUSTER_ROLES, `${name}:${name}`);
      expect(JSON.stringify(role?.rules ?? 'none')).toContain('"nodes"');
      await admin.delete(COMPONENTS, { namespace: 'default', name });
      await gone(COMPONENTS, name);
    });
  }, 60_000);

  it('to see everybody are what it takes to delete namespaces', async () => {
    const name = freshName('housed');
    await operating([...RIGHTS, ...NAMESPACE_RIGHTS], async ({ refusals }) => {
      await make(name);
      await admin.delete(COMPONENTS, { namespace: 'default', name });
      await gone(COMPONENTS, name);
      expect(await find(admin, NAMESPACES, name)).toBe(undefined);
      expect(refusals()).toEqual([]);
    });
    expect(OPERATOR_RIGHTS.flatMap(({ rules }) => rules).some(({ resources }) => resources?.includes('*'))).toBe(false);
  }, 60_000);
});
