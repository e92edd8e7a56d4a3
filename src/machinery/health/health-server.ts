/** The port where health and metrics are asked for, over plain HTTP as the kubelet and Prometheus do. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { healthAnswer, type HealthCheck } from './health.ts';

export interface HealthServerOptions {
  readonly checks?: readonly HealthCheck[];
  /** The body of `/metrics`; not found when absent. */
  readonly metrics?: () => Promise<{ readonly contentType: string; readonly body: string }>;
}

export interface HealthServer {
  /** Resolves with the port. */
  listen(port: number, address: string): Promise<number>;
  close(): Promise<void>;
}

/** No kubelet or scraper needs longer, and a peer must not hold a connection of this port open at will. */
const LIMITS = { headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 15_000, maxHeaderSize: 8_192 };
const MAX_CONNECTIONS = 100;
const PLAIN = 'text/plain; charset=utf-8';

export function createHealthServer({ checks, metrics }: HealthServerOptions): HealthServer {
  const server: Server = createServer({ ...LIMITS, connectionsCheckingInterval: 5_000 }, (request, response) => {
    handle(request, response).catch(() => {
      if (!response.headersSent) send(response, 500, PLAIN, 'it went wrong\n');
      else response.destroy();
    });
  });
  // A connection too many costs the oldest its place: requests are answered at once, so connections that stay are idle.
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket.once('close', () => open.delete(socket)));
    const [oldest] = open;
    if (open.size <= MAX_CONNECTIONS || oldest === undefined) return;
    open.delete(oldest);
    oldest.destroy();
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      send(response, 405, PLAIN, 'only GET and HEAD\n');
      return;
    }
    const url = URL.parse(request.url ?? '', 'http://health.invalid');
    if (url?.pathname === '/metrics' && metrics !== undefined) {
      const { contentType, body } = await metrics();
      send(response, 200, contentType, body);
      return;
    }
    const answer = url === null || checks === undefined ? undefined : healthAnswer(url, checks);
    send(response, answer?.code ?? 404, PLAIN, answer?.text ?? 'not found\n');
  }

  return {
    listen: (port, address) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, address, () => {
          server.off('error', reject);
          resolve((server.address() as AddressInfo).port);
        });
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, code: number, contentType: string, body: string): void {
  response.writeHead(code, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-cache, private',
    'x-content-type-options': 'nosniff',
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}
