/**
 * The places where a type's decoder looks at keys. Some values are read as one piece (a RawExtension, an alternative in
 * a JSON schema), and unknown fields are skipped: keys that are repeated in there go unnoticed.
 */
import { EVERYWHERE, type Place } from '../../kube/json-scan.ts';
import type { TypeExpression } from './parse-facts.ts';
import { type TypeSchema, typeSchema } from './type-schema.ts';

const objects = new Map<string, Place>();

/** The keys of the type of that name (`core/v1.Pod`). */
export function keysOf(schemaName: string): Place {
  let place = objects.get(schemaName);
  if (place === undefined) objects.set(schemaName, (place = placeOfObject(typeSchema(schemaName))));
  return place;
}

const placeOfObject = ({ byName, open }: TypeSchema): Place => ({
  member(key) {
    const field = byName.get(key);
    return field === undefined ? (open ? EVERYWHERE : undefined) : placeOf(field.type);
  },
  item: () => undefined,
});

function placeOf(type: TypeExpression): Place | undefined {
  switch (type.kind) {
    case 'object':
      return keysOf(type.name);
    case 'list':
      return { member: () => undefined, item: () => placeOf(type.element) };
    case 'map':
      return { member: () => placeOf(type.value), item: () => undefined };
    case 'scalar':
      return undefined;
  }
}
