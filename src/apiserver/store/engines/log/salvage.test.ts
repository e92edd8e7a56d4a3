import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realClock } from '../../../../machinery/time/real-clock.ts';
import { openStore } from '../../store-over-engine.ts';
import { PODS, dataOf, putTo, removeFrom } from '../../support.contract.ts';
import { createLogEngine } from './log-engine.ts';
import { salvageDirectory, salvageLog } from './salvage.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'everynode-salvage-'));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const open = async (directory: string) =>
  openStore({ clock: realClock, engine: await createLogEngine({ directory, segmentBytes: 800, garbageBytes: 1e9 }) });

describe('salvaging a damaged log', () => {
  it('keeps what is intact, says what is not, and goes on from the highest revision', async () => {
    const [from, to] = [join(parent, 'from'), join(parent, 'to')];
    const store = await open(from);
    for (let i = 0; i < 20; i++) await putTo(store, PODS, 'a', `p${i}`, `value ${i}`);
    await putTo(store, PODS, 'a', 'p1', 'changed');
    await removeFrom(store, PODS, 'a', 'p2');
    await store.close();
    for (const name of readdirSync(from)) {
      const bytes = readFileSync(join(from, name));
      const at = bytes.indexOf('value 7"');
      if (at === -1) continue;
      bytes[at] = 0x56;
      writeFileSync(join(from, name), bytes);
    }
    await expect(open(from)).rejects.toMatchObject({ code: 'EN_STORE_CORRUPT' });

    const salvaged = await salvageLog(from, to);
    expect(salvaged).toMatchObject({ objects: 18, revision: 22 });
    expect(salvaged.damaged).toHaveLength(1);
    const again = await open(to);
    const data = new Map(Array.from(again.list(PODS), (o) => [o.metadata.name, dataOf(o)]));
    expect([data.get('p1'), data.has('p2'), data.has('p7'), data.get('p8')]).toEqual([
      'changed',
      false,
      false,
      'value 8',
    ]);
    expect(again.revision).toBe(22);
    await again.close();
    await expect(salvageLog(from, to)).rejects.toThrow('already holds a store');
  });

  it('takes a data directory as a whole: the store inside it, and its keys', async () => {
    const [from, to] = [join(parent, 'from'), join(parent, 'to')];
    const store = await open(join(from, 'store'));
    await putTo(store, PODS, 'a', 'p', 'value');
    await store.close();
    mkdirSync(join(from, 'pki'));
    writeFileSync(join(from, 'pki', 'ca.key'), 'secret');
    expect(await salvageDirectory(from, to)).toMatchObject({ objects: 1, damaged: [] });
    expect(readFileSync(join(to, 'pki', 'ca.key'), 'utf8')).toBe('secret');
    const again = await open(join(to, 'store'));
    expect(Array.from(again.list(PODS), dataOf)).toEqual(['value']);
    await again.close();
  });

  it('never passes off an empty store as what was saved', async () => {
    mkdirSync(join(parent, 'empty'));
    await expect(salvageDirectory(join(parent, 'empty'), join(parent, 'to'))).rejects.toThrow('holds no store');
    expect(readdirSync(parent)).toEqual(['empty']);
  });
});
