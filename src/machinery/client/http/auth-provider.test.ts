import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAuthority, issueCertificate } from '../../certificates/certificates.ts';
import { realClock } from '../../time/real-clock.ts';
import { createVirtualClock } from '../../time/virtual-clock.ts';
import { authProviderCredentials } from './auth-provider.ts';

type Config = { readonly [key: string]: string };

const NOW = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const env = { PATH: process.env['PATH'] ?? '' };
let directory = '';
let clock = createVirtualClock(NOW);

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'everynode-auth-provider-'));
});
afterAll(() => rmSync(directory, { recursive: true }));
beforeEach(() => {
  clock = createVirtualClock(NOW);
});

const provide = (name: string, config: Config) => authProviderCredentials({ name, config }, { clock, env, directory });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function expectFailure(name: string, config: Config, message: string): Promise<void> {
  await expect(provide(name, config).get()).rejects.toMatchObject({
    code: 'EN_MACHINERY_CREDENTIALS',
    message: expect.stringMatching(new RegExp(`^the auth provider ${name} failed: .*${message}`)),
  });
}

/** A token that says when it expires; its signature is not checked here. */
const jwt = (name: string, expires: number): string =>
  `head.${Buffer.from(JSON.stringify({ name, exp: expires / 1000 })).toString('base64url')}.signature`;

