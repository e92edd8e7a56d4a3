import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { hasSeen, Overlay } from './overlay.ts';

const pod = (name: string, version = '1', uid = `uid-${name}`): Stored<Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, uid, resourceVersion: version, creationTimestamp: '2026-01-01T09:00:00Z' },
  spec: { containers: [] },
});

const names = (pods: readonly Stored<Pod>[]): readonly string[] => pods.map(({ metadata }) => metadata.name);

describe('the overlay of own writes', () => {
  it('shows what was written until the cache does', () => {
    const cache = { resourceVersion: '5' };
    const overlay = new Overlay<Pod>(cache);
    overlay.wrote(pod('a', '7'));
    expect(names(overlay.over([]))).toEqual(['a']);
    cache.resourceVersion = '7';
    expect(names(overlay.over([pod('a', '7')]))).toEqual(['a']);
    expect(overlay.over([])).toEqual([]);
  });

  it('forgets what the cache has seen come and go', () => {
    const cache = { resourceVersion: '5' };
    const overlay = new Overlay<Pod>(cache);
    overlay.wrote(pod('a', '7'));
    cache.resourceVersion = '9';
    expect(overlay.over([])).toEqual([]);
  });

  it('prefers the newer of two states', () => {
    const overlay = new Overlay<Pod>({ resourceVersion: '5' });
    overlay.wrote(pod('a', '7'));
    expect(overlay.over([pod('a', '6')])[0]?.metadata.resourceVersion).toBe('7');
    expect(overlay.over([pod('a', '8')])[0]?.metadata.resourceVersion).toBe('8');
  });

  it('hides what is gone, also when its creation is heard of only now', () => {
    const cache = { resourceVersion: '5' };
    const overlay = new Overlay<Pod>(cache);
    overlay.wrote(pod('a', '7'));
    overlay.gone(pod('a', '7'));
    expect(overlay.over([])).toEqual([]);
    expect(overlay.over([pod('a', '7')])).toEqual([]);
    cache.resourceVersion = '8';
    expect(overlay.over([])).toEqual([]);
  });

  it('knows one object as well as all, and forgets nothing of the others by that', () => {
    const overlay = new Overlay<Pod>({ resourceVersion: '8' });
    overlay.gone(pod('a', '7'));
    overlay.wrote(pod('b', '9'));
    expect(overlay.latest(pod('a', '7'))).toBeUndefined();
    expect(overlay.latest(pod('b', '6'))?.metadata.resourceVersion).toBe('9');
    expect(overlay.latest(pod('c', '3'))?.metadata.resourceVersion).toBe('3');
    expect(overlay.latest(pod('a', '7'))).toBeUndefined();
  });

  it('finds by name an object that the cache does not show yet, or shows a former one of', () => {
    const cache = { resourceVersion: '8' };
    const overlay = new Overlay<Pod>(cache);
    overlay.gone(pod('a', '7', 'old'));
    overlay.wrote(pod('a', '9', 'new'));
    expect(overlay.named('a', pod('a', '7', 'old'))?.metadata.uid).toBe('new');
    expect(overlay.named('a', undefined)?.metadata.uid).toBe('new');
    expect(overlay.named('b', undefined)).toBeUndefined();
    cache.resourceVersion = '9';
    expect(overlay.named('a', undefined)).toBeUndefined();
  });
});

describe('the overlay, followed change by change', () => {
  it('confirms an answer by the same state or a newer one, not by an older', () => {
    const overlay = new Overlay<Pod>({ resourceVersion: '5' });
    overlay.wrote(pod('a', '7'));
    overlay.confirm(pod('a', '6'));
    expect(overlay.isOwnWrite(pod('a', '7'))).toBe(true);
    overlay.confirm(pod('a', '7'));
    expect(overlay.isOwnWrite(pod('a', '7'))).toBe(false);
    expect(overlay.isEmpty).toBe(true);
  });

  it('hides a child that is gone until it is forgotten', () => {
    const overlay = new Overlay<Pod>({ resourceVersion: '5' });
    overlay.gone(pod('a', '4'));
    overlay.wrote(pod('a', '6'));
    expect(overlay.hides('uid-a')).toBe(true);
    overlay.forget('uid-a');
    expect(overlay.isEmpty).toBe(true);
  });

  it('hands out the answers that the cache is past, once', () => {
    const cache = { resourceVersion: '5' };
    const overlay = new Overlay<Pod>(cache);
    overlay.wrote(pod('a', '7'));
    overlay.wrote(pod('b', '9'));
    expect(overlay.takeSeen()).toEqual([]);
    cache.resourceVersion = '8';
    expect(names(overlay.takeSeen())).toEqual(['a']);
    expect(overlay.takeSeen()).toEqual([]);
  });
});

