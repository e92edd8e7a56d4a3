/** Somebody who may not do everything: what is refused is named, and what can be seen without is seen. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createInProcessClient } from '../../src/apiserver/inprocess/in-process-client.ts';
import { createTestServer } from '../../src/apiserver/testing/test-server.ts';
import { applyComponent } from '../../src/control/component/apply/apply.ts';
import { deleteComponent } from '../../src/control/component/apply/delete.ts';
import { ComponentApplyError } from '../../src/control/component/apply/errors.ts';
import { componentStatus } from '../../src/control/component/apply/status.ts';
import { waitForRollout } from '../../src/control/component/apply/wait.ts';
import { DAEMON_SETS, NAMESPACES, ROLE_BINDINGS, ROLES } from '../../src/core/api/registry/resources.ts';
import type { PolicyRule } from '../../src/core/api/types/rbac-v1.ts';
import type { Progress } from '../../src/control/component/apply/progress.ts';
import { StatusError } from '../../src/core/kube/status-error.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { agent } from './component.ts';
import { counting } from './faulty-client.ts';
import { contextOf } from './setting.ts';

const NAMESPACE = 'team';
const component = agent({ namespace: NAMESPACE, createsNamespace: false, hasRbac: false });
const ALL = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
const rule = (group: string, resource: string, verbs: readonly string[] = ALL): PolicyRule => ({
  apiGroups: [group],
  resources: [resource],
  verbs,
});
const EVERYTHING_NEEDED: readonly PolicyRule[] = [
  rule('', 'configmaps'),
  rule('', 'secrets'),
  rule('', 'serviceaccounts'),
  rule('', 'pods', ['get', 'list', 'watch']),
  rule('apps', 'daemonsets'),
  rule('apps', 'controllerrevisions', ['get', 'list', 'watch']),
];

let admin: Client;
let jane: Client;
const allow = async (rules: readonly PolicyRule[]): Promise<void> => {
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'jane', namespace: NAMESPACE },
  };
  await admin.update(ROLES, { ...role, rules }).catch(() => admin.create(ROLES, { ...role, rules }));
};

beforeEach(async () => {
  const { server, client } = await createTestServer();
  admin = client;
  jane = createInProcessClient(server, { user: { name: 'jane', groups: ['system:authenticated'] } });
  await admin.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE }, spec: {} });
  await allow(EVERYTHING_NEEDED);
  await admin.create(ROLE_BINDINGS, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'jane', namespace: NAMESPACE },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'jane' },
    subjects: [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }],
  });
});

/** May look at everything, and write as the first one may. */
const clientSeeing = (writer: Client, reader: Client): Client => ({ ...writer, get: reader.get, list: reader.list });

const refusalOf = async (attempt: Promise<unknown>): Promise<ComponentApplyError> => {
  const error = await attempt.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ComponentApplyError);
  return error as ComponentApplyError;
};

it('ends what is under way with the first look that fails for good', async () => {
  let asked = 0;
  const client: Client = {
    ...admin,
    get: (resource, key, options) => {
      if (resource.resource === 'secrets') throw new StatusError(400, 'BadRequest', 'no');
      if (resource.resource !== 'serviceaccounts') return admin.get(resource, key, options);
      asked += 1;
      throw new StatusError(503, 'ServiceUnavailable', 'a moment, please');
    },
  };
  const told: Progress[] = [];
  const error = await refusalOf(applyComponent({ ...contextOf(client, told), retryForMs: 5000 }, component));
  expect(error.code).toBe('EN_COMPONENT_APPLY_INVALID');
  const atTheEnd = asked;
  await realClock.sleep(600);
  expect(asked).toBe(atTheEnd);
});

