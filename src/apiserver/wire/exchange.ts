/**
 * One request and its answer, whatever HTTP version carried them. Everything above this file sees only this; Node's
 * HTTP/1 and HTTP/2 objects end here.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import { StatusError } from '../../core/kube/status-error.ts';
import type { AuditedExchange } from '../audit/audit.ts';

export const MAX_BODY_BYTES = 3 * 1024 * 1024;

export interface Exchange extends AuditedExchange {
  readonly method: string;
  /** Path and query as they came. */
  readonly url: string;
  /** Percent-encoded path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  header(name: string): string | undefined;
  /** Every value of a header that was sent more than once, each by itself. The name is in lower case. */
  headerValues(name: string): readonly string[];
  /** In lower case. */
  readonly headerNames: readonly string[];
  /** Fires when the client goes away or the server shuts down. Ask only where something waits on it. */
  readonly signal: AbortSignal;
  /** The whole body, or a 413 as soon as it is known to be too large. */
  body(): Promise<Buffer>;
  /** Adds a response header; before the first byte only. */
  setHeader(name: string, value: string | readonly string[]): void;
  send(status: number, contentType: string, body: Buffer | string): void;
  /** Starts an answer of unknown length. */
  stream(status: number, contentType: string): ByteStream;
  /** Breaks off whatever is under way, so that the client cannot take it for complete. */
  breakOff(): void;
  /** The client is gone. */
  readonly closed: boolean;
  readonly answered: boolean;
  /** The HTTP status of the answer, once there is one. */
  readonly status: number;
}

export interface ByteStream {
  /** Hands bytes over; never waits. Look at `buffered` to see whether the client keeps up. `sent` says they may change. */
  write(bytes: Buffer, sent?: () => void): void;
  /** Bytes handed over and not yet taken by the network. */
  readonly buffered: number;
  /** Resolves when the client has caught up, or the exchange is over. */
  drained(): Promise<void>;
  end(): void;
  /** Breaks the answer off, so that the client cannot take it for complete. */
  abort(): void;
}

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;

/** HTTP/2's word for an answer that will not be finished. */
const CANCEL = constants.NGHTTP2_CANCEL;

/** Told to the signal when the exchange is over; one object for all, because making one a request is felt. */
const GONE = new DOMException('the exchange is over', 'AbortError');

/** `open` holds a way to end each exchange that somebody waits on; a shutdown calls them all. */
export function createExchange(request: Request, response: Response, open: Set<() => void>): Exchange {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  /** Only where the audit log wants them. */
  let kept: { request: Buffer | undefined; response: Buffer | undefined } | undefined;
  let closed = false;
  /** Made only for those who ask: most requests are answered before anyone could give up. */
  let controller: AbortController | undefined;
  const end = (): void => {
    open.delete(end);
    controller?.abort(GONE);
  };
  // HTTP/2 requests emit no 'close' on the request until the response ended, so the response is what tells.
  response.once('close', () => {
    closed = true;
    end();
  });
  const isClosed = (): boolean => closed;
  return {
    method: request.method ?? 'GET',
    url,
    get sourceAddress() {
      return socketOf(request)?.remoteAddress;
    },
    keepBodies: () => void (kept ??= { request: undefined, response: undefined }),
    get kept() {
      return { request: kept?.request?.toString('utf8'), response: kept?.response?.toString('utf8') };
    },
    path: mark < 0 ? url : url.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)),
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(',') : value;
    },
    headerValues: (name) => {
      const { rawHeaders } = request;
      return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
    },
    get headerNames() {
      return Object.keys(request.headers);
    },
    get signal() {
      if (controller === undefined) {
        controller = new AbortController();
        if (closed) controller.abort(GONE);
        else open.add(end);
      }
      return controller.signal;
    },
    async body() {
      const bytes = await readBody(request, response);
      if (kept !== undefined) kept.request = bytes;
      return bytes;
    },
    setHeader: (name, value) => {
      if (!response.headersSent && !closed) response.setHeader(name, value);
    },
    send(status, contentType, body) {
      if (response.headersSent || closed) return;
      const bytes = typeof body === 'string' ? Buffer.from(body) : body;
      if (kept !== undefined) kept.response = bytes;
      response.statusCode = status;
      response.setHeader('content-type', contentType);
      response.setHeader('content-length', String(bytes.length));
      response.end(bytes as never);
    },
    stream(status, contentType) {
      response.statusCode = status;
      response.setHeader('content-type', contentType);
      flush(response);
      return byteStream(response, isClosed);
    },
    breakOff() {
      if ('stream' in response && 'session' in response.stream) response.stream.close(CANCEL);
      else response.destroy();
    },
    get closed() {
      return closed;
    },
    get answered() {
      return response.headersSent || closed;
    },
    get status() {
      return response.statusCode;
    },
  };
}

/** The connection behind a request. */
export const socketOf = (request: Request): Socket | undefined =>
  'stream' in request ? request.stream.session?.socket : request.socket;

/** Sends the headers at once: a watcher must know that it is watching before the first event. */
function flush(response: Response): void {
  if ('flushHeaders' in response) response.flushHeaders();
  else response.writeHead(response.statusCode);
}

function byteStream(response: Response, isClosed: () => boolean): ByteStream {
  const sink = response as ServerResponse;
  const stream = (response as Http2ServerResponse).stream as Http2ServerResponse['stream'] | undefined;
  const isHttp2 = stream !== undefined && 'session' in stream;
  return {
    write(bytes, sent) {
      if (isClosed()) return;
      if (sent === undefined) sink.write(bytes);
      else sink.write(bytes, (error) => (error === null || error === undefined ? sent() : undefined));
    },
    get buffered() {
      return isHttp2 ? stream.writableLength : sink.writableLength;
    },
    drained() {
      if (isClosed()) return Promise.resolve();
      const needs = isHttp2 ? stream.writableNeedDrain : sink.writableNeedDrain;
      if (!needs) return Promise.resolve();
      return new Promise((resolve) => {
        const done = (): void => {
          response.off('drain', done);
          response.off('close', done);
          resolve();
        };
        response.on('drain', done);
        response.on('close', done);
      });
    },
    end() {
      if (!isClosed()) sink.end();
    },
    abort() {
      if (isHttp2) stream.close(CANCEL);
      else sink.destroy();
    },
  };
}

function readBody(request: Request, response: Response): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > MAX_BODY_BYTES) {
    request.resume();
    return Promise.reject(tooLarge());
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) {
        chunks.length = 0;
        reject(tooLarge());
      } else {
        chunks.push(chunk);
      }
    });
    request.on('end', () => {
      isWhole = true;
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    request.on('error', reject);
    let isWhole = false;
    const endedEarly = (): void => {
      // Most bodies end as they should; an error nobody waits for is not worth its stack.
      if (!isWhole) reject(new StatusError(400, 'BadRequest', 'the request body ended too early'));
    };
    request.on('aborted', endedEarly);
    // Answered before it was read whole (its time was up): nothing more will come.
    response.once('close', endedEarly);
  });
}

const tooLarge = (): StatusError =>
  new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${MAX_BODY_BYTES}`);
