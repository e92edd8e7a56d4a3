/** Objects of many kinds, created and changed: who owns what, compared with what upstream's field manager says of its own types. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createDecoder } from '../../src/apiserver/handlers/steps/decode.ts';
import { createFieldOwners, type OwnedWrite } from '../../src/apiserver/handlers/steps/managed-fields.ts';
import { encodeFields } from '../../src/core/api/apply/fields-v1.ts';
import { type ManagedFields, readOwners, withManaged } from '../../src/core/api/apply/managed.ts';
import type { KindDefinition } from '../../src/core/api/kind/kind-definition.ts';
import { createRegistry } from '../../src/core/api/registry/registry.ts';
import type { KubeObject, Stored } from '../../src/core/kube/objects.ts';

interface Case {
  readonly name: string;
  readonly object: KubeObject;
  readonly next?: KubeObject;
  readonly subresource?: string;
  /** Manager, operation, subresource, fields. */
  readonly owners: readonly (readonly string[])[];
  readonly ownersAfter?: readonly (readonly string[])[];
}

const cases = JSON.parse(readFileSync(new URL('./golden/kinds.json', import.meta.url), 'utf8')) as readonly Case[];
const registry = createRegistry();
const decoder = createDecoder();
const owners = createFieldOwners(registry, { now: () => '2026-01-01T00:00:00Z', inSeconds: () => '' });

function kindOf({ apiVersion, kind }: KubeObject): KindDefinition {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  const found = registry.byKind(group, version, kind);
  if (found === undefined) throw new Error(`no kind ${apiVersion} ${kind}`);
  return found;
}

const written = (managed: ManagedFields): readonly (readonly string[])[] =>
  managed.map(({ manager, operation, set, subresource }) => [manager, operation, subresource, encodeFields(set)]);

describe('owners of objects of every kind', () => {
  it.each(cases.map((one) => [one.name, one] as const))(
    '%s',
    (_, { next, object, ownersAfter, subresource, ...one }) => {
      const form = kindOf(object);
      const stored = registry.byStorage(form.storage.group, form.storage.resource) ?? form;
      const decode = (value: KubeObject): Stored => {
        const decoded = decoder.decode(form, value, {});
        return (form.conversion?.toStorage(decoded) ?? decoded) as Stored;
      };
      const write = (fieldManager: string, through = ''): OwnedWrite =>
        ({
          target: { subresource: through },
          options: { fieldManager },
          ...(form.conversion === undefined ? {} : { form }),
        }) as unknown as OwnedWrite;
      const created = decode(object);
      const managed = readOwners(owners.onCreate(stored, write('ann'), created, undefined));
      expect(written(managed)).toEqual(one.owners);
      const large = owners.onCreate(stored, { ...write('ann'), pace: { turn: () => undefined } }, created, undefined);
      expect(written(readOwners(large))).toEqual(one.owners);
      if (next === undefined) return;
      const live = withManaged(created, managed);
      const after = owners.onUpdate(stored, write('bob', subresource), live, decode(next), undefined);
      expect(written(readOwners(after))).toEqual(ownersAfter);
    },
  );
});
