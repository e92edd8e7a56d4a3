/** Disks that are full, damaged, taken or closed to us, seen from outside: clear words, and nothing answered is lost. */
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLogEngine } from '../../../src/apiserver/store/engines/log/log-engine.ts';
import { openStore } from '../../../src/apiserver/store/store-over-engine.ts';
import type { Stored } from '../../../src/core/kube/objects.ts';
import { realClock } from '../../../src/machinery/time/real-clock.ts';
import { openHttp2, statusOf, type Http2Client } from '../../hostile/support/wire-client.ts';
import { PATH } from './load.ts';
import { build, refusedStart, start, temporaryDataDir, type ServerProcess } from './server-process.ts';

let dataDir: string;
let remove: () => void;
const running: ServerProcess[] = [];
const clients: Http2Client[] = [];
beforeAll(build, 120_000);
beforeEach(() => ({ dataDir, remove } = temporaryDataDir()));
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const server of running.splice(0)) if (server.child.exitCode === null) await server.kill('SIGKILL');
  remove();
});

async function begin(
  ...args: Parameters<typeof start> extends [string, ...infer Rest] ? Rest : never
): Promise<{ server: ServerProcess; client: Http2Client }> {
  const server = await start(dataDir, ...args);
  running.push(server);
  const client = openHttp2(server.server, server.credentials);
  clients.push(client);
  return { server, client };
}

const create = (client: Http2Client, name: string, size: number) =>
  client.ask({
    method: 'POST',
    path: PATH,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name },
      data: { k: name.padEnd(size, '.') },
    }),
  });

async function names(client: Http2Client): Promise<string[]> {
  const { text } = await client.ask({ method: 'GET', path: PATH });
  return (JSON.parse(text) as { items: { metadata: { name: string } }[] }).items
    .map(({ metadata }) => metadata.name)
    .toSorted();
}

/** A cluster with twenty objects, stopped by `kill -9`. */
async function filled(): Promise<readonly string[]> {
  const { server, client } = await begin();
  const made: string[] = [];
  for (let i = 0; i < 20; i += 1) {
    expect((await create(client, `c${i}`, 500)).status).toBe(201);
    made.push(`c${i}`);
  }
  await server.kill('SIGKILL');
  return made.toSorted();
}

const segments = (): string[] =>
  readdirSync(join(dataDir, 'store'))
    .filter((name) => name.endsWith('.log'))
    .toSorted()
    .map((name) => join(dataDir, 'store', name));

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 0x10;
  writeFileSync(file, bytes);
}

describe('a full disk', () => {
  it('is told in a Status; reads go on; nothing answered is lost', async () => {
    // No file may grow beyond this; the ignored signal turns it into an error of the write.
    const { server, client } = await begin({ shell: 'trap "" XFSZ; ulimit -f 4096' });
    const made: string[] = [];
    const refused: { code: number | undefined; message: string | undefined; cause: string | undefined }[] = [];
    for (let i = 0; i < 200 && refused.length < 3; i += 1) {
      const answer = await create(client, `c${i}`, 30_000);
      if (answer.status === 201) made.push(`c${i}`);
      else {
        const { code, message, details } = statusOf(answer);
        refused.push({ code, message, cause: details?.causes?.[0]?.reason });
      }
    }
    expect(made.length).toBeGreaterThan(5);
    expect(refused.length).toBeGreaterThan(0);
    for (const { code, message, cause } of refused) {
      expect([500, 503, 507]).toContain(code);
      expect(cause).toMatch(/^EN_STORE_(COMMIT_FAILED|READ_ONLY|FULL)$/);
      expect(message).toContain(cause);
    }
    expect(await names(client)).toEqual(expect.arrayContaining(made.toSorted()));
    expect((await client.ask({ method: 'GET', path: '/livez' })).text).toBe('ok');
    await server.kill('SIGKILL');
    const again = await begin();
    const after = await names(again.client);
    expect(after).toEqual(expect.arrayContaining(made.toSorted()));
    expect((await create(again.client, 'room-again', 30_000)).status).toBe(201);
  });

  it('at the very start is told on the way out', async () => {
    const started = await refusedStart(dataDir, { shell: 'trap "" XFSZ; ulimit -f 0' });
    expect(started.code).toBe(1);
    expect(started.errors).toMatch(/error: .*(EFBIG|file too large)/i);
    // And leaves nothing behind that would break the next start.
    const { client } = await begin();
    expect((await create(client, 'c', 10)).status).toBe(201);
  });
});

