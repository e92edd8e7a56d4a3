import { describe, expect, it } from 'vitest';
import { pathSet, union } from './field-set.ts';
import { encodeFields } from './fields-v1.ts';
import type { ManagedEntry, ManagedFields } from './managed.ts';
import { fieldElement as f } from './path-element.ts';
import { ownersAfterScaling, ownersFromScale, ownersInScale, replicasPath } from './scale-owners.ts';

const path = replicasPath(['spec', 'replicas']);
const replicas = pathSet(...path);
const paused = pathSet(f('spec'), f('paused'));
const entry = (manager: string, operation: 'Apply' | 'Update', set = union(replicas, paused)): ManagedEntry => ({
  manager,
  operation,
  apiVersion: 'apps/v1',
  time: '2026-01-01T00:00:00Z',
  subresource: '',
  set,
});
const shown = (managed: ManagedFields): readonly string[] =>
  managed.map(({ manager, operation, set, subresource }) =>
    [manager, operation, subresource, encodeFields(set)].join(' '),
  );

describe('owners of replicas', () => {
  it('lose them to whoever scales, who gets them without a time', () => {
    const after = ownersAfterScaling([entry('ann', 'Apply'), entry('bob', 'Update', paused)], path, 'hpa', 'apps/v1');
    expect(shown(after)).toEqual([
      'ann Apply  {"f:spec":{"f:paused":{}}}',
      'hpa Update scale {"f:spec":{"f:replicas":{}}}',
      'bob Update  {"f:spec":{"f:paused":{}}}',
    ]);
    expect(after.find(({ manager }) => manager === 'hpa')?.time).toBe('');
    const again = ownersAfterScaling(after, path, 'hpa', 'apps/v1');
    expect(shown(again)).toEqual(shown(after));
    const other = ownersAfterScaling(after, path, 'kubectl', 'apps/v1');
    expect(other.map(({ manager }) => manager).sort()).toEqual(['ann', 'bob', 'kubectl']);
  });

  it('are nobody after scaling where they were nobody before', () => {
    const owners = [entry('bob', 'Update', paused)];
    expect(ownersAfterScaling(owners, path, 'hpa', 'apps/v1')).toBe(owners);
  });

  it('are seen by scale as its own', () => {
    const seen = ownersInScale([entry('ann', 'Apply'), entry('bob', 'Update', paused)], path);
    expect(seen.map(({ apiVersion, manager }) => `${manager} ${apiVersion}`)).toEqual(['ann autoscaling/v1']);
  });

  it('come back as scale leaves them', () => {
    const owners = [entry('ann', 'Apply'), entry('bob', 'Update', replicas)];
    const inScale = ownersInScale(owners, path);
    expect(ownersFromScale(owners, inScale, path, 'apps/v1')).toEqual(owners);
    const own: ManagedEntry = {
      ...entry('eve', 'Apply', replicas),
      apiVersion: 'autoscaling/v1',
      subresource: 'scale',
    };
    expect(shown(ownersFromScale(owners, [own], path, 'apps/v1'))).toEqual([
      'eve Apply scale {"f:spec":{"f:replicas":{}}}',
      'ann Apply  {"f:spec":{"f:paused":{}}}',
    ]);
    expect(ownersFromScale(owners, [...inScale, own], path, 'apps/v1').length).toBe(3);
  });
});
