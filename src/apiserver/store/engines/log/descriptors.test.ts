/** A process that has no descriptor left: the store goes on with the files that it has open. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PODS, putTo } from '../../support.contract.ts';
import type { LogFiles } from './files.ts';
import { logHarness, outcome, quickDisk, state } from './log-support.contract.ts';

const log = logHarness();

/** Opens nothing while `isOut`. */
function descriptors() {
  const process = { isOut: false, refused: 0 };
  const wrapFiles = (real: LogFiles): LogFiles => {
    const files = quickDisk(real);
    return {
      ...files,
      open(name, mode) {
        if (!process.isOut) return files.open(name, mode);
        process.refused += 1;
        return Promise.reject(Object.assign(new Error('EMFILE: too many open files, open'), { code: 'EMFILE' }));
      },
    };
  };
  return { process, wrapFiles };
}

describe('without descriptors', () => {
  it('a store writes on, first into the segment that was opened ahead, then into that one for as long as it takes', async () => {
    const { process, wrapFiles } = descriptors();
    const store = await log.open({ segmentBytes: 10_000, wrapFiles });
    for (let i = 0; i < 5; i += 1) await putTo(store, PODS, 'a', `before-${i}`, 'x'.repeat(1_000));
    process.isOut = true;
    const before = log.segments().length;
    for (let i = 0; i < 60; i += 1) {
      expect(await outcome(putTo(store, PODS, 'a', `out-${i}`, 'x'.repeat(1_000)))).toBe('answered');
    }
    expect(log.segments()).toHaveLength(before + 1);
    expect(process.refused).toBeGreaterThan(0);
    process.isOut = false;
    for (let i = 0; i < 30; i += 1) await putTo(store, PODS, 'a', `after-${i}`, 'x'.repeat(1_000));
    expect(log.segments().length).toBeGreaterThan(before + 1);
    const known = state(store);
    await store.close();
    expect(readdirSync(log.directory).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    const again = await log.open();
    expect(state(again)).toEqual(known);
    await again.close();
  });
});
