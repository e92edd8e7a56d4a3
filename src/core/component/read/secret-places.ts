/** Which parts of a manifest may hold secrets: there, nothing that was written is ever repeated. */
import type { Schema } from '../../api/component/language.ts';

const known = new WeakMap<Schema, boolean>();

/** The schema is that of a secret, or has one somewhere inside. */
export function holdsSecrets(schema: Schema): boolean {
  const before = known.get(schema);
  if (before !== undefined) return before;
  // A schema inside itself adds nothing beyond its other parts.
  known.set(schema, false);
  const answer = look(schema);
  known.set(schema, answer);
  return answer;
}

function look(schema: Schema): boolean {
  if (schema.kind === 'secret') return true;
  if (schema.kind === 'list') return holdsSecrets(schema.items);
  if (schema.kind === 'map') return holdsSecrets(schema.values);
  return schema.kind === 'object' && Object.values(schema.fields).some((field) => holdsSecrets(field.schema));
}

/**
 * A secret is one of the object's own fields: an author may get the field wrong, and write the secret into another one.
 */
export const isBesideSecret = (schema: Schema): boolean =>
  schema.kind === 'object' && Object.values(schema.fields).some((field) => field.schema.kind === 'secret');
