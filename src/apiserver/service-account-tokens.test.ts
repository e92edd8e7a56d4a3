import { createHmac, createPrivateKey, createSign, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { NODES, PODS, SECRETS, SERVICE_ACCOUNTS } from '../core/api/registry/resources.ts';
import type { TokenRequest, TokenRequestSpec } from '../core/api/types/authentication-v1.ts';
import type { KubeObject } from '../core/kube/objects.ts';
import { realRandom } from '../machinery/random/real-random.ts';
import { createSigningKey } from '../machinery/certificates/signing-key.ts';
import { createVirtualClock, type VirtualClock } from '../machinery/time/virtual-clock.ts';
import { failure, pod } from './testing/samples.ts';
import { createTestServer, type TestServer } from './testing/test-server.ts';
import { LOOPBACK } from './contract/users.ts';
import { createTokenKey, MAX_TOKEN_LENGTH } from './access/tokens/token-key.ts';
import { createServiceAccountTokens, ISSUER, type ServiceAccountTokens, tokenHooks } from './service-account-tokens.ts';

const NOW = Date.UTC(2026, 5, 1);
let pem: string;
beforeAll(() => {
  pem = createSigningKey();
});

interface World extends TestServer {
  readonly clock: VirtualClock;
  readonly tokens: ServiceAccountTokens;
  request(spec?: Partial<TokenRequestSpec>, metadata?: object, name?: string): Promise<TokenRequest>;
  token(spec?: Partial<TokenRequestSpec>): Promise<string>;
}

async function world(): Promise<World> {
  const clock = createVirtualClock(NOW);
  // Declared before the server, created after it: the tokens need the server's store.
  let tokens: ServiceAccountTokens | undefined;
  const server = await createTestServer({
    clock,
    hooks: {
      readToken: (token, audiences) => tokens?.read(token, audiences) ?? {},
      subresources: new Map([
        [
          'serviceaccounts/token',
          (request) => {
            if (tokens === undefined) throw new Error('too early');
            return tokens.request(request);
          },
        ],
      ]),
    },
  });
  tokens = createServiceAccountTokens({ store: server.store, clock, random: realRandom, signingKey: pem });
  expect([...tokenHooks(tokens).subresources.keys()]).toEqual(['serviceaccounts/token']);
  await server.client.create(SERVICE_ACCOUNTS, account('robot'));
  const request: World['request'] = async (spec = {}, metadata = {}, name = 'robot') => {
    const target = {
      tenant: 'system',
      group: '',
      version: 'v1',
      resource: 'serviceaccounts',
      namespace: 'default',
      name,
      subresource: 'token',
    };
    const object = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata,
      spec,
    } as unknown as KubeObject;
    const answer = await server.server.handle({ verb: 'create', target, user: LOOPBACK, object, options: {} });
    return (answer as unknown as { object: TokenRequest }).object;
  };
  return { ...server, clock, tokens, request, token: async (spec) => (await request(spec)).status?.token ?? '' };
}

const account = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace: 'default' },
});
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { [claim: string]: unknown };