describe('without the right to', () => {
  it.each([
    ['patch', 'daemonsets.apps', rule('apps', 'daemonsets', ['get'])],
    ['get', 'secrets', rule('', 'secrets', ['list'])],
    ['create', 'configmaps', rule('', 'configmaps', ['get', 'patch'])],
    ['patch', 'serviceaccounts', rule('', 'serviceaccounts', ['get'])],
  ])('%s %s nothing is written, and that is what is said', async (verb, resource, less) => {
    const [name = ''] = less.resources ?? [];
    await allow([...EVERYTHING_NEEDED.filter(({ resources }) => resources?.[0] !== name), less]);
    const writes = counting(jane);
    const error = await refusalOf(applyComponent(contextOf(writes.client), component));
    expect(error.code).toBe('EN_COMPONENT_APPLY_FORBIDDEN');
    expect(error.problems[0]).toMatchObject({ verb, resource });
    expect(error.message).toContain(`you may not ${verb} ${resource} in namespace ${NAMESPACE}`);
    expect(writes.seen).toEqual([]);
  });

  it('do anything but look all that is lacking is told at once, each right once', async () => {
    const looking = EVERYTHING_NEEDED.filter(({ resources }) => resources?.[0] !== 'secrets');
    await allow(looking.map((each) => ({ ...each, verbs: ['get', 'list', 'watch'] })));
    const writes = counting(jane);
    const team = agent({ namespace: NAMESPACE, createsNamespace: false, extraConfig: 'more' });
    const { problems } = await refusalOf(applyComponent(contextOf(writes.client), team));
    const lacking = problems.map(({ verb, resource }) => `${verb} ${resource}`).toSorted();
    expect(lacking).toEqual([
      'create configmaps',
      'get clusterrolebindings.rbac.authorization.k8s.io',
      'get clusterroles.rbac.authorization.k8s.io',
      'get rolebindings.rbac.authorization.k8s.io',
      'get roles.rbac.authorization.k8s.io',
      'get secrets',
      'patch clusterrolebindings.rbac.authorization.k8s.io',
      'patch clusterroles.rbac.authorization.k8s.io',
      'patch configmaps',
      'patch daemonsets.apps',
      'patch rolebindings.rbac.authorization.k8s.io',
      'patch roles.rbac.authorization.k8s.io',
      'patch secrets',
      'patch serviceaccounts',
    ]);
    expect(problems[0]?.fix).toMatch(/^it takes a role with the verb "\w+" on /);
    expect(writes.seen).toEqual([]);
    const alone = await refusalOf(applyComponent(contextOf(jane), agent({ namespace: 'mine', hasRbac: false })));
    expect(alone.problems.map(({ verb, resource }) => `${verb} ${resource}`)).toContain('patch daemonsets.apps');
    const viewer = clientSeeing(jane, admin);
    const { problems: rest } = await refusalOf(
      applyComponent(contextOf(viewer), agent({ namespace: 'mine', hasRbac: false })),
    );
    expect(rest.map(({ verb, resource }) => `${verb} ${resource}`)).toEqual(
      expect.arrayContaining(['patch namespaces', 'patch daemonsets.apps', 'patch secrets', 'create configmaps']),
    );
  });

  it('make a namespace the component is told so', async () => {
    const error = await refusalOf(applyComponent(contextOf(jane), agent({ namespace: 'mine', hasRbac: false })));
    expect(error.problems[0]).toMatchObject({
      code: 'EN_COMPONENT_APPLY_FORBIDDEN',
      verb: 'get',
      resource: 'namespaces',
    });
  });

  it('look at nodes and events a rollout is still waited for and shown', async () => {
    await applyComponent(contextOf(jane), component);
    const status = await componentStatus(contextOf(jane), component.identity);
    expect(status.rollouts[0]).toMatchObject({ state: 'unobserved', groups: [] });
    const set = await admin.get(DAEMON_SETS, { namespace: NAMESPACE, name: 'agent' });
    const waiting = waitForRollout(contextOf(jane), { namespace: NAMESPACE, name: 'agent', timeoutMs: 20_000 });
    const counts = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };
    await admin.update(
      DAEMON_SETS,
      { ...set, status: { ...counts, observedGeneration: 1 } },
      { subresource: 'status' },
    );
    expect((await waiting).outcome).toBe('complete');
  });

  it('look at the namespace a deletion leaves it alone', async () => {
    await applyComponent(contextOf(jane), component);
    const gone = admin.patch(
      DAEMON_SETS,
      { namespace: NAMESPACE, name: 'agent' },
      { type: 'merge', body: { metadata: { finalizers: null } } },
    );
    await gone;
    const { steps } = await deleteComponent(contextOf(jane), component.identity, { waitMs: 0 });
    expect(new Set(steps.map(({ outcome }) => outcome))).toEqual(new Set(['deleted']));
    await admin.get(NAMESPACES, { name: NAMESPACE });
  });
});
