/** Managed fields: the server writes the entries, but a client may bring its own. */
import { type FieldError, field, invalid, tooLong } from '../../kube/field-errors.ts';
import { exceedsBytes, utf8Length } from '../../kube/go-text.ts';
import type { ManagedFieldsEntry } from '../../kube/meta-v1.ts';
import { append } from './append.ts';

const MAX_FIELD_MANAGER = 128;
const MAX_SUBRESOURCE = 256;

const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** The name a client gives itself in managedFields. */
export function validateFieldManager(manager: string, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (exceedsBytes(manager, MAX_FIELD_MANAGER)) errors.push(tooLong(path, MAX_FIELD_MANAGER));
  for (const match of manager.matchAll(UNPRINTABLE)) {
    const code = (match[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const position = utf8Length(manager.slice(0, match.index));
    errors.push(invalid(path, manager, `invalid character U+${code} (at position ${position})`));
  }
  return errors;
}

export function validateManagedFields(entries: readonly ManagedFieldsEntry[], path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, entry] of entries.entries()) {
    const at = field.index(path, index);
    const { operation = '', fieldsType = '', manager = '', subresource = '' } = entry;
    if (operation !== 'Apply' && operation !== 'Update') {
      errors.push(invalid(field.child(at, 'operation'), operation, 'must be `Apply` or `Update`'));
    }
    if (fieldsType !== '' && fieldsType !== 'FieldsV1') {
      errors.push(invalid(field.child(at, 'fieldsType'), fieldsType, 'must be `FieldsV1`'));
    }
    if (manager !== '') append(errors, validateFieldManager(manager, field.child(at, 'manager')));
    if (exceedsBytes(subresource, MAX_SUBRESOURCE)) {
      errors.push(tooLong(field.child(at, 'subresource'), MAX_SUBRESOURCE));
    }
  }
  return errors;
}