describe('a torn tail', () => {
  it.each([
    ['the beginning of a frame', Buffer.from('EN1 B', 'latin1')],
    ['zeros', Buffer.alloc(5000)],
  ])('of an unfinished write is cut off with a notice: %s', async (_, torn) => {
    const made = await filled();
    appendFileSync(segments().at(-1) ?? '', torn);
    const { server, client } = await begin();
    expect(server.errors()).toContain('a write was not finished');
    expect(await names(client)).toEqual(expect.arrayContaining([...made]));
  });

  it('in the middle of the last frame loses that frame alone', async () => {
    const made = await filled();
    const newest = segments().at(-1) ?? '';
    truncateSync(newest, statSync(newest).size - 20);
    const { server, client } = await begin();
    expect(server.errors()).toContain('a write was not finished');
    const after = await names(client);
    expect(made.filter((name) => !after.includes(name)).length).toBeLessThanOrEqual(1);
    expect((await create(client, 'new', 10)).status).toBe(201);
  });
});

describe('damage that no crash explains', () => {
  const expectRefusal = async (): Promise<void> => {
    const before = segments().map((file) => readFileSync(file).toString('latin1'));
    const started = await refusedStart(dataDir);
    expect(started.code).toBe(1);
    expect(started.errors).toMatch(/error: .*\.log is damaged at byte \d+: .*Nothing was changed.*(backup|docs\/)/s);
    expect(started.errors).toContain('EN_STORE_CORRUPT');
    expect(started.errors).not.toMatch(/\n\s+at /);
    expect(segments().map((file) => readFileSync(file).toString('latin1'))).toEqual(before);
  };

  async function filledWithSegments(): Promise<void> {
    await filled();
    const store = await openStore({
      clock: realClock,
      engine: await createLogEngine({ directory: join(dataDir, 'store'), segmentBytes: 4096 }),
    });
    for (let i = 0; i < 30; i += 1) {
      const key = { tenant: 'system', group: '', resource: 'configmaps', namespace: 'default', name: `s${i}` };
      const metadata = {
        name: key.name,
        namespace: 'default',
        uid: `u${i}`,
        creationTimestamp: '2026-01-01T00:00:00Z',
      };
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { k: 'v'.repeat(800) } };
      await store.write(key, () => ({ put: object as unknown as Stored }));
    }
    await store.close();
    expect(segments().length).toBeGreaterThan(2);
  }

  it('in the newest segment: refuses to start, says where and what to do, and touches nothing', async () => {
    await filled();
    const newest = segments().at(-1) ?? '';
    flip(newest, Math.floor(statSync(newest).size / 2));
    await expectRefusal();
  });

  it('in an older segment: the same', async () => {
    await filledWithSegments();
    const second = segments()[1] ?? '';
    flip(second, Math.floor(statSync(second).size / 2));
    await expectRefusal();
  });

  it('in the last frame, or behind it: the same', async () => {
    await filled();
    const newest = segments().at(-1) ?? '';
    const whole = readFileSync(newest);
    flip(newest, whole.length - 20);
    await expectRefusal();
    writeFileSync(newest, Buffer.concat([whole, Buffer.from('\u00ff garbage'.repeat(20), 'latin1')]));
    await expectRefusal();
  });

  const expectIncomplete = async (words: RegExp): Promise<void> => {
    const started = await refusedStart(dataDir);
    expect(started.code).toBe(1);
    expect(started.errors).toMatch(words);
    expect(started.errors).toMatch(/everynode backup.*Nothing was changed.*EN_STORE_INCOMPLETE/s);
  };

  it('of a first segment that is empty where there are others: says which, and how to copy', async () => {
    await filledWithSegments();
    writeFileSync(segments()[0] ?? '', '');
    await expectIncomplete(/00000001-00000001\.log is not whole: it is empty/);
  });

  it('of a segment that is gone, an older one or the newest: the same', async () => {
    await filledWithSegments();
    const newest = segments().at(-1) ?? '';
    const bytes = readFileSync(newest);
    rmSync(newest);
    await expectIncomplete(/\.log is missing: record says that it must be there/);
    writeFileSync(newest, bytes);
    rmSync(segments()[1] ?? '');
    await expectIncomplete(/00000002-00000002\.log is missing/);
  });

  it('of a last frame that was cut off after a clean stop: the same', async () => {
    const { server, client } = await begin();
    expect((await create(client, 'c', 500)).status).toBe(201);
    await server.kill('SIGTERM');
    const newest = segments().at(-1) ?? '';
    truncateSync(newest, statSync(newest).size - 20);
    await expectIncomplete(/\.log is not whole: \d+ bytes of \d+/);
  });

  it('of the keys beside the data: says which file, and how to go on', async () => {
    await filled();
    const file = join(dataDir, 'pki', 'ca.crt');
    for (const text of ['', 'garbage', readFileSync(file, 'utf8').slice(0, 100)]) {
      const good = readFileSync(file, 'utf8');
      writeFileSync(file, text);
      const started = await refusedStart(dataDir);
      expect(started.errors).toMatch(/error: .*ca\.crt cannot be read: .*Restore it.*EN_ASSEMBLY_KEYS/);
      writeFileSync(file, good);
    }
    await begin();
  });
});