describe('a token request', () => {
  it('gives a token for an hour and the API server, unless it says otherwise', async () => {
    const { request, tokens } = await world();
    const { metadata, spec, status } = await request();
    expect(metadata).toMatchObject({ name: 'robot', namespace: 'default', creationTimestamp: '2026-06-01T00:00:00Z' });
    expect(spec).toEqual({ audiences: [ISSUER], expirationSeconds: 3600 });
    expect(status?.expirationTimestamp).toBe('2026-06-01T01:00:00Z');
    expect(claimsOf(status?.token ?? '')).toMatchObject({
      aud: [ISSUER],
      iss: ISSUER,
      sub: 'system:serviceaccount:default:robot',
      iat: NOW / 1000,
      nbf: NOW / 1000,
      exp: NOW / 1000 + 3600,
      'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'robot', uid: metadata.uid } },
    });
    const reading = tokens.read(status?.token ?? '');
    expect(reading).toMatchObject({ audiences: [ISSUER] });
    expect(reading.user).toMatchObject({
      name: 'system:serviceaccount:default:robot',
      uid: metadata.uid,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
    });
    expect(Object.keys(reading.user?.extra ?? {})).toEqual(['authentication.kubernetes.io/credential-id']);
    expect(tokens.read(status?.token ?? '').user).toBe(reading.user);
  });

  it.each([
    [
      { expirationSeconds: 599 },
      {},
      422,
      'spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    ],
    [{ expirationSeconds: 2 ** 32 + 1 }, {}, 422, 'may not specify a duration larger than 2^32 seconds'],
    [
      {},
      { name: 'other' },
      422,
      'metadata.name: Invalid value: "other": must match the service account name if specified',
    ],
    [{}, { namespace: 'x' }, 422, 'metadata.namespace: Invalid value: "x": must match the service account namespace'],
    [{}, { uid: 'u' }, 409, 'the UID in the token request (u) does not match the UID of the service account'],
    [{ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'none' } }, {}, 404, 'pods "none" not found'],
    [{ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'none' } }, {}, 404, 'secrets "none" not found'],
    [{ boundObjectRef: { kind: 'Node', apiVersion: 'v1', name: 'none' } }, {}, 404, 'nodes "none" not found'],
    [
      { boundObjectRef: { kind: 'Job', apiVersion: 'batch/v1', name: 'j' } },
      {},
      400,
      'cannot bind token to object of type batch/v1, Kind=Job',
    ],
  ])('refuses %j with %j', async (spec, metadata, code, text) => {
    const { request } = await world();
    const error = await failure(request(spec, metadata));
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(text)]);
  });

  it('is refused for accounts that are not there, and bodies of another kind', async () => {
    const { request, server } = await world();
    expect((await failure(request({}, {}, 'nobody'))).message).toBe('serviceaccounts "nobody" not found');
    const target = {
      tenant: 'system',
      group: '',
      version: 'v1',
      resource: 'serviceaccounts',
      namespace: 'default',
      name: 'robot',
      subresource: 'token',
    };
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: {} } as KubeObject;
    expect((await failure(server.handle({ verb: 'create', target, user: LOOPBACK, object, options: {} }))).code).toBe(
      400,
    );
  });

  it('binds to a pod that runs as the account, and names its node', async () => {
    const { client, request, tokens } = await world();
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec: {} });
    const made = await client.create(PODS, pod('p', { serviceAccountName: 'robot', nodeName: 'n' }));
    const ref = { kind: 'Pod', apiVersion: 'v1', name: 'p' };
    const { status } = await request({ boundObjectRef: ref });
    const extra = tokens.read(status?.token ?? '').user?.extra ?? {};
    expect(extra).toMatchObject({
      'authentication.kubernetes.io/node-name': ['n'],
      'authentication.kubernetes.io/pod-name': ['p'],
      'authentication.kubernetes.io/pod-uid': [made.metadata.uid],
    });
    expect((await failure(request({ boundObjectRef: { ...ref, uid: 'other' } }))).message).toContain(
      'the UID in the bound object reference (other) does not match the UID in record',
    );
    await client.create(PODS, pod('stranger'));
    expect((await failure(request({ boundObjectRef: { ...ref, name: 'stranger' } }))).message).toBe(
      'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
    );
  });

  it('of a pod, as admission mounts it, is good for longer than it says', async () => {
    const { client, clock, request, tokens } = await world();
    await client.create(PODS, pod('p', { serviceAccountName: 'robot' }));
    const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'p' };
    const { status } = await request({ boundObjectRef, expirationSeconds: 3607 });
    expect(status?.expirationTimestamp).toBe('2026-06-01T01:00:07Z');
    const { exp, 'kubernetes.io': own } = claimsOf(status?.token ?? '');
    expect([exp, own]).toEqual([NOW / 1000 + 365 * 86_400, expect.objectContaining({ warnafter: NOW / 1000 + 3607 })]);
    await clock.advance(2 * 3600_000);
    expect(tokens.read(status?.token ?? '').user).toBeDefined();
    const forOthers = await request({ boundObjectRef, expirationSeconds: 3607, audiences: ['vault'] });
    expect(claimsOf(forOthers.status?.token ?? '')['exp']).toBe(clock.now() / 1000 + 3607);
  });
});

