/** Every way to write a field's name: camelCase, snake_case, and what else it is called. */
import { type ObjectSchema, snakeCase } from '../../api/component/language.ts';

/** By the identity of the schema, which never changes. */
const known = new WeakMap<ObjectSchema, ReadonlyMap<string, string>>();

export function spellings(schema: ObjectSchema): ReadonlyMap<string, string> {
  let names = known.get(schema);
  if (names === undefined) {
    names = new Map(
      Object.entries(schema.fields).flatMap(([name, { aliases = [] }]) =>
        [name, ...aliases].flatMap((each) => [[each, name] as const, [snakeCase(each), name] as const]),
      ),
    );
    known.set(schema, names);
  }
  return names;
}
