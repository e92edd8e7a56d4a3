/** A disk that is really full: the kernel refuses to let the writer's files grow. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogEngine } from '../../../src/apiserver/store/engines/log/log-engine.ts';
import { openStore } from '../../../src/apiserver/store/store-over-engine.ts';
import { realClock } from '../../../src/machinery/time/real-clock.ts';
import { VICTIMS, isWhole, specOf } from './things.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'everynode-full-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('a full disk', () => {
  it('refuses with a clear error, and nothing answered is lost', async () => {
    const writer = new URL('writer.ts', import.meta.url).pathname;
    // No file may grow beyond 512 KiB; the ignored signal turns that into an error of the write.
    const script = 'trap "" XFSZ; ulimit -f 512; exec "$0" "$@"';
    const run = spawnSync('bash', ['-c', script, process.execPath, writer, directory, '', '1500', '2000'], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    const lines = run.stdout.trim().split('\n');
    expect([lines.at(-1), run.stderr]).toEqual(['closed', '']);
    const failures = new Set(lines.filter((line) => line.startsWith('failed')));
    expect(failures).toEqual(new Set(['failed EN_STORE_COMMIT_FAILED', 'failed EN_STORE_READ_ONLY']));

    const newest = new Map<string, { revision: number; seq: number | undefined }>();
    for (const line of lines) {
      const [what, name = '', revision, seq] = line.split(' ');
      if (what !== 'put' && what !== 'gone') continue;
      if ((newest.get(name)?.revision ?? 0) > Number(revision)) continue;
      newest.set(name, { revision: Number(revision), seq: seq === undefined ? undefined : Number(seq) });
    }
    const store = await openStore({ clock: realClock, engine: await createLogEngine({ directory }) });
    for (const [name, { revision, seq }] of newest) {
      const object = store.get({ ...VICTIMS, namespace: 'default', name });
      expect(object && { revision: Number(object.metadata.resourceVersion), seq: specOf(object).seq }).toEqual(
        seq === undefined ? undefined : { revision, seq },
      );
    }
    expect([...store.list(VICTIMS)].every(isWhole)).toBe(true);
    await store.close();
  });
});
