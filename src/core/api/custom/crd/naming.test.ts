import { describe, expect, it } from 'vitest';
import type { CustomResourceDefinition, CustomResourceDefinitionNames } from '../../types/apiextensions-v1.ts';
import { isConditionTrue } from './conditions.ts';
import { defaultDefinition } from './defaults.ts';
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
