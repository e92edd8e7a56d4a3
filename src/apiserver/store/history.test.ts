import { describe, expect, it } from 'vitest';
import { Deque } from './deque.ts';
import { CollectionLog, History } from './history.ts';
import { retainedBytes } from './retained-bytes.ts';
import { objectOf } from './support.contract.ts';
import type { StoreEvent } from './store.ts';

const event = (revision: number, data: unknown = 0, previous?: unknown): StoreEvent => ({
  revision,
  type: previous === undefined ? 'ADDED' : 'MODIFIED',
  namespace: 'a',
  name: 'x',
  object: objectOf('a', 'x', data),
  previous: previous === undefined ? undefined : objectOf('a', 'x', previous),
});

describe('history', () => {
  it('is bounded in count over all collections, dropping the oldest', () => {
    const history = new History({ events: 4, bytes: Infinity }, 0);
    const [pods, nodes] = [new CollectionLog(0), new CollectionLog(0)];
    history.record(nodes, event(1));
    for (let revision = 2; revision <= 8; revision++) history.record(pods, event(revision));
    expect([history.length, history.compactedRevision]).toEqual([4, 4]);
    expect([pods.length, pods.compactedThrough, pods.lastRevision]).toEqual([4, 4, 8]);
    expect([nodes.length, nodes.compactedThrough, nodes.lastRevision]).toEqual([0, 1, 1]);
    expect([3, 4, 6, 8, 9].map((revision) => pods.firstAfter(revision))).toEqual([0, 0, 2, 4, 4]);
  });

  it('is bounded in bytes, and a single huge event does not stay', () => {
    const history = new History({ events: 1_000, bytes: 20_000 }, 0);
    const pods = new CollectionLog(0);
    for (let revision = 1; revision <= 100; revision++) {
      history.record(pods, event(revision, 'n'.repeat(1_000), 'o'.repeat(1_000)));
    }
    expect(history.length).toBeLessThan(20);
    expect(history.approximateBytes).toBeLessThanOrEqual(20_000);
    history.record(new CollectionLog(100), event(101, '', 'x'.repeat(50_000)));
    expect(history.length).toBe(0);
    expect(history.compactedRevision).toBe(101);
  });

  it('is trimmed from the oldest on, to a size and not beyond a revision', () => {
    const history = new History({ events: 100, bytes: Infinity }, 0);
    const log = new CollectionLog(0);
    for (let revision = 1; revision <= 20; revision++) history.record(log, event(revision, '', 'x'.repeat(1000)));
    const before = history.approximateBytes;
    expect(history.trim(0, 0)).toBe(0);
    const freed = history.trim(5, 0);
    expect([history.length, history.compactedRevision, log.oldestRevision]).toEqual([15, 5, 6]);
    expect(history.approximateBytes).toBe(before - freed);
    history.trim(20, before / 4);
    expect(history.length).toBe(5);
    history.trim(99, 0);
    expect([history.length, log.oldestRevision, history.compactedRevision]).toEqual([0, undefined, 20]);
    expect(history.trim(99, 0)).toBe(0);
  });

  it('charges an event for what its successor does not share', () => {
    const shared = { text: 's'.repeat(10_000) };
    const before = objectOf('a', 'x', shared);
    const after = { ...before, metadata: { ...before.metadata, resourceVersion: '2' } };
    const small = retainedBytes({ ...event(2), previous: before, object: after });
    expect(small).toBeLessThan(600);
    expect(retainedBytes({ ...event(2), previous: before, object: objectOf('a', 'x') })).toBeGreaterThan(10_000);
    expect(retainedBytes({ ...event(2), type: 'DELETED', previous: before, object: after })).toBeGreaterThan(10_000);
    expect(retainedBytes(event(1, shared))).toBeLessThan(200);
    const text = 'x'.repeat(10_000);
    const withText = (round: string) => ({ ...before, data: { text, round } });
    const changed = { ...event(2), previous: withText('1'), object: withText('2') };
    expect(retainedBytes(changed)).toBeGreaterThan(10_000);
  });
});

describe('deque', () => {
  it('behaves like an array that is pushed and shifted', () => {
    const deque = new Deque<number>();
    const model: number[] = [];
    const shifted: [unknown, unknown][] = [];
    for (let i = 0; i < 3_000; i++) {
      if (i % 7 < 4 || i < 300) {
        deque.push(i);
        model.push(i);
      } else {
        shifted.push([deque.shift(), model.shift()]);
        if (i % 5 === 0) shifted.push([deque.shift(), model.shift()]);
      }
      expect(deque.length).toBe(model.length);
    }
    expect(shifted.map(([got]) => got)).toEqual(shifted.map(([, wanted]) => wanted));
    expect(model.map((_, at) => deque.at(at))).toEqual(model);
    while (model.length > 0) expect(deque.shift()).toBe(model.shift());
    expect(deque.shift()).toBeUndefined();
  });
});
