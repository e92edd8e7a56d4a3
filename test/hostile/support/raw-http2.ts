/** One HTTP/2 request written frame by frame, with headers that Node's own client refuses to send. */
import { connect, type TLSSocket } from 'node:tls';
import type { Credentials } from './wire-client.ts';

export type RawHeaders = readonly (readonly [name: string, value: string])[];

const PATIENCE_MS = 15_000;
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const FRAME = { data: 0x0, headers: 0x1, reset: 0x3, settings: 0x4, goAway: 0x7 } as const;
const END_STREAM = 0x1;
const END_HEADERS = 0x4;
const STREAM = 1;

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** HPACK: a literal that is not indexed, its letters as they are. */
const field = ([name, value]: RawHeaders[number]): Buffer =>
  Buffer.concat([Buffer.from([0x10]), text(name), text(value)]);

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length: number[] = [Math.min(bytes.length, 0x7f)];
  if (bytes.length >= 0x7f) {
    let rest = bytes.length - 0x7f;
    for (; rest >= 0x80; rest = rest >> 7) length.push((rest & 0x7f) | 0x80);
    length.push(rest);
  }
  return Buffer.concat([Buffer.from(length), bytes]);
}

/** Sends a request without a body and answers with the body; rejects where there is none. */
export function getRawHttp2(
  server: string,
  credentials: Credentials,
  path: string,
  headers: RawHeaders,
  method = 'GET',
): Promise<string> {
  const url = new URL(server);
  const all: RawHeaders = [
    [':method', method],
    [':scheme', 'https'],
    [':authority', url.host],
    [':path', path],
    ...headers,
  ];
  return new Promise((resolve, reject) => {
    const socket = connect({ host: url.hostname, port: Number(url.port), ALPNProtocols: ['h2'], ...credentials });
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error(`no answer to ${path}`)));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`the connection was closed before ${path} was answered`)));
    socket.once('secureConnect', () => {
      socket.write(PREFACE);
      socket.write(frame(FRAME.settings, 0, 0, Buffer.alloc(0)));
      const block = Buffer.concat(all.map(field));
      socket.write(frame(FRAME.headers, END_STREAM | END_HEADERS, STREAM, block));
    });
    readBody(socket, (body) => {
      resolve(body);
      socket.destroy();
    });
  });
}

function readBody(socket: TLSSocket, done: (body: string) => void): void {
  let unread = Buffer.alloc(0);
  const body: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    while (unread.length >= 9) {
      const end = 9 + unread.readUIntBE(0, 3);
      if (unread.length < end) return;
      const [type, flags] = [unread[3], unread[4] ?? 0];
      if (type === FRAME.reset || type === FRAME.goAway) return void socket.destroy();
      if (type === FRAME.data) body.push(unread.subarray(9, end));
      const isLast = (type === FRAME.data || type === FRAME.headers) && (flags & END_STREAM) !== 0;
      unread = unread.subarray(end);
      if (isLast) return done(Buffer.concat(body).toString());
    }
  });
}
