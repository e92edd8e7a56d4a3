import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority, issueCertificate, type KeyPair } from '../../certificates/certificates.ts';
import { createVirtualClock } from '../../time/virtual-clock.ts';
import { isInCluster, loadInClusterConfig } from './in-cluster.ts';
import { loadKubeconfig } from './kubeconfig.ts';
import { loadRestConfig } from './load-config.ts';

let directory = '';
let authority: KeyPair;
let client: KeyPair;
let another: KeyPair;
const clock = createVirtualClock();
const path = (name: string): string => join(directory, name);
const put = (name: string, text: string): string => {
  writeFileSync(path(name), text, { mode: 0o700 });
  return path(name);
};
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const load = (file: string, more: { context?: string; user?: string; cluster?: string } = {}) =>
  loadKubeconfig({ clock, path: file, env: {}, ...more });

/** A kubeconfig with one cluster and one user, whose fields are given as YAML flow maps. */
const config = (cluster: string, user: string): string => `
apiVersion: v1
kind: Config
current-context: main
contexts: [{name: main, context: {cluster: c, user: u, namespace: team}}]
clusters: [{name: c, cluster: {server: "https://api.test:6443", ${cluster}}}]
users: [{name: u, user: {${user}}}]
`;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'everynode-kubeconfig-'));
  const now = Date.UTC(2026, 0, 1);
  authority = await createAuthority('test', now);
  const issue = (commonName: string): Promise<KeyPair> =>
    issueCertificate(authority, now, { subject: { commonName }, usage: 'client' });
  [client, another] = await Promise.all([issue('ann'), issue('bob')]);
});
afterAll(() => rmSync(directory, { recursive: true }));

