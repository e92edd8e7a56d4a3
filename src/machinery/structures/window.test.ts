import { describe, expect, it } from 'vitest';
import { throughWindow } from './window.ts';

/** Work that ends when the test says so. */
function workbench() {
  const under = new Map<number, { resolve(): void; reject(error: Error): void }>();
  const begun: number[] = [];
  return {
    begun,
    under,
    work(item: number): Promise<void> {
      begun.push(item);
      return new Promise<void>((resolve, reject) => under.set(item, { resolve, reject })).then(
        () => void under.delete(item),
      );
    },
    async end(...items: readonly number[]): Promise<void> {
      for (const item of items) under.get(item)?.resolve();
      await settled();
    },
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const never = new AbortController().signal;

describe('a window', () => {
  it('begins narrow, doubles with every round trip, and stays within its bound', async () => {
    const bench = workbench();
    const done = throughWindow(numbers(20), (item) => bench.work(item), { first: 1, most: 5, signal: never });
    const widths: number[] = [];
    while (bench.under.size > 0) {
      widths.push(bench.under.size);
      await bench.end(...bench.under.keys());
    }
    expect(widths).toEqual([1, 2, 4, 5, 5, 3]);
    expect(await done).toBe(5);
  });

  it('lets nothing wait for the slowest', async () => {
    const bench = workbench();
    const done = throughWindow(numbers(9), (item) => bench.work(item), { first: 3, most: 3, signal: never });
    for (const item of [1, 2, 3, 4, 5, 6, 7, 8]) await bench.end(item);
    expect([bench.begun, [...bench.under.keys()]]).toEqual([numbers(9), [0]]);
    await bench.end(0);
    expect(await done).toBe(3);
  });

  it('begins nothing after a failure, waits for what is under way, and throws the first', async () => {
    const bench = workbench();
    let ended = false;
    const done = throughWindow(numbers(9), (item) => bench.work(item), { first: 3, most: 9, signal: never }).finally(
      () => (ended = true),
    );
    bench.under.get(1)?.reject(new Error('quota'));
    await settled();
    bench.under.get(0)?.reject(new Error('later'));
    await settled();
    expect([bench.begun, ended]).toEqual([[0, 1, 2], false]);
    bench.under.get(2)?.resolve();
    await expect(done).rejects.toThrow('quota');
  });

  it('begins nothing once it is told to stop, and ends with that', async () => {
    const bench = workbench();
    const stop = new AbortController();
    const done = throughWindow(numbers(9), (item) => bench.work(item), { first: 2, most: 2, signal: stop.signal });
    stop.abort(new Error('stopped'));
    const told = expect(done).rejects.toThrow('stopped');
    await bench.end(0, 1);
    await told;
    expect(bench.begun).toEqual([0, 1]);
  });

  it('takes what throws at once for a failure like any other', async () => {
    const begun: number[] = [];
    const work = (item: number): Promise<void> => {
      begun.push(item);
      if (item === 1) throw new Error('at once');
      return Promise.resolve();
    };
    await expect(throughWindow(numbers(9), work, { first: 1, most: 1, signal: never })).rejects.toThrow('at once');
    expect(begun).toEqual([0, 1]);
  });

  it('with nothing to do is over, as wide as it was', async () => {
    expect(await throughWindow([], () => Promise.resolve(), { first: 4, most: 9, signal: never })).toBe(4);
  });
});
