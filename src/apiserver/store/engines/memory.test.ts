import { describe, expect, it } from 'vitest';
import { realClock } from '../../../machinery/time/real-clock.ts';
import { createVirtualClock } from '../../../machinery/time/virtual-clock.ts';
import { createStore } from './ephemeral-store.ts';
import { PODS, putTo } from '../support.contract.ts';

describe('the memory engine', () => {
  it('lets timers and sockets in while a writer never pauses', async () => {
    const store = createStore({ clock: realClock });
    let turns = 0;
    let writing = true;
    const count = (): void => {
      turns++;
      if (writing) realClock.after(0, count);
    };
    realClock.after(0, count);
    for (let i = 0; i < 5_000; i++) await putTo(store, PODS, 'a', `p${i % 100}`);
    writing = false;
    expect(turns).toBeGreaterThan(5);
    await store.close();
  });

  it('needs no time to pass where time stands still', async () => {
    const clock = createVirtualClock();
    const store = createStore({ clock });
    let done = 0;
    const run = async (): Promise<void> => {
      for (let i = 0; i < 3_000; i++) {
        await putTo(store, PODS, 'a', `p${i % 10}`);
        done++;
      }
    };
    void run();
    await clock.drain();
    expect(done).toBe(3_000);
    expect(clock.monotonic()).toBe(0);
  });
});
