/** Signing requests from the one who asks to the one who signs, and the other house-keepers of access. */
import { X509Certificate } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createInProcessClient } from '../../src/apiserver/inprocess/in-process-client.ts';
import { createTestServer, type TestServer } from '../../src/apiserver/testing/test-server.ts';
import { createControllerClient } from '../../src/apiserver/inprocess/controller-identity.ts';
import { certificateUser } from '../../src/apiserver/contract/users.ts';
import { ACCESS_CONTROLLERS } from '../../src/assembly/catalogue/access.ts';
import { createControllers, selectControllers } from '../../src/assembly/catalogue/select.ts';
import { issueUserCertificate } from '../../src/assembly/user-certificate.ts';
import {
  CERTIFICATE_SIGNING_REQUESTS,
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  NAMESPACES,
} from '../../src/core/api/registry/resources.ts';
import type { CertificateSigningRequest } from '../../src/core/api/types/certificates-v1.ts';
import type { PolicyRule } from '../../src/core/api/types/rbac-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import { StatusError } from '../../src/core/kube/status-error.ts';
import { createCertificateRequest } from '../../src/machinery/certificates/certificate-requests.ts';
import { createAuthority, type KeyPair } from '../../src/machinery/certificates/certificates.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { createInformers } from '../../src/machinery/cache/informers.ts';
import { realRandom } from '../../src/machinery/random/real-random.ts';
import { attribute, forgeRequest, nameOf, TAG } from '../../src/machinery/testing/forged-certificates.ts';
import { createVirtualClock, type VirtualClock } from '../../src/machinery/time/virtual-clock.ts';

const NOW = Date.UTC(2026, 0, 1);
const API = 'rbac.authorization.k8s.io';
let authority: KeyPair;
beforeAll(async () => {
  authority = await createAuthority('test', NOW);
});

interface House extends TestServer {
  readonly clock: VirtualClock;
  /** Lets everything settle: timers of now, and what real work (keys) they began. */
  settle(): Promise<void>;
}

let stop: (() => Promise<void>) | undefined;
afterEach(async () => {
  await stop?.();
  stop = undefined;
});

async function house(): Promise<House> {
  const clock = createVirtualClock(NOW);
  const server = await createTestServer({ clock, defaultRoles: true });
  const informers = createInformers(server.client, { clock, random: realRandom });
  const around = { client: server.client, informers, clock, random: realRandom };
  const stopping = new AbortController();
  const clientOf = (account: string) => createControllerClient(server.server, account);
  const parts = { ...around, authority, clientOf, registry: server.server.registry, held: [] };
  const controllers = selectControllers('embedded', ['*'], ACCESS_CONTROLLERS);
  const actors = [informers, ...createControllers(controllers, parts)];
  const runs = actors.map((actor) => actor.start(stopping.signal));
  stop = async () => {
    stopping.abort();
    await clock.drain();
    await Promise.all(runs);
  };
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 20; round++) {
      await clock.drain();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  await settle();
  return { ...server, clock, settle };
}

const request = async (
  name: string,
  subject: Parameters<typeof createCertificateRequest>[0],
  spec: Partial<CertificateSigningRequest['spec']> = {},
): Promise<CertificateSigningRequest> => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name },
  spec: {
    request: Buffer.from((await createCertificateRequest(subject)).request).toString('base64'),
    signerName: 'kubernetes.io/kube-apiserver-client',
    usages: ['client auth', 'digital signature'],
    ...spec,
  },
});
const condition = (type: string) => ({ type, status: 'True', reason: 'Test', message: '' });
const decide = (client: Client, made: CertificateSigningRequest, type: string) =>
  client.update(
    CERTIFICATE_SIGNING_REQUESTS,
    { ...made, status: { ...made.status, conditions: [condition(type)] } },
    { subresource: 'approval' },
  );
const get = (client: Client, name: string) => client.get(CERTIFICATE_SIGNING_REQUESTS, { name });

async function refusal(attempt: Promise<unknown>): Promise<string> {
  const error: unknown = await attempt.then(
    () => new Error('expected a refusal'),
    (reason: unknown) => reason,
  );
  if (error instanceof StatusError) return `${error.code} ${error.message}`;
  throw error;
}

