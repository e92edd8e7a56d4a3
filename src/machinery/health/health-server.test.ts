import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHealthServer, type HealthServer, type HealthServerOptions } from './health-server.ts';

const servers: HealthServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(options: HealthServerOptions): Promise<(path: string, init?: RequestInit) => Promise<Response>> {
  const server = createHealthServer(options);
  servers.push(server);
  const port = await server.listen(0, '127.0.0.1');
  return (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init);
}

const well = [{ name: 'ping', isVital: true, check: () => ({ ok: true }) }];

describe('the port for health and metrics', () => {
  it('answers for health', async () => {
    let isWell = true;
    const ask = await serve({ checks: [{ name: 'x', check: () => ({ ok: isWell }) }] });
    const response = await ask('/readyz');
    expect([response.status, await response.text()]).toEqual([200, 'ok\n']);
    expect(response.headers.get('cache-control')).toBe('no-cache, private');
    isWell = false;
    expect((await ask('/readyz')).status).toBe(500);
  });

  it('answers with metrics as they are at that moment', async () => {
    let scrapes = 0;
    const ask = await serve({
      metrics: () => Promise.resolve({ contentType: 'text/plain; version=0.0.4', body: `n ${(scrapes += 1)}\n` }),
    });
    await ask('/metrics');
    const response = await ask('/metrics');
    expect([response.headers.get('content-type'), await response.text()]).toEqual([
      'text/plain; version=0.0.4',
      'n 2\n',
    ]);
    expect((await ask('/readyz')).status).toBe(404);
  });

  it('knows nothing else, and lets nobody write', async () => {
    const ask = await serve({ checks: well });
    expect((await ask('/metrics')).status).toBe(404);
    expect((await ask('/')).status).toBe(404);
    const written = await ask('/livez', { method: 'POST', body: 'x' });
    expect([written.status, written.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    const head = await ask('/livez', { method: 'HEAD' });
    expect([head.status, await head.text(), head.headers.get('content-length')]).toEqual([200, '', '3']);
  });

  it('survives metrics that cannot be had, and tells nothing of why', async () => {
    const ask = await serve({ metrics: () => Promise.reject(new Error('secret')), checks: well });
    const response = await ask('/metrics');
    expect([response.status, await response.text()]).toEqual([500, 'it went wrong\n']);
    expect((await ask('/livez')).status).toBe(200);
  });

  it('answers whoever asks, although others hold as many connections as there may be', async () => {
    const server = createHealthServer({ checks: well });
    servers.push(server);
    const port = await server.listen(0, '127.0.0.1');
    const idle = Array.from({ length: 150 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
    await Promise.all(
      idle.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))),
    );
    const response = await fetch(`http://127.0.0.1:${port}/livez`);
    expect([response.status, await response.text()]).toEqual([200, 'ok\n']);
    await expect.poll(() => idle.filter((socket) => !socket.closed).length).toBe(99);
    for (const socket of idle) socket.destroy();
  });

  it('says when its port is taken, and closes although somebody holds a connection', async () => {
    const first = createHealthServer({ checks: well });
    const port = await first.listen(0, '127.0.0.1');
    const second = createHealthServer({ checks: well });
    await expect(second.listen(port, '127.0.0.1')).rejects.toMatchObject({ code: 'EADDRINUSE' });
    const socket = connect(port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.on('error', () => undefined);
    await first.close();
    socket.destroy();
  });
});
