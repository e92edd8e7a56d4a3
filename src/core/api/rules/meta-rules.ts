/** Metadata rules as the kinds of this room use them. */
import type { FieldError } from '../../kube/field-errors.ts';
import type { ObjectMeta } from '../../kube/meta-v1.ts';
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../../kube/names.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './metadata.ts';

const SUBDOMAIN = { namespaced: true, name: nameIsDnsSubdomain };
const LABEL = { namespaced: true, name: nameIsDnsLabel };

export const validateMeta = (meta: ObjectMeta, names: 'subdomain' | 'label' = 'subdomain'): FieldError[] =>
  validateObjectMeta(meta, names === 'label' ? LABEL : SUBDOMAIN, 'metadata');

export const validateMetaUpdate = (meta: ObjectMeta, old: ObjectMeta): FieldError[] =>
  validateObjectMetaUpdate(meta, old, 'metadata');

export const IMMUTABLE = 'field is immutable';
