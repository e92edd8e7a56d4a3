/**
 * A client that sends whatever it is told to, well-formed or not, over HTTP/2 or as raw bytes over HTTP/1.1. It never
 * retries, mends or interprets anything.
 */
import { connect as connectHttp2, constants, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { parse } from 'yaml';
import type { Status } from '../../../src/core/kube/status-error.ts';

export interface Credentials {
  readonly ca: string;
  readonly cert?: string;
  readonly key?: string;
}

/** The administrator of a kubeconfig that a server wrote. */
export function credentialsOf(kubeconfig: string): Required<Credentials> {
  const config = parse(kubeconfig) as {
    clusters: [{ cluster: { 'certificate-authority-data': string } }];
    users: [{ user: { 'client-certificate-data': string; 'client-key-data': string } }];
  };
  const text = (base64: string): string => Buffer.from(base64, 'base64').toString();
  const { user } = config.users[0];
  return {
    ca: text(config.clusters[0].cluster['certificate-authority-data']),
    cert: text(user['client-certificate-data']),
    key: text(user['client-key-data']),
  };
}

export interface WireRequest {
  readonly method: string;
  /** Path and query, percent-encoded by the caller (or deliberately not). */
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: Buffer | string;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly text: string;
}

/** Far above anything a healthy server needs, even on a busy machine. */
const PATIENCE_MS = 15_000;

export const statusOf = (answer: WireAnswer): Status => JSON.parse(answer.text) as Status;

export interface Http2Client {
  readonly session: ClientHttp2Session;
  ask(request: WireRequest): Promise<WireAnswer>;
  close(): void;
}

export function openHttp2(server: string, credentials: Credentials): Http2Client {
  const session = connectHttp2(server, {
    ...credentials,
    rejectUnauthorized: true,
    // What a refused stream had still to send counts against the client's own session for good.
    maxSessionMemory: 1000,
  });
  session.on('error', () => {});
  return {
    session,
    ask: (request) => askHttp2(session, request),
    close: () => session.destroy(),
  };
}

export function askHttp2(session: ClientHttp2Session, request: WireRequest): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const stream = session.request(
      { ':method': request.method, ':path': request.path, ...request.headers },
      { endStream: request.body === undefined },
    );
    const chunks: Buffer[] = [];
    let head: WireAnswer['headers'] = {};
    stream.setTimeout(PATIENCE_MS, () => stream.close(constants.NGHTTP2_CANCEL));
    stream.on('response', (headers) => (head = headers as WireAnswer['headers']));
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject);
    stream.on('close', () => {
      if (head[':status'] === undefined) reject(new Error(`no answer to ${request.method} ${request.path}`));
      else resolve({ status: Number(head[':status']), headers: head, text: Buffer.concat(chunks).toString() });
    });
    if (request.body !== undefined) stream.end(request.body);
  });
}

export const openTls = (server: string, credentials: Credentials): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const url = new URL(server);
    const socket = connectTls({
      host: url.hostname,
      port: Number(url.port),
      ALPNProtocols: ['http/1.1'],
      ...credentials,
    });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      socket.off('error', reject);
      socket.on('error', () => {});
      resolve(socket);
    });
  });

/** Sends bytes and reads until the server closes or has been silent for a while; answers with all it said. */
export async function sendRaw(server: string, credentials: Credentials, bytes: Buffer | string): Promise<string> {
  const socket = await openTls(server, credentials);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const finish = (): void => {
      socket.destroy();
      resolve(Buffer.concat(chunks).toString('latin1'));
    };
    socket.setTimeout(2000, finish);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('close', finish);
    socket.write(bytes);
  });
}

/** One well-framed HTTP/1.1 request on a connection of its own. */
export async function askHttp1(server: string, credentials: Credentials, request: WireRequest): Promise<WireAnswer> {
  const { Agent, request: send } = await import('node:https');
  const agent = new Agent({ ...credentials, keepAlive: false, ALPNProtocols: ['http/1.1'] });
  const url = new URL(server);
  return new Promise((resolve, reject) => {
    const outgoing = send(
      {
        agent,
        host: url.hostname,
        port: url.port,
        method: request.method,
        path: request.path,
        headers: {
          ...(request.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(request.body)) }),
          ...request.headers,
        } as { [name: string]: string },
        timeout: PATIENCE_MS,
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          agent.destroy();
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text: Buffer.concat(chunks).toString(),
          });
        });
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer to ${request.method} ${request.path}`)));
    outgoing.on('error', reject);
    outgoing.end(request.body);
  });
}