describe('a cache', () => {
  it('has seen what is no newer than itself, and nothing before its first list or without an order', () => {
    expect(hasSeen({ resourceVersion: '10' }, pod('a', '9'))).toBe(true);
    expect(hasSeen({ resourceVersion: '10' }, pod('a', '10'))).toBe(true);
    expect(hasSeen({ resourceVersion: '10' }, pod('a', '11'))).toBe(false);
    expect(hasSeen({ resourceVersion: '' }, pod('a', '1'))).toBe(false);
    expect(hasSeen({ resourceVersion: '10' }, pod('a', 'odd'))).toBe(false);
  });
});

/** A server, a cache that lags behind it, and the facts that follow from the answers: written without regard to the overlay. */
class Model {
  readonly cache = { resourceVersion: '1' };
  readonly shown = new Map<string, Stored<Pod>>();
  readonly overlay = new Overlay<Pod>(this.cache);
  readonly #present = new Map<number, Stored<Pod>>();
  readonly #log: { readonly type: 'set' | 'delete'; readonly object: Stored<Pod> }[] = [];
  readonly #ownVersions = new Map<string, number>();
  readonly #ownEnds = new Set<string>();
  #births = 0;
  #seen = 0;

  get #head(): number {
    return 1 + this.#log.length;
  }

  write(slot: number, isOwn: boolean): void {
    const uid = this.#present.get(slot)?.metadata.uid ?? `uid-${(this.#births += 1)}`;
    const object = pod(`pod-${slot}`, String(this.#head + 1), uid);
    this.#present.set(slot, object);
    this.#log.push({ type: 'set', object });
    if (!isOwn) return;
    this.overlay.wrote(object);
    this.#ownVersions.set(uid, this.#head);
  }

  delete(slot: number, isOwn: boolean): void {
    const object = this.#present.get(slot);
    if (object === undefined) return;
    this.#present.delete(slot);
    this.#log.push({ type: 'delete', object });
    if (!isOwn) return;
    this.overlay.gone(object);
    this.#ownEnds.add(object.metadata.uid);
  }

  advance(count: number): void {
    for (const { type, object } of this.#log.slice(this.#seen, this.#seen + count)) {
      this.#seen += 1;
      if (type === 'set') this.shown.set(object.metadata.uid, object);
      else this.shown.delete(object.metadata.uid);
      this.cache.resourceVersion = String(1 + this.#seen);
    }
  }

  /** By UID, the version of each child that a controller must reckon with. */
  expected(): ReadonlyMap<string, number> {
    const versions = new Map<string, number>();
    for (const [uid, { metadata }] of this.shown) versions.set(uid, Number(metadata.resourceVersion));
    for (const [uid, version] of this.#ownVersions) {
      const known = versions.get(uid);
      if (known !== undefined || version > Number(this.cache.resourceVersion))
        versions.set(uid, Math.max(version, known ?? 0));
    }
    for (const uid of this.#ownEnds) versions.delete(uid);
    return versions;
  }
}

describe('the overlay over a cache that lags', () => {
  const slot = fc.nat({ max: 3 });
  const step = fc.oneof(
    fc.record({ do: fc.constant('write' as const), slot, isOwn: fc.boolean() }),
    fc.record({ do: fc.constant('delete' as const), slot, isOwn: fc.boolean() }),
    fc.record({ do: fc.constant('advance' as const), by: fc.integer({ min: 1, max: 4 }) }),
  );

  it('shows each child at the newest state that anybody told of, and none that is gone by an answer', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const model = new Model();
        for (const each of steps) {
          if (each.do === 'advance') model.advance(each.by);
          else model[each.do](each.slot, each.isOwn);
          const result = model.overlay.over(model.shown.values());
          const versions = new Map(result.map(({ metadata }) => [metadata.uid, Number(metadata.resourceVersion)]));
          expect(versions.size).toBe(result.length);
          expect(versions).toEqual(model.expected());
        }
        model.advance(Infinity);
        expect(new Set(model.overlay.over(model.shown.values()))).toEqual(new Set(model.shown.values()));
        expect(model.overlay.isEmpty).toBe(true);
      }),
    );
  });
});
