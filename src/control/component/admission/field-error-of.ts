/** A problem in the form in which API servers speak of fields. Values are not repeated: any could be a secret in the wrong place. */
import type { FieldError, FieldErrorType } from '../../../core/kube/field-errors.ts';
import type { ComponentErrorCode } from '../../../core/component/errors.ts';
import type { Problem } from '../../../core/component/problem.ts';

const WORDS = {
  FieldValueRequired: 'Required value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTypeInvalid: 'Invalid value',
} as const satisfies { readonly [type in FieldErrorType]?: string };

/** Codes that are not listed are invalid values. */
const TYPES: { readonly [code in ComponentErrorCode]?: keyof typeof WORDS } = {
  EN_COMPONENT_REQUIRED: 'FieldValueRequired',
  EN_COMPONENT_UNKNOWN_FIELD: 'FieldValueForbidden',
  EN_COMPONENT_FIELD_TWICE: 'FieldValueForbidden',
  EN_COMPONENT_TYPE: 'FieldValueTypeInvalid',
  EN_COMPONENT_DUPLICATE: 'FieldValueDuplicate',
  EN_COMPONENT_RBAC_ACCOUNT: 'FieldValueForbidden',
  EN_COMPONENT_SECRET_NAMESPACE: 'FieldValueForbidden',
  EN_COMPONENT_SURGE_HOST_PORT: 'FieldValueForbidden',
  EN_COMPONENT_LITERAL_SECRET: 'FieldValueForbidden',
};

export function fieldErrorOf({ code, path, message, suggestion }: Problem): FieldError {
  const type = TYPES[code] ?? 'FieldValueInvalid';
  const hint = suggestion === undefined ? '' : ` (${suggestion})`;
  return { type, field: path, message: `${WORDS[type]}: ${message}${hint} [${code}]` };
}
