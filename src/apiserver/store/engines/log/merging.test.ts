/** A merge that fails half-way: steps that took effect count, and the next merge works. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { realClock } from '../../../../machinery/time/real-clock.ts';
import type { Store } from '../../store.ts';
import { PODS, putTo } from '../../support.contract.ts';
import type { LogFiles } from './files.ts';
import { logHarness, quickDisk, state } from './log-support.contract.ts';

const log = logHarness();

/** Fails one call, once, when the time has come: after a merged segment took its name. */
function failOnce(what: 'remove' | 'syncDirectory' | 'rename' | 'late rename') {
  let isMerged = false;
  const fault = { happened: false };
  const fails = (): boolean => {
    if (fault.happened) return false;
    fault.happened = true;
    return true;
  };
  const error = (): Error => Object.assign(new Error(`EIO: i/o error, ${what}`), { code: 'EIO' });
  const wrapFiles = (disk: LogFiles): LogFiles => failing(quickDisk(disk));
  const failing = (files: LogFiles): LogFiles => ({
    ...files,
    async rename(from, to) {
      const isMerge = from.startsWith('merged');
      if (isMerge && what === 'rename' && fails()) throw error();
      await files.rename(from, to);
      isMerged ||= isMerge;
      if (isMerge && what === 'late rename' && fails()) throw error();
    },
    async remove(name) {
      if (isMerged && name.endsWith('.log') && what === 'remove' && fails()) throw error();
      await files.remove(name);
    },
    async syncDirectory() {
      if (isMerged && what === 'syncDirectory' && fails()) throw error();
      await files.syncDirectory();
    },
  });
  return { fault, wrapFiles };
}

const LIMITS = { segmentBytes: 1_000, garbageBytes: 1_000 };

async function churn(store: Store, writes: number): Promise<void> {
  for (let i = 0; i < writes; i++) await putTo(store, PODS, 'a', `p${i % 3}`, i);
  await realClock.sleep(5);
}

describe('a merge that fails', () => {
  it.each(['remove', 'syncDirectory', 'rename', 'late rename'] as const)(
    'at %s does not keep later ones from merging, and nothing is lost',
    async (what) => {
      const { fault, wrapFiles } = failOnce(what);
      const store = await log.open({ ...LIMITS, wrapFiles });
      for (let round = 0; round < 60 && !fault.happened; round++) await churn(store, 20);
      expect(fault.happened).toBe(true);
      const failures = log.notices.length;
      for (let round = 0; round < 30; round++) await churn(store, 20);
      // At most one notice of a failure, and the log does not grow without end.
      expect(log.notices.length).toBeLessThanOrEqual(Math.max(1, failures));
      expect(log.segments().length).toBeLessThan(40);
      const after = state(store);
      await log.crash(store);
      const again = await log.open(LIMITS);
      expect(state(again)).toEqual(after);
      await again.close();
      expect(readdirSync(log.directory).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    },
  );
});