describe('a token', () => {
  it('is good for its time', async () => {
    const { clock, token, tokens } = await world();
    const given = await token();
    await clock.advance(3600_000 + 59_000);
    expect(tokens.read(given).user).toBeDefined();
    await clock.advance(2_000);
    expect(tokens.read(given)).toEqual({ problem: 'service account token has expired' });
  });

  it('is good for its audiences', async () => {
    const { token, tokens } = await world();
    const given = await token({ audiences: ['vault', 'bank'] });
    expect(tokens.read(given)).toEqual({
      problem: `token audiences ["vault" "bank"] is invalid for the target audiences ["${ISSUER}"]`,
    });
    expect(tokens.read(given, ['bank', 'x'])).toMatchObject({ audiences: ['bank'] });
  });

  it('dies with its account, and another of the same name does not revive it', async () => {
    const { client, token, tokens } = await world();
    const given = await token();
    await client.delete(SERVICE_ACCOUNTS, { namespace: 'default', name: 'robot' });
    expect(tokens.read(given)).toEqual({ problem: 'serviceaccounts "robot" not found' });
    await client.create(SERVICE_ACCOUNTS, account('robot'));
    expect(tokens.read(given)).toEqual({
      problem: expect.stringMatching(/^service account UID \(.*\) does not match claim/) as string,
    });
  });

  it('dies with the pod, secret or node it is bound to', async () => {
    const { client, token, tokens } = await world();
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'default' } };
    await client.create(SECRETS, secret);
    await client.create(PODS, pod('p', { serviceAccountName: 'robot' }));
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec: {} });
    const bound = (kind: string, name: string) => token({ boundObjectRef: { kind, apiVersion: 'v1', name } });
    const given = [await bound('Secret', 's'), await bound('Pod', 'p'), await bound('Node', 'n')];
    expect(given.every((each) => tokens.read(each).user !== undefined)).toBe(true);
    await client.delete(SECRETS, { namespace: 'default', name: 's' });
    await client.delete(PODS, { namespace: 'default', name: 'p' }, { gracePeriodSeconds: 0 });
    await client.delete(NODES, { name: 'n' });
    const gone = { problem: 'service account token has been invalidated' };
    expect(given.map((each) => tokens.read(each))).toEqual([gone, gone, gone]);
    await client.create(SECRETS, secret);
    expect(tokens.read(given[0] ?? '').user).toBeUndefined();
  });

  it('of a pod on its way out lives until its grace has passed', async () => {
    const { client, clock, token, tokens } = await world();
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec: {} });
    await client.create(PODS, pod('p', { serviceAccountName: 'robot', nodeName: 'n' }));
    const given = await token({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } });
    await client.delete(PODS, { namespace: 'default', name: 'p' }, { gracePeriodSeconds: 120 });
    await clock.advance(150_000);
    expect(tokens.read(given).user).toBeDefined();
    await clock.advance(60_000);
    expect(tokens.read(given).user).toBeUndefined();
  });

  it('survives a restart with the same key, and no other', async () => {
    const { store, clock, token } = await world();
    const given = await token();
    const again = (signingKey: string) => createServiceAccountTokens({ store, clock, random: realRandom, signingKey });
    expect(again(pem).read(given).user?.name).toBe('system:serviceaccount:default:robot');
    expect(again(createSigningKey()).read(given)).toEqual({});
  });

  it('can be checked by others with the documents that are published', async () => {
    const { token, tokens } = await world();
    const given = await token();
    const { keys } = tokens.keySet() as { keys: readonly { kid: string; alg: string; d?: string }[] };
    const header = JSON.parse(Buffer.from(given.split('.')[0] ?? '', 'base64url').toString()) as { kid: string };
    expect(keys.map(({ kid, alg }) => [kid, alg])).toEqual([[header.kid, 'ES256']]);
    expect(keys[0]?.d).toBeUndefined();
    expect(tokens.openIdConfiguration('h:1')).toMatchObject({ issuer: ISSUER, jwks_uri: 'https://h:1/openid/v1/jwks' });
  });
});