describe('a data directory', () => {
  it('serves one process at a time; the second is told who has it, and harms nobody', async () => {
    const { client, server } = await begin();
    const second = await refusedStart(dataDir);
    expect(second.code).toBe(1);
    expect(second.errors).toContain(`is in use by process ${server.child.pid}; stop it, or use another data directory`);
    expect((await create(client, 'still-here', 10)).status).toBe(201);
  });

  it('that is a file, or lies beneath one, is refused in words', async () => {
    mkdirSync(join(dataDir, '..'), { recursive: true });
    writeFileSync(dataDir, 'hello');
    for (const directory of [dataDir, join(dataDir, 'deeper')]) {
      const started = await refusedStart(directory);
      expect(started.code).toBe(1);
      expect(started.errors).toMatch(/error: .*(EN_STORE_DIRECTORY|ENOTDIR|EEXIST)/);
      expect(started.errors).not.toMatch(/\n\s+at /);
    }
    expect(readFileSync(dataDir, 'utf8')).toBe('hello');
  });

  it.skipIf(process.getuid?.() === 0)('that is closed to us is refused in words', async () => {
    mkdirSync(dataDir, { recursive: true });
    chmodSync(dataDir, 0o000);
    const started = await refusedStart(dataDir).finally(() => chmodSync(dataDir, 0o700));
    expect(started.errors).toMatch(/error: .*permission/i);
  });

  it('is closed to others', async () => {
    await begin();
    expect(statSync(join(dataDir, 'store')).mode & 0o077).toBe(0);
    expect(statSync(join(dataDir, 'pki')).mode & 0o077).toBe(0);
    expect(existsSync(join(dataDir, 'pki', 'ca.key'))).toBe(true);
    expect(statSync(join(dataDir, 'pki', 'ca.key')).mode & 0o077).toBe(0);
  });

  it('is left in good order by SIGTERM in the middle of writing', async () => {
    const { server, client } = await begin();
    const answered: string[] = [];
    const writes = Array.from({ length: 200 }, async (_, i) => {
      const answer = await create(client, `t${i}`, 100).catch(() => undefined);
      if (answer?.status === 201) answered.push(`t${i}`);
    });
    await new Promise((resolve) => setTimeout(resolve, 30));
    await server.kill('SIGTERM');
    await Promise.all(writes);
    expect(server.child.exitCode).toBe(0);
    const again = await begin();
    expect(again.server.errors()).not.toContain('not finished');
    expect(await names(again.client)).toEqual(expect.arrayContaining(answered.toSorted()));
  });
});
