/**
 * One request and its answer, whatever HTTP version carried them. Everything above this file sees only this; Node's
 * HTTP/1 and HTTP/2 objects end here.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import { MAX_REQUEST_BYTES } from '../../core/kube/request-limit.ts';
import { badRequest, StatusError } from '../../core/kube/status-error.ts';
import type { AuditedExchange } from '../audit/audit.ts';
import { CANCEL, http1Bytes, http2Bytes, PIECE_BYTES, type ByteStream, type OutgoingBytes } from './byte-stream.ts';
import type { UnreadBudget } from './unread-budget.ts';

export type { ByteStream } from './byte-stream.ts';

export interface Exchange extends AuditedExchange {
  readonly method: string;
  /** Path and query as they came. */
  readonly url: string;
  /** Percent-encoded path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  header(name: string): string | undefined;
  /** For headers that carry an identity: a 400 where the header was sent more than once. The name is in lower case. */
  onlyHeader(name: string): string | undefined;
  /** Every value of a header that was sent more than once, each by itself. The name is in lower case. */
  headerValues(name: string): readonly string[];
  /** In lower case. */
  readonly headerNames: readonly string[];
  /** Fires when the client goes away or the server shuts down. Read only where something waits on it. */
  readonly signal: AbortSignal;
  /** The whole body, or a 413 as soon as it is known to be too large. */
  body(): Promise<Buffer>;
  /** Reads the rest of the body without keeping it, so that the answer to a refused request arrives. */
  discardBody(): void;
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

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;

/**
 * Abort reason of every exchange that is over; one shared object, because one for each request would cost noticeably.
 */
const GONE = new DOMException('the exchange is over', 'AbortError');

/** State that the exchanges of one server share. */
export interface ExchangeSurroundings {
  /** Functions that end the exchanges with a waiting signal; a shutdown calls them all. */
  readonly open: Set<() => void>;
  readonly unread: UnreadBudget;
  /**
   * Called when an exchange is over, with the bytes of its answer that the HTTP/2 session holds for good
   * (byte-stream.ts).
   */
  readonly over: (exchange: Exchange, lostBytes: number) => void;
}

export function createExchange(request: Request, response: Response, surroundings: ExchangeSurroundings): Exchange {
  const { open, unread } = surroundings;
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  /** Set only where the audit log wants the bodies. */
  let kept: { request: Buffer | undefined; response: Buffer | undefined } | undefined;
  let closed = false;
  /** Created when the signal is first read: most requests are answered before the client could give up. */
  let controller: AbortController | undefined;
  const end = (): void => {
    open.delete(end);
    controller?.abort(GONE);
  };
  // HTTP/2 requests emit no 'close' on the request until the response ended, so the response is what tells.
  response.once('close', () => {
    closed = true;
    end();
    const lost = outgoing === undefined ? lostOf(response, sent) : outgoing.closed();
    if (outgoing !== undefined) unread.ended(outgoing);
    surroundings.over(exchange, lost);
  });
  /** Bytes of an answer that was given to Node whole. */
  let sent = 0;
  /** Where the answer goes piece by piece. */
  let outgoing: OutgoingBytes | undefined;
  const begin = (): OutgoingBytes => {
    flush(response);
    return (outgoing = isHttp2(response) ? http2Bytes(response) : http1Bytes(response));
  };
  const exchange: Exchange = {
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
    onlyHeader: (name) => (request.headers[name] === undefined ? undefined : onlyValue(request.rawHeaders, name)),
    headerValues: (name) => valuesOf(request.rawHeaders, name),
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
    discardBody: () => void request.resume(),
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
      sent = bytes.length;
      if (sent <= PIECE_BYTES || request.method === 'HEAD') {
        response.end(bytes as never);
        return;
      }
      const to = begin();
      to.write(bytes);
      to.end();
      unread.wrote(to, () => to.abort());
    },
    stream(status, contentType) {
      response.statusCode = status;
      response.setHeader('content-type', contentType);
      return begin();
    },
    breakOff() {
      if (isHttp2(response)) response.stream.close(CANCEL);
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
  return exchange;
}

/**
 * Values from a list of names and values in turn, as sent: Node joins repeated headers, or keeps the first, by their
 * name.
 */
const valuesOf = (raw: readonly string[], name: string): readonly string[] =>
  raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name);

function onlyValue(raw: readonly string[], name: string): string | undefined {
  const [value, ...more] = valuesOf(raw, name);
  if (more.length === 0) return value;
  const written = name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
  throw badRequest(`the header ${written} was sent more than once, and counts only when it is sent once`);
}

const isHttp2 = (response: Response): response is Http2ServerResponse =>
  'stream' in response && 'session' in response.stream;

/** Bytes that an HTTP/2 stream was given and has not sent when it is closed; see byte-stream.ts. */
const lostOf = (response: Response, given: number): number =>
  isHttp2(response) && !response.stream.writableFinished ? given : 0;

/** The connection behind a request. */
export const socketOf = (request: Request): Socket | undefined =>
  'stream' in request ? request.stream.session?.socket : request.socket;

/** Sends the headers at once: a watcher must know that it is watching before the first event. */
function flush(response: Response): void {
  if ('flushHeaders' in response) response.flushHeaders();
  else response.writeHead(response.statusCode);
}

function readBody(request: Request, response: Response): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > MAX_REQUEST_BYTES) {
    request.resume();
    return Promise.reject(tooLarge());
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_REQUEST_BYTES) {
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
      // Most bodies end as they should; an error that no promise waits for is not worth its stack.
      if (!isWhole) reject(new StatusError(400, 'BadRequest', 'the request body ended too early'));
    };
    request.on('aborted', endedEarly);
    // The answer was sent before the body was read whole (its time was up): nothing more will come.
    response.once('close', endedEarly);
  });
}

const tooLarge = (): StatusError =>
  new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${MAX_REQUEST_BYTES}`);
