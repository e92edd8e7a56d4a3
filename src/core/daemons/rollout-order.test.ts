import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeNode } from './testing/samples.ts';
import { createRolloutOrder } from './rollout-order.ts';

const nodes = (names: readonly string[], zones: readonly (string | undefined)[] = []) => ({
  nodeName: (place: number) => names[place] ?? '',
  node: (place: number) =>
    makeNode(names[place] ?? '', { labels: zones[place] === undefined ? {} : { zone: zones[place] } }),
});

describe('the order of a rollout', () => {
  it('is by name', () => {
    const order = createRolloutOrder(nodes(['c', 'a', 'b']));
    order.add([0, 1, 2]);
    expect(order.first(2, () => true)).toEqual([1, 2]);
    expect(order.first(9, () => true)).toEqual([1, 2, 0]);
  });

  it('is by group first where a label is named, nodes without it last', () => {
    // z1 has two nodes, z2 one, z3 three: the order of the groups is that of their names, not of their sizes.
    const zones = [undefined, 'z3', 'z2', 'z1', 'z3', 'z1', 'z3'];
    const order = createRolloutOrder(nodes(['a', 'b', 'c', 'd', 'e', 'f', 'g'], zones), 'zone');
    order.add([0, 1, 2, 3, 4, 5, 6]);
    expect(order.first(7, () => true)).toEqual([3, 5, 2, 1, 4, 6, 0]);
  });

  it('drops who is no candidate any more, and takes each once however often it was added', () => {
    const order = createRolloutOrder(nodes(['a', 'b', 'c']));
    order.add([0, 1, 2, 0, 1]);
    expect(order.first(3, (place) => place !== 0)).toEqual([1, 2]);
    expect(order.first(3, () => true)).toEqual([1, 2]);
    order.add([0]);
    expect(order.first(1, () => true)).toEqual([0]);
  });

  it('keeps who must wait, and puts who has come under another key where it belongs', () => {
    const zones = ['z1', 'z1', 'z2'];
    const order = createRolloutOrder(nodes(['a', 'b', 'c'], zones), 'zone');
    order.add([0, 1, 2, 0]);
    const always = (): boolean => true;
    expect(order.first(2, always, (place) => place !== 0)).toEqual([1, 2]);
    expect(order.first(3, always)).toEqual([0, 1, 2]);
    zones[0] = 'z3';
    expect(order.first(3, always)).toEqual([1, 2, 0]);
  });

  it('gives what sorting would give, whatever was added and dropped before', () => {
    const names = Array.from({ length: 30 }, (_, i) => `n${(i * 7) % 30}`);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.array(fc.nat(29), { maxLength: 8 }), fc.array(fc.nat(29), { maxLength: 4 }), fc.nat(5)), {
          maxLength: 12,
        }),
        (rounds) => {
          const order = createRolloutOrder(nodes(names));
          const line = new Set<number>();
          for (const [added, dropped, count] of rounds) {
            order.add(added);
            for (const place of added) line.add(place);
            for (const place of dropped) line.delete(place);
            const right = [...line].sort((a, b) => ((names[a] ?? '') < (names[b] ?? '') ? -1 : 1)).slice(0, count);
            expect(order.first(count, (place) => line.has(place))).toEqual(right);
          }
        },
      ),
    );
  });

  it('is the same for sorting places as for choosing among candidates, with and without a group label', () => {
    const place = fc.nat(29);
    const zone = fc.option(fc.constantFrom('z1', 'z2', 'z3'), { nil: undefined });
    fc.assert(
      fc.property(
        fc.array(zone, { minLength: 30, maxLength: 30 }),
        fc.uniqueArray(place),
        fc.constantFrom('zone', undefined),
        (zones, places, label) => {
          const names = Array.from({ length: 30 }, (_, i) => `n${(i * 7) % 30}`);
          const order = createRolloutOrder(nodes(names, zones), label);
          order.add(places);
          expect(order.sorted(new Set(places))).toEqual(order.first(30, () => true));
        },
      ),
    );
  });
});