describe('kubeconfig', () => {
  it('gives the server, its CA, the client certificate and the namespace', async () => {
    const text = config(
      `certificate-authority-data: ${base64(authority.certificate)}, tls-server-name: other.test, proxy-url: "http://proxy:3128"`,
      `client-certificate-data: ${base64(client.certificate)}, client-key-data: ${base64(client.key)}`,
    );
    expect(await load(put('certs.yaml', text))).toEqual({
      server: 'https://api.test:6443',
      tls: {
        ca: Buffer.from(authority.certificate),
        cert: Buffer.from(client.certificate),
        key: Buffer.from(client.key),
        serverName: 'other.test',
      },
      proxyUrl: 'http://proxy:3128',
      namespace: 'team',
    });
  });

  it('reads files beside it by relative paths', async () => {
    put('ca.crt', authority.certificate);
    put('tls.crt', client.certificate);
    put('tls.key', client.key);
    const file = put(
      'files.yaml',
      config('certificate-authority: ca.crt', 'client-certificate: ./tls.crt, client-key: tls.key'),
    );
    const { tls } = await load(file);
    expect([String(tls?.ca), String(tls?.cert), String(tls?.key)]).toEqual([
      authority.certificate,
      client.certificate,
      client.key,
    ]);
  });

  it('names file, entry and field of what is damaged, and shows nothing of it', async () => {
    const damaged = (text: string): string => base64(text.replace(/\n[^\n]{20}/, '\nAAAAAAAAAAAAAAAAAAAA'));
    const user = (cert: string, key: string): string => `client-certificate-data: ${cert}, client-key-data: ${key}`;
    const [good, key] = [base64(client.certificate), base64(client.key)];
    const ca = (data: string): string => `certificate-authority-data: ${data}`;
    put('half.key', client.key.slice(0, 60));
    put('tls.crt', client.certificate);
    const cases: readonly [cluster: string, user: string, said: string][] = [
      ['', user(good, damaged(client.key)), 'user "u": client-key-data holds no private key that can be read'],
      ['', user(good, base64('')), 'user "u": a client certificate and its key must be given together'],
      ['', user(good, '"!!"'), 'user "u": client-key-data holds no private key that can be read'],
      ['', user(good, good), 'user "u": client-key-data holds no private key that can be read'],
      ['', user(good, '7'), 'user "u": client-key-data is no text'],
      ['', user(damaged(client.certificate), key), 'user "u": client-certificate-data holds no certificate'],
      ['', user(good, base64(another.key)), 'user "u": client-key-data is not the key of client-certificate-data'],
      [ca(base64('CA')), '', 'cluster "c": certificate-authority-data holds no certificate that can be read'],
      [ca(damaged(authority.certificate)), '', 'cluster "c": certificate-authority-data holds no certificate'],
      [
        '',
        'client-certificate: tls.crt, client-key: half.key',
        `user "u": client-key ${path('half.key')} holds no private key that can be read`,
      ],
    ];
    for (const [cluster, entry, said] of cases) {
      const file = put('damaged.yaml', config(cluster, entry));
      const error = await load(file).catch((cause: unknown) => cause as Error);
      expect(error).toMatchObject({
        code: 'EN_MACHINERY_KUBECONFIG',
        message: expect.stringContaining(`${file}: ${said}`) as string,
      });
    }
    const two = base64(`${authority.certificate}\n${client.certificate}`);
    expect((await load(put('two.yaml', config(ca(two), '')))).tls?.ca).toBeDefined();
  });

  it('shows nothing of a file that cannot be parsed', async () => {
    for (const text of [`{"users": [{"user": {"token": "s3cr3t" "x"}}]}`, `users:\n- user: {token: s3cr3t\n x: [`]) {
      const error: unknown = await load(put('unparsed', text)).catch((cause: unknown) => cause);
      const { message, stack = '', cause } = error as Error;
      expect(error).toMatchObject({ code: 'EN_MACHINERY_KUBECONFIG' });
      expect(message).toMatch(/unparsed is not valid (JSON|YAML) at /);
      expect(stack).not.toContain('s3cr3t');
      expect(cause).toBeUndefined();
    }
  });

  it.each([
    ['token: abc', 'Bearer abc'],
    ['username: ann, password: "p:w"', `Basic ${base64('ann:p:w')}`],
  ])('sends what the user has: %s', async (user, expected) => {
    const { credentials } = await load(put('simple.yaml', config('', user)));
    expect(await credentials?.get()).toEqual({ authorization: expected });
    expect(await credentials?.refresh()).toBe(false);
  });

  it('rereads a token file every minute, and at once when the server refuses the token', async () => {
    put('token', 'one\n');
    const { credentials } = await load(put('token-file.yaml', config('', 'tokenFile: token, token: inline')));
    expect(await credentials?.get()).toEqual({ authorization: 'Bearer one' });
    put('token', 'two');
    expect(await credentials?.get()).toEqual({ authorization: 'Bearer one' });
    await clock.advance(60_000);
    expect(await credentials?.get()).toEqual({ authorization: 'Bearer two' });
    put('token', 'three');
    expect([await credentials?.refresh(), await credentials?.refresh()]).toEqual([true, false]);
    expect(await credentials?.get()).toEqual({ authorization: 'Bearer three' });
    rmSync(path('token'));
    await clock.advance(60_000);
    expect(await credentials?.get()).toEqual({ authorization: 'Bearer three' });
  });

  it('knows impersonation', async () => {
    const user = 'token: t, as: ann, as-uid: "7", as-groups: [a, b], as-user-extra: {team: [x]}';
    const { impersonate } = await load(put('as.yaml', config('', user)));
    expect(impersonate).toEqual({ user: 'ann', uid: '7', groups: ['a', 'b'], extra: { team: ['x'] } });
  });

  it('reads JSON without further ado', async () => {
    const json = {
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: '' } }],
      clusters: [{ name: 'c', cluster: { server: 'http://localhost:1', 'insecure-skip-tls-verify': true } }],
    };
    expect(await load(put('config.json', JSON.stringify(json)))).toEqual({
      server: 'http://localhost:1',
      tls: { insecureSkipVerify: true },
    });
  });

  it('merges the files of KUBECONFIG: the first to name something decides', async () => {
    const first = put(
      'first.yaml',
      'contexts: [{name: one, context: {cluster: a, user: ""}}]\nclusters: [{name: a, cluster: {server: "https://first.test"}}]',
    );
    const second = put(
      'second.yaml',
      'current-context: two\ncontexts: [{name: two, context: {cluster: b, user: ""}}]\nclusters: [{name: a, cluster: {server: "https://late.test"}}, {name: b, cluster: {server: "https://second.test"}}]',
    );
    const env = { KUBECONFIG: [first, path('missing.yaml'), second].join(delimiter) };
    expect((await loadKubeconfig({ clock, env })).server).toBe('https://second.test');
    expect((await loadKubeconfig({ clock, env, context: 'one' })).server).toBe('https://first.test');
    expect((await loadKubeconfig({ clock, env, cluster: 'a' })).server).toBe('https://first.test');
  });

  it('finds the file at home when nothing is said', async () => {
    await expect(loadKubeconfig({ clock, env: { HOME: path('nowhere') } })).rejects.toMatchObject({
      code: 'EN_MACHINERY_KUBECONFIG',
      message: `no cluster is configured: ${path('nowhere/.kube/config')} is missing or empty`,
    });
  });

  it.each([
    [
      'a context that is not there',
      config('', ''),
      { context: 'nope' },
      'context "nope" does not exist; there is "main"',
    ],
    ['a user that is not there', config('', ''), { user: 'nope' }, 'user "nope" does not exist'],
    ['a cluster that is not there', config('', ''), { cluster: 'nope' }, 'cluster "nope" does not exist'],
    [
      'a certificate without its key',
      config('', `client-certificate-data: ${base64('C')}`),
      {},
      'must be given together',
    ],
    [
      'a CA that is not to be used',
      config(`insecure-skip-tls-verify: true, certificate-authority-data: ${base64('C')}`, ''),
      {},
      'exclude each other',
    ],
    ['groups without a user', config('', 'as-groups: [a]'), {}, 'needs a user to impersonate'],
    ['a file that is not there', config('certificate-authority: nope.crt', ''), {}, 'cannot read'],
    ['broken YAML', 'a: [b', {}, 'not valid YAML'],
    ['a list', '- a', {}, 'is not a kubeconfig'],
    ['another kind', 'kind: Pod', {}, 'not a Config'],
    ['an entry without a name', 'clusters: [{cluster: {}}]', {}, 'has no name'],
  ])('names what is wrong: %s', async (_what, text, options, message) => {
    const error = await load(put('wrong.yaml', text), options).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'EN_MACHINERY_KUBECONFIG', message: expect.stringContaining(message) });
  });

  it('refuses an explicit file that does not exist', async () => {
    await expect(load(path('missing.yaml'))).rejects.toMatchObject({ code: 'EN_MACHINERY_KUBECONFIG' });
  });
});

