/**
 * Backups of a server under load, each restored and started: everything that was answered before the backup began is in
 * it, in that state or a later one, and nothing that never was. EVERYNODE_BACKUPS says how many; see docs/testing.md.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIG_MAPS } from '../../../src/core/api/registry/resources.ts';
import { startEmbedded } from '../../../src/assembly/embedded.ts';
import { openHttp2 } from '../../hostile/support/wire-client.ts';
import { write } from './load.ts';
import { isWhole, Model, seenIn, type Item, type Pending, type State } from './model.ts';
import { build, runCommand, start, temporaryDataDir } from './server-process.ts';

const BACKUPS = Number(process.env['EVERYNODE_BACKUPS'] ?? 4);
const CONNECTIONS = 4;
const WORKERS_EACH = 4;

const { dataDir, remove } = temporaryDataDir();
beforeAll(build, 120_000);
afterAll(remove);

/** What a backup that begins now must hold. */
interface Mark {
  readonly newest: number;
  /** Of each name, what was last answered and the number of that change; a name with a later number was changed since. */
  readonly answered: ReadonlyMap<string, { readonly seq: number; readonly state: State }>;
}

/** Remembers besides which change of a name was the last to be answered, and which names may have been removed since. */
class MarkedModel extends Model {
  readonly #answered = new Map<string, { readonly seq: number; readonly state: State }>();
  readonly #removals = new Map<string, number>();

  override begin(name: string, pending: Pending): void {
    super.begin(name, pending);
    if (pending.verb === 'delete') this.#removals.set(name, pending.seq);
  }

  override answered(name: string, state: State): void {
    this.#answered.set(name, { seq: this.pending.get(name)?.seq ?? 0, state });
    super.answered(name, state);
  }

  mark(): Mark {
    return { newest: this.newest, answered: new Map(this.#answered) };
  }

  /** What is missing or wrong in a cluster made from a backup that was begun at the mark. */
  problems({ newest, answered }: Mark, items: readonly Item[], revision: number): string[] {
    const wrong: string[] = [];
    if (revision < newest) wrong.push(`revision ${revision} is behind ${newest}`);
    const found = new Map(items.map((item) => [item.metadata.name, item]));
    for (const [name, item] of found) if (!isWhole(item)) wrong.push(`${name} is half written`);
    for (const [name, { seq, state }] of answered) {
      const item = found.get(name);
      const now = item === undefined ? undefined : seenIn(item);
      const isLater = now === undefined ? (this.#removals.get(name) ?? 0) >= seq : now.seq > seq;
      const isSame = now?.seq === state?.seq && now?.revision === state?.revision;
      if (!isSame && !isLater)
        wrong.push(`${name} was answered as ${JSON.stringify(state)} and is ${JSON.stringify(now)}`);
    }
    return wrong;
  }
}

/** Takes a backup, restores it, starts a server on it, and tells what is there. */
async function restored(number: number): Promise<{ readonly items: readonly Item[]; readonly revision: number }> {
  const file = join(dataDir, '..', `${number}.tar`);
  const copy = join(dataDir, '..', `restored-${number}`);
  expect(await runCommand('backup', '--data-dir', dataDir, '-o', file)).toEqual({ code: 0, errors: '' });
  expect((await runCommand('restore', file, '--data-dir', copy)).code).toBe(0);
  const cluster = await startEmbedded({ dataDir: copy, port: 0, bind: '127.0.0.1', groups: [] });
  try {
    const list = await cluster.client.list(CONFIG_MAPS, { namespace: 'default', labelSelector: 'seq' });
    return { items: list.items as unknown as readonly Item[], revision: Number(list.resourceVersion) };
  } finally {
    await cluster.stop();
    rmSync(file);
    rmSync(copy, { recursive: true });
  }
}

describe('backups of a server under load', () => {
  it(
    `hold everything that was answered before they began, in ${BACKUPS} of them`,
    async () => {
      const server = await start(dataDir);
      const model = new MarkedModel();
      const clients = Array.from({ length: CONNECTIONS }, () => openHttp2(server.server, server.credentials));
      let answers = 0;
      const work = clients.flatMap((client, at) =>
        Array.from({ length: WORKERS_EACH }, (_, i) =>
          write(client, at * WORKERS_EACH + i, model, () => (answers += 1)),
        ),
      );
      let checked = 0;
      let stale: Awaited<ReturnType<typeof restored>> | undefined;
      for (let number = 0; number < BACKUPS; number += 1) {
        await sleep(Math.random() * 200);
        const mark = model.mark();
        const copy = await restored(number);
        expect(model.problems(mark, copy.items, copy.revision)).toEqual([]);
        checked += mark.answered.size;
        stale ??= copy;
      }
      const last = model.mark();
      await server.kill('SIGKILL');
      await Promise.all(work);
      for (const client of clients) client.close();
      // A backup that is behind would have been noticed.
      expect(model.problems(last, stale?.items ?? [], stale?.revision ?? 0)).not.toEqual([]);
      expect(answers).toBeGreaterThan(BACKUPS * 10);
      process.stderr.write(
        `${BACKUPS} backups while ${answers} writes were answered: ${checked} objects compared, 0 missing\n`,
      );
    },
    120_000 + BACKUPS * 60_000,
  );
});
