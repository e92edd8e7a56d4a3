/** Stands before an API server, without TLS, and changes what it says: for servers that we do not have here. */
import { createServer, request as plainRequest } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { RestConfig } from '../../../src/machinery/client/http/rest-config.ts';

export interface Proxy {
  readonly server: string;
  stop(): Promise<void>;
}

/** `change` is given the path and the whole body of every answer that is no watch. */
export async function startProxy(config: RestConfig, change: (path: string, body: string) => string): Promise<Proxy> {
  const target = new URL(config.server);
  const send = target.protocol === 'https:' ? request : plainRequest;
  const proxy = createServer((incoming, outgoing) => {
    const path = incoming.url ?? '/';
    const { connection: _connection, host: _host, ...headers } = incoming.headers;
    const onward = send(
      {
        hostname: target.hostname,
        port: target.port,
        path,
        method: incoming.method,
        headers: { ...headers, 'accept-encoding': 'identity' },
        ca: config.tls?.ca,
      },
      (answer) => {
        const { 'content-length': _length, ...told } = answer.headers;
        if (path.includes('watch=')) {
          outgoing.writeHead(answer.statusCode ?? 502, told);
          answer.pipe(outgoing);
          return;
        }
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          outgoing.writeHead(answer.statusCode ?? 502, told);
          outgoing.end(change(path, Buffer.concat(chunks).toString('utf8')));
        });
      },
    );
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  return {
    server: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve());
        proxy.closeAllConnections();
      }),
  };
}
