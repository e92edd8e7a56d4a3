import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StatefulSet, StatefulSetSpec } from '../../../../core/api/types/apps-v1.ts';
import type { Pod } from '../../../../core/api/types/core-v1.ts';
import type { OwnerReference } from '../../../../core/kube/meta-v1.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import { arrange, ordinalOf } from './ordinals.ts';
import { claimOwners, isOwnedByFormer } from './retention.ts';

const set = (spec: Partial<StatefulSetSpec> = {}): StatefulSet => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'web', uid: 'set' },
  spec: { selector: {}, template: {}, ...spec },
});
const pod = (name: string): Stored<Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, uid: `uid-${name}`, resourceVersion: '1', creationTimestamp: '' },
  spec: { containers: [] },
});

describe('ordinals', () => {
  it.each([
    ['web-0', 0],
    ['web-12', 12],
    ['web-x', undefined],
    ['web-1-2', undefined],
    ['other-1', undefined],
    ['web-', undefined],
    ['web-99999999999', undefined],
  ])('%s has %s', (name, ordinal) => {
    expect(ordinalOf(set(), name)).toBe(ordinal);
  });

  it('give every pod one place: wanted in order, condemned from the highest down', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat({ max: 20 })),
        fc.nat({ max: 10 }),
        fc.nat({ max: 8 }),
        (present, replicas, start) => {
          const { wanted, condemned } = arrange(
            set({ replicas, ordinals: { start } }),
            present.map((each) => pod(`web-${each}`)),
          );
          expect(wanted.map(({ ordinal }) => ordinal)).toEqual(
            Array.from({ length: replicas }, (_, index) => start + index),
          );
          for (const { ordinal, pod: found } of wanted) expect(found !== undefined).toBe(present.includes(ordinal));
          const outside = present.filter((each) => each < start || each >= start + replicas).toSorted((a, b) => b - a);
          expect(condemned.map(({ metadata }) => metadata.name)).toEqual(outside.map((each) => `web-${each}`));
        },
      ),
    );
  });
});

describe('the owners of a claim', () => {
  const other: OwnerReference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x' };
  const owners = (
    whenDeleted: string,
    whenScaled: string,
    isScaledAway: boolean,
    present: readonly OwnerReference[] = [],
  ) =>
    claimOwners(
      present,
      set({ persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } }),
      pod('web-1'),
      isScaledAway,
    )?.map(({ kind }) => kind);

  it.each([
    ['Retain', 'Retain', false, []],
    ['Retain', 'Retain', true, []],
    ['Delete', 'Retain', false, ['StatefulSet']],
    ['Delete', 'Retain', true, ['StatefulSet']],
    ['Retain', 'Delete', false, []],
    ['Retain', 'Delete', true, ['Pod']],
    ['Delete', 'Delete', false, ['StatefulSet']],
    ['Delete', 'Delete', true, ['Pod']],
  ])('when deleted %s, when scaled %s, scaled away %s: %j', (whenDeleted, whenScaled, isScaledAway, kinds) => {
    expect(owners(whenDeleted, whenScaled, isScaledAway)).toEqual(kinds);
    expect(owners(whenDeleted, whenScaled, isScaledAway, [other])).toEqual(['ConfigMap', ...kinds]);
  });

  it('are left alone where another controls it or a former namesake does', () => {
    const foreign = [{ ...other, controller: true }];
    expect(owners('Delete', 'Delete', true, foreign)).toEqual(['ConfigMap']);
    const former: OwnerReference = { apiVersion: 'v1', kind: 'Pod', name: 'web-1', uid: 'former', controller: true };
    expect(owners('Delete', 'Delete', true, [former])).toEqual(['Pod']);
    expect(isOwnedByFormer([former], { metadata: { name: 'web-1' } })).toBe(true);
    expect(isOwnedByFormer([former], { metadata: { name: 'web-1', uid: 'former' } })).toBe(false);
  });
});
