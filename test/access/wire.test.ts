/** Who one is over the wire: nobody, a token, a certificate, somebody else; and what is said to those who are none. */
import { connect, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SECRETS, SERVICE_ACCOUNTS } from '../../src/core/api/registry/resources.ts';
import type { TokenRequest } from '../../src/core/api/types/authentication-v1.ts';
import type { Resource } from '../../src/core/kube/objects.ts';
import { loadKubeconfig } from '../../src/machinery/client/http/kubeconfig.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';

let cluster: TestCluster;
let tls: { readonly cert: string | Buffer; readonly key: string | Buffer };
beforeAll(async () => {
  cluster = await startTestCluster({ groups: [{ name: 'n', count: 1 }] });
  const config = await loadKubeconfig({ path: cluster.kubeconfigFile, clock: realClock });
  tls = { cert: config.tls?.cert ?? '', key: config.tls?.key ?? '' };
});
afterAll(() => cluster.stop());

interface Answer {
  readonly code: number;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

interface Ask {
  readonly method?: string;
  readonly headers?: { readonly [name: string]: string | readonly string[] };
  readonly body?: object;
  readonly asAdmin?: boolean;
}

function ask(path: string, { asAdmin = false, body, headers = {}, method = 'GET' }: Ask = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(
      `${cluster.server}${path}`,
      {
        method,
        rejectUnauthorized: false,
        agent: false,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(asAdmin ? tls : {}),
      },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ code: response.statusCode ?? 0, body: text, headers: response.headers }));
      },
    );
    call.on('error', reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const TOKENS: Resource<TokenRequest> = {
  group: '',
  version: 'v1',
  resource: 'serviceaccounts',
  kind: 'TokenRequest',
  namespaced: true,
};
async function tokenOf(name: string): Promise<string> {
  const answer = await cluster.client.create(
    TOKENS,
    {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { name, namespace: 'default' },
      spec: {},
    },
    { subresource: 'token' },
  );
  return answer.status?.token ?? '';
}
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const WHO = {
  method: 'POST',
  body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
};
const whoAmI = async (more: Ask) => {
  const { code, body } = await ask('/apis/authentication.k8s.io/v1/selfsubjectreviews', { ...WHO, ...more });
  if (code !== 201) throw new Error(`${code} ${body}`);
  return (JSON.parse(body) as { status: { userInfo: { username: string; groups: string[]; extra?: object } } }).status
    .userInfo;
};

describe('nobody', () => {
  it('sees health and version, and is told that nobody may see the rest', async () => {
    expect((await ask('/healthz')).code).toBe(200);
    expect((await ask('/version')).code).toBe(200);
    const { body, code } = await ask('/api/v1/namespaces/default/pods');
    expect([code, JSON.parse(body)]).toEqual([
      403,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message:
          'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" in the namespace "default"',
        reason: 'Forbidden',
        details: { kind: 'pods' },
        code: 403,
      },
    ]);
    const path = JSON.parse((await ask('/metrics')).body) as { message: string };
    expect(path.message).toBe('forbidden: User "system:anonymous" cannot get path "/metrics"');
    expect((await ask('/<script>&')).body).not.toContain('<script>');
    // Nobody learns which kinds there are.
    expect([(await ask('/apis/nope/v1/things')).code, (await ask('/apis')).code]).toEqual([403, 403]);
  });
});

