/** A small HTTP face for the fake client, on loopback, for tests of the HTTP transport. */
import { createServer as createHttp, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { encodeJson, parseJson, type Json } from '../../core/kube/json.ts';
import type { KubeObject, ObjectKey, Resource } from '../../core/kube/objects.ts';
import { badRequest, internalError, StatusError, type Status } from '../../core/kube/status-error.ts';
import type { Client, DeleteOptions, WatchEvent } from '../client/client.ts';

export interface FakeHttpServer {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** Answers in place of the fake; true when it did. */
  intercept: ((request: SeenRequest, response: ServerResponse) => boolean | Promise<boolean>) | undefined;
  close(): Promise<void>;
}

interface SeenRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: string;
  /** Common name of the client certificate. */
  readonly clientName: string | undefined;
}

const PATH =
  /^(?:\/tenants\/(?<tenant>[^/]+))?\/(?:api|apis\/(?<group>[^/]+))\/(?<version>[^/]+)(?:\/namespaces\/(?<namespace>[^/]+)(?=\/))?\/(?<resource>[^/]+)(?:\/(?<name>[^/]+))?(?:\/(?<subresource>[^/]+))?$/;

/** Kinds the fake cannot guess from their plural. */
const KINDS: { readonly [resource: string]: string } = {
  configmaps: 'ConfigMap',
  daemonsets: 'DaemonSet',
  pods: 'Pod',
  namespaces: 'Namespace',
  nodes: 'Node',
  leases: 'Lease',
  events: 'Event',
};

export async function startFakeHttpServer(
  client: Client,
  tls?: { readonly key: string; readonly cert: string; readonly ca: string },
): Promise<FakeHttpServer> {
  const requests: SeenRequest[] = [];
  const handle = (incoming: IncomingMessage, response: ServerResponse): void => {
    answer(incoming, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else send(response, error instanceof StatusError ? error.status : internalError(error).status);
    });
  };
  const server: Server =
    tls === undefined
      ? createHttp(handle)
      : createHttps({ ...tls, requestCert: true, rejectUnauthorized: false }, handle);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const certificate = tls === undefined ? undefined : (incoming.socket as TLSSocket).getPeerCertificate();
    const commonName = certificate?.subject?.CN;
    const request: SeenRequest = {
      method: incoming.method ?? '',
      url: new URL(incoming.url ?? '', fake.url),
      headers: incoming.headers,
      rawHeaders: incoming.rawHeaders,
      body: Buffer.concat(chunks).toString('utf8'),
      clientName: Array.isArray(commonName) ? commonName[0] : commonName,
    };
    requests.push(request);
    if ((await fake.intercept?.(request, response)) === true) return;
    await route(client, request, response);
  }

  const fake: FakeHttpServer = {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    intercept: undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return fake;
}

function send(response: ServerResponse, body: unknown, code?: number): void {
  const { kind, code: own } = body as { readonly kind?: string; readonly code?: number };
  response.writeHead(code ?? (kind === 'Status' ? (own ?? 200) : 200), { 'content-type': 'application/json' });
  response.end(encodeJson(body as Json));
}

const decode = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : decodeURIComponent(text);