describe('credential plugins', () => {
  const plugin = (name: string, body: string): string => put(name, `#!/bin/sh\n${body}\n`);
  const credential = (status: string): string =>
    `{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":${status}}`;
  const exec = (command: string, more = ''): string =>
    config(
      'tls-server-name: other.test',
      `exec: {apiVersion: client.authentication.k8s.io/v1, command: ${command}, interactiveMode: Never ${more}}`,
    );

  it('are run beside the kubeconfig, told of the cluster, and asked again only when the token has expired', async () => {
    const counter = path('runs');
    const answer = credential('{"token":"$A-$1","expirationTimestamp":"2026-01-01T01:00:00Z"}');
    const info = 'echo "$KUBERNETES_EXEC_INFO"';
    plugin('plugin', `echo run >> ${counter}\n${info} > ${path('info')}\ncat <<END\n${answer}\nEND`);
    const virtual = createVirtualClock(Date.UTC(2026, 0, 1));
    const file = put(
      'exec.yaml',
      exec('./plugin', ', args: [arg], env: [{name: A, value: env}], provideClusterInfo: true'),
    );
    const { credentials } = await loadKubeconfig({
      clock: virtual,
      path: file,
      env: { PATH: process.env['PATH'] ?? '' },
    });
    const both = await Promise.all([credentials?.get(), credentials?.get()]);
    expect(both).toEqual([{ authorization: 'Bearer env-arg' }, { authorization: 'Bearer env-arg' }]);
    await credentials?.get();
    expect(readFileSync(counter, 'utf8')).toBe('run\n');
    expect(JSON.parse(readFileSync(path('info'), 'utf8'))).toEqual({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: 'https://api.test:6443', 'tls-server-name': 'other.test' } },
    });
    await virtual.advance(3_600_000);
    await credentials?.get();
    expect(await credentials?.refresh()).toBe(true);
    expect(readFileSync(counter, 'utf8')).toBe('run\nrun\nrun\n');
  });

  it('may give a certificate', async () => {
    plugin('certs', `echo '${credential('{"clientCertificateData":"CERT","clientKeyData":"KEY"}')}'`);
    const { credentials } = await load(put('exec-certs.yaml', exec('./certs')));
    expect(await credentials?.get()).toEqual({ cert: 'CERT', key: 'KEY' });
  });

  it.each([
    ['that is not installed', './not-there', '', 'could not be run'],
    ['that fails', './failing', 'exit 3', 'exit code 3'],
    ['that prints something else', './chatty', 'echo hello', 'did not print an ExecCredential'],
    ['that says nothing', './empty', `echo '${credential('{}')}'`, 'neither a token nor'],
    [
      'of another version',
      './old',
      `echo '{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential","status":{"token":"t"}}'`,
      'not as client.authentication',
    ],
    ['that never stops talking', './flood', 'yes 2> /dev/null', 'far more than a credential'],
  ])('name what is wrong: one %s', async (_what, command, body, message) => {
    if (body !== '') plugin(command.slice(2), body);
    const { credentials } = await load(put('exec-wrong.yaml', exec(command)));
    const error = await credentials?.get().catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'EN_MACHINERY_CREDENTIALS', message: expect.stringContaining(message) });
  });
});

