/**
 * The victim: writes to a store as fast as it can until it is killed, and tells on its output what it has begun and
 * what was answered. Lines are written synchronously, so what is told has happened before the kill.
 *
 *     delete KEY                a removal of KEY may from now on have happened
 *     put KEY REVISION SEQ      answered
 *     gone KEY REVISION         answered
 *     failed CODE               refused by the store
 */
import { writeSync } from 'node:fs';
import { createLogEngine } from '../../../src/apiserver/store/engines/log/log-engine.ts';
import { openStore } from '../../../src/apiserver/store/store-over-engine.ts';
import { realClock } from '../../../src/machinery/time/real-clock.ts';
import { VICTIMS, thing } from './things.ts';

const [directory = '', segmentBytes = '', writes = 'Infinity', padding = '300'] = process.argv.slice(2);
const say = (line: string): void => void writeSync(1, `${line}\n`);

const store = await openStore({
  clock: realClock,
  engine: await createLogEngine({
    directory,
    ...(segmentBytes === '' ? {} : { segmentBytes: Number(segmentBytes), garbageBytes: Number(segmentBytes) }),
  }),
});
say(`open ${store.revision}`);

let sequence = 0;
async function work(): Promise<void> {
  while (sequence < Number(writes)) {
    const seq = sequence++;
    const name = `k${(seq * 7919 + process.pid) % 60}`;
    const key = { ...VICTIMS, namespace: 'default', name };
    const remove = seq % 11 === 0 && store.accepted(key) !== undefined;
    if (remove) say(`delete ${name}`);
    let removed = false;
    try {
      const answer = await store.write(key, (accepted) => {
        removed = remove && accepted !== undefined;
        return accepted !== undefined && removed ? { remove: accepted } : { put: thing(name, seq, Number(padding)) };
      });
      const { resourceVersion } = answer.metadata;
      say(removed ? `gone ${name} ${resourceVersion}` : `put ${name} ${resourceVersion} ${seq}`);
    } catch (error) {
      say(`failed ${(error as { storeCode?: string }).storeCode ?? String(error)}`);
      await realClock.sleep(20);
    }
  }
}
await Promise.all(Array.from({ length: 16 }, work));
await store.close();
say('closed');
