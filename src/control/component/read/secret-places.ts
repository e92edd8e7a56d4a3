/** Which parts of a manifest may hold secrets: there, nothing that was written is ever repeated. */
import type { Schema } from '../../../core/api/component/language.ts';

const known = new WeakMap<Schema, boolean>();

/** The schema is that of a secret, or has one somewhere inside. */
export function holdsSecrets(schema: Schema): boolean {
  const before = known.get(schema);
  if (before !== undefined) return before;
  // A schema inside itself adds nothing to what its other parts say.
  known.set(schema, false);
  const answer = look(schema);
  known.set(schema, answer);
  return answer;
}

function look(schema: Schema): boolean {
  switch (schema.kind) {
    case 'secret':
      return true;
    case 'list':
      return holdsSecrets(schema.items);
    case 'map':
      return holdsSecrets(schema.values);
    case 'object':
      return Object.values(schema.fields).some((field) => holdsSecrets(field.schema));
    default:
      return false;
  }
}
