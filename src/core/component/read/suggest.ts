/** The known field that an unknown one was most likely meant to be. */
import { type ObjectSchema, type Schema, snakeCase } from '../../api/component/language.ts';
import { manifest } from '../../api/component/spec.ts';
import { folded, nearest } from '../../kube/nearest-word.ts';

/** `did you mean mount_path?`, in the spelling of the author; or where such a field lives. */
export function suggestField(schema: ObjectSchema, key: string): string | undefined {
  const found = nearest(key, Object.keys(schema.fields));
  if (found !== undefined) return `did you mean ${key.includes('_') ? snakeCase(found) : found}?`;
  const elsewhere = placesOf(key);
  return elsewhere.length === 0 ? undefined : `there is ${elsewhere.slice(0, 2).join(' and ')}`;
}

/** Paths under spec that end in this name. */
function placesOf(key: string): readonly string[] {
  const wanted = folded(key);
  const found: string[] = [];
  const walk = (schema: Schema, path: string): void => {
    if (schema.kind === 'list') walk(schema.items, `${path}[]`);
    if (schema.kind !== 'object') return;
    for (const [name, field] of Object.entries(schema.fields)) {
      if (folded(name) === wanted) found.push(`${path}.${name}`);
      walk(field.schema, `${path}.${name}`);
    }
  };
  const spec = manifest.fields['spec'];
  if (spec !== undefined) walk(spec.schema, 'spec');
  return found.toSorted((a, b) => a.length - b.length);
}
