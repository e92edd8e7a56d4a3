/** Webhooks keep their certificates with the rights that are given for it, and need every one of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WEBHOOK_NAME, WEBHOOK_RIGHTS, type OperatorRights } from '../../src/assembly/catalogue/rights.ts';
import { startActors, type Undo } from '../../src/assembly/common/start-actors.ts';
import { startWebhooks } from '../../src/assembly/operator/webhooks.ts';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  ROLE_BINDINGS,
  ROLES,
  SECRETS,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from '../../src/core/api/registry/resources.ts';
import type { PolicyRule } from '../../src/core/api/types/rbac-v1.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { createHttpClient } from '../../src/machinery/client/http/http-client.ts';
import { loadRestConfig } from '../../src/machinery/client/http/load-config.ts';
import { rememberingLogger } from '../../src/machinery/logging/logger.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { realRandom } from '../../src/machinery/random/real-random.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';

const NAMESPACE = 'default';
const USER = 'webhook-keeper';
const RBAC = 'rbac.authorization.k8s.io';

let cluster: TestCluster;
let admin: Client;
beforeAll(async () => {
  cluster = await startTestCluster({ groups: [] });
  admin = cluster.client;
  const apiVersion = `${RBAC}/v1`;
  const subjects = [{ apiGroup: RBAC, kind: 'User', name: USER }];
  const roleRef = (kind: string) => ({ apiGroup: RBAC, kind, name: USER });
  const own = { name: USER, namespace: NAMESPACE };
  await admin.create(CLUSTER_ROLES, { apiVersion, kind: 'ClusterRole', metadata: { name: USER }, rules: [] });
  await admin.create(ROLES, { apiVersion, kind: 'Role', metadata: own, rules: [] });
  await admin.create(CLUSTER_ROLE_BINDINGS, {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name: USER },
    subjects,
    roleRef: roleRef('ClusterRole'),
  });
  await admin.create(ROLE_BINDINGS, {
    apiVersion,
    kind: 'RoleBinding',
    metadata: own,
    subjects,
    roleRef: roleRef('Role'),
  });
});
afterAll(() => cluster?.stop());

async function give(rights: readonly OperatorRights[]): Promise<void> {
  const rules = (scope: OperatorRights['scope']): readonly PolicyRule[] =>
    rights.filter((each) => each.scope === scope).flatMap((each) => each.rules);
  const role = await admin.get(ROLES, { name: USER, namespace: NAMESPACE });
  await admin.update(ROLES, { ...role, rules: rules('namespace') });
  const clusterRole = await admin.get(CLUSTER_ROLES, { name: USER });
  await admin.update(CLUSTER_ROLES, { ...clusterRole, rules: rules('cluster') });
}

const API_VERSION = 'admissionregistration.k8s.io/v1';
const webhook = {
  name: 'guard.everynode.dev',
  clientConfig: { service: { namespace: NAMESPACE, name: WEBHOOK_NAME } },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  failurePolicy: 'Ignore',
};

/** No Secret, and configurations without an authority. */
async function cleanSlate(): Promise<void> {
  const metadata = { name: WEBHOOK_NAME };
  await admin.deleteCollection(SECRETS, { namespace: NAMESPACE });
  await admin.deleteCollection(MUTATING_WEBHOOK_CONFIGURATIONS);
  await admin.deleteCollection(VALIDATING_WEBHOOK_CONFIGURATIONS);
  const webhooks = [webhook];
  const mutating = { apiVersion: API_VERSION, kind: 'MutatingWebhookConfiguration', metadata, webhooks };
  const validating = { apiVersion: API_VERSION, kind: 'ValidatingWebhookConfiguration', metadata, webhooks };
  await admin.create(MUTATING_WEBHOOK_CONFIGURATIONS, mutating);
  await admin.create(VALIDATING_WEBHOOK_CONFIGURATIONS, validating);
}

/** Plays until certificates are served and believed, and nothing is left to be watched; or until something was refused. */
async function play(): Promise<{ readonly isServed: boolean; readonly refused: string }> {
  await cleanSlate();
  const config = await loadRestConfig({ clock: realClock, path: cluster.kubeconfigFile });
  const impersonate = { user: USER, groups: ['system:authenticated'] };
  const client = createHttpClient({ ...config, impersonate }, { clock: realClock, random: realRandom });
  const { logger, lines } = rememberingLogger();
  const webhooks = startWebhooks({
    client,
    clock: realClock,
    random: realRandom,
    logger,
    plugins: [],
    address: '127.0.0.1',
    port: 0,
    certificates: { kind: 'self-managed', namespace: NAMESPACE },
  });
  const undo: Undo = [];
  const keeper = webhooks.keeper();
  void startActors(keeper === undefined ? [] : [keeper], undo);
  const refusal = (): string =>
    lines.map(({ fields }) => (fields.error as Error | undefined)?.message ?? '').find(isRefusal) ?? '';
  try {
    for (;;) {
      const isServed = webhooks.ready() && (await areBelieved());
      if (refusal() !== '' || isServed) {
        // What is followed besides is refused a moment later, if it is.
        for (let wait = 0; wait < 40 && refusal() === ''; wait++) await pause();
        return { isServed, refused: refusal() };
      }
      await pause();
    }
  } finally {
    for (const step of undo.toReversed()) await step();
    await webhooks.stop();
    await client.close();
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));
const isRefusal = (text: string): boolean => text.includes('is forbidden') && text.includes(USER);

async function areBelieved(): Promise<boolean> {
  const both = await Promise.all([
    admin.get(MUTATING_WEBHOOK_CONFIGURATIONS, { name: WEBHOOK_NAME }),
    admin.get(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: WEBHOOK_NAME }),
  ]);
  return both.every(({ webhooks = [] }) => webhooks.every(({ clientConfig }) => clientConfig.caBundle !== undefined));
}

interface Right {
  readonly verb: string;
  readonly resource: string;
}

const ALL: readonly Right[] = WEBHOOK_RIGHTS.flatMap(({ rules }) =>
  rules.flatMap(({ resources = [], verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => ({ verb, resource }))),
  ),
);

const without = (gone: Right): readonly OperatorRights[] =>
  WEBHOOK_RIGHTS.map((each) => ({
    ...each,
    rules: each.rules.flatMap((rule) =>
      (rule.resources ?? []).map((resource) => ({
        ...rule,
        resources: [resource],
        verbs: rule.verbs.filter((verb) => verb !== gone.verb || resource !== gone.resource),
      })),
    ),
  })).map((each) => ({ ...each, rules: each.rules.filter(({ verbs }) => verbs.length > 0) }));

describe('the rights of webhooks', () => {
  it('are enough', async () => {
    await give(WEBHOOK_RIGHTS);
    expect(await play()).toEqual({ isServed: true, refused: '' });
  });

  it.each(ALL)('to $verb $resource cannot be left out', async (gone) => {
    await give(without(gone));
    const { refused } = await play();
    expect(refused).toContain(`cannot ${gone.verb} resource "${gone.resource}"`);
  });
});
