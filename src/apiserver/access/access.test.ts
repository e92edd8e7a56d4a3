import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS } from '../../core/api/registry/resources.ts';
import type { KubeObject } from '../../core/kube/objects.ts';
import type { UserInfo } from '../../machinery/ports/admission.ts';
import { createInProcessClient } from '../inprocess/in-process-client.ts';
import { configMap, failure } from '../testing/samples.ts';
import { createTestServer } from '../testing/test-server.ts';
import { ANONYMOUS, LOOPBACK, certificateUser, serviceAccountUser } from '../contract/users.ts';

const JANE = certificateUser('jane', ['devs']);

describe('identities', () => {
  it('are what certificates and service accounts say', () => {
    expect(JANE).toEqual({ name: 'jane', groups: ['devs', 'system:authenticated'] });
    expect(serviceAccountUser('ns', 'sa', 'u')).toEqual({
      name: 'system:serviceaccount:ns:sa',
      uid: 'u',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
    });
  });
});

describe('authorization', () => {
  it('lets masters do everything and others nothing', async () => {
    const { client, server } = await createTestServer();
    await client.create(CONFIG_MAPS, configMap('a'));
    const jane = createInProcessClient(server, { user: JANE });
    const error = await failure(jane.get(CONFIG_MAPS, { namespace: 'default', name: 'a' }));
    expect(error.status).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message:
        'configmaps "a" is forbidden: User "jane" cannot get resource "configmaps" in API group "" in the namespace "default"',
      details: { name: 'a', kind: 'configmaps' },
    });
    const everywhere = await failure(jane.list(CONFIG_MAPS));
    expect(everywhere.message).toBe(
      'configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" at the cluster scope',
    );
    const watch = jane.watch(CONFIG_MAPS)[Symbol.asyncIterator]();
    expect((await failure(watch.next())).code).toBe(403);
  });

  it('shows health and version to anyone, discovery to those with a name, and nothing else', async () => {
    const { server } = await createTestServer({ defaultRoles: true });
    const may = (path: string, verb = 'get', user: UserInfo = ANONYMOUS) =>
      server.authorizer.authorize({ user, verb, path }).allowed;
    expect(['/healthz', '/livez', '/readyz', '/version'].map((path) => may(path))).toEqual([true, true, true, true]);
    expect(['/', '/api', '/apis', '/metrics', '/openapi/v2'].map((path) => may(path))).toEqual(Array(5).fill(false));
    expect(['/api', '/apis/apps/v1', '/openapi/v2'].map((path) => may(path, 'get', JANE))).toEqual(Array(3).fill(true));
    expect(may('/version', 'post')).toBe(false);
    expect(may('/metrics', 'get', JANE)).toBe(false);
    expect(may('/metrics', 'get', LOOPBACK)).toBe(true);
  });
});

describe('questions', () => {
  const ask = async (user: UserInfo, resource: string, kind: string, spec: object, namespace = '') => {
    const { server } = await createTestServer({
      defaultRoles: true,
      hooks: { readToken: (token) => (token === 'good' ? { user: JANE, audiences: ['api'] } : {}) },
    });
    const group = kind.includes('Access') || kind.includes('Rules') ? 'authorization.k8s.io' : 'authentication.k8s.io';
    const target = { tenant: 'system', group, version: 'v1', resource, namespace, name: '', subresource: '' };
    const object = { apiVersion: `${group}/v1`, kind, metadata: { name: '' }, spec } as KubeObject;
    const answer = await server.handle({ verb: 'create', target, user, object, options: {} });
    return answer.type === 'object' ? (answer.object as { status?: object }).status : undefined;
  };
  const READ = { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } };

  it('about oneself are answered to everyone with a name', async () => {
    expect(await ask(JANE, 'selfsubjectreviews', 'SelfSubjectReview', {})).toEqual({
      userInfo: { username: 'jane', groups: ['devs', 'system:authenticated'] },
    });
    expect(await ask(JANE, 'selfsubjectaccessreviews', 'SelfSubjectAccessReview', READ)).toEqual({ allowed: false });
    expect(await ask(LOOPBACK, 'selfsubjectaccessreviews', 'SelfSubjectAccessReview', READ)).toEqual({ allowed: true });
    expect(await ask(LOOPBACK, 'selfsubjectrulesreviews', 'SelfSubjectRulesReview', { namespace: 'x' })).toMatchObject({
      resourceRules: expect.arrayContaining([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]) as object[],
      incomplete: false,
    });
    const anonymous = ask(ANONYMOUS, 'selfsubjectreviews', 'SelfSubjectReview', {});
    expect((await failure(anonymous)).code).toBe(403);
  });

  it('about others are answered to those who may ask', async () => {
    const about = { ...READ, user: 'root', groups: ['system:masters'] };
    expect(await ask(LOOPBACK, 'subjectaccessreviews', 'SubjectAccessReview', about)).toEqual({ allowed: true });
    const path = { user: 'x', nonResourceAttributes: { verb: 'get', path: '/healthz' } };
    expect(await ask(LOOPBACK, 'subjectaccessreviews', 'SubjectAccessReview', path)).toEqual({ allowed: true });
    const local = ask(
      LOOPBACK,
      'localsubjectaccessreviews',
      'LocalSubjectAccessReview',
      { ...READ, user: 'x' },
      'default',
    );
    expect(await local).toEqual({ allowed: false });
    expect((await failure(ask(JANE, 'subjectaccessreviews', 'SubjectAccessReview', about))).code).toBe(403);
    expect((await failure(ask(LOOPBACK, 'subjectaccessreviews', 'SubjectAccessReview', READ))).code).toBe(422);
  });

  it('about tokens name their owner', async () => {
    expect(await ask(LOOPBACK, 'tokenreviews', 'TokenReview', { token: 'good' })).toMatchObject({
      authenticated: true,
      user: { username: 'jane' },
    });
    expect(await ask(LOOPBACK, 'tokenreviews', 'TokenReview', { token: 'bad' })).toEqual({
      user: {},
      error: 'invalid bearer token',
    });
  });
});
