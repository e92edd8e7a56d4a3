/** Paths, names and namespaces that try to be something else. */
import { describe, expect, it } from 'vitest';
import { configMap, expectCase, expectFailure, get, post, useHouse, type Case } from './support/house.ts';
import { askHttp1, sendRaw } from './support/wire-client.ts';

const house = useHouse();
const PATH = '/api/v1/namespaces/default/configmaps';

describe('paths', () => {
  const missing = (path: string): Case => ({ name: path, ...get(path), code: 404 });
  it.each(
    [
      '/nothing',
      '/api/v2',
      '/api/v1/nothings',
      '/apis/nothing.example.com/v1/things',
      '/apis/apps/v9/deployments',
      '/../../etc/passwd',
      '/%2e%2e/%2e%2e/etc/passwd',
      `/api/v1/namespaces/default/configmaps/..`,
      `/api/v1/namespaces/default/configmaps/%2e%2e%2fsecrets%2fsecret`,
      `/api/v1/namespaces/..%2f..%2fdefault/secrets/secret`,
      `/api/v1/namespaces/default%2fsecrets/secret`,
      `${PATH}/cm%00`,
      `${PATH}/cm%0d%0aset-cookie:%20a=b`,
      `${PATH}/%ff`,
      `${PATH}/%zz`,
      `${PATH}/%c0%ae%c0%ae`,
      `${PATH}/CM`,
      `${PATH}/c%E2%80%8Bm`,
      `${PATH}/${'x'.repeat(5000)}`,
      `${PATH}/cm/nothing`,
      `${PATH}/cm/status/more/and/more`,
      `/api/v1/namespaces//configmaps/cm`,
      `//api/v1/namespaces/default/configmaps/cm`,
      `/api//v1`,
      `/api/v1/watch`,
      `/openapi/v2/x`,
      `/openapi/v3/..%2f..%2fetc%2fpasswd`,
      `/livez/%2e%2e`,
      `/tenants`,
      `/tenants/`,
      `/tenants//api/v1/pods`,
      `/tenants/x/version`,
      `/tenants/x/metrics`,
      `/tenants/%2e%2e/api/v1/pods`,
      `/tenants/a%2fb/api/v1/pods`,
      `/tenants/a%00b/api/v1/pods`,
      `/tenants/${'t'.repeat(300)}/api/v1/pods`,
    ].map(missing),
  )('lead nowhere: $name', (each) => expectCase(house, each));

  it('that are no paths at all are answered, not followed', async () => {
    for (const target of [
      '*',
      'x',
      'https://example.com/api/v1/secrets',
      '?',
      '#',
      '/api/v1/namespaces/default/secrets#',
      `/${'a/'.repeat(4000)}`,
    ]) {
      const text = await house.unharmed(() =>
        sendRaw(house.cluster.server, house.nobody, `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`),
      );
      expect([target, text]).toEqual([target, expect.stringMatching(/^HTTP\/1\.1 4\d\d /)]);
    }
  });

  it('of other tenants show nothing of this one', async () => {
    const elsewhere = await house.unharmed(() => house.ask(get('/tenants/x/api/v1/namespaces/default/secrets/secret')));
    expect(expectFailure(elsewhere).code).toBe(404);
    const list = await house.ask(get('/tenants/x/api/v1/secrets'));
    expect(JSON.parse(list.text)).toMatchObject({ kind: 'SecretList', items: [] });
    const write = await house.unharmed(() =>
      house.ask(post(JSON.stringify(configMap()), 'application/json', `/tenants/x${PATH}`)),
    );
    expect(expectFailure(write).code).toBe(404);
    for (const path of [
      '/tenants/x/api/v1/secrets',
      '/tenants/system/api/v1/secrets',
      '/tenants/system/version',
      '/tenants/system',
    ]) {
      expect([path, (await house.askAnonymously(get(path))).status]).toEqual([path, 403]);
    }
  });
});