describe('a bearer token', () => {
  it('makes its account the one who asks', async () => {
    const user = await whoAmI(bearer(await tokenOf('default')));
    expect(user).toMatchObject({
      username: 'system:serviceaccount:default:default',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
    });
    const { body, headers } = await ask('/openid/v1/jwks', bearer(await tokenOf('default')));
    expect([headers['content-type'], headers['cache-control']]).toEqual([
      'application/jwk-set+json',
      'public, max-age=3600',
    ]);
    expect(body).not.toContain('"d"');
    expect((await ask('/openid/v1/jwks')).code).toBe(403);
  });

  it('that is none is refused in one word, and never repeated', async () => {
    const good = await tokenOf('default');
    const [head = '', payload = ''] = good.split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const hostile = ['x', 'a.b.c', `${none}.${payload}.`, `${head}.${payload}.AAAA`, `${good}A`, 'A'.repeat(8000)];
    for (const token of hostile) {
      const { body, code } = await ask('/api', bearer(token));
      expect(code).toBe(401);
      expect(JSON.parse(body)).toMatchObject({ reason: 'Unauthorized', message: 'Unauthorized' });
      expect(body).not.toContain(token);
      // Not even where a certificate would do: whoever sends a token means to be its owner.
      expect((await ask('/api', { ...bearer(token), asAdmin: true })).code).toBe(401);
    }
    expect((await ask('/api', bearer('A'.repeat(100_000))).catch(() => ({ code: 431 }))).code).toBe(431);
  });

  it('dies with its account', async () => {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'brief', namespace: 'default' } };
    await cluster.client.create(SERVICE_ACCOUNTS, account);
    const token = await tokenOf('brief');
    expect((await ask('/api', bearer(token))).code).toBe(200);
    await cluster.client.delete(SERVICE_ACCOUNTS, { namespace: 'default', name: 'brief' });
    expect((await ask('/api', bearer(token))).code).toBe(401);
    await cluster.client.create(SERVICE_ACCOUNTS, account);
    expect((await ask('/api', bearer(token))).code).toBe(401);
  });

  it('is put into a secret that asks for one, and lives as long', async () => {
    const metadata = {
      name: 'kept',
      namespace: 'default',
      annotations: { 'kubernetes.io/service-account.name': 'default' },
    };
    await cluster.client.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      type: 'kubernetes.io/service-account-token',
    });
    const kept = async () => (await cluster.client.get(SECRETS, { namespace: 'default', name: 'kept' })).data ?? {};
    await eventually(
      async () =>
        Object.keys(await kept())
          .sort()
          .join(' '),
      /^ca.crt namespace token$/,
    );
    const token = Buffer.from((await kept())['token'] ?? '', 'base64').toString();
    expect((await whoAmI(bearer(token))).username).toBe('system:serviceaccount:default:default');
    await cluster.client.delete(SECRETS, { namespace: 'default', name: 'kept' });
    expect((await ask('/api', bearer(token))).code).toBe(401);
    const orphan = { ...metadata, name: 'orphan', annotations: { 'kubernetes.io/service-account.name': 'nobody' } };
    await cluster.client.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: orphan,
      type: 'kubernetes.io/service-account-token',
    });
    const names = async () =>
      (await cluster.client.list(SECRETS, { namespace: 'default' })).items.map((each) => each.metadata.name).join(' ');
    await eventually(names, /^(?!.*orphan)/);
  });
});

describe('acting as others', () => {
  const headers = {
    'Impersonate-User': 'jane',
    'Impersonate-Group': ['devs', 'cn=ops,dc=shop'],
    'Impersonate-Extra-Example.com%2fScope': ['a', 'b,c'],
  };
  const jane = {
    username: 'jane',
    groups: ['devs', 'cn=ops,dc=shop', 'system:authenticated'],
    extra: { 'example.com/scope': ['a', 'b,c'] },
  };

  it('takes every header by itself', async () => {
    expect(await whoAmI({ asAdmin: true, headers })).toEqual(jane);
  });

  it('takes them over HTTP/2 as well', async () => {
    const session = connect(cluster.server, { rejectUnauthorized: false, ...tls });
    const body = await new Promise<string>((resolve, reject) => {
      const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
      const stream = session.request({
        ...(lower as OutgoingHttpHeaders),
        ':method': 'POST',
        ':path': '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        'content-type': 'application/json',
      });
      let text = '';
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
      stream.on('end', () => resolve(text));
      stream.on('error', reject);
      stream.end(JSON.stringify(WHO.body));
    });
    session.close();
    expect((JSON.parse(body) as { status: { userInfo: object } }).status.userInfo).toEqual(jane);
  });

  it('is for those who may', async () => {
    const token = await tokenOf('default');
    const as = (user: string) =>
      ask('/api', { headers: { authorization: `Bearer ${token}`, 'Impersonate-User': user } });
    const refused = await as('system:admin');
    expect([refused.code, (JSON.parse(refused.body) as { message: string }).message]).toEqual([
      403,
      'users "system:admin" is forbidden: User "system:serviceaccount:default:default" cannot impersonate resource "users" in API group "" at the cluster scope',
    ]);
    const group = await ask('/api', { asAdmin: true, headers: { 'Impersonate-Group': 'devs' } });
    expect([group.code, (JSON.parse(group.body) as { message: string }).message]).toEqual([
      400,
      'requested [{Group  devs    }] without impersonating a user',
    ]);
  });
});

describe('a review', () => {
  const post = (accept: string) =>
    ask('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      method: 'POST',
      asAdmin: true,
      headers: { accept },
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { nonResourceAttributes: { path: '/', verb: 'get' } },
      },
    });
  const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

  it('is never kept and has no rows', async () => {
    expect((await post(TABLE)).code).toBe(406);
    expect((await post(`${TABLE},application/json`)).code).toBe(201);
  });
});
