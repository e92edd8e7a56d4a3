import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../store-over-engine.ts';
import { describeStoreModel } from '../../model.contract.ts';
import { describeStore } from '../../store.contract.ts';
import type { StoreHarness } from '../../support.contract.ts';
import { createLogEngine } from './log-engine.ts';
import type { LogEngineOptions } from './log-engine.ts';

function harness(limits: Partial<LogEngineOptions> = {}): StoreHarness {
  let directory: string | undefined;
  const open: StoreHarness['open'] = async (options) => {
    directory ??= mkdtempSync(join(tmpdir(), 'everynode-log-'));
    return openStore({ ...options, engine: await createLogEngine({ directory, ...limits }) });
  };
  return {
    open,
    async reopen(store, options) {
      await store.close();
      return open(options);
    },
    cleanUp() {
      if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
      return Promise.resolve();
    },
  };
}

describeStore('log', harness);
describeStoreModel('log', harness, { runs: 40 });
// Segments of a few records, merged all the time: compaction may not change the contract.
const tiny = { segmentBytes: 700, garbageBytes: 1 };
describeStore('log with tiny segments', () => harness(tiny));
describeStoreModel('log with tiny segments', () => harness(tiny), { runs: 40 });
