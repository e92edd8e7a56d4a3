/** Bytes that are hardly HTTP, or only just, over TLS: an answer that is one, or a closed connection, and life goes on. */
import { connect } from 'node:tls';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { get, useHouse } from '../hostile/support/house.ts';
import { cases, TIMEOUT } from './support/cases.ts';
import { expectUntouchedPrototypes } from './support/prototypes.ts';

const suite = cases('sockets.test.ts');
const house = useHouse();

const PATH = '/api/v1/namespaces/default/configmaps';
const line = fc
  .tuple(
    fc.oneof(
      fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'get', 'PRI', 'CONNECT', 'TRACE'),
      fc.string({ maxLength: 5 }),
    ),
    fc.oneof(
      fc.constantFrom(PATH, `${PATH}/cm`, '*', '//', '/..%2f', `http://x${PATH}`, `/${'a'.repeat(20_000)}`),
      fc.string({ maxLength: 9 }),
    ),
    fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9', ''),
  )
  .map((parts) => parts.join(' '));
const header = fc.oneof(
  fc.constantFrom(
    'host: x',
    'content-length: 5',
    'content-length: -1',
    'content-length: 99999999999',
    'transfer-encoding: chunked',
  ),
  fc.constantFrom(
    'transfer-encoding: chunked, chunked',
    'connection: upgrade',
    'upgrade: h2c',
    'expect: 100-continue',
    'expect: x',
  ),
  fc.constantFrom(
    'content-type: application/json',
    'content-encoding: gzip',
    'accept: */*;q=x',
    'authorization: Bearer ..',
    'x: \u0000',
  ),
  fc.constantFrom(
    'impersonate-user: x',
    '__proto__: x',
    'constructor: x',
    `x: ${'y'.repeat(30_000)}`,
    ': empty',
    'no colon',
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
);
const body = fc.oneof(
  fc.constantFrom('', '{}', '5\r\nabcde\r\n0\r\n\r\n', 'fffffffffff\r\n', '-1\r\n\r\n'),
  fc.string({ unit: 'binary', maxLength: 60 }),
);
const bytes = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(line, fc.array(header, { maxLength: 5 }), fc.constantFrom('\r\n', '\n', '\r'), body)
      .map(([first, headers, end, text]) => Buffer.from([first, ...headers, '', text].join(end), 'latin1')),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)) },
  {
    weight: 1,
    arbitrary: fc
      .uint8Array({ maxLength: 100 })
      .map((array) => Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), array])),
  },
);

/** Everything that comes back until the server closes, or a moment after it has answered. */
function send(sent: Buffer, protocol: string): Promise<string> {
  const { hostname, port } = new URL(house.cluster.server);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({
      host: hostname,
      port: Number(port),
      ...house.admin,
      ALPNProtocols: [protocol],
      servername: 'localhost',
    });
    const done = (): void => {
      socket.destroy();
      resolve(Buffer.concat(chunks).toString('latin1'));
    };
    socket.on('secureConnect', () => socket.end(sent));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('close', done);
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNREFUSED' ? reject(error) : done()));
    // Half an exchange may leave both sides waiting for the other.
    socket.setTimeout(400, done);
  });
}

describe('sockets', () => {
  it('are answered in HTTP or closed', { timeout: TIMEOUT }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(bytes, fc.constantFrom('http/1.1', 'h2')), { minLength: 1, maxLength: 10 }),
        async (list) => {
          const answers = await Promise.all(
            list.map(async ([sent, protocol]) => ({ protocol, text: await send(sent, protocol) })),
          );
          for (const { protocol, text } of answers) {
            suite.count();
            if (protocol === 'http/1.1' && text !== '') expect(text).toMatch(/^HTTP\/1\.1 [1-5]\d\d /);
            expect(text).not.toMatch(/^HTTP\/1\.1 500 /);
          }
          expect((await house.ask(get('/livez'))).status).toBe(200);
          expectUntouchedPrototypes();
        },
      ),
      suite.settings(1, 4),
    );
  });
});