async function route(client: Client, request: SeenRequest, response: ServerResponse): Promise<void> {
  const parts = PATH.exec(request.url.pathname)?.groups;
  if (parts === undefined) throw new StatusError(404, 'NotFound', 'the server could not find the requested resource');
  const [tenant, namespace, name] = [decode(parts['tenant']), decode(parts['namespace']), decode(parts['name'])];
  const { resource: plural = '', subresource } = parts;
  const kind = KINDS[plural] ?? plural;
  const resource: Resource = {
    group: parts['group'] ?? '',
    version: parts['version'] ?? '',
    resource: plural,
    kind,
    namespaced: plural !== 'namespaces' && plural !== 'nodes',
  };
  const query = (key: string): string | undefined => request.url.searchParams.get(key) ?? undefined;
  const scope = { ...(tenant === undefined ? {} : { tenant }), ...(namespace === undefined ? {} : { namespace }) };
  const key: ObjectKey = { ...scope, name: name ?? '' };
  const text = (key: 'labelSelector' | 'fieldSelector' | 'resourceVersion' | 'continue') =>
    query(key) === undefined ? {} : { [key]: query(key) };
  const write = {
    ...scope,
    ...(query('dryRun') === 'All' ? { dryRun: true } : {}),
    ...(subresource === undefined ? {} : { subresource }),
  };
  const body = request.body === '' ? undefined : (parseJson(request.body) as never);

  switch (request.method) {
    case 'GET': {
      if (name !== undefined) return send(response, await client.get(resource, key));
      const selection = { ...scope, ...text('labelSelector'), ...text('fieldSelector'), ...text('resourceVersion') };
      if (query('watch') === 'true') {
        const timeoutSeconds = Number(query('timeoutSeconds') ?? 0);
        const flags = {
          allowWatchBookmarks: query('allowWatchBookmarks') === 'true',
          sendInitialEvents: query('sendInitialEvents') === 'true',
        };
        return serveWatch(client, resource, { ...selection, ...flags, timeoutSeconds }, response);
      }
      const list = await client.list(resource, {
        ...selection,
        ...text('continue'),
        limit: Number(query('limit') ?? 0),
      });
      const { items, ...metadata } = list;
      // As a real server does: items do not repeat the list's apiVersion and kind.
      const bare = items.map(({ apiVersion: _apiVersion, kind: _kind, ...item }) => item);
      return send(response, { kind: `${kind}List`, apiVersion: 'v1', metadata, items: bare });
    }
    case 'POST': {
      if (subresource === 'binding') {
        const { metadata, target } = body as unknown as { metadata: { uid?: string }; target: { name: string } };
        await client.bind({ ...key, ...(metadata.uid === undefined ? {} : { uid: metadata.uid }) }, target.name);
        return send(response, SUCCESS, 201);
      }
      if (subresource === 'eviction') {
        await client.evict(key);
        return send(response, SUCCESS, 201);
      }
      return send(response, await client.create(resource, body as unknown as KubeObject, write), 201);
    }
    case 'PUT':
      return send(response, await client.update(resource, body as unknown as KubeObject, write));
    case 'PATCH': {
      const type = request.headers['content-type'] ?? '';
      if (type === 'application/apply-patch+yaml') {
        const options = { ...write, fieldManager: query('fieldManager') ?? '' };
        return send(response, await client.apply(resource, body as unknown as KubeObject, options));
      }
      const patchType = ({ 'application/json-patch+json': 'json', 'application/merge-patch+json': 'merge' } as const)[
        type
      ];
      if (patchType === undefined) throw badRequest(`unknown patch type ${type}`);
      return send(response, await client.patch(resource, key, { type: patchType, body: body as never }, write));
    }
    case 'DELETE': {
      const { dryRun, ...rest } = (body ?? {}) as unknown as Omit<DeleteOptions, 'dryRun'> & {
        dryRun?: readonly string[];
      };
      const options = { ...rest, dryRun: dryRun !== undefined };
      if (name !== undefined) return send(response, await client.delete(resource, key, options));
      await client.deleteCollection(resource, { ...scope, ...text('labelSelector'), ...options });
      return send(response, SUCCESS);
    }
    default:
      throw new StatusError(405, 'MethodNotAllowed', `${request.method} is not supported`);
  }
}

const SUCCESS: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 200 };

async function serveWatch(
  client: Client,
  resource: Resource,
  options: Parameters<Client['watch']>[1] & object,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const iterator = client.watch(resource, { ...options, signal: gone.signal })[Symbol.asyncIterator]();
  // The first step opens the watch, so that a refusal is an answer and not an event.
  let step = iterator.next();
  const quiet = new Promise<'quiet'>((resolve) => setImmediate(resolve, 'quiet'));
  await Promise.race([step, quiet]);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  try {
    for (let result = await step; result.done !== true; result = await step) {
      for (const event of result.value) response.write(`${encodeJson(wireEvent(event, resource) as Json)}\n`);
      step = iterator.next();
    }
  } catch (error) {
    if (gone.signal.aborted) return;
    const { status } = error instanceof StatusError ? error : internalError(error);
    response.write(`${encodeJson({ type: 'ERROR', object: status as never })}\n`);
  }
  response.end();
}

function wireEvent(event: WatchEvent<KubeObject>, resource: Resource): unknown {
  if (event.type !== 'BOOKMARK') return event;
  const annotations = event.initialEventsEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  const metadata = { resourceVersion: event.resourceVersion, creationTimestamp: null, ...annotations };
  return { type: 'BOOKMARK', object: { kind: resource.kind, apiVersion: 'v1', metadata } };
}