describe('what is no token of ours', () => {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

  it('is nobody, whatever it says of itself', async () => {
    const { token, tokens, store, clock } = await world();
    const given = await token();
    const [head = '', payload = '', mark = ''] = given.split('.');
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string };
    const claims = claimsOf(given);
    const root = { ...claims, sub: 'system:serviceaccount:kube-system:root' };
    const other = createTokenKey(createSigningKey());
    const publicPem = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' });
    const hs256 = `${encode({ alg: 'HS256', kid })}.${payload}`;
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const rs256 = `${encode({ alg: 'RS256', kid })}.${payload}`;
    const hostile = [
      '',
      '.',
      '..',
      '...',
      'x',
      'a.b.c',
      `${encode({ alg: 'none', kid })}.${payload}.`,
      `${encode({ alg: 'none' })}.${payload}.${mark}`,
      `${encode({ alg: 'NONE', kid })}.${encode(root)}.AA`,
      `${head}.${payload}.`,
      `${head}.${payload}`,
      `${head}.${encode(root)}.${mark}`,
      `${head}.${payload}.${Buffer.alloc(64).toString('base64url')}`,
      `${head}.${payload}.${mark}.x`,
      `${head}.${payload}.${mark}=`,
      ` ${given}`,
      `${given}\n`,
      other.sign(claims),
      other.sign(root).replace(/^[^.]+/, head),
      `${hs256}.${createHmac('sha256', publicPem).update(hs256).digest('base64url')}`,
      `${rs256}.${createSign('RSA-SHA256').update(rs256).sign(rsa, 'base64url')}`,
      `${encode({ alg: 'ES256', kid, jwk: other.publicKey })}.${payload}.${mark}`,
      `${encode({ alg: ['ES256'], kid })}.${payload}.${mark}`,
      `${'A'.repeat(MAX_TOKEN_LENGTH)}.${payload}.${mark}`,
      'a.'.repeat(50_000),
      '.'.repeat(1_000_000),
      '\0'.repeat(100),
      '🙂.🙂.🙂',
    ];
    for (const each of hostile) expect(tokens.read(each), each.slice(0, 60)).toEqual({});
    // Signed by our key, but not as a service account's token.
    const key = createTokenKey(pem);
    const odd = [
      {},
      { ...claims, iss: 'x' },
      { ...claims, exp: 'never' },
      { ...claims, 'kubernetes.io': [] },
      { ...claims, 'kubernetes.io': null },
    ];
    for (const each of odd) expect(tokens.read(key.sign(each))).toEqual({});
    const away = createServiceAccountTokens({ store, clock, random: realRandom, signingKey: pem });
    const foreign = { ...claims, 'everynode.dev': { tenant: 'guest' } };
    // The account of that name in another tenant is another.
    expect(away.read(key.sign(foreign))).toEqual({ problem: 'serviceaccounts "robot" not found' });
    const unborn = { ...claims, nbf: NOW / 1000 + 3600, iat: NOW / 1000 };
    expect(away.read(key.sign(unborn))).toEqual({ problem: 'service account token is not valid yet' });
  });

  it('cannot be made by turning bits', async () => {
    const { token, tokens } = await world();
    const given = await token();
    fc.assert(
      fc.property(fc.nat(given.length - 1), fc.constantFrom('A', 'Z', 'a', '9', '-', '_', '.'), (at, character) => {
        const turned = given.slice(0, at) + character + given.slice(at + 1);
        // The last character of a part carries bits that decoders ignore.
        const same = turned
          .split('.')
          .map((part) => Buffer.from(part, 'base64url').toString('hex'))
          .join('.');
        const original = given
          .split('.')
          .map((part) => Buffer.from(part, 'base64url').toString('hex'))
          .join('.');
        if (same !== original) expect(tokens.read(turned).user).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  it('tells a TokenReview no more than that', async () => {
    const { server, token } = await world();
    const given = await token({ audiences: ['vault'] });
    const review = async (spec: object) => {
      const target = {
        tenant: 'system',
        group: 'authentication.k8s.io',
        version: 'v1',
        resource: 'tokenreviews',
        namespace: '',
        name: '',
        subresource: '',
      };
      const object = {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        metadata: {},
        spec,
      } as unknown as KubeObject;
      return server.handle({ verb: 'create', target, user: LOOPBACK, object, options: {} });
    };
    const bad = await review({ token: `${given}x` });
    expect(bad).toMatchObject({ object: { status: { user: {}, error: 'invalid bearer token' } } });
    expect(JSON.stringify(bad)).not.toContain(given.slice(0, 40));
    const wrong = await review({ token: given });
    expect(JSON.stringify(wrong)).toContain('[invalid bearer token, token audiences');
    expect(JSON.stringify(wrong)).not.toContain(given.slice(0, 40));
    const good = await review({ token: given, audiences: ['vault', 'x'] });
    expect(good).toMatchObject({ object: { status: { authenticated: true, audiences: ['vault'] } } });
    expect((await failure(review({}))).message).toContain('token');
  });
});
