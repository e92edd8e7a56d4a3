import { describe, expect, it } from 'vitest';
import { silentLogger } from '../logging/logger.ts';
import { createVirtualClock } from '../time/virtual-clock.ts';
import { createMemoryRelief } from './memory-relief.ts';
import { createProcessMemory } from './process-memory.ts';

const MIB = 1024 * 1024;

/** A process whose memory is what a test says; a release brings it down to `live`. */
function house() {
  const clock = createVirtualClock();
  const process = { resident: 200 * MIB, heapUsed: 100 * MIB, busy: 0, live: 150 * MIB, releases: 0 };
  const history = {
    revision: 0,
    bytes: 0,
    through: 0,
    trimHistory(through: number, keepBytes: number): number {
      const freed = Math.max(0, history.bytes - keepBytes);
      if (through < 500 || freed === 0) return 0;
      history.bytes -= freed;
      history.through = through;
      return freed;
    },
  };
  const cache = { clears: 0, clear: () => void (cache.clears += 1) };
  const stopping = new AbortController();
  const relief = createMemoryRelief({
    clock,
    logger: silentLogger,
    history,
    caches: [cache],
    memory: {
      resident: () => process.resident,
      heapUsed: () => process.heapUsed,
      busy: () => process.busy,
      release() {
        process.releases += 1;
        process.resident = process.live;
        return Promise.resolve();
      },
    },
  });
  const ended = relief.start(stopping.signal);
  return {
    process,
    history,
    cache,
    seconds: (count: number) => clock.advance(count * 1000),
    stop: () => (stopping.abort(), ended),
  };
}

describe('memory relief', () => {
  it('releases once after the start, and again only after growth', async () => {
    const { process, cache, seconds, stop } = house();
    await seconds(60);
    expect(process.releases).toBe(1);
    expect(cache.clears).toBe(1);
    process.resident = process.live + 20 * MIB;
    await seconds(60);
    expect(process.releases).toBe(1);
    process.resident = process.live + 100 * MIB;
    await seconds(60);
    expect(process).toMatchObject({ releases: 2, resident: 150 * MIB });
    await stop();
  });

  it('waits until nobody else needs the process', async () => {
    const { process, seconds, stop } = house();
    process.busy = 0.5;
    await seconds(60);
    expect(process.releases).toBe(0);
    process.busy = 0.01;
    await seconds(10);
    expect(process.releases).toBe(0);
    await seconds(10);
    expect(process.releases).toBe(1);
    await stop();
  });

  it('gives up the past once it is half a minute old and nobody is busy, and then releases', async () => {
    const { process, history, seconds, stop } = house();
    await seconds(60);
    expect(process.releases).toBe(1);
    history.revision = 500;
    history.bytes = 64 * MIB;
    process.busy = 0.5;
    await seconds(10);
    process.busy = 0;
    await seconds(20);
    expect([history.bytes, history.through]).toEqual([64 * MIB, 0]);
    await seconds(15);
    expect([history.bytes, history.through, process.releases]).toEqual([8 * MIB, 500, 2]);
    await stop();
  });

  it('does not try again and again where memory is in use', async () => {
    const { process, seconds, stop } = house();
    process.live = 500 * MIB;
    process.resident = 500 * MIB;
    await seconds(600);
    expect(process.releases).toBe(1);
    await stop();
  });

  it('leaves a large heap alone: it would stand still for too long', async () => {
    const { process, seconds, stop } = house();
    process.heapUsed = 900 * MIB;
    await seconds(600);
    expect(process.releases).toBe(0);
    await stop();
  });
});

describe('memory of this process', () => {
  it('can be told and released, and nobody else gets the collector', async () => {
    const memory = createProcessMemory();
    expect(memory.resident()).toBeGreaterThan(10 * MIB);
    expect(memory.heapUsed()).toBeGreaterThan(MIB);
    expect(memory.busy()).toBeLessThanOrEqual(1);
    await memory.release();
    expect(Object.hasOwn(globalThis, 'gc')).toBe(false);
  });
});
