import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim } from '../api/types/core-v1.ts';
import { BOUND_BY_CONTROLLER, boundTo, findVolume, isMeantFor } from './volume-match.ts';

const claim = (spec: Partial<PersistentVolumeClaim['spec']> = {}): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', namespace: 'default', uid: 'uid-data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } }, ...spec },
});

const volume = (
  name: string,
  size: string,
  spec: Partial<PersistentVolume['spec']> = {},
  labels: { readonly [key: string]: string } = {},
): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name, labels },
  spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: size }, ...spec },
});

const onNode = (name: string): Partial<PersistentVolume['spec']> => ({
  nodeAffinity: {
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'host', operator: 'In', values: [name] }] }] },
  },
});

const found = (
  free: readonly PersistentVolume[],
  more: { meant?: PersistentVolume; labels?: { readonly [key: string]: string }; taken?: ReadonlySet<string> } = {},
  of: PersistentVolumeClaim = claim(),
): string | undefined => findVolume(of, { meant: undefined, ...more, free })?.metadata.name;

describe('the volume of a claim', () => {
  it('is the smallest that is large enough, however sizes are spelled', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 12 }), (sizes) => {
        const free = sizes.map((gib, i) => volume(`v${i}`, i % 2 === 0 ? `${gib}Gi` : `${gib * 1024}Mi`));
        const fitting = sizes.filter((gib) => gib >= 5);
        const name = found(free);
        expect(name === undefined ? undefined : sizes[Number(name.slice(1))]).toBe(
          fitting.length === 0 ? undefined : Math.min(...fitting),
        );
      }),
    );
  });

  it.each([
    ['another mode of access', volume('v', '9Gi', { accessModes: ['ReadOnlyMany'] })],
    ['a block device', volume('v', '9Gi', { volumeMode: 'Block' })],
    ['another class of attributes', volume('v', '9Gi', { volumeAttributesClassName: 'fast' })],
    ['one that is being deleted', { ...volume('v', '9Gi'), metadata: { name: 'v', deletionTimestamp: 'x' } }],
    ['another node', volume('v', '9Gi', onNode('b'))],
  ])('is not %s', (_, wrong) => {
    expect(found([wrong], { labels: { host: 'a' } })).toBeUndefined();
    expect(found([wrong, volume('right', '20Gi', onNode('a'))], { labels: { host: 'a' } })).toBe('right');
  });

  it('has the labels the claim selects', () => {
    const selecting = claim({ selector: { matchLabels: { tier: 'gold' } } });
    const free = [volume('plain', '5Gi'), volume('gold', '9Gi', {}, { tier: 'gold' })];
    expect(found(free, {}, selecting)).toBe('gold');
  });

  it('is not one that another claim of the pod has just been given', () => {
    expect(found([volume('a', '5Gi'), volume('b', '6Gi')], { taken: new Set(['a']) })).toBe('b');
  });

  it('is the one that names the claim, and then no other, wherever that can be reached', () => {
    const claimRef = { name: 'data', namespace: 'default' };
    const meant = volume('meant', '50Gi', { claimRef, ...onNode('a') });
    expect(found([volume('small', '5Gi')], { meant, labels: { host: 'a' } })).toBe('meant');
    expect(found([volume('small', '5Gi')], { meant, labels: { host: 'b' } })).toBeUndefined();
    expect(found([volume('small', '5Gi')], { meant: volume('tiny', '1Gi', { claimRef }) })).toBe('small');
  });
});

describe('a volume bound to a claim', () => {
  it('names it whole, and says that it was chosen', () => {
    const bound = boundTo(volume('v', '5Gi'), claim());
    expect(bound.spec.claimRef).toMatchObject({ name: 'data', namespace: 'default', uid: 'uid-data' });
    expect(bound.metadata.annotations).toEqual({ [BOUND_BY_CONTROLLER]: 'yes' });
    expect(isMeantFor(bound, claim())).toBe(true);
    expect(boundTo(bound, claim())).toBe(bound);
  });

  it('that a user meant for it is only given the UID', () => {
    const meant = volume('v', '5Gi', { claimRef: { name: 'data', namespace: 'default' } });
    const bound = boundTo(meant, claim());
    expect(bound.spec.claimRef?.uid).toBe('uid-data');
    expect(bound.metadata.annotations).toBeUndefined();
  });

  it('of the same name and another UID is another’s', () => {
    const other = volume('v', '5Gi', { claimRef: { name: 'data', namespace: 'default', uid: 'former' } });
    expect(isMeantFor(other, claim())).toBe(false);
  });
});
