import { createServer, type IncomingMessage } from 'node:http';
import { createConnection, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject, Resource } from '../../../core/kube/objects.ts';
import { createAuthority, issueCertificate } from '../../certificates/certificates.ts';
import { describeClientContract } from '../client.contract.ts';
import { CONFIG_MAPS } from '../../../core/api/registry/resources.ts';
import { configMap, failure } from '../contract/support.contract.ts';
import { realClock } from '../../time/real-clock.ts';
import { createSeededRandom } from '../../random/seeded-random.ts';
import { createFakeClient } from '../../testing/fake-client.ts';
import { startFakeHttpServer, type FakeHttpServer } from '../../testing/fake-http-server.ts';
import { rememberingMetrics } from '../../testing/remembering-metrics.ts';
import { createHttpClient, type HttpClient } from './http-client.ts';
import type { RestConfig } from './rest-config.ts';
import type { TransportOptions } from './transport.ts';

const random = createSeededRandom(1);
const newFake = () => createFakeClient({ clock: realClock, random });
const quick: TransportOptions = {
  // Waits of the transport pass at once; everything else is real.
  clock: { ...realClock, sleep: (_ms, signal) => realClock.sleep(0, signal) },
  random,
};

describeClientContract('HTTP', async () => {
  const fake = newFake();
  const server = await startFakeHttpServer(fake);
  const client = createHttpClient({ server: server.url }, { clock: realClock, random });
  const close = async (): Promise<void> => {
    await client.close();
    await server.close();
  };
  return { client, close, features: ['tenants'], compact: () => fake.compact() };
});

