/** Bodies that lack what every sane one has, or have it in odd forms: refused or taken, but never a failure of the server. */
import { beforeAll, describe, expect, it } from 'vitest';
import { createInProcessClient } from '../../src/apiserver/inprocess/in-process-client.ts';
import {
  createServiceAccountTokens,
  type ServiceAccountTokens,
  tokenHooks,
} from '../../src/apiserver/service-account-tokens.ts';
import { certificateUser, LOOPBACK } from '../../src/apiserver/contract/users.ts';
import { createTestServer, type TestServer } from '../../src/apiserver/testing/test-server.ts';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../../src/core/api/registry/resources.ts';
import type { KubeObject } from '../../src/core/kube/objects.ts';
import { StatusError } from '../../src/core/kube/status-error.ts';
import type { UserInfo } from '../../src/machinery/ports/admission.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { realRandom } from '../../src/machinery/random/real-random.ts';
import { createSigningKey } from '../../src/machinery/certificates/signing-key.ts';

const RBAC = 'rbac.authorization.k8s.io';
const JANE = certificateUser('jane', []);
let world: TestServer;
beforeAll(async () => {
  const tokens: { now?: ServiceAccountTokens } = {};
  world = await createTestServer({
    defaultRoles: true,
    hooks: {
      readToken: (token, audiences) => tokens.now?.read(token, audiences) ?? {},
      subresources: new Map([
        [
          'serviceaccounts/token',
          (request) =>
            tokenHooks(tokens.now as ServiceAccountTokens).subresources.get('serviceaccounts/token')?.(
              request,
            ) as never,
        ],
      ]),
    },
  });
  tokens.now = createServiceAccountTokens({
    store: world.store,
    clock: realClock,
    random: realRandom,
    signingKey: createSigningKey(),
  });
  const metadata = { name: 'writer' };
  const everything = ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'];
  await world.client.create(CLUSTER_ROLES, {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata,
    rules: [{ verbs: ['create', 'update'], apiGroups: [RBAC], resources: everything }],
  });
  await world.client.create(CLUSTER_ROLE_BINDINGS, {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata,
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'writer' },
    subjects: [{ kind: 'User', name: 'jane', apiGroup: RBAC }],
  });
});

let counter = 0;
async function codeOf(
  user: UserInfo,
  group: string,
  resource: string,
  kind: string,
  body: object,
  sub = '',
): Promise<number> {
  const namespaced = ['roles', 'rolebindings', 'localsubjectaccessreviews', 'serviceaccounts'].includes(resource);
  const target = {
    tenant: 'system',
    group,
    version: 'v1',
    resource,
    namespace: namespaced ? 'default' : '',
    name: sub === '' ? '' : 'default',
    subresource: sub,
  };
  const apiVersion = group === '' ? 'authentication.k8s.io/v1' : `${group}/v1`;
  const isReview = kind.endsWith('Review') || sub !== '';
  const metadata = isReview ? {} : { name: `odd-${counter++}` };
  const object = { apiVersion, kind, metadata, ...body } as KubeObject;
  try {
    await world.server.handle({ verb: 'create', target, user, object, options: {}, unshared: true });
    return 201;
  } catch (error) {
    if (error instanceof StatusError) return error.code;
    throw error;
  }
}

const ODD = [
  undefined,
  null,
  {},
  [],
  'x',
  7,
  true,
  [null],
  [{}],
  { '': '' },
  JSON.parse('{"__proto__":{"a":1}}') as object,
];

describe('odd bodies', () => {
  it.each([
    [
      'authorization.k8s.io',
      'subjectaccessreviews',
      'SubjectAccessReview',
      ['resourceAttributes', 'nonResourceAttributes', 'user', 'groups', 'extra'],
    ],
    [
      'authorization.k8s.io',
      'selfsubjectaccessreviews',
      'SelfSubjectAccessReview',
      ['resourceAttributes', 'nonResourceAttributes'],
    ],
    ['authorization.k8s.io', 'localsubjectaccessreviews', 'LocalSubjectAccessReview', ['resourceAttributes', 'user']],
    ['authorization.k8s.io', 'selfsubjectrulesreviews', 'SelfSubjectRulesReview', ['namespace']],
    ['authentication.k8s.io', 'tokenreviews', 'TokenReview', ['token', 'audiences']],
    ['authentication.k8s.io', 'selfsubjectreviews', 'SelfSubjectReview', ['x']],
    [
      'certificates.k8s.io',
      'certificatesigningrequests',
      'CertificateSigningRequest',
      ['request', 'signerName', 'usages', 'extra', 'expirationSeconds'],
    ],
  ])('of %s/%s are no failure of the server', async (group, resource, kind, fields) => {
    for (const value of ODD) {
      expect(await codeOf(LOOPBACK, group, resource, kind, { spec: value })).not.toBe(500);
      expect(await codeOf(LOOPBACK, group, resource, kind, { status: value })).not.toBe(500);
      for (const name of fields) {
        expect([name, value, await codeOf(LOOPBACK, group, resource, kind, { spec: { [name]: value } })]).not.toContain(
          500,
        );
      }
    }
  });

  it.each([JANE, LOOPBACK])('of roles and bindings neither, whoever sends them', async (user) => {
    for (const value of ODD) {
      for (const [resource, kind] of [
        ['roles', 'Role'],
        ['clusterroles', 'ClusterRole'],
      ] as const) {
        for (const body of [
          { rules: value },
          { rules: [value] },
          { rules: [{ verbs: value, apiGroups: value, resources: value }] },
          { rules: [{ verbs: ['get'], nonResourceURLs: value }] },
          { aggregationRule: value },
          { aggregationRule: { clusterRoleSelectors: value } },
        ]) {
          expect([resource, body, await codeOf(user, RBAC, resource, kind, body)]).not.toContain(500);
        }
      }
      for (const [resource, kind] of [
        ['rolebindings', 'RoleBinding'],
        ['clusterrolebindings', 'ClusterRoleBinding'],
      ] as const) {
        const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: 'writer' };
        for (const body of [
          { roleRef: value },
          { roleRef, subjects: value },
          { roleRef, subjects: [value] },
          { roleRef: { ...roleRef, name: value } },
        ]) {
          expect([resource, body, await codeOf(user, RBAC, resource, kind, body)]).not.toContain(500);
        }
      }
    }
    // Whatever was stored, questions are still answered.
    const jane = createInProcessClient(world.server, { user: JANE });
    await expect(jane.list(CLUSTER_ROLES)).rejects.toThrow('is forbidden');
    expect(
      await codeOf(LOOPBACK, 'authorization.k8s.io', 'selfsubjectrulesreviews', 'SelfSubjectRulesReview', {
        spec: { namespace: 'default' },
      }),
    ).toBe(201);
  });

  it('of token requests neither', async () => {
    for (const value of ODD) {
      expect(await codeOf(LOOPBACK, '', 'serviceaccounts', 'TokenRequest', { spec: value }, 'token')).not.toBe(500);
      for (const name of ['audiences', 'expirationSeconds', 'boundObjectRef']) {
        expect([
          name,
          value,
          await codeOf(LOOPBACK, '', 'serviceaccounts', 'TokenRequest', { spec: { [name]: value } }, 'token'),
        ]).not.toContain(500);
      }
    }
  });
});
