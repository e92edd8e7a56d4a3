import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { beforeAll, expect, it } from 'vitest';
import { kubectlSuite, type Session } from '../support/kubectl-suite.ts';
import { configMapOf, podOf } from '../support/manifests.ts';

/** Asks without credentials, as nobody. */
function askAnonymously(session: Session, path: string): Promise<{ readonly code: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const call = request(`${session.cluster.server}${path}`, { rejectUnauthorized: false }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve({ code: response.statusCode ?? 0, body }));
    });
    call.on('error', reject);
    call.end();
  });
}

kubectlSuite('errors', (session) => {
  const { ok, fails, file, namespace } = session;
  const create = (object: object): Promise<string> =>
    fails(['create', '--validate=false', '-f', '-'], { input: JSON.stringify(object) });

  beforeAll(async () => {
    await ok(['create', '-f', '-'], { input: JSON.stringify(configMapOf('there', { a: '1' })) });
    await ok(['create', '-f', '-'], { input: JSON.stringify(podOf('web')) });
  });

  it.concurrent('NotFound and unknown resources', async () => {
    expect(await fails(['get', 'pod', 'nope'])).toBe('Error from server (NotFound): pods "nope" not found');
    expect(await fails(['get', 'daemonset', 'nope'])).toBe(
      'Error from server (NotFound): daemonsets.apps "nope" not found',
    );
    expect(await fails(['get', 'nonsense'])).toBe('error: the server doesn\'t have a resource type "nonsense"');
    expect(await fails(['get', '--raw', '/apis/nope'])).toBe(
      'Error from server (NotFound): the server could not find the requested resource',
    );
    expect(await fails(['--namespace', 'nope', 'create', 'configmap', 'x'])).toMatch(/namespaces "nope" not found$/);
  });

  it.concurrent('AlreadyExists', async () => {
    expect(await fails(['create', '-f', file('there.json', configMapOf('there', {}))])).toMatch(
      /^Error from server \(AlreadyExists\): error when creating ".*there\.json": configmaps "there" already exists$/,
    );
    expect(await fails(['create', 'configmap', 'there'])).toMatch(/configmaps "there" already exists$/);
    expect(await fails(['create', 'namespace', namespace])).toBe(
      `Error from server (AlreadyExists): namespaces "${namespace}" already exists`,
    );
  });

  it.concurrent('Invalid, with the path of one field', async () => {
    expect(await create(podOf('no-image', { containers: [{ name: 'main' }] }))).toBe(
      'The Pod "no-image" is invalid: spec.containers[0].image: Required value',
    );
    expect(await create(podOf('policy', { restartPolicy: 'Sometimes' }))).toMatch(
      /^The Pod "policy" is invalid: spec\.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"$/,
    );
  });

  it.concurrent('Invalid, with the paths of several', async () => {
    const containers = [{ name: 'Main', image: 'x', ports: [{ containerPort: 70_000 }] }];
    const told = await create(
      podOf('several', { containers, volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/x' } }] }),
    );
    expect(told.split('\n')[0]).toBe('The Pod "several" is invalid: ');
    for (const line of [
      '* spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type',
      '* spec.containers[0].name: Invalid value: "Main": a lowercase RFC 1123 label must consist of lower case alphanumeric characters',
      '* spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
    ]) {
      expect(told).toContain(line);
    }
  });

  it.concurrent('wrong types', async () => {
    expect(await create({ ...podOf('typed'), spec: { containers: 'none' } })).toMatch(
      /^Error from server \(BadRequest\): error when creating "STDIN": Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal string into Go struct field PodSpec\.spec\.containers of type \[\]v1\.Container$/,
    );
  });

  it.concurrent('kinds and versions nobody serves', async () => {
    expect(
      await fails(['create', '-f', '-'], { input: '{"apiVersion":"nope/v1","kind":"Nope","metadata":{"name":"x"}}' }),
    ).toContain('no matches for kind "Nope" in version "nope/v1"');
    expect(await fails(['create', '-f', '-'], { input: '{"kind":"Pod"}' })).toMatch(
      /apiVersion not set|Object 'apiVersion' is missing/,
    );
    expect(await fails(['create', '-f', '-'], { input: 'a: [' })).toMatch(/error parsing STDIN|yaml/);
  });

  it.concurrent('immutable fields', async () => {
    await ok(['create', '-f', '-'], {
      input: JSON.stringify({ ...configMapOf('frozen', { a: '1' }), immutable: true }),
    });
    expect(await fails(['patch', 'configmap', 'frozen', '-p', '{"data":{"a":"2"}}'])).toBe(
      'The ConfigMap "frozen" is invalid: data: Forbidden: field is immutable when `immutable` is set',
    );
    await ok(['create', 'service', 'clusterip', 'fixed', '--tcp=80']);
    expect(await fails(['patch', 'service', 'fixed', '-p', '{"spec":{"clusterIP":"10.96.0.99"}}'])).toMatch(
      /spec\.clusterIPs?\[0\]: Invalid value: .*(may not change once set|field is immutable)/,
    );
  });

  it.concurrent('wrong credentials', async () => {
    const kubeconfig = readFileSync(session.cluster.kubeconfigFile, 'utf8');
    const wrong = kubeconfig
      .replace(/client-certificate-data:.*/, 'token: wrong')
      .replace(/^ *client-key-data:.*\n/m, '');
    expect(await fails(['--kubeconfig', file('wrong', wrong), 'get', 'pods'])).toMatch(
      /You must be logged in to the server|Unauthorized/,
    );
  });

  it.concurrent('nothing to read for nobody, but health and version', async () => {
    const answers = await Promise.all(
      [
        '/version',
        '/readyz',
        '/api',
        '/apis',
        '/openapi/v2',
        '/metrics',
        `/api/v1/namespaces/${namespace}/pods`,
        `/api/v1/namespaces/${namespace}/pods/web/log`,
        `/api/v1/namespaces/${namespace}/pods/web/exec`,
      ].map(async (path) => [path, (await askAnonymously(session, path)).code]),
    );
    expect(Object.fromEntries(answers)).toEqual({
      '/version': 200,
      '/readyz': 200,
      '/api': 403,
      '/apis': 403,
      '/openapi/v2': 403,
      '/metrics': 403,
      [`/api/v1/namespaces/${namespace}/pods`]: 403,
      [`/api/v1/namespaces/${namespace}/pods/web/log`]: 403,
      [`/api/v1/namespaces/${namespace}/pods/web/exec`]: 403,
    });
  });

  it.concurrent('another user, who has no rights', async () => {
    expect(await fails(['get', 'pods', '--as=jane'])).toBe(
      `Error from server (Forbidden): pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "${namespace}"`,
    );
    expect(await fails(['delete', 'pod', 'web', '--as=system:serviceaccount:default:robot'])).toBe(
      `Error from server (Forbidden): pods "web" is forbidden: User "system:serviceaccount:default:robot" cannot delete resource "pods" in API group "" in the namespace "${namespace}"`,
    );
    expect(await ok(['get', 'pod', 'web', '-o', 'name', '--as=jane', '--as-group=system:masters'])).toBe('pod/web\n');
  });
});