describe('oidc', () => {
  interface Asked {
    readonly authorization: string | undefined;
    readonly form: Config;
  }
  let server: Server;
  let base: Config = {};
  let asked: Asked[] = [];
  /** How the token endpoint answers. */
  let answer: (asked: Asked) => { readonly status: number; readonly body: unknown };

  const read = async (request: IncomingMessage): Promise<string> => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    return text;
  };

  beforeAll(async () => {
    // TLS judges certificates by the machine's clock, not by the virtual one.
    const now = realClock.now();
    const authority = await createAuthority('issuer', now);
    const subject = { commonName: 'localhost' };
    const pair = await issueCertificate(authority, now, { subject, usage: 'server', hosts: ['localhost'] });
    const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const origin = `https://localhost:${(server.address() as AddressInfo).port}`;
      const text = await read(request);
      if (request.url === '/realm/.well-known/openid-configuration') {
        response.end(JSON.stringify({ token_endpoint: `${origin}/token` }));
        return;
      }
      const { authorization } = request.headers;
      const one = { authorization, form: Object.fromEntries(new URLSearchParams(text)) };
      asked.push(one);
      const { status, body } = answer(one);
      response.writeHead(status).end(JSON.stringify(body));
    };
    server = createServer({ cert: pair.certificate, key: pair.key }, (request, response) => {
      void serve(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    writeFileSync(join(directory, 'issuer.crt'), authority.certificate);
    base = {
      'client-id': 'cli',
      'idp-issuer-url': `https://localhost:${(server.address() as AddressInfo).port}/realm/`,
      'idp-certificate-authority': 'issuer.crt',
      'refresh-token': 'r0',
      'id-token': jwt('old', NOW - HOUR),
    };
  });
  afterAll(() => server.close());
  beforeEach(() => {
    asked = [];
    answer = () => ({
      status: 200,
      body: {
        id_token: jwt(`new-${asked.length}`, clock.now() + HOUR),
        refresh_token: `r${asked.length}`,
      },
    });
  });

  it('uses the id-token while it is valid, without asking anybody', async () => {
    const token = jwt('valid', NOW + HOUR);
    expect(await provide('oidc', { 'id-token': token }).get()).toEqual(bearer(token));
  });

  it('renews an expired token once for all who wait, and again with the newest refresh token', async () => {
    const credentials = provide('oidc', base);
    const first = bearer(jwt('new-1', NOW + HOUR));
    expect(await Promise.all([credentials.get(), credentials.get()])).toEqual([first, first]);
    expect(await credentials.get()).toEqual(first);
    expect(asked).toEqual([
      {
        authorization: undefined,
        form: { grant_type: 'refresh_token', refresh_token: 'r0', client_id: 'cli' },
      },
    ]);
    await clock.advance(HOUR);
    expect(await credentials.get()).toEqual(bearer(jwt('new-2', NOW + 2 * HOUR)));
    expect(asked[1]?.form['refresh_token']).toBe('r1');
  });

  it('takes the authority of the issuer from the kubeconfig itself, too', async () => {
    const { 'idp-certificate-authority': file = '', ...rest } = base;
    const data = readFileSync(join(directory, file)).toString('base64');
    const credentials = provide('oidc', { ...rest, 'idp-certificate-authority-data': data });
    expect(await credentials.get()).toEqual(bearer(jwt('new-1', NOW + HOUR)));
    await expectFailure('oidc', rest, 'certificate');
  });

  it('proves itself with its secret in the header, or in the form where the issuer wants it there', async () => {
    const secret = { ...base, 'client-secret': 'pass word' };
    await provide('oidc', secret).get();
    const basic = `Basic ${Buffer.from('cli:pass%20word').toString('base64')}`;
    expect(asked.map(({ authorization }) => authorization)).toEqual([basic]);
    asked = [];
    answer = ({ form }) =>
      form['client_secret'] === 'pass word'
        ? { status: 200, body: { id_token: jwt('form', NOW + HOUR) } }
        : { status: 401, body: { error: 'invalid_client' } };
    expect(await provide('oidc', secret).get()).toEqual(bearer(jwt('form', NOW + HOUR)));
    expect(asked.map(({ authorization }) => authorization)).toEqual([basic, undefined]);
  });

  it('says why there is no token, and tries again with the next request', async () => {
    await expectFailure('oidc', {}, 'log in again');
    await expectFailure('oidc', { 'id-token': 'no token' }, 'log in again');
    const credentials = provide('oidc', base);
    const usual = answer;
    answer = () => ({ status: 400, body: { error: 'invalid_grant' } });
    await expect(credentials.get()).rejects.toThrow('answered 400: {"error":"invalid_grant"}');
    answer = () => ({ status: 200, body: {} });
    await expect(credentials.get()).rejects.toThrow('gave no id_token');
    answer = usual;
    expect(await credentials.get()).toMatchObject({ authorization: expect.stringContaining('Bearer ') });
  });
});

describe.each(['gcp', 'azure'])('%s', (name) => {
  it('uses the token of the kubeconfig until it expires', async () => {
    expect(await provide(name, { 'access-token': 'a' }).get()).toEqual(bearer('a'));
    const expiry = { expiry: '2026-01-01T01:00:00Z', 'expires-on': String((NOW + HOUR) / 1000) };
    for (const [key, value] of Object.entries(expiry)) {
      const credentials = provide(name, { 'access-token': 'a', [key]: value });
      clock = createVirtualClock(NOW);
      expect(await credentials.get()).toEqual(bearer('a'));
    }
    await expectFailure(name, { 'access-token': 'a', expiry: '2025-12-31T23:00:00Z' }, 'credential plugin');
    await expectFailure(name, {}, 'credential plugin');
  });

  it('runs the command for a newer one, and again when that has expired', async () => {
    const runs = join(directory, `${name}-runs`);
    const script = `#!/bin/sh
echo "$@" >> ${runs}
echo '{"credential": {"access_token": "fresh", "token_expiry": "2026-01-01T01:00:00Z"}}'
`;
    writeFileSync(join(directory, name), script, { mode: 0o700 });
    const credentials = provide(name, {
      'cmd-path': `./${name}`,
      'cmd-args': 'config  helper',
      'token-key': '{.credential.access_token}',
      'expiry-key': '{.credential.token_expiry}',
    });
    expect(await Promise.all([credentials.get(), credentials.get()])).toEqual([bearer('fresh'), bearer('fresh')]);
    await credentials.get();
    expect(readFileSync(runs, 'utf8')).toBe('config helper\n');
    await clock.advance(HOUR);
    await credentials.get();
    expect(readFileSync(runs, 'utf8')).toBe('config helper\nconfig helper\n');
  });

  it('says why the command gave none', async () => {
    writeFileSync(join(directory, 'mute'), `#!/bin/sh\necho '{}'\n`, { mode: 0o700 });
    await expectFailure(name, { 'cmd-path': './mute' }, 'printed no token');
    await expectFailure(name, { 'cmd-path': './not-there' }, 'could not be run');
  });
});

it('names the providers there are where a kubeconfig asks for another', async () => {
  await expectFailure('openstack', {}, 'only oidc, gcp, azure are known');
});
