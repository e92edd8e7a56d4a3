import { type FieldError, field, forbidden, invalid, tooLong } from '../../kube/field-errors.ts';
import { utf8Length } from '../../kube/go-text.ts';
import { nameIsDnsSubdomain } from '../../kube/names.ts';
import { configMapKeyProblems } from '../../kube/value-formats.ts';
import type { KindStrategy } from '../kind/kind-definition.ts';
import { createGenericStrategy } from '../kind/generic-strategy.ts';
import { deepEqual } from '../../kube/immutable.ts';
import type { ConfigMap } from '../types/core-v1.ts';
import { append } from '../rules/append.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../rules/metadata.ts';
import { base64Bytes, MAX_DATA_BYTES } from './secret.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };
const FROZEN = 'field is immutable when `immutable` is set';

function validate(map: ConfigMap): FieldError[] {
  const errors = validateObjectMeta(map.metadata, RULES, 'metadata');
  const { data = {}, binaryData = {} } = map;
  // A client may send tens of thousands of keys.
  const hasBinary = Object.keys(binaryData).length > 0;
  let bytes = 0;
  for (const key of Object.keys(data)) {
    for (const text of configMapKeyProblems(key)) errors.push(invalid(field.key('data', key), key, text));
    if (hasBinary && Object.hasOwn(binaryData, key)) {
      errors.push(invalid(field.key('data', key), key, 'duplicate of key present in binaryData'));
    }
    bytes += utf8Length(data[key] ?? '');
  }
  for (const key of Object.keys(binaryData)) {
    for (const text of configMapKeyProblems(key)) errors.push(invalid(field.key('binaryData', key), key, text));
    bytes += base64Bytes(binaryData[key] ?? '');
  }
  // The finding is about the whole object: upstream's empty path prints as `[]`.
  if (bytes > MAX_DATA_BYTES) errors.push(tooLong('[]', MAX_DATA_BYTES));
  return errors;
}

export const configMapStrategy: KindStrategy<ConfigMap> = {
  ...createGenericStrategy<ConfigMap>({ namespaced: true, hasStatus: false, hasGeneration: false }),
  validate,
  validateUpdate(map, old) {
    const errors = validateObjectMetaUpdate(map.metadata, old.metadata, 'metadata');
    if (old.immutable === true) {
      if (map.immutable !== true) errors.push(forbidden('immutable', FROZEN));
      if (!deepEqual(map.data ?? {}, old.data ?? {})) errors.push(forbidden('data', FROZEN));
      if (!deepEqual(map.binaryData, old.binaryData)) errors.push(forbidden('binaryData', FROZEN));
    }
    append(errors, validate(map));
    return errors;
  },
};
