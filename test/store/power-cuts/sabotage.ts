/** Stores that are broken in one way each. A trial that does not notice them proves nothing about ours. */
import type { StoreEngine } from '../../../src/apiserver/store/engine.ts';
import type { LogFile, LogFiles } from '../../../src/apiserver/store/engines/log/files.ts';
import { derived, type Sabotage } from './lineage.ts';

const withFiles = (change: (file: LogFile, name: string) => LogFile): Sabotage => ({
  files: (files) => ({ ...files, open: async (name, mode) => change(await files.open(name, mode), name) }),
});
const withDirectory = (change: (files: LogFiles) => Partial<LogFiles>): Sabotage => ({
  files: (files) => ({ ...files, ...change(files) }),
});
const withEngine = (change: (engine: StoreEngine) => Partial<StoreEngine>): Sabotage => ({
  engine: (engine) => derived(engine, change(engine)),
});
const nothing = (): Promise<void> => Promise.resolve();

export const SABOTAGES: readonly (readonly [string, Sabotage])[] = [
  ['a store that never syncs', withFiles((file) => ({ ...file, sync: nothing }))],
  [
    'a store that answers before the sync is done',
    withFiles((file) => ({
      ...file,
      sync() {
        file.sync().catch(() => undefined);
        return nothing();
      },
    })),
  ],
  ['a store that never syncs its directory', withDirectory(() => ({ syncDirectory: nothing }))],
  [
    'a merge that takes effect before its bytes are synced',
    withFiles((file, name) => (name.endsWith('.tmp') ? { ...file, sync: nothing } : file)),
  ],
  ['a store that leaves refused writes in the file', withFiles((file) => ({ ...file, truncate: nothing }))],
  [
    'a store that answers writes that failed',
    withEngine((engine) => ({ commit: (batch) => engine.commit(batch).catch(() => undefined) })),
  ],
  [
    'a store that forgets the last write of a batch',
    withEngine((engine) => ({ commit: (batch) => engine.commit(batch.length < 2 ? batch : batch.slice(0, -1)) })),
  ],
  [
    'a store that commits half a batch at a time',
    withEngine((engine) => ({
      async commit(batch) {
        const half = Math.ceil(batch.length / 2);
        await engine.commit(batch.slice(0, half));
        if (half < batch.length) await engine.commit(batch.slice(half));
      },
    })),
  ],
  [
    'a store whose revision goes back by one',
    withEngine((engine) => ({
      load: async (receive, current) => Math.max(0, (await engine.load(receive, current)) - 1),
    })),
  ],
];
