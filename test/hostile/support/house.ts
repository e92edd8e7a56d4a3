/**
 * A running cluster to be rude to, and the means to prove that rudeness changed nothing: a digest of every object and
 * the revision, the longest time the event loop stood still, and what memory is held.
 */
import { createHash } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';

import { afterAll, beforeAll, expect } from 'vitest';
import type { EmbeddedOptions } from '../../../src/assembly/embedded.ts';
import { encodeJson } from '../../../src/core/kube/json.ts';
import type { Status } from '../../../src/core/kube/status-error.ts';
import { startTestCluster, type TestCluster } from '../../support/cluster.ts';
import {
  askHttp1,
  credentialsOf,
  openHttp2,
  statusOf,
  type Credentials,
  type Http2Client,
  type WireAnswer,
  type WireRequest,
} from './wire-client.ts';

export interface House {
  readonly cluster: TestCluster;
  readonly admin: Credentials;
  readonly nobody: Credentials;
  /** HTTP/2 as the administrator. */
  ask(request: WireRequest): Promise<WireAnswer>;
  askAnonymously(request: WireRequest): Promise<WireAnswer>;
  /** Every object and the revision, in one text that differs when anything differs. */
  digest(): string;
  /** Runs `rude`; afterwards everything must be as it was, and the process must have kept its breath. */
  unharmed<T>(rude: () => Promise<T>): Promise<T>;
}

/** A stall beyond this is a fault whatever the machine; what one request may really cost is far less. */
const LONGEST_STALL_MS = 2000;

export async function openHouse(options: Partial<EmbeddedOptions> = {}): Promise<House & { close(): Promise<void> }> {
  const cluster = await startTestCluster({ groups: [], ...options });
  const admin = credentialsOf(cluster.kubeconfig);
  const nobody = { ca: admin.ca };
  const clients: Http2Client[] = [];
  const open = (credentials: Credentials): Http2Client => {
    const client = openHttp2(cluster.server, credentials);
    clients.push(client);
    return client;
  };
  let asAdmin = open(admin);
  let asNobody = open(nobody);
  // A rude request may have cost the connection; the next one starts afresh.
  const alive = (client: Http2Client): boolean => !client.session.closed && !client.session.destroyed;
  const ask = (request: WireRequest): Promise<WireAnswer> => {
    if (!alive(asAdmin)) asAdmin = open(admin);
    return asAdmin.ask(request);
  };
  const heartbeats = countHeartbeats(cluster);
  const digest = (): string => digestOf(cluster, heartbeats());
  await furnish(ask);
  await untilQuiet(digest);
  return {
    cluster,
    admin,
    nobody,
    ask,
    askAnonymously(request) {
      if (!alive(asNobody)) asNobody = open(nobody);
      return asNobody.ask(request);
    },
    digest,
    async unharmed(rude) {
      const before = digest();
      const delay = monitorEventLoopDelay({ resolution: 10 });
      const worked = process.threadCpuUsage();
      delay.enable();
      const result = await rude();
      delay.disable();
      const { user, system } = process.threadCpuUsage(worked);
      // On a busy machine others take the processor; only what we worked ourselves can be our stall.
      const stall = Math.min(delay.max / 1e6, (user + system) / 1e3);
      if (process.env['EVERYNODE_STALLS'] !== undefined && stall > 100) {
        process.stderr.write(`stall of ${stall.toFixed(0)} ms: ${expect.getState().currentTestName}\n`);
      }
      // A heartbeat that is just being delivered is counted a moment later.
      if (digest() !== before) await new Promise((resolve) => setTimeout(resolve, 50));
      expect(digest()).toBe(before);
      expect(stall).toBeLessThan(LONGEST_STALL_MS);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
      return result;
    },
    async close() {
      for (const client of clients) client.close();
      await cluster.stop();
    },
  };
}

/** A house for all tests of a file. */
export function useHouse(options: Partial<EmbeddedOptions> = {}): House {
  let house: Awaited<ReturnType<typeof openHouse>> | undefined;
  beforeAll(async () => {
    house = await openHouse(options);
  }, 60_000);
  afterAll(() => house?.close(), 60_000);
  return new Proxy({} as House, {
    get: (_, name) => {
      if (house === undefined) throw new Error('the house is not open yet');
      return house[name as keyof House];
    },
  });
}

/** House-keepers answer to what was furnished; what a test sees afterwards must be its own doing. */
async function untilQuiet(digest: () => string): Promise<void> {
  let last = '';
  for (let quiet = 0, tries = 0; quiet < 3 && tries < 100; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const now = digest();
    quiet = now === last ? quiet + 1 : 0;
    last = now;
  }
}

const HEARTBEATS = { tenant: 'system', group: 'coordination.k8s.io', resource: 'leases' };

