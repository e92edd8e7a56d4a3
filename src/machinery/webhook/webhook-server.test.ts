import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest, Agent } from 'node:https';
import { connect } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { forbiddenRequest } from '../../core/kube/status-error.ts';
import type { AdmissionPlugin } from '../ports/admission.ts';
import { createAuthority, issueCertificate, type KeyPair } from '../certificates/certificates.ts';
import { rememberingLogger } from '../logging/logger.ts';
import { realClock } from '../time/real-clock.ts';
import { rememberingMetrics } from '../testing/remembering-metrics.ts';
import { createWebhookServer, type WebhookServer, type WebhookServerOptions } from './webhook-server.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const authority = await createAuthority('test authority', Date.now());
const pair = (days = 1): Promise<KeyPair> =>
  issueCertificate(authority, Date.now(), {
    subject: { commonName: 'webhook' },
    usage: 'server',
    hosts: ['127.0.0.1', 'localhost'],
    days,
  });

const GUARD: AdmissionPlugin = {
  name: 'guard',
  handles: ({ resource }) => resource.resource === 'configmaps',
  validate({ name, resource, dryRun }) {
    if (name === 'bad') return { allowed: false, error: forbiddenRequest(resource, name, 'it is bad') };
    if (name === 'thrown') throw forbiddenRequest(resource, name, 'it was thrown');
    if (name === 'broken') throw new Error('a secret detail');
    if (name === 'slow') return new Promise(() => undefined);
    if (name === 'late') return Promise.resolve({ allowed: true, warnings: ['it took a while'] });
    return { allowed: true, ...(dryRun ? { auditAnnotations: { dry: 'yes' } } : {}) };
  },
  mutate({ object }) {
    if (object === undefined) return { allowed: true };
    return { allowed: true, object: { ...object, metadata: { ...object.metadata, labels: { seen: 'yes' } } } };
  },
};

async function start(options: Partial<WebhookServerOptions> = {}): Promise<{ server: WebhookServer; port: number }> {
  const usual = { clock: realClock, plugins: [GUARD], address: '127.0.0.1', port: 0, lingerMs: 0 };
  const server = createWebhookServer({ ...usual, ...options });
  const stopping = new AbortController();
  const run = server.start(stopping.signal);
  stops.push(async () => {
    stopping.abort();
    await run;
  });
  expect(server.ready()).toBe(false);
  server.useCertificate(await pair());
  return { server, port: await server.listening };
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: { readonly [name: string]: unknown };
  readonly response: {
    readonly uid?: string;
    readonly allowed?: boolean;
    readonly status?: { readonly message?: string; readonly code?: number };
    readonly patch?: string;
    readonly warnings?: readonly string[];
    readonly auditAnnotations?: object;
  };
}

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly type?: string;
  readonly body?: string;
  readonly agent?: Agent;
}

function ask(
  port: number,
  { path = '/validate/guard', method = 'POST', type, body = '', agent }: Asked,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': type ?? 'application/json', 'content-length': Buffer.byteLength(body) };
    const request = httpsRequest(
      { host: '127.0.0.1', port, path, method, headers, ca: authority.certificate, ...(agent ? { agent } : {}) },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => {
          const isJson = response.headers['content-type'] === 'application/json';
          const parsed = isJson ? (JSON.parse(text) as { response: Answer['response'] }).response : {};
          resolve({ status: response.statusCode ?? 0, text, headers: response.headers, response: parsed });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

const review = (name: string, more: object = {}): string =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u-1',
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      name,
      namespace: 'default',
      operation: 'CREATE',
      userInfo: { username: 'jane' },
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
      oldObject: null,
      dryRun: false,
      options: null,
      ...more,
    },
  });

