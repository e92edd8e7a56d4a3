/** Access as people meet it: roles, tokens, certificates and acting as others, through the oldest and the newest kubectl. */
import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createCertificateRequest } from '../../../src/machinery/certificates/certificate-requests.ts';
import { kubectlSuite } from '../../support/kubectl-suite.ts';

const HAS_WHOAMI = 28;
const HAS_TOKENS = 24;

kubectlSuite(
  'access',
  (session) => {
    const { fails, file, minor, namespace, ok, run } = session;
    const robot = `system:serviceaccount:${namespace}:robot`;
    /** A kubeconfig of somebody else for the same cluster. */
    const kubeconfig = (name: string, user: object): string =>
      `--kubeconfig=${file(
        `${name}.kubeconfig`,
        stringify({
          apiVersion: 'v1',
          kind: 'Config',
          clusters: [{ name, cluster: { server: session.cluster.server, 'insecure-skip-tls-verify': true } }],
          users: [{ name, user }],
          contexts: [{ name, context: { cluster: name, user: name } }],
          'current-context': name,
        }),
      )}`;

    beforeAll(async () => {
      await ok(['create', 'serviceaccount', 'robot']);
    });

    it('lists what one may do', async () => {
      const mine = await ok(['auth', 'can-i', '--list']);
      expect(mine).toMatch(/^\*\.\* +\[\] +\[\] +\[\*\]$/m);
      const theirs = await ok(['auth', 'can-i', '--list', `--as=${robot}`]);
      expect(theirs).toMatch(/^selfsubjectaccessreviews\.authorization\.k8s\.io +\[\] +\[\] +\[create\]$/m);
      expect(theirs).toMatch(/^ +\[\/api\/\*\] +\[\] +\[get\]$/m);
      expect(theirs).not.toMatch(/^pods/m);
    });

    it('answers yes and no, for others too', async () => {
      expect((await ok(['auth', 'can-i', 'delete', 'nodes'])).trim()).toBe('yes');
      const { code, stdout } = await run(['auth', 'can-i', 'get', 'secrets', `--as=${robot}`]);
      expect([code, stdout.trim()]).toEqual([1, 'no']);
      expect((await ok(['auth', 'can-i', 'get', '/version', '--as=jane'])).trim()).toBe('yes');
    });

    it('binds roles, which then hold in the namespace alone', async () => {
      expect(await fails(['get', 'configmaps', `--as=${robot}`])).toBe(
        `Error from server (Forbidden): configmaps is forbidden: User "${robot}" cannot list resource "configmaps" in API group "" in the namespace "${namespace}"`,
      );
      await ok(['create', 'rolebinding', 'robot', '--clusterrole=view', `--serviceaccount=${namespace}:robot`]);
      expect(await ok(['get', 'configmaps', `--as=${robot}`])).toContain('kube-root-ca.crt');
      expect(await fails(['get', 'secrets', `--as=${robot}`])).toContain('cannot list resource "secrets"');
      expect(await fails(['get', 'configmaps', '--all-namespaces', `--as=${robot}`])).toContain('at the cluster scope');
      expect(await ok(['get', 'namespace', namespace, '-o', 'name', `--as=${robot}`])).toBe(`namespace/${namespace}\n`);
    });

    it('refuses to grant more than one has', async () => {
      await ok(['create', 'role', 'writer', '--verb=create,update,get', '--resource=roles,rolebindings']);
      await ok(['create', 'rolebinding', 'writer', '--role=writer', '--user=jane']);
      const as = ['--as=jane', '--as-group=devs'];
      const role = await fails(['create', 'role', 'more', '--verb=get,list', '--resource=secrets', ...as]);
      expect(role).toContain(
        'user "jane" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
      );
      expect(await fails(['create', 'rolebinding', 'more', '--clusterrole=admin', '--user=jane', ...as])).toContain(
        'is attempting to grant RBAC permissions not currently held',
      );
      await ok(['create', 'role', 'same', '--verb=get', '--resource=roles', ...as]);
    });

    it.skipIf(minor < HAS_WHOAMI)('tells one who one is', async () => {
      const text = await ok(['auth', 'whoami']);
      expect(text).toMatch(/^Username +kubernetes-admin$/m);
      expect(text).toMatch(/^Groups +\[system:masters system:authenticated\]$/m);
      const other = await ok(['auth', 'whoami', '--as=jane', '--as-group=devs', '--as-uid=7', '-o', 'json']);
      expect(JSON.parse(other)).toMatchObject({
        status: { userInfo: { username: 'jane', uid: '7', groups: ['devs', 'system:authenticated'] } },
      });
    });

    it.skipIf(minor < HAS_TOKENS)('gives out tokens, which are good until their account is gone', async () => {
      await ok(['create', 'serviceaccount', 'short']);
      const token = (await ok(['create', 'token', 'short', '--duration=20m'])).trim();
      const as = kubeconfig('short', { token });
      const denied = await fails(['get', 'pods', as]);
      expect(denied).toContain(`User "system:serviceaccount:${namespace}:short" cannot list resource "pods"`);
      expect(await ok(['get', '--raw', '/openid/v1/jwks', as])).toContain('"alg":"ES256"');
      expect(await ok(['get', '--raw', '/.well-known/openid-configuration', as])).toContain('"issuer"');
      const audience = (await ok(['create', 'token', 'short', '--audience=vault'])).trim();
      expect(await fails(['get', 'pods', kubeconfig('audience', { token: audience })])).toContain('Unauthorized');
      await ok(['delete', 'serviceaccount', 'short']);
      expect(await fails(['get', 'pods', as])).toContain('Unauthorized');
      expect(await fails(['create', 'token', 'short'])).toContain('serviceaccounts "short" not found');
      expect(await fails(['create', 'token', 'robot', '--duration=1m'])).toContain(
        'spec.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes',
      );
    });

    it.skipIf(minor < HAS_TOKENS)('binds a token to a pod', async () => {
      await ok(['run', 'bound', '--image=nginx', '--overrides={"spec":{"serviceAccountName":"robot"}}']);
      const bind = ['create', 'token', 'robot', '--bound-object-kind=Pod', '--bound-object-name=bound'];
      const as = kubeconfig('bound', { token: (await ok(bind)).trim() });
      expect(await ok(['get', 'pod', 'bound', '-o', 'name', as])).toBe('pod/bound\n');
      await ok(['delete', 'pod', 'bound', '--now', '--wait=true']);
      expect(await fails(['get', 'pods', as])).toContain('Unauthorized');
    });

    it('refuses tokens that are none', async () => {
      for (const token of ['garbage', 'a.b.c', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJyb290In0.']) {
        const complaint = await fails(['get', 'pods', kubeconfig('bad', { token })]);
        expect(complaint).toMatch(/Unauthorized|must be logged in/);
        expect(complaint).not.toContain(token);
      }
    });

    it('approves certificates, with which their owners come in', async () => {
      const { key, request } = await createCertificateRequest({
        commonName: `jane-${namespace}`,
        organizations: ['devs'],
      });
      const name = `jane-${namespace}`;
      const asked = {
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name },
        spec: {
          request: Buffer.from(request).toString('base64'),
          signerName: 'kubernetes.io/kube-apiserver-client',
          usages: ['client auth'],
        },
      };
      await ok(['create', '--validate=false', '-f', file('csr.json', asked)]);
      expect(await ok(['get', 'csr', name])).toMatch(/ Pending$/m);
      await ok(['certificate', 'approve', name]);
      let certificate = '';
      for (let look = 0; certificate === '' && look < 50; look++) {
        certificate = await ok(['get', 'csr', name, '-o', 'jsonpath={.status.certificate}']);
      }
      expect(await ok(['get', 'csr', name])).toMatch(/ Approved,Issued$/m);
      const as = kubeconfig('jane', {
        'client-certificate-data': certificate,
        'client-key-data': Buffer.from(key).toString('base64'),
      });
      expect(await fails(['get', 'pods', as])).toContain(`User "${name}" cannot list resource "pods"`);
      await ok(['create', 'rolebinding', 'devs', '--clusterrole=view', '--group=devs']);
      await ok(['get', 'pods', as]);
      expect(readFileSync(session.cluster.kubeconfigFile, 'utf8')).not.toContain(certificate);
    });

    it('denies certificates', async () => {
      const { request } = await createCertificateRequest({ commonName: 'bob' });
      const name = `bob-${namespace}`;
      const spec = {
        request: Buffer.from(request).toString('base64'),
        signerName: 'kubernetes.io/kube-apiserver-client',
        usages: ['client auth'],
      };
      const asked = {
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name },
        spec,
      };
      await ok(['create', '--validate=false', '-f', file('denied.json', asked)]);
      await ok(['certificate', 'deny', name]);
      expect(await ok(['get', 'csr', name])).toMatch(/ Denied$/m);
    });
  },
  { groups: [{ name: 'n', count: 1 }] },
);
