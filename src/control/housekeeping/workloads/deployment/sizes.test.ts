import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Deployment } from '../../../../core/api/types/apps-v1.ts';
import { DESIRED_REPLICAS, MAX_REPLICAS } from './names.ts';
import { limitsOf, newSize, rescale, shrinkOld, type Sized, sizeOf } from './sizes.ts';

type Amount = number | string;

const deployment = (replicas: number, maxSurge: Amount, maxUnavailable: Amount): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas,
    selector: {},
    template: {},
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
  },
});

const set = (
  name: string,
  replicas: number,
  available = 0,
  annotations: { readonly [key: string]: string } = {},
  has = replicas,
): Sized => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: {
    name,
    uid: name,
    resourceVersion: '1',
    creationTimestamp: `2026-01-01T00:00:0${name.length}Z`,
    annotations,
  },
  spec: { replicas, selector: {} },
  status: { replicas: has, availableReplicas: available },
});

const amount = fc.oneof(
  fc.integer({ min: 0, max: 12 }),
  fc.integer({ min: 0, max: 100 }).map((percent) => `${percent}%`),
);

describe('the limits of a rolling update', () => {
  it.each([
    [10, '25%', '25%', 3, 2],
    [1, '25%', '25%', 1, 0],
    [4, 0, 0, 0, 1],
    [3, '0%', '10%', 0, 1],
    [0, '25%', '25%', 0, 0],
    [2, 5, 7, 5, 2],
  ])(
    'of %i pods with surge %s and unavailability %s are %i and %i',
    (replicas, surge, unavailable, maxSurge, maxUnavailable) => {
      expect(limitsOf(deployment(replicas, surge, unavailable))).toEqual({ maxSurge, maxUnavailable });
    },
  );
});

/** A rollout in a world where pods become available and fail at random, one step of either side at a time. */
function simulate(wanted: Deployment, steps: readonly number[]): void {
  const desired = wanted.spec.replicas ?? 0;
  const { maxSurge, maxUnavailable } = limitsOf(wanted);
  // `has` are the pods there are, `up` those of them that are available.
  const sets = [
    { name: 'a', size: desired, has: desired, up: desired },
    { name: 'bb', size: 0, has: 0, up: 0 },
    { name: 'ccc', size: 0, has: 0, up: 0 },
  ];
  let target = 1;
  const asSet = (at: number): Sized =>
    set(sets[at]?.name ?? '', sets[at]?.size ?? 0, sets[at]?.up ?? 0, {}, sets[at]?.has);
  for (const [turn, chance] of steps.entries()) {
    if (turn === Math.floor(steps.length / 2)) target = 2;
    const old = [0, 1, 2].filter((at) => at !== target).map(asSet);
    const fresh = asSet(target);
    const before = sets.reduce((sum, each) => sum + Math.min(each.up, each.size), 0);
    const size = newSize(wanted, [...old, fresh], sizeOf(fresh));
    const change = size === sizeOf(fresh) ? shrinkOld(wanted, fresh, old) : [{ set: fresh, to: size }];
    for (const { set: changed, to } of change) {
      const each = sets.find(({ name }) => name === changed.metadata.name);
      if (each !== undefined) each.size = to;
    }
    // Counts also pods that are to go and have not been deleted yet.
    const all = sets.reduce((sum, each) => sum + Math.max(each.size, each.has), 0);
    expect(all).toBeLessThanOrEqual(desired + maxSurge);
    const after = sets.reduce((sum, each) => sum + Math.min(each.up, each.size), 0);
    // The controller itself takes nothing below the least that must be available.
    if (after < before) expect(after).toBeGreaterThanOrEqual(desired - maxUnavailable);
    const each = sets[chance % 3];
    if (each === undefined) continue;
    // The ReplicaSet follows: it deletes those that are not available first.
    each.up = Math.min(each.up, each.size);
    each.has = each.size;
    if (chance % 7 === 0) each.up = Math.max(0, each.up - 1);
    else each.up = Math.min(each.has, each.up + 1 + (chance % 5));
  }
}

describe('a rolling update', () => {
  it('stays within its limits whatever pods do and when the next one begins in its middle', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 25 }),
        amount,
        amount,
        fc.array(fc.nat({ max: 1000 }), { minLength: 10, maxLength: 120 }),
        (replicas, surge, unavailable, steps) => simulate(deployment(replicas, surge, unavailable), steps),
      ),
    );
  });

  it('comes to its end when pods become available', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 }), amount, amount, (replicas, surge, unavailable) => {
        const wanted = deployment(replicas, surge, unavailable);
        let old = set('a', replicas, replicas);
        let fresh = set('bb', 0, 0);
        for (let turn = 0; turn < 300; turn += 1) {
          const size = newSize(wanted, [old, fresh], sizeOf(fresh));
          const shrunk = size === sizeOf(fresh) ? shrinkOld(wanted, fresh, [old]) : [];
          fresh = set('bb', size, size);
          const to = shrunk[0]?.to ?? sizeOf(old);
          old = set('a', to, to);
        }
        expect([sizeOf(old), sizeOf(fresh)]).toEqual([0, replicas]);
      }),
    );
  });
});

describe('a change of the number of pods in the middle of a rollout', () => {
  const annotated = (name: string, size: number, desired: number, most: number): Sized =>
    set(name, size, size, { [DESIRED_REPLICAS]: String(desired), [MAX_REPLICAS]: String(most) });

  it('is shared in proportion, as documented: 10 to 15 with 8 and 5', () => {
    const wanted = deployment(15, 3, 2);
    const sizes = rescale(wanted, annotated('bb', 5, 10, 13), [annotated('a', 8, 10, 13)]);
    expect(new Map(sizes.map(({ set: { metadata }, to }) => [metadata.name, to]))).toEqual(
      new Map([
        ['a', 11],
        ['bb', 7],
      ]),
    );
  });

  it('adds up to what there may be, keeps every set at zero or more and changes all the same way', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 5 }),
        fc.integer({ min: 0, max: 120 }),
        fc.integer({ min: 0, max: 10 }),
        (present, replicas, maxSurge) => {
          const total = present.reduce((a, b) => a + b, 0);
          const wanted = deployment(replicas, maxSurge, 1);
          const sets = present.map((size, index) => annotated('x'.repeat(index + 1), size, total, total));
          const sizes = rescale(wanted, sets.at(-1), sets.slice(0, -1));
          const after = sizes.map(({ to }) => to);
          expect(after.every((to) => to >= 0)).toBe(true);
          expect(after.reduce((a, b) => a + b, 0)).toBe(replicas === 0 ? 0 : replicas + maxSurge);
          const grows = replicas + maxSurge >= total;
          for (const { set: each, to } of sizes.slice(1))
            expect(grows ? to >= sizeOf(each) : to <= sizeOf(each)).toBe(true);
        },
      ),
    );
  });

  it('goes to the only set that has pods, or to the newest', () => {
    const wanted = deployment(7, 1, 1);
    expect(
      rescale(wanted, set('bb', 0), [set('a', 3, 3)]).map(({ set: { metadata }, to }) => [metadata.name, to]),
    ).toEqual([['a', 7]]);
    expect(
      rescale(wanted, set('bb', 0), [set('a', 0)]).map(({ set: { metadata }, to }) => [metadata.name, to]),
    ).toEqual([['bb', 7]]);
    expect(
      rescale(wanted, undefined, [set('a', 0), set('bb', 0)]).map(({ set: { metadata } }) => metadata.name),
    ).toEqual(['bb']);
  });
});