describe('auth providers', () => {
  it('are asked at the first request', async () => {
    const provider = 'auth-provider: {name: oidc, config: {id-token: "", idp-issuer-url: ""}}';
    const { credentials } = await load(put('oidc.yaml', config('', provider)));
    await expect(credentials?.get()).rejects.toMatchObject({
      code: 'EN_MACHINERY_CREDENTIALS',
      message: expect.stringContaining('auth provider oidc'),
    });
  });
});

describe('in-cluster configuration', () => {
  const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };

  it('takes address, token, CA and namespace from the pod', async () => {
    const pod = mkdtempSync(join(directory, 'pod-'));
    writeFileSync(join(pod, 'token'), 'tok');
    writeFileSync(join(pod, 'ca.crt'), 'CA');
    writeFileSync(join(pod, 'namespace'), 'team\n');
    const rest = await loadInClusterConfig({ clock, env, directory: pod });
    expect(rest).toMatchObject({ server: 'https://10.0.0.1:443', tls: { ca: Buffer.from('CA') }, namespace: 'team' });
    expect(await rest.credentials?.get()).toEqual({ authorization: 'Bearer tok' });
    const six = await loadInClusterConfig({
      clock,
      env: { ...env, KUBERNETES_SERVICE_HOST: 'fd00::1' },
      directory: pod,
    });
    expect(six.server).toBe('https://[fd00::1]:443');
  });

  it('is used in a pod unless a kubeconfig was named', async () => {
    const file = put('named.yaml', config('', ''));
    expect((await loadRestConfig({ clock, env, path: file })).server).toBe('https://api.test:6443');
    expect((await loadRestConfig({ clock, env: { ...env, KUBECONFIG: file } })).server).toBe('https://api.test:6443');
    // No service account is mounted here, which shows that it was looked for.
    await expect(loadRestConfig({ clock, env })).rejects.toMatchObject({ code: 'EN_MACHINERY_CREDENTIALS' });
  });

  it('says that this is not a pod, or that the pod has no token', async () => {
    expect([isInCluster({}), isInCluster(env)]).toEqual([false, true]);
    await expect(loadInClusterConfig({ clock, env: {} })).rejects.toMatchObject({
      code: 'EN_MACHINERY_NOT_IN_CLUSTER',
    });
    await expect(loadInClusterConfig({ clock, env, directory: path('no-pod') })).rejects.toMatchObject({
      code: 'EN_MACHINERY_CREDENTIALS',
    });
  });
});
