/**
 * A server on a file system that is really full (a small tmpfs, which only root may mount): deletions are taken and
 * make room, readiness and the metric say so, the log says it once.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openHttp2, statusOf, type Http2Client } from '../../hostile/support/wire-client.ts';
import { eventually } from '../../support/eventually.ts';
import { PATH } from './load.ts';
import { build, start, type ServerProcess } from './server-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'everynode-small-disk-'));
const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'none', folder]);
const isMounted = mount.status === 0;
let server: ServerProcess | undefined;
let client: Http2Client | undefined;

beforeAll(build, 120_000);
afterEach(async () => {
  client?.close();
  if (server?.child.exitCode === null) await server.kill('SIGKILL');
});
afterAll(() => {
  if (isMounted) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true, force: true });
});

async function begin(): Promise<{ server: ServerProcess; client: Http2Client }> {
  server = await start(join(folder, 'data'));
  client = openHttp2(server.server, server.credentials);
  return { server, client };
}

const create = (to: Http2Client, name: string, size: number) =>
  to.ask({
    method: 'POST',
    path: PATH,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { k: 'x'.repeat(size) } }),
  });
const text = async (from: Http2Client, path: string): Promise<string> => {
  const { status, text: body } = await from.ask({ method: 'GET', path });
  return `${status} ${body}`;
};

describe.skipIf(!isMounted)('a file system without room', () => {
  it('refuses new objects with 507, takes deletions, and takes everything again when they made room', async () => {
    const { server: up, client: to } = await begin();
    const made: string[] = [];
    let refused: string | undefined;
    for (let i = 0; i < 2_000 && refused === undefined; i += 1) {
      const answer = await create(to, `c${i}`, 50_000);
      if (answer.status === 201) made.push(`c${i}`);
      else refused = `${answer.status} ${statusOf(answer).message}`;
    }
    expect(refused).toMatch(/^507 EN_STORE_FULL: the disk of the data directory is full: free some space on it/);
    expect(made.length).toBeGreaterThan(50);
    expect(await text(to, '/readyz')).toMatch(
      /^500 [^]*\[-\]store failed: the disk .* is full, only deletions are taken/,
    );
    expect(await text(to, '/livez')).toBe('200 ok');
    expect(await text(to, '/metrics')).toContain('everynode_store_refusing_writes{reason="full"} 1');
    for (const name of made.slice(0, -5)) {
      expect((await to.ask({ method: 'DELETE', path: `${PATH}/${name}` })).status).toBe(200);
    }
    await eventually(() => text(to, '/readyz'), /^200 ok/);
    expect((await create(to, 'after', 50_000)).status).toBe(201);
    expect(up.errors().match(/Only deletions are taken/g)).toHaveLength(1);
    expect(up.errors().match(/There is room on the disk again/g)).toHaveLength(1);
    await up.kill('SIGKILL');
    const again = await begin();
    const { text: list } = await again.client.ask({ method: 'GET', path: PATH });
    const names = (JSON.parse(list) as { items: { metadata: { name: string } }[] }).items.map(
      ({ metadata }) => metadata.name,
    );
    expect(names.filter((name) => name !== 'kube-root-ca.crt')).toEqual(['after', ...made.slice(-5)].toSorted());
  });

  it('that others fill takes deletions, and the store is whole after a kill', async () => {
    const { server: up, client: to } = await begin();
    expect((await create(to, 'small', 1_000)).status).toBe(201);
    const filler = join(folder, 'others');
    // As much as there is: the write that finds no more room ends it.
    for (let i = 0; i < 100; i += 1) {
      try {
        writeFileSync(filler, Buffer.alloc(64 * 1024), { flag: 'a' });
      } catch {
        break;
      }
    }
    expect((await to.ask({ method: 'DELETE', path: `${PATH}/small` })).status).toBe(200);
    await up.kill('SIGKILL');
    rmSync(filler);
    const again = await begin();
    expect((await create(again.client, 'more', 1_000)).status).toBe(201);
  });
});