/** Heartbeats go on whatever a test does; how many there were is taken off the revision. */
function countHeartbeats({ api: { store } }: TestCluster): () => number {
  let count = 0;
  store.watch(
    HEARTBEATS,
    { since: store.revision },
    { events: (events) => (count += events.length), closed: () => {} },
  );
  return () => count;
}

function digestOf({ api: { store } }: TestCluster, heartbeats: number): string {
  const hash = createHash('sha256');
  let objects = 0;
  for (const collection of store.collections()) {
    if (collection.resource === HEARTBEATS.resource) continue;
    for (const object of store.list(collection)) {
      objects += 1;
      hash.update(`${collection.tenant}/${collection.group}/${collection.resource}:${encodeJson(object as never)}\n`);
    }
  }
  return `${objects} objects at ${store.revision - heartbeats}: ${hash.digest('hex')}`;
}

const JSON_HEADERS = { 'content-type': 'application/json' };

const FURNITURE: readonly { readonly path: string; readonly object: object }[] = [
  {
    path: '/api/v1/namespaces/default/configmaps',
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm', labels: { a: 'b' } }, data: { k: 'v' } },
  },
  {
    path: '/api/v1/namespaces/default/secrets',
    object: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'secret' }, data: { password: 'aHVudGVyMg==' } },
  },
  {
    path: '/api/v1/namespaces/default/pods',
    object: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'pod' },
      // Gated, so that nobody but the test ever touches it.
      spec: { schedulingGates: [{ name: 'test/gate' }], containers: [{ name: 'c', image: 'nginx' }] },
    },
  },
  {
    path: '/apis/apps/v1/namespaces/default/deployments',
    object: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } },
      },
    },
  },
];

async function furnish(ask: House['ask']): Promise<void> {
  for (const { path, object } of FURNITURE) {
    const answer = await ask({ method: 'POST', path, headers: JSON_HEADERS, body: JSON.stringify(object) });
    if (answer.status !== 201) throw new Error(`could not furnish ${path}: ${answer.text}`);
  }
}

/** What an answer to bad input must be: a Status whose code is the HTTP status, with a reason and a useful message. */
export function expectFailure(answer: WireAnswer): Status {
  expect(answer.headers['content-type']).toBe('application/json');
  const status = statusOf(answer);
  expect(status).toMatchObject({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' });
  expect(status.code).toBe(answer.status);
  expect(status.message?.length ?? 0).toBeGreaterThan(0);
  // Nobody reads more, and an echo of the whole input would double every attack.
  expect(answer.text.length).toBeLessThan(64 * 1024);
  return status;
}

export interface Case extends WireRequest {
  readonly name: string;
  readonly code: number;
  readonly reason?: string;
  /** Kubernetes' wording, where it has one. */
  readonly message?: string | RegExp;
}

/** The same bad request over HTTP/2, HTTP/1.1, and without credentials. */
export async function expectCase(house: House, request: Case): Promise<void> {
  const { code, reason, message } = request;
  await house.unharmed(async () => {
    const both = [await house.ask(request), await askHttp1(house.cluster.server, house.admin, request)];
    for (const answer of both) {
      // Where nobody knows the path, the answer is that of the plain web, as in Kubernetes.
      if (code === 404 && answer.headers['content-type'] === 'text/plain; charset=utf-8') {
        expect([answer.status, answer.text]).toEqual([404, '404 page not found\n']);
        continue;
      }
      const status = expectFailure(answer);
      expect([status.code, status.reason, status.message]).toEqual([
        code,
        'reason' in request ? reason : REASONS[code],
        message instanceof RegExp
          ? expect.stringMatching(message)
          : message === undefined
            ? expect.any(String)
            : expect.stringContaining(message),
      ]);
    }
    const refused = expectFailure(await house.askAnonymously(request));
    expect([refused.code, refused.reason]).toEqual([403, 'Forbidden']);
  });
}

const REASONS: { readonly [code: number]: string } = {
  400: 'BadRequest',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Expired',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  504: 'Timeout',
};

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
type Body = Buffer | string;

export const post = (body: Body, contentType = 'application/json', path = CONFIG_MAPS): WireRequest => ({
  method: 'POST',
  path,
  headers: { 'content-type': contentType },
  body,
});
export const put = (body: Body, contentType = 'application/json', path = `${CONFIG_MAPS}/cm`): WireRequest => ({
  ...post(body, contentType, path),
  method: 'PUT',
});
export type PatchType = 'json' | 'merge' | 'strategic-merge';
export const patch = (type: PatchType, body: Body, path = `${CONFIG_MAPS}/cm`): WireRequest => ({
  ...post(body, `application/${type}-patch+json`, path),
  method: 'PATCH',
});
export const get = (path: string, headers = {}): WireRequest => ({ method: 'GET', path, headers });
export const configMap = (rest: object = {}, name = 'new'): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  ...rest,
});
