/** Bodies that are too large, too slow, of no known type, or end before they should. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MAX_REQUEST_BYTES as LIMIT } from '../../src/core/kube/request-limit.ts';
import { configMap, expectCase, expectFailure, get, patch, post, put, useHouse, type Case } from './support/house.ts';
import { openTls, sendRaw, statusOf } from './support/wire-client.ts';

const house = useHouse();

const PATH = '/api/v1/namespaces/default/configmaps';

/** A manifest of exactly this many bytes. */
function manifest(bytes: number): string {
  const empty = JSON.stringify(configMap({ data: { k: '' } }));
  return JSON.stringify(configMap({ data: { k: 'x'.repeat(bytes - empty.length) } }));
}

describe('large bodies', () => {
  const tooLarge = `Request entity too large: limit is ${LIMIT}`;
  it.each([
    { name: 'one byte too many', ...post(manifest(LIMIT + 1)), code: 413, message: tooLarge },
    { name: 'five times too many', ...post(manifest(LIMIT * 5)), code: 413, message: tooLarge },
    { name: 'a patch', ...patch('merge', manifest(LIMIT + 1)), code: 413, message: tooLarge },
    { name: 'a replacement', ...put(manifest(LIMIT + 1)), code: 413, message: tooLarge },
    { name: 'options of a deletion', ...put(manifest(LIMIT + 1)), method: 'DELETE', code: 413, message: tooLarge },
    {
      name: 'announced only',
      ...post(manifest(LIMIT + 1)),
      headers: { 'content-type': 'application/json', 'content-length': String(LIMIT + 1) },
      code: 413,
      message: tooLarge,
    },
  ] as Case[])('are refused: $name', (each) => expectCase(house, each));

  it('are read up to the very limit; an object of that size is then judged by its own rules', async () => {
    const answer = await house.unharmed(() => house.ask(post(manifest(LIMIT))));
    const status = expectFailure(answer);
    expect([status.code, status.message]).toEqual([
      422,
      expect.stringContaining('Too long: may not be more than 1048576 bytes'),
    ]);
  });

  it('are refused when they come in pieces without a length', async () => {
    const socket = await openTls(house.cluster.server, house.admin);
    const answer = await house.unharmed(
      () =>
        new Promise<string>((resolve) => {
          let text = '';
          socket.on('data', (chunk: Buffer) => {
            text += chunk.toString();
            if (text.includes('"code":')) resolve(text);
          });
          socket.on('close', () => resolve(text));
          socket.write(
            `POST ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
          );
          const piece = Buffer.alloc(64 * 1024, 'x');
          for (let sent = 0; sent <= LIMIT; sent += piece.length) {
            socket.write(`${piece.length.toString(16)}\r\n`);
            socket.write(piece);
            socket.write('\r\n');
          }
          // The end of the body: a server that takes it all answers too, and the test says what.
          socket.write('0\r\n\r\n');
        }),
    );
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain(tooLarge);
  });

  it('that compress well are not inflated', async () => {
    const { gzipSync } = await import('node:zlib');
    const request = post(gzipSync(Buffer.alloc(30 * 1024 * 1024, ' ')));
    const answer = await house.unharmed(() =>
      house.ask({ ...request, headers: { ...request.headers, 'content-encoding': 'gzip' } }),
    );
    expect(expectFailure(answer).code).toBeGreaterThanOrEqual(400);
  });
});

describe('bodies that end too early', () => {
  it('change nothing and hold nothing up', async () => {
    await house.unharmed(async () => {
      for (let i = 0; i < 20; i += 1) {
        const socket = await openTls(house.cluster.server, house.admin);
        const half = manifest(2000).slice(0, 1000);
        socket.write(
          `POST ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2000\r\n\r\n${half}`,
        );
        await sleep(2);
        socket.destroy();
      }
      const client = (await import('./support/wire-client.ts')).openHttp2(house.cluster.server, house.admin);
      for (let i = 0; i < 20; i += 1) {
        const stream = client.session.request({ ':method': 'POST', ':path': PATH, 'content-type': 'application/json' });
        stream.on('error', () => {});
        stream.write(manifest(2000).slice(0, 1000));
        await sleep(2);
        stream.close(8);
      }
      client.close();
      expect((await house.ask(get('/readyz'))).text).toBe('ok');
    });
  });

  it('may come slowly, while others are served', async () => {
    const socket = await openTls(house.cluster.server, house.admin);
    const body = JSON.stringify(configMap({}, 'slow'));
    socket.write(
      `POST ${PATH}?dryRun=All HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    for (const character of body) {
      expect(text).toBe('');
      socket.write(character);
      await sleep(1);
    }
    while (!text.includes('"kind"')) await sleep(5);
    expect(text).toMatch(/^HTTP\/1\.1 201 /);
    socket.destroy();
  });
});

describe('types of bodies and answers', () => {
  const body = JSON.stringify(configMap());
  const types = 'accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf';
  const unknown = (type: string): Case => ({ name: type, ...post(body, type), code: 415, message: types });
  it.each([
    ...[
      'text/plain',
      'application/xml',
      'application/json5',
      'garbage',
      '*/*',
      'application/*',
      ';;;',
      'application/merge-patch+json',
      'multipart/form-data; boundary=x',
      '__proto__',
      'constructor',
    ].map(unknown),
    {
      name: 'a patch as plain JSON',
      ...patch('merge', '{}'),
      headers: { 'content-type': 'application/json' },
      code: 415,
      message: '415: Unsupported Media Type',
    },
    { name: 'a patch without a type', ...patch('merge', '{}'), headers: {}, code: 415 },
    {
      name: 'an answer as a picture',
      ...get(PATH, { accept: 'image/png' }),
      code: 406,
      message: '406: Not Acceptable',
    },
    {
      name: 'an answer as an unknown form',
      ...get(PATH, { accept: 'application/json;as=Picture;g=meta.k8s.io;v=v1' }),
      code: 406,
    },
    {
      name: 'an answer as a prototype',
      ...get(PATH, { accept: 'application/json;as=__proto__;g=constructor;v=v1' }),
      code: 406,
    },
    { name: 'an absurd Accept', ...get(PATH, { accept: 'a/b;'.repeat(2000) }), code: 406 },
  ] as Case[])('are refused when unknown: $name', (each) => expectCase(house, each));

  it('of a write that cannot be answered leave nothing behind', async () => {
    const request = post(body);
    const answer = await house.unharmed(() =>
      house.ask({ ...request, headers: { ...request.headers, accept: 'image/png' } }),
    );
    expect(statusOf(answer).code).toBe(406);
  });
});

describe('HTTP/1.1 that is not HTTP', () => {
  const line = `GET /version HTTP/1.1\r\nhost: x\r\n`;
  it.each([
    ['nonsense', 'hello\r\n\r\n'],
    ['TLS in TLS', Buffer.from('160301020001000001fc0303', 'hex')],
    [
      'two different lengths',
      `POST ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ncontent-length: 5\r\n\r\n12345`,
    ],
    [
      'a length and pieces',
      `POST ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a negative length', `POST ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n`],
    ['a piece with a bad size', `POST ${PATH} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`],
    ['a folded header', `${line}a: b\r\n c: d\r\n\r\n`],
    ['a header with a NUL', `${line}a: b\0c\r\n\r\n`],
    ['a space in a header name', `${line}a b: c\r\n\r\n`],
    ['100 KB of headers', `${line}a: ${'x'.repeat(100_000)}\r\n\r\n`],
    ['a NUL in the path', 'GET /api/v1/\0 HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['an unknown version', 'GET /version HTTP/9.9\r\nhost: x\r\n\r\n'],
  ] as const)('is answered with a 4xx, or closed: %s', async (_, bytes) => {
    const text = await house.unharmed(() => sendRaw(house.cluster.server, house.admin, bytes));
    expect(text).toMatch(/^HTTP\/1\.1 (4\d\d|505) /);
    expect((await house.ask(get('/readyz'))).text).toBe('ok');
  });

  it('does not let one request hide in another', async () => {
    const inner = `DELETE ${PATH}/cm HTTP/1.1\r\nhost: x\r\n\r\n`;
    await house.unharmed(async () => {
      const smuggled = [
        `POST ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
        `POST ${PATH} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: xchunked\r\ncontent-length: 3\r\n\r\n{}\n${inner}`,
        `POST ${PATH} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n${inner}`,
      ];
      for (const bytes of smuggled) await sendRaw(house.cluster.server, house.admin, bytes);
    });
  });
});
