import { describe, expect, it } from 'vitest';
import type { CustomResourceDefinition, CustomResourceDefinitionNames } from '../../types/apiextensions-v1.ts';
import { isConditionTrue } from './conditions.ts';
import { defaultDefinition } from './defaults.ts';
import { type HeldNames, servedDefinition, withheldFrom } from './held-names.ts';
import { usedNames, withAcceptedNames, withEstablished } from './naming.ts';

const NOW = '2026-01-01T00:00:00Z';
const LATER = '2026-01-02T00:00:00Z';

const definition = (
  names: CustomResourceDefinitionNames,
  accepted?: CustomResourceDefinitionNames,
): CustomResourceDefinition =>
  defaultDefinition({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.example.com` },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions: [] },
    ...(accepted === undefined ? {} : { status: { acceptedNames: accepted } }),
  });

const FREE = usedNames([], 'example.com');
const accepted = (names: CustomResourceDefinitionNames): CustomResourceDefinition =>
  withAcceptedNames(definition(names), FREE, NOW);

describe('names of definitions', () => {
  it('are accepted where nobody has them, then the definition is established', () => {
    const named = accepted({ plural: 'things', kind: 'Thing', shortNames: ['th'] });
    expect(named.status).toEqual({
      acceptedNames: { plural: 'things', singular: 'thing', shortNames: ['th'], kind: 'Thing', listKind: 'ThingList' },
      conditions: [
        {
          type: 'NamesAccepted',
          status: 'True',
          lastTransitionTime: NOW,
          reason: 'NoConflicts',
          message: 'no conflicts found',
        },
        {
          type: 'Established',
          status: 'False',
          lastTransitionTime: NOW,
          reason: 'Installing',
          message: 'the initial names have been accepted',
        },
      ],
    });
    const established = withEstablished(named, LATER);
    expect(isConditionTrue(established, 'Established')).toBe(true);
    expect(withEstablished(established, LATER)).toBe(established);
    expect(withAcceptedNames(established, FREE, LATER)).toBe(established);
  });

  it.each<[string, CustomResourceDefinitionNames, string]>([
    ['PluralConflict', { plural: 'th', kind: 'Other' }, '"th" is already in use'],
    ['SingularConflict', { plural: 'others', singular: 'things', kind: 'Other' }, '"things" is already in use'],
    [
      'ShortNamesConflict',
      { plural: 'others', kind: 'Other', shortNames: ['th', 'ok', 'thing'] },
      '["th" is already in use, "thing" is already in use]',
    ],
    ['KindConflict', { plural: 'others', kind: 'ThingList', listKind: 'Others' }, '"ThingList" is already in use'],
    ['ListKindConflict', { plural: 'others', kind: 'Other', listKind: 'Thing' }, '"Thing" is already in use'],
  ])('conflict: %s', (reason, names, message) => {
    const holder = accepted({ plural: 'things', kind: 'Thing', shortNames: ['th'] });
    const used = usedNames([holder], 'example.com');
    const refused = withAcceptedNames(definition(names), used, NOW);
    expect(refused.status?.conditions).toMatchObject([
      { type: 'NamesAccepted', status: 'False', reason, message },
      { type: 'Established', status: 'False', reason: 'NotAccepted' },
    ]);
    expect(withEstablished(refused, NOW)).toBe(refused);
    expect(withAcceptedNames(refused, used, LATER)).toBe(refused);
    expect(isConditionTrue(withAcceptedNames(refused, FREE, LATER), 'NamesAccepted')).toBe(true);
  });

  it('of other groups do not matter', () => {
    const holder = accepted({ plural: 'things', kind: 'Thing' });
    expect(usedNames([holder], 'other.com').resources.size).toBe(0);
  });

  it('that were accepted stay with a definition that asks for taken ones later', () => {
    const holder = accepted({ plural: 'others', kind: 'Other', shortNames: ['o'] });
    const mine = withEstablished(accepted({ plural: 'things', kind: 'Thing', shortNames: ['th'] }), NOW);
    const greedy = { ...mine, spec: { ...mine.spec, names: { ...mine.spec.names, shortNames: ['o'] } } };
    const judged = withAcceptedNames(greedy, usedNames([holder], 'example.com'), LATER);
    expect(judged.status?.acceptedNames?.shortNames).toEqual(['th']);
    expect(isConditionTrue(judged, 'Established')).toBe(true);
    expect(isConditionTrue(judged, 'NamesAccepted')).toBe(false);
  });
});

describe('names that a controller of the server keeps', () => {
  const WANTED = { plural: 'things', kind: 'Thing', shortNames: ['th'] };
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList', shortNames: ['th'] };
  const held = [{ group: 'example.com', names, why: 'thing-controller keeps it; -thing gives it up' }];
  const judge = (each: CustomResourceDefinition, all: readonly HeldNames[]): CustomResourceDefinition =>
    withEstablished(withAcceptedNames(each, FREE, LATER, withheldFrom(each, all)), LATER);
  const told = ({ status }: CustomResourceDefinition) => status?.conditions?.map((each) => [each.type, each.status]);

  it('are refused, with what would give them up', () => {
    const refused = judge(definition(WANTED), held);
    expect(refused.status).toMatchObject({
      acceptedNames: { plural: '', kind: '' },
      conditions: [
        {
          type: 'NamesAccepted',
          status: 'False',
          reason: 'ListKindConflict',
          message: '"ThingList" is already in use: thing-controller keeps it; -thing gives it up',
        },
        { type: 'Established', status: 'False', reason: 'NotAccepted' },
      ],
    });
    expect(judge(refused, held)).toBe(refused);
  });

  it('are taken from a definition that had them before, and given back when nobody keeps them', () => {
    const established = judge(definition(WANTED), []);
    expect(told(established)).toEqual([
      ['NamesAccepted', 'True'],
      ['Established', 'True'],
    ]);
    const lost = judge(established, held);
    expect(told(lost)).toEqual([
      ['NamesAccepted', 'False'],
      ['Established', 'False'],
    ]);
    expect(judge(lost, held)).toBe(lost);
    const back = judge(lost, []);
    expect(told(back)).toEqual(told(established));
    expect(back.status?.acceptedNames).toEqual(established.status?.acceptedNames);
  });

  it('are nobody else’s business in another group, and one of them is enough to be refused', () => {
    const elsewhere = [{ ...(held[0] as HeldNames), group: 'other.example.com' }];
    expect(told(judge(definition(WANTED), elsewhere))).toContainEqual(['Established', 'True']);
    const kindOnly = judge(definition({ plural: 'others', kind: 'Thing', listKind: 'OtherList' }), held);
    expect(told(kindOnly)).toContainEqual(['Established', 'False']);
    const short = judge(definition({ plural: 'others', kind: 'Other', shortNames: ['th'] }), held);
    expect(told(short)).toContainEqual(['NamesAccepted', 'False']);
  });

  it('belong to the definition that says what ours says; any other is served as ours', () => {
    const ours = definition(WANTED);
    const defined = [{ ...(held[0] as HeldNames), spec: ours.spec }];
    expect(told(judge(ours, defined))).toContainEqual(['Established', 'True']);
    const established = judge(ours, defined);
    expect(servedDefinition(established, defined)).toBe(established);
    // Also before its names were accepted.
    expect(isConditionTrue(servedDefinition(ours, defined), 'Established')).toBe(true);
    const theirs = { ...ours, spec: { ...ours.spec, scope: 'Cluster' } };
    expect(told(judge(theirs, defined))).toContainEqual(['Established', 'False']);
    expect(servedDefinition(theirs, defined)).toMatchObject({ spec: ours.spec, status: { acceptedNames: names } });
    expect(isConditionTrue(servedDefinition(theirs, defined), 'Established')).toBe(true);
    expect(servedDefinition(theirs, [])).toBe(theirs);
  });
});