/** A user with these rules, everywhere. */
async function userWith({ client, server }: House, name: string, ...rules: PolicyRule[]): Promise<Client> {
  const metadata = { name };
  await client.create(CLUSTER_ROLES, { apiVersion: `${API}/v1`, kind: 'ClusterRole', metadata, rules });
  await client.create(CLUSTER_ROLE_BINDINGS, {
    apiVersion: `${API}/v1`,
    kind: 'ClusterRoleBinding',
    metadata,
    roleRef: { apiGroup: API, kind: 'ClusterRole', name },
    subjects: [{ apiGroup: API, kind: 'User', name }],
  });
  return createInProcessClient(server, { user: certificateUser(name, ['devs']) });
}
const csrs = (verbs: string, ...resources: string[]): PolicyRule => ({
  verbs: verbs.split(','),
  apiGroups: ['certificates.k8s.io'],
  resources,
});

describe('a signing request', () => {
  it('is in the name of the one who makes it, whatever it says', async () => {
    const world = await house();
    const jane = await userWith(world, 'jane', csrs('create,get', 'certificatesigningrequests'));
    const claimed = { username: 'root', uid: '0', groups: ['system:masters'], extra: { a: ['b'] } };
    const made = await jane.create(CERTIFICATE_SIGNING_REQUESTS, await request('r', { commonName: 'jane' }, claimed));
    expect(made.spec).toMatchObject({ username: 'jane', groups: ['devs', 'system:authenticated'] });
    expect([made.spec.uid, made.spec.extra, made.status]).toEqual([undefined, undefined, undefined]);
  });

  it('that is none, or whose key somebody else holds, is refused', async () => {
    const { client } = await house();
    const good = await request('r', { commonName: 'jane' });
    const der = Buffer.from(
      Buffer.from(good.spec.request, 'base64')
        .toString()
        .replaceAll(/-----[^-]+-----|\s/g, ''),
      'base64',
    );
    der.write('root', der.indexOf('jane'));
    const forged = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
    const bad = (text: string) => ({ ...good, spec: { ...good.spec, request: Buffer.from(text).toString('base64') } });
    const attempt = (text: string) => refusal(client.create(CERTIFICATE_SIGNING_REQUESTS, bad(text)));
    expect(await attempt('x')).toContain(
      '422 CertificateSigningRequest.certificates.k8s.io "r" is invalid: spec.request:',
    );
    expect(await attempt(forged)).toContain('does not match its key');
  });

  it('makes nobody a master', async () => {
    const { client } = await house();
    const masters = await request('r', { commonName: 'x', organizations: ['devs', 'system:masters'] });
    expect(await refusal(client.create(CERTIFICATE_SIGNING_REQUESTS, masters))).toBe(
      '403 certificatesigningrequests.certificates.k8s.io "r" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
    );
  });

  it('is signed once it is approved, for as long as was asked', async () => {
    const { client, settle } = await house();
    const subject = { commonName: 'jane', organizations: ['devs'] };
    const made = await client.create(
      CERTIFICATE_SIGNING_REQUESTS,
      await request('r', subject, { expirationSeconds: 86_400 }),
    );
    await settle();
    expect((await get(client, 'r')).status).toBeUndefined();
    const approved = await decide(client, made, 'Approved');
    expect(approved.status?.conditions?.[0]).toMatchObject({
      lastUpdateTime: '2026-01-01T00:00:00Z',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    });
    await settle();
    const { status } = await get(client, 'r');
    const certificate = new X509Certificate(Buffer.from(status?.certificate ?? '', 'base64'));
    expect(certificate.subject).toBe('O=devs\nCN=jane');
    expect(Date.parse(certificate.validTo) - NOW).toBe(86_400_000 - 300_000);
    expect(certificate.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
  });

  it('that is denied, or for another signer, is never signed; one that is wrong is told so', async () => {
    const { client, settle } = await house();
    const create = async (name: string, spec = {}) =>
      client.create(CERTIFICATE_SIGNING_REQUESTS, await request(name, { commonName: 'x' }, spec));
    await decide(client, await create('denied'), 'Denied');
    await decide(client, await create('theirs', { signerName: 'example.com/theirs' }), 'Approved');
    await decide(client, await create('server', { usages: ['server auth'] }), 'Approved');
    await decide(client, await create('kubelet', { signerName: 'kubernetes.io/kubelet-serving' }), 'Approved');
    await settle();
    for (const name of ['denied', 'theirs', 'server', 'kubelet']) {
      expect((await get(client, name)).status?.certificate).toBeUndefined();
    }
    const failed = async (name: string) => (await get(client, name)).status?.conditions?.at(-1);
    expect(await failed('server')).toMatchObject({
      type: 'Failed',
      message: 'invalid usage for client certificate: server auth',
    });
    expect(await failed('kubelet')).toMatchObject({
      type: 'Failed',
      message: 'subject organization is not system:nodes',
    });
  });

  it.each([
    [
      'an organisation that is a time',
      nameOf([attribute('organization', TAG.utcTime, '260101000000Z')], [attribute('commonName', TAG.utf8, 'x')]),
      /^the organization \(O\) of the subject has the ASN.1 tag 23, which is no text/,
    ],
    [
      'masters',
      nameOf([attribute('organization', TAG.utf8, 'system:masters')], [attribute('commonName', TAG.utf8, 'x')]),
      /^use of kubernetes.io\/kube-apiserver-client signer with system:masters group is not allowed$/,
    ],
  ])('with %s fails at its end, also where it came past admission', async (_, subject, message) => {
    const { client, settle, store } = await house();
    const made = await client.create(CERTIFICATE_SIGNING_REQUESTS, await request('r', { commonName: 'x' }));
    const forged = Buffer.from(forgeRequest({ subject })).toString('base64');
    const refused = { ...made, metadata: { name: 'again' }, spec: { ...made.spec, request: forged } };
    expect(await refusal(client.create(CERTIFICATE_SIGNING_REQUESTS, refused))).toMatch(/^4(03|22) /);
    // As a store holds it that was filled by an older server.
    const key = { tenant: 'system', group: 'certificates.k8s.io', resource: 'certificatesigningrequests' };
    await store.write({ ...key, namespace: '', name: 'r' }, (accepted) => {
      const { resourceVersion: _version, ...metadata } = accepted?.metadata ?? made.metadata;
      return { put: { ...made, metadata, spec: { ...made.spec, request: forged } } as unknown as Stored };
    });
    await decide(client, await get(client, 'r'), 'Approved');
    await settle();
    const ended = await get(client, 'r');
    expect(ended.status?.certificate).toBeUndefined();
    expect(ended.status?.conditions?.at(-1)).toMatchObject({
      type: 'Failed',
      status: 'True',
      reason: 'SignerValidationFailure',
      message: expect.stringMatching(message) as string,
    });
    await settle();
    expect((await get(client, 'r')).metadata.resourceVersion).toBe(ended.metadata.resourceVersion);
  });

  it('is approved and signed only by those who may for its signer', async () => {
    const world = await house();
    const { client } = world;
    const write = csrs('get,update', 'certificatesigningrequests/approval', 'certificatesigningrequests/status');
    const made = await client.create(
      CERTIFICATE_SIGNING_REQUESTS,
      await request('r', { commonName: 'x' }, { signerName: 'example.com/s' }),
    );
    const nobody = await userWith(world, 'nobody', write);
    expect(await refusal(decide(nobody, made, 'Approved'))).toBe(
      '403 certificatesigningrequests.certificates.k8s.io "r" is forbidden: user not permitted to approve requests with signerName "example.com/s"',
    );
    const other = { ...csrs('approve', 'signers'), resourceNames: ['example.com/other'] };
    expect(await refusal(decide(await userWith(world, 'other', write, other), made, 'Denied'))).toContain(
      'not permitted',
    );
    const domain = { ...csrs('approve', 'signers'), resourceNames: ['example.com/*'] };
    const approved = await decide(await userWith(world, 'approver', write, domain), made, 'Approved');
    const certificate = Buffer.from(authority.certificate).toString('base64');
    const signed = { ...approved, status: { ...approved.status, certificate } };
    const approver = createInProcessClient(world.server, { user: certificateUser('approver', []) });
    expect(await refusal(approver.update(CERTIFICATE_SIGNING_REQUESTS, signed, { subresource: 'status' }))).toContain(
      'user not permitted to sign requests with signerName "example.com/s"',
    );
    const sign = { ...csrs('sign', 'signers'), resourceNames: ['example.com/s'] };
    const signer = await userWith(world, 'signer', write, sign);
    await signer.update(CERTIFICATE_SIGNING_REQUESTS, signed, { subresource: 'status' });
  });

  it('of a kubelet is approved by itself where that was granted', async () => {
    const world = await house();
    const { client, settle } = world;
    const spec = { signerName: 'kubernetes.io/kube-apiserver-client-kubelet' };
    const node = { commonName: 'system:node:n', organizations: ['system:nodes'] };
    const granted = await userWith(
      world,
      'joiner',
      csrs('create', 'certificatesigningrequests', 'certificatesigningrequests/nodeclient'),
    );
    const plain = await userWith(world, 'plain', csrs('create', 'certificatesigningrequests'));
    await granted.create(CERTIFICATE_SIGNING_REQUESTS, await request('yes', node, spec));
    await granted.create(CERTIFICATE_SIGNING_REQUESTS, await request('odd', { commonName: 'system:node:n' }, spec));
    await plain.create(CERTIFICATE_SIGNING_REQUESTS, await request('no', node, spec));
    await settle();
    expect((await get(client, 'yes')).status).toMatchObject({
      conditions: [{ type: 'Approved', reason: 'AutoApproved' }],
      certificate: expect.any(String) as string,
    });
    expect([(await get(client, 'no')).status, (await get(client, 'odd')).status]).toEqual([undefined, undefined]);
  });

  it('goes when it has had its day', async () => {
    const { client, clock, settle } = await house();
    const names = async () =>
      (await client.list(CERTIFICATE_SIGNING_REQUESTS)).items.map(({ metadata }) => metadata.name);
    for (const name of ['signed', 'denied', 'open']) {
      await client.create(CERTIFICATE_SIGNING_REQUESTS, await request(name, { commonName: 'x' }));
    }
    await decide(client, await get(client, 'signed'), 'Approved');
    await decide(client, await get(client, 'denied'), 'Denied');
    await settle();
    await clock.advance(3590_000);
    expect(await names()).toEqual(['denied', 'open', 'signed']);
    await clock.advance(20_000);
    await settle();
    expect(await names()).toEqual(['open']);
    await clock.advance(24 * 3600_000);
    await settle();
    expect(await names()).toEqual([]);
  });

  it('is all it takes to let a person in', async () => {
    const { client, clock, settle } = await house();
    let done = false;
    const issued = issueUserCertificate(client, { commonName: 'jane', organizations: ['devs'] }, 30, {
      clock,
      random: realRandom,
    });
    void issued.finally(() => (done = true));
    while (!done) {
      await settle();
      await clock.advance(100);
    }
    expect(new X509Certificate((await issued).certificate).subject).toBe('O=devs\nCN=jane');
  });
});

describe('the authority', () => {
  it('is known in every namespace, and put right where somebody changed it', async () => {
    const { client, settle } = await house();
    const read = async (namespace: string) =>
      (await client.get(CONFIG_MAPS, { namespace, name: 'kube-root-ca.crt' })).data;
    const right = { 'ca.crt': authority.certificate };
    expect(await read('kube-system')).toEqual(right);
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' }, spec: {} });
    await settle();
    expect(await read('shop')).toEqual(right);
    await client.patch(
      CONFIG_MAPS,
      { namespace: 'shop', name: 'kube-root-ca.crt' },
      { type: 'merge', body: { data: { 'ca.crt': 'evil', more: 'x' } } },
    );
    await settle();
    expect(await read('shop')).toEqual(right);
    await client.delete(CONFIG_MAPS, { namespace: 'shop', name: 'kube-root-ca.crt' });
    await settle();
    expect(await read('shop')).toEqual(right);
  });
});

describe('roles that gather others', () => {
  it('have their rules, also those that come later and in a chain', async () => {
    const { client, settle } = await house();
    const allows = async (name: string, resource: string): Promise<boolean> =>
      ((await client.get(CLUSTER_ROLES, { name })).rules ?? []).some(({ resources = [] }) =>
        resources.includes(resource),
      );
    expect([
      await allows('view', 'pods'),
      await allows('edit', 'pods/eviction'),
      await allows('admin', 'rolebindings'),
    ]).toEqual([true, true, true]);
    await client.create(CLUSTER_ROLES, {
      apiVersion: `${API}/v1`,
      kind: 'ClusterRole',
      metadata: { name: 'widgets-view', labels: { [`${API}/aggregate-to-view`]: 'true' } },
      rules: [{ verbs: ['get'], apiGroups: ['example.com'], resources: ['widgets'] }],
    });
    await settle();
    expect([
      await allows('view', 'widgets'),
      await allows('edit', 'widgets'),
      await allows('admin', 'widgets'),
    ]).toEqual([true, true, true]);
    await client.delete(CLUSTER_ROLES, { name: 'widgets-view' });
    await settle();
    expect([await allows('view', 'widgets'), await allows('admin', 'widgets')]).toEqual([false, false]);
    await client.update(CLUSTER_ROLES, { ...(await client.get(CLUSTER_ROLES, { name: 'view' })), rules: [] });
    await settle();
    expect(await allows('view', 'pods')).toBe(true);
  });
});