describe('a webhook server', () => {
  it('lets pass, refuses with reasons, warns, annotates and changes', async () => {
    const { port } = await start();
    expect((await ask(port, { body: review('good') })).response).toEqual({ uid: 'u-1', allowed: true });
    expect((await ask(port, { body: review('bad') })).response).toMatchObject({
      allowed: false,
      status: { code: 403, message: 'configmaps "bad" is forbidden: it is bad' },
    });
    expect((await ask(port, { body: review('thrown') })).response).toMatchObject({ allowed: false });
    expect((await ask(port, { body: review('late') })).response.warnings).toEqual(['it took a while']);
    expect((await ask(port, { body: review('x', { dryRun: true }) })).response.auditAnnotations).toEqual({
      dry: 'yes',
    });
    const changed = await ask(port, { path: '/mutate/guard', body: review('x') });
    expect(JSON.parse(Buffer.from(changed.response.patch ?? '', 'base64').toString())).toEqual([
      { op: 'add', path: '/metadata/labels', value: { seen: 'yes' } },
    ]);
  });

  it('lets pass what the plugin does not look at', async () => {
    const { port } = await start();
    const body = review('bad', { resource: { group: '', version: 'v1', resource: 'secrets' } });
    expect((await ask(port, { body })).response).toEqual({ uid: 'u-1', allowed: true });
  });

  it.each<[string, number, Asked]>([
    ['another path', 404, { path: '/validate/other', body: '{}' }],
    ['a plugin without that half', 404, { path: '/mutate/nothing', body: '{}' }],
    ['another method', 405, { method: 'GET' }],
    ['another content type', 415, { type: 'text/plain', body: '{}' }],
    ['no JSON', 400, { body: '{"a' }],
    ['no review', 400, { body: '{}' }],
    ['a body too deep', 400, { body: '['.repeat(5000) }],
    ['a body too large', 413, { body: `"${'x'.repeat(70_000)}"` }],
  ])('answers %s with %i', async (_, status, asked) => {
    const { port } = await start({ maxBodyBytes: 65_536 });
    const answer = await ask(port, asked);
    expect(answer.status).toBe(status);
    expect(answer.text).not.toBe('');
    // And it is still there.
    expect((await ask(port, { body: review('good') })).status).toBe(200);
  });

  it.each([
    ['as announced', { 'content-length': 2_000_000 }],
    ['as it turns out', {}],
  ])('lets who sends too much, %s, send all of it, so that the answer is not lost', async (_, length) => {
    const { port } = await start({ maxBodyBytes: 65_536 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const headers = { 'content-type': 'application/json', ...length };
    const options = { host: '127.0.0.1', port, path: '/validate/guard', method: 'POST', headers, agent };
    const request = httpsRequest({ ...options, ca: authority.certificate });
    const half = Buffer.alloc(1_000_000, 32);
    request.write(half);
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(413);
    answer.resume();
    // Bytes that come after the answer are read, too, and the next request has its turn on the same connection.
    request.end(half);
    await once(request, 'close');
    expect((await ask(port, { body: review('good'), agent })).status).toBe(200);
    agent.destroy();
  });

  it('neither says yes nor no when a plugin breaks, and tells no details but to the log', async () => {
    const { logger, lines } = rememberingLogger();
    const { metrics, value } = rememberingMetrics();
    const { port } = await start({ logger, metrics });
    const answer = await ask(port, { body: review('broken') });
    expect(answer).toMatchObject({ status: 500, text: 'the plugin guard failed\n' });
    expect(lines.some(({ level, message }) => level === 'error' && message === 'An admission plugin failed')).toBe(
      true,
    );
    const labels = { webhook: '/validate/guard', code: '500' };
    expect(value('controller_runtime_webhook_requests_total', labels)).toBe(1);
  });

  it('gives up when the API server would', async () => {
    const { port } = await start();
    const answer = await ask(port, { path: '/validate/guard?timeout=50ms', body: review('slow') });
    expect(answer.status).toBe(504);
  });

  it('turns away what is too much at once', async () => {
    const { port } = await start({ maxInFlight: 1 });
    const slow = ask(port, { path: '/validate/guard?timeout=2s', body: review('slow') });
    const others: number[] = [];
    while (!others.includes(429)) others.push((await ask(port, { body: review('good') })).status);
    expect((await slow).status).toBe(504);
    expect((await ask(port, { body: review('good') })).status).toBe(200);
  });

  it('is ready only with a certificate that is good', async () => {
    let now = Date.now();
    const { server } = await start({ clock: { ...realClock, now: () => now } });
    expect(server.ready()).toBe(true);
    now += 2 * 86_400_000;
    expect(server.ready()).toBe(false);
    server.useCertificate(await pair(10));
    expect(server.ready()).toBe(true);
  });

  it('keeps its certificate when the next one is no pair', async () => {
    const { server, port } = await start();
    const [one, other] = await Promise.all([pair(), pair()]);
    expect(() => server.useCertificate({ certificate: one.certificate, key: other.key })).toThrow(/key/i);
    expect((await ask(port, { body: review('good') })).status).toBe(200);
  });

  it('serves new connections with a new certificate, while open ones go on', async () => {
    const { server, port } = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    stops.push(() => Promise.resolve(agent.destroy()));
    await ask(port, { body: review('good'), agent });
    const before = await presented(port);
    server.useCertificate(await pair(20));
    expect(await presented(port)).not.toBe(before);
    // On the old connection, without a new handshake.
    expect((await ask(port, { body: review('good'), agent })).status).toBe(200);
    expect(Object.keys(agent.sockets).length + Object.keys(agent.freeSockets).length).toBe(1);
  });

  it('lets requests under way end when it stops', async () => {
    const open = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const plugin: AdmissionPlugin = {
      name: 'guard',
      handles: () => true,
      async validate() {
        asked.resolve();
        await open.promise;
        return { allowed: true };
      },
    };
    const { port, server } = await start({ plugins: [plugin] });
    const answer = ask(port, { body: review('x') });
    await asked.promise;
    const stopped = stops.splice(0)[0]?.();
    while (server.ready()) await new Promise((resolve) => setTimeout(resolve, 1));
    open.resolve();
    expect((await answer).response.allowed).toBe(true);
    await stopped;
    await expect(ask(port, { body: review('x') })).rejects.toThrow(/ECONNREFUSED/);
  });

  it('answers on connections that are open while it stops, and sends the next request elsewhere', async () => {
    const { port, server } = await start({ lingerMs: 60_000 });
    const agents = [1, 2, 3].map(() => new Agent({ keepAlive: true, maxSockets: 1 }));
    const askAll = () => Promise.all(agents.map((agent) => ask(port, { body: review('good'), agent })));
    for (const { headers } of await askAll()) expect(headers['connection']).toBe('keep-alive');
    const stopped = stops.splice(0)[0]?.();
    while (server.ready()) await new Promise((resolve) => setTimeout(resolve, 1));
    for (const { status, headers } of await askAll()) expect([status, headers['connection']]).toEqual([200, 'close']);
    // The server ends with its last connection, long before it would have cut one off.
    await stopped;
    await expect(ask(port, { body: review('x') })).rejects.toThrow(/ECONNREFUSED/);
  });

  it('that never had a certificate stops all the same', async () => {
    const server = createWebhookServer({ clock: realClock, plugins: [], address: '127.0.0.1', port: 0 });
    const stopping = new AbortController();
    const run = server.start(stopping.signal);
    stopping.abort();
    await run;
  });
});

/** The serial number of the certificate that a new connection is shown. */
const presented = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ca: authority.certificate }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.on('error', reject);
  });