describe('HTTP client', () => {
  let server: FakeHttpServer;
  const clients: HttpClient[] = [];
  const connect = (config: Partial<RestConfig> = {}, options: Partial<TransportOptions> = {}): HttpClient => {
    const client = createHttpClient({ server: server.url, ...config }, { ...quick, ...options });
    clients.push(client);
    return client;
  };
  const last = () => server.requests[server.requests.length - 1];

  beforeAll(async () => {
    server = await startFakeHttpServer(newFake());
  });
  beforeEach(() => {
    server.intercept = undefined;
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await server.close();
  });

  const answering = (code: number, body: string, headers: Record<string, string> = {}, times = 1) => {
    let left = times;
    server.intercept = (_request, response) => {
      if (left === 0) return false;
      left -= 1;
      response.writeHead(code, headers).end(body);
      return true;
    };
  };

  it('says who it is and what it can read', async () => {
    await connect({ userAgent: 'tester/1' }).list(CONFIG_MAPS);
    expect(last()?.headers).toMatchObject({ 'user-agent': 'tester/1', accept: 'application/json' });
  });

  it('impersonates with one header a group, not with a list', async () => {
    const impersonate = { user: 'ann', uid: '7', groups: ['a,b', 'c'], extra: { 'Team/Of': ['x', 'y'] } };
    await connect({ impersonate }).list(CONFIG_MAPS);
    const raw = last()?.rawHeaders ?? [];
    const values = (name: string) =>
      raw.filter((_, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === name);
    expect(values('impersonate-user')).toEqual(['ann']);
    expect(values('impersonate-uid')).toEqual(['7']);
    expect(values('impersonate-group')).toEqual(['a,b', 'c']);
    expect(values('impersonate-extra-team%2fof')).toEqual(['x', 'y']);
  });

  it('fills in the kind that lists leave out', async () => {
    const client = connect();
    await client.create(CONFIG_MAPS, configMap('kinds'), { namespace: 'kinds' });
    const [item] = (await client.list(CONFIG_MAPS, { namespace: 'kinds' })).items;
    expect([item?.apiVersion, item?.kind]).toEqual(['v1', 'ConfigMap']);
  });

  it('prefixes the path of a server that is not at the root', async () => {
    server.intercept = (_request, response) => {
      response.end('{"kind":"ConfigMap","metadata":{"name":"a"}}');
      return true;
    };
    await connect({ server: `${server.url}/clusters/one/` }).get(CONFIG_MAPS, { namespace: 'n', name: 'a' });
    expect(last()?.url.pathname).toBe('/clusters/one/api/v1/namespaces/n/configmaps/a');
  });

  it('takes a deleted object without a version for one that is gone', async () => {
    const answer = (metadata: object) => answering(200, JSON.stringify({ kind: 'ConfigMap', metadata }));
    const key = { namespace: 'n', name: 'a' };
    answer({ name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(await connect().delete(CONFIG_MAPS, key)).toMatchObject({ kind: 'Status', status: 'Success' });
    answer({ name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z', resourceVersion: '5' });
    expect(await connect().delete(CONFIG_MAPS, key)).toMatchObject({ kind: 'ConfigMap' });
  });

  it('is known by its name to servers that note who wrote what', async () => {
    await connect().list(CONFIG_MAPS);
    expect(last()?.headers['user-agent']).toMatch(/^everynode\/\d/);
  });

  it('loses no digit of an integer, reading or writing', async () => {
    const client = connect();
    const resource: Resource<KubeObject & { readonly spec: { readonly big: bigint } }> = {
      group: 'example.test',
      version: 'v1',
      resource: 'configmaps',
      kind: 'Big',
      namespaced: true,
    };
    const big = 9_007_199_254_740_993n;
    const object = { apiVersion: 'example.test/v1', kind: 'Big', metadata: { name: 'big' }, spec: { big } };
    server.intercept = (request, response) => {
      response.end(request.body);
      return true;
    };
    const stored = await client.create(resource, object, { namespace: 'big' });
    expect(last()?.body).toContain('"big":9007199254740993');
    expect(stored.spec.big).toBe(big);
  });

  it('sends apply patches with their manager', async () => {
    const options = { namespace: 'apply', fieldManager: 'me', force: true };
    await connect().apply(CONFIG_MAPS, configMap('a', { data: { n: '1' } }), options);
    expect(last()?.headers['content-type']).toBe('application/apply-patch+yaml');
    expect(last()?.url.search).toBe('?fieldManager=me&force=true');
  });

  it.each(['../../secrets', 'a/b', '.', '..'])('refuses to build a path from the name %s', async (name) => {
    const before = server.requests.length;
    const error = await failure((async () => connect().get(CONFIG_MAPS, { namespace: 'n', name }))());
    expect(error.code).toBe(400);
    expect(server.requests.length).toBe(before);
  });

  it('encodes what a name may contain', async () => {
    const error = await failure(connect().get(CONFIG_MAPS, { namespace: 'n', name: 'system:node?x=1#é' }));
    expect(error.code).toBe(404);
    expect(last()?.url.pathname).toBe('/api/v1/namespaces/n/configmaps/system%3Anode%3Fx%3D1%23%C3%A9');
  });

  describe('failures', () => {
    it('keep the Status of the server', async () => {
      const details = {
        name: 'a',
        kind: 'configmaps',
        causes: [{ field: 'x', message: 'bad', reason: 'FieldValueInvalid' }],
      };
      const status = {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        reason: 'Invalid',
        message: 'm',
        code: 422,
        details,
      };
      answering(422, JSON.stringify(status));
      expect((await failure(connect().list(CONFIG_MAPS))).status).toEqual(status);
    });

    it('show a foreign page for what it is', async () => {
      answering(502, '<html>Bad Gateway</html>');
      const error = await failure(connect().list(CONFIG_MAPS));
      expect([error.code, error.reason]).toEqual([502, 'InternalError']);
      expect(error.message).toContain('<html>Bad Gateway</html>');
    });

    it('have a reason even without a body', async () => {
      answering(403, '');
      const error = await failure(connect().list(CONFIG_MAPS));
      expect([error.code, error.reason]).toEqual([403, 'Forbidden']);
    });

    it('name an answer that is not JSON', async () => {
      answering(200, '{"kind":');
      expect((await failure(connect().list(CONFIG_MAPS))).reason).toBe('InternalError');
    });

    it('are tried again when the server asks to wait', async () => {
      answering(429, '', { 'retry-after': '1' }, 3);
      const before = server.requests.length;
      await connect().list(CONFIG_MAPS);
      expect(server.requests.length - before).toBe(4);
    });

    it('are tried again for a write that was refused before it began', async () => {
      answering(503, '', { 'retry-after': '1' });
      const created = await connect().create(CONFIG_MAPS, configMap('retried'), { namespace: 'retried' });
      expect(created.metadata.name).toBe('retried');
    });

    it('are not tried again where a second time might do it twice', async () => {
      answering(500, '', { 'retry-after': '1' }, 2);
      const before = server.requests.length;
      const error = await failure(connect().create(CONFIG_MAPS, configMap('once'), { namespace: 'once' }));
      expect([error.code, server.requests.length - before]).toEqual([500, 1]);
    });

    it('are not tried again without Retry-After', async () => {
      answering(503, '', {}, 5);
      const before = server.requests.length;
      await failure(connect().list(CONFIG_MAPS));
      expect(server.requests.length - before).toBe(1);
    });

    it('end after so many tries', async () => {
      answering(429, '', { 'retry-after': '0' }, 100);
      const before = server.requests.length;
      const error = await failure(connect({}, { maxRetries: 4 }).list(CONFIG_MAPS));
      expect([error.reason, server.requests.length - before]).toEqual(['TooManyRequests', 5]);
      expect(error.status.details?.retryAfterSeconds).toBe(0);
    });

    it('tell at once that a budget forbids an eviction', async () => {
      answering(429, '', { 'retry-after': '10' }, 2);
      const before = server.requests.length;
      const error = await failure(connect().evict({ namespace: 'n', name: 'p' }));
      expect([error.code, server.requests.length - before]).toEqual([429, 1]);
    });

    it('of the connection are tried again for reads alone', async () => {
      let broken = 2;
      server.intercept = (_request, response) => {
        if (broken === 0) return false;
        broken -= 1;
        response.destroy();
        return true;
      };
      await connect().list(CONFIG_MAPS);
      broken = 1;
      const error = await failure(connect().create(CONFIG_MAPS, configMap('cut'), { namespace: 'cut' }));
      expect([error.code, error.reason]).toEqual([503, 'ServiceUnavailable']);
      expect(error.cause).toBeDefined();
    });

    it('include a server that is not there', async () => {
      const error = await failure(connect({ server: 'http://127.0.0.1:9' }).list(CONFIG_MAPS));
      expect([error.code, error.reason]).toEqual([503, 'ServiceUnavailable']);
      expect(error.message).toContain('ECONNREFUSED');
    });

    it('include a server that never answers', async () => {
      server.intercept = () => true;
      const error = await failure(connect({}, { timeoutMs: 30 }).list(CONFIG_MAPS));
      expect([error.code, error.reason]).toEqual([504, 'Timeout']);
    });
  });

  it('passes on the warnings of the server', async () => {
    const warnings: string[] = [];
    server.intercept = (_request, response) => {
      response.setHeader('warning', ['299 - "is \\"old\\""', '299 - "second"']);
      response.end('{"items":null,"metadata":{}}');
      return true;
    };
    const list = await connect({}, { onWarning: (text) => void warnings.push(text) }).list(CONFIG_MAPS);
    expect([warnings, list.items]).toEqual([['is "old"', 'second'], []]);
  });

  it('keeps to its own rate', async () => {
    const waits: number[] = [];
    const clock = { ...realClock, monotonic: () => 0, sleep: async (ms: number) => void waits.push(ms) };
    const client = connect({}, { clock, qps: 10, burst: 2 });
    for (let i = 0; i < 4; i += 1) await client.list(CONFIG_MAPS);
    expect(waits).toEqual([100, 200]);
  });

  it('counts its requests', async () => {
    const remembered = rememberingMetrics();
    const client = connect({}, { metrics: remembered.metrics });
    await client.list(CONFIG_MAPS);
    await failure(client.get(CONFIG_MAPS, { namespace: 'n', name: 'missing' }));
    const { host } = new URL(server.url);
    expect(remembered.value('rest_client_requests_total', { code: '200', method: 'GET', host })).toBe(1);
    expect(remembered.value('rest_client_requests_total', { code: '404', method: 'GET', host })).toBe(1);
  });

  it('renews credentials that the server refuses, once', async () => {
    let token = 'old';
    const credentials = {
      get: () => Promise.resolve({ authorization: `Bearer ${token}` }),
      refresh: () => {
        token = 'new';
        return Promise.resolve(true);
      },
    };
    server.intercept = (request, response) => {
      if (request.headers['authorization'] === 'Bearer new') return false;
      response.writeHead(401).end();
      return true;
    };
    const client = connect({ credentials });
    expect((await client.list(CONFIG_MAPS, { namespace: 'empty' })).items).toEqual([]);
    server.intercept = (_request, response) => {
      response.writeHead(401).end();
      return true;
    };
    expect((await failure(client.list(CONFIG_MAPS))).reason).toBe('Unauthorized');
  });

  it('reads a watch that comes in any pieces', async () => {
    const events = ['a', 'b', 'ü', 'd'].map((name) => ({ type: 'ADDED', object: configMap(name) }));
    const bytes = Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    server.intercept = async (_request, response) => {
      response.writeHead(200);
      for (let at = 0; at < bytes.length; at += 7) {
        response.write(bytes.subarray(at, at + 7));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
      return true;
    };
    const seen: string[] = [];
    for await (const batch of connect().watch(CONFIG_MAPS)) {
      for (const event of batch) if (event.type !== 'BOOKMARK') seen.push(event.object.metadata.name);
    }
    expect(seen).toEqual(['a', 'b', 'ü', 'd']);
  });

  it('throws when a watch is cut off', async () => {
    server.intercept = (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write(`${JSON.stringify({ type: 'ADDED', object: configMap('a') })}\n{"type":`);
      setImmediate(() => response.destroy());
      return true;
    };
    const iterator = connect().watch(CONFIG_MAPS)[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toHaveLength(1);
    expect((await failure(iterator.next())).reason).toBe('ServiceUnavailable');
  });

  it('asks for initial events as the server wants to be asked', async () => {
    const stream = connect().watch(CONFIG_MAPS, { sendInitialEvents: true, namespace: 'none' });
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.return?.();
    expect(Object.fromEntries(last()?.url.searchParams ?? [])).toEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
    });
  });
});

describe('HTTP client through a proxy', () => {
  it('asks the proxy for a tunnel to the server', async () => {
    const server = await startFakeHttpServer(newFake());
    const tunnels: string[] = [];
    const proxy = createServer().on('connect', (request: IncomingMessage, socket: Socket) => {
      tunnels.push(request.url ?? '');
      const [host, port] = (request.url ?? '').split(':');
      const upstream = createConnection(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on('error', () => socket.destroy());
      socket.on('error', () => upstream.destroy());
    });
    await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
    const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const client = createHttpClient({ server: server.url, proxyUrl }, quick);
    await client.create(CONFIG_MAPS, configMap('a'), { namespace: 'n' });
    expect((await client.get(CONFIG_MAPS, { namespace: 'n', name: 'a' })).metadata.name).toBe('a');
    expect(tunnels[0]).toBe(new URL(server.url).host);
    const odd = createHttpClient({ server: server.url, proxyUrl: 'ftp://proxy' }, quick);
    expect((await failure(odd.list(CONFIG_MAPS))).message).toContain('only http and https proxies');
    await client.close();
    await server.close();
    proxy.close();
  });
});

describe('HTTP client over TLS', () => {
  it('checks the server and shows its certificate', async () => {
    const now = realClock.now();
    const authority = await createAuthority('test-ca', now);
    const serving = await issueCertificate(authority, now, {
      subject: { commonName: 'api' },
      usage: 'server',
      hosts: ['api.test'],
    });
    const admin = await issueCertificate(authority, now, { subject: { commonName: 'admin' }, usage: 'client' });
    const server = await startFakeHttpServer(newFake(), {
      cert: serving.certificate,
      key: serving.key,
      ca: authority.certificate,
    });
    const ca = authority.certificate;
    const options = { ...quick };

    const good = createHttpClient(
      { server: server.url, tls: { ca, cert: admin.certificate, key: admin.key, serverName: 'api.test' } },
      options,
    );
    await good.list(CONFIG_MAPS);
    expect(server.requests.at(-1)?.clientName).toBe('admin');

    const wrongName = createHttpClient({ server: server.url, tls: { ca } }, options);
    expect((await failure(wrongName.list(CONFIG_MAPS))).message).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
    const wrongAuthority = createHttpClient({ server: server.url, tls: { serverName: 'api.test' } }, options);
    expect((await failure(wrongAuthority.list(CONFIG_MAPS))).code).toBe(503);
    const careless = createHttpClient({ server: server.url, tls: { insecureSkipVerify: true } }, options);
    await careless.list(CONFIG_MAPS);

    await Promise.all([good, wrongName, wrongAuthority, careless].map((client) => client.close()));
    await server.close();
  });
});
