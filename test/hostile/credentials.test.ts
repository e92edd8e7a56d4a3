/** Without the right credentials there is nothing to read but health and version. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRegistry } from '../../src/core/api/registry/registry.ts';
import { createAuthority, issueCertificate, type KeyPair } from '../../src/machinery/certificates/certificates.ts';
import { expectFailure, get, openHouse, post, type House } from './support/house.ts';
import { askHttp1, openHttp2, type Credentials } from './support/wire-client.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'everynode-credentials-'));
let house: House & { close(): Promise<void> };
let authority: KeyPair;
beforeAll(async () => {
  house = await openHouse({ dataDir });
  const file = (name: string): string => readFileSync(join(dataDir, 'pki', name), 'utf8');
  authority = { certificate: file('ca.crt'), key: file('ca.key') };
}, 60_000);
afterAll(async () => {
  await house.close();
  rmSync(dataDir, { recursive: true, force: true });
}, 60_000);

const DAY = 86_400_000;
const admin = { commonName: 'kubernetes-admin', organizations: ['system:masters'] };
const as = (pair: KeyPair): Credentials => ({ ca: authority.certificate, cert: pair.certificate, key: pair.key });

describe('without credentials', () => {
  it('health and version can be read, and nothing else', async () => {
    for (const path of ['/healthz', '/livez', '/readyz', '/version']) {
      expect([path, (await house.askAnonymously(get(path))).status]).toEqual([path, 200]);
    }
    const paths = createRegistry()
      .all()
      .flatMap(({ group, version, resource, namespaced }) => {
        const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
        const collection = namespaced ? `${root}/namespaces/default/${resource}` : `${root}/${resource}`;
        return [
          `${root}/${resource}`,
          collection,
          `${collection}/x`,
          `${collection}/x/status`,
          `${collection}?watch=1`,
          `${root}/watch/${resource}`,
        ];
      });
    const meta = [
      '/',
      '/api',
      '/apis',
      '/api/v1',
      '/apis/apps',
      '/apis/apps/v1',
      '/openapi/v2',
      '/openapi/v3',
      '/metrics',
      '/nothing',
      '/tenants/x/api/v1/pods',
      '/healthz/ping',
      '/livez/x',
      '/version/x',
      '/.well-known/x',
    ];
    const logs = [
      '/api/v1/namespaces/default/pods/pod/log',
      '/api/v1/namespaces/default/pods/pod/exec?command=ls',
      '/api/v1/namespaces/default/pods/pod/proxy/x',
      '/api/v1/nodes/x/proxy/logs',
    ];
    await house.unharmed(async () => {
      const all = [...new Set([...paths, ...meta, ...logs])];
      const answers = await Promise.all(all.map((path) => house.askAnonymously(get(path))));
      for (const [i, answer] of answers.entries()) {
        const status = expectFailure(answer);
        expect([all[i], status.code, status.reason, status.message]).toEqual([
          all[i],
          403,
          'Forbidden',
          expect.stringContaining('User "system:anonymous" cannot'),
        ]);
      }
    });
  });

  it('nothing can be written, and no body is even read', async () => {
    await house.unharmed(async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const status = expectFailure(
          await house.askAnonymously({
            ...post('this is not JSON', 'no/type', '/api/v1/namespaces/default/secrets/secret'),
            method,
          }),
        );
        expect([method, status.code]).toEqual([method, 403]);
      }
      const review = await house.askAnonymously(
        post(
          '{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":{}}',
          'application/json',
          '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        ),
      );
      expect(review.status).toBe(403);
    });
  });
});

describe('wrong credentials', () => {
  it('as bearer tokens are a 401, also beside a good certificate, and show nothing', async () => {
    const tokens = [
      'Bearer x',
      'bearer',
      'Basic YWRtaW46YWRtaW4=',
      'Bearer a b',
      'Bearer __proto__',
      `Bearer ${'x'.repeat(10_000)}`,
      'Digest x',
      'Bearer null',
      'x',
    ];
    await house.unharmed(async () => {
      for (const authorization of tokens) {
        for (const path of ['/version', '/api/v1/secrets', '/nothing']) {
          for (const answer of [
            await house.askAnonymously(get(path, { authorization })),
            await house.ask(get(path, { authorization })),
            await askHttp1(house.cluster.server, house.admin, get(path, { authorization })),
          ]) {
            const status = expectFailure(answer);
            expect([authorization, status.code, status.reason, status.message]).toEqual([
              authorization,
              401,
              'Unauthorized',
              'Unauthorized',
            ]);
          }
        }
      }
    });
  });

  it.each([
    [
      'of another authority with our name',
      async () =>
        issueCertificate(await createAuthority('everynode', Date.now()), Date.now(), {
          subject: admin,
          usage: 'client',
        }),
    ],
    ['signed by itself', async () => createAuthority('kubernetes-admin', Date.now())],
    [
      'expired',
      async () => issueCertificate(authority, Date.now() - 400 * DAY, { subject: admin, usage: 'client', days: 1 }),
    ],
    [
      'not yet good',
      async () => issueCertificate(authority, Date.now() + 10 * DAY, { subject: admin, usage: 'client' }),
    ],
    ['of a server', async () => issueCertificate(authority, Date.now(), { subject: admin, usage: 'server' })],
  ] as const)('as certificates are worth nothing: %s', async (_, make) => {
    const credentials = as(await make());
    await house.unharmed(async () => {
      const client = openHttp2(house.cluster.server, credentials);
      const outcome = await client.ask(get('/api/v1/namespaces/default/secrets/secret')).then(
        (answer) => answer.status,
        () => 'refused',
      );
      expect([401, 403, 'refused']).toContain(outcome);
      client.close();
      const http1 = await askHttp1(house.cluster.server, credentials, get('/api/v1/secrets')).then(
        (answer) => answer.status,
        () => 'refused',
      );
      expect([401, 403, 'refused']).toContain(http1);
    });
  });

  it('of a user who may do nothing let them do nothing', async () => {
    const nobodySpecial = as(
      await issueCertificate(authority, Date.now(), {
        subject: {
          commonName: 'jane\r\nx: y',
          organizations: ['system:masters\u0000', 'system:masters,', 'System:Masters'],
        },
        usage: 'client',
      }),
    );
    const client = openHttp2(house.cluster.server, nobodySpecial);
    const status = expectFailure(await house.unharmed(() => client.ask(get('/api/v1/secrets'))));
    expect(status.code).toBe(403);
    client.close();
  });

  it('cannot be lent: impersonation by those who may not', async () => {
    const jane = as(
      await issueCertificate(authority, Date.now(), { subject: { commonName: 'jane' }, usage: 'client' }),
    );
    await house.unharmed(async () => {
      for (const headers of [
        { 'impersonate-user': 'kubernetes-admin' },
        { 'impersonate-group': 'system:masters' },
        { 'impersonate-user': 'x', 'impersonate-group': 'system:masters' },
        { 'impersonate-extra-scopes': 'x' },
        { 'impersonate-uid': 'x' },
      ]) {
        const client = openHttp2(house.cluster.server, jane);
        const status = expectFailure(await client.ask(get('/api/v1/secrets', headers)));
        expect([400, 403, 500]).toContain(status.code);
        expect(status.code).not.toBe(200);
        client.close();
        expect((await house.askAnonymously(get('/api/v1/secrets', headers))).status).toBeGreaterThanOrEqual(400);
      }
    });
  });
});