describe('methods', () => {
  const no = (method: string, path: string, message?: string): Case => ({
    name: `${method} ${path}`,
    method,
    path,
    headers: { 'content-type': 'application/json' },
    ...(method === 'GET' || method === 'OPTIONS' ? {} : { body: '{}' }),
    code: 405,
    ...(message === undefined ? {} : { message }),
  });
  it.each([
    no('PUT', PATH),
    no('PATCH', PATH),
    no('POST', `${PATH}/cm`),
    no('OPTIONS', PATH),
    no('TRACE', PATH),
    no('PROPFIND', PATH),
    no('POST', '/version'),
    no('DELETE', '/healthz'),
    no('PUT', '/api/v1'),
    no('GET', '/api/v1/namespaces/default/pods/pod/binding'),
    no('GET', '/api/v1/namespaces/default/pods/pod/eviction'),
    no('GET', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'),
    no('PUT', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews/x'),
    no('GET', '/api/v1/bindings'),
    no('DELETE', '/api/v1/namespaces'),
    no('POST', '/api/v1/configmaps', 'the server does not allow this method on the requested resource'),
  ])('that are not served are refused: $name', async (each) => {
    if (each.method === 'TRACE') {
      // Not every client can send it; the server must not answer with an echo.
      const text = await house.unharmed(() =>
        sendRaw(
          house.cluster.server,
          house.admin,
          `TRACE ${PATH} HTTP/1.1\r\nhost: x\r\ncookie: secret\r\nconnection: close\r\n\r\n`,
        ),
      );
      expect(text).toMatch(/^HTTP\/1\.1 405 /);
      expect(text).not.toContain('cookie');
      return;
    }
    await expectCase(house, each);
  });
});

describe('scopes', () => {
  const wrong = (method: string, path: string): Case => ({
    name: `${method} ${path}`,
    method,
    path,
    headers: { 'content-type': 'application/json' },
    ...(method === 'GET' ? {} : { body: '{"metadata":{"name":"x"}}' }),
    code: 404,
    message: 'the server could not find the requested resource',
  });
  it.each([
    wrong('GET', '/api/v1/namespaces/default/nodes'),
    wrong('POST', '/api/v1/namespaces/default/nodes'),
    wrong('POST', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/clusterroles'),
    wrong('GET', '/api/v1/configmaps/cm'),
    wrong('PUT', '/api/v1/configmaps/cm'),
  ])('are part of the path: $name', (each) => expectCase(house, each));
});

describe('names', () => {
  const create = (metadata: object) => post(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata }));
  const BAD = [
    '',
    ' ',
    '.',
    '..',
    'a/b',
    'a%b',
    '../secret',
    'UPPER',
    'a_b',
    '-a',
    'a-',
    'a..b',
    'ä',
    'аdmin',
    '日本',
    '😀',
    'a\u0000b',
    'a\nb',
    'a\r\nb',
    '\u202e',
    'x'.repeat(254),
    'x'.repeat(100_000),
    'a b',
    '"',
    '<script>',
    '%s',
    '${x}',
    '\ufeffa',
  ];
  it.each(BAD.map((name) => ({ name: JSON.stringify(name).slice(0, 40), value: name })))(
    'are refused with the rule they break: $name',
    async ({ value }) => {
      const answer = await house.unharmed(() => house.ask(create({ name: value })));
      const status = JSON.parse(answer.text) as {
        code: number;
        reason: string;
        details: { causes: { field: string }[] };
      };
      expect([status.code, status.reason, status.details.causes[0]?.field]).toEqual([
        422,
        'Invalid',
        value === '' ? 'metadata.name' : 'metadata.name',
      ]);
    },
  );

  it('are refused as prefixes too', async () => {
    for (const generateName of ['UPPER', '../', 'a/', '\u0000', 'ä-']) {
      expect(expectFailure(await house.unharmed(() => house.ask(create({ generateName })))).code).toBe(422);
    }
  });

  it('cannot break out of headers', async () => {
    const evil = 'a"\r\nset-cookie: evil=1\r\n\r\nHTTP/1.1 200 OK\u0000\u2028\u00e4';
    const text = JSON.stringify({ ...configMap(), [evil]: 1, metadata: { name: 'w', [evil]: { [evil]: 1 } } });
    const request = { ...post(text), path: `${PATH}?dryRun=All` };
    for (const answer of [await house.ask(request), await askHttp1(house.cluster.server, house.admin, request)]) {
      expect(answer.status).toBe(201);
      expect(answer.headers['set-cookie']).toBeUndefined();
      const warning = String(answer.headers['warning']);
      expect(warning).toMatch(/^299 - "unknown field /);
      expect(warning).not.toMatch(/\p{Cc}(?<![\x80-\x9f])/u);
    }
  });

  it('do not pile up in headers', async () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`unknown${i}${'x'.repeat(50)}`, 1]));
    const request = { ...post(JSON.stringify({ ...configMap(), ...many })), path: `${PATH}?dryRun=All` };
    for (const answer of [await house.ask(request), await askHttp1(house.cluster.server, house.admin, request)]) {
      expect(answer.status).toBe(201);
      expect(String(answer.headers['warning']).length).toBeLessThan(16 * 1024);
    }
  });
});
