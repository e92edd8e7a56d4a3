import { describe, expect, it } from 'vitest';
import type { CustomResourceDefinition } from '../../types/apiextensions-v1.ts';
import { validateDefinition } from './validate-definition.ts';

const schema = { openAPIV3Schema: { type: 'object' } };
const definition = (versions: readonly (readonly [name: string, storage: boolean])[], storedVersions: string[]) =>
  ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: versions.map(([name, storage]) => ({ name, storage, served: true, schema })),
    },
    status: { storedVersions },
  }) as CustomResourceDefinition;
const ofStatus = (one: CustomResourceDefinition): readonly string[] =>
  validateDefinition(one)
    .filter(({ field }) => field.startsWith('status.'))
    .map(({ field, message }) => `${field}: ${message}`);

describe('versions that objects are stored in', () => {
  it('stand in the definition, and its storage version among them', () => {
    expect(ofStatus(definition([['v1', true]], ['v1']))).toEqual([]);
    expect(ofStatus(definition([['v2', true]], ['v1']))).toEqual([
      expect.stringMatching(/^status\.storedVersions: .*: must have the storage version v2$/),
      expect.stringMatching(/^status\.storedVersions\[0\]: .*: missing from spec\.versions; v1 was/),
    ]);
  });

  it('answer for one version of a name: of two with that name the second is missing', () => {
    const twice = definition(
      [
        ['web', false],
        ['web', true],
      ],
      ['web'],
    );
    expect(ofStatus(twice)).toEqual([
      'status.storedVersions: Invalid value: ["web"]: must have the storage version web',
    ]);
  });
});
