/** Rules (`x-kubernetes-validations`) before compilation: required texts, and the field paths they name. */
import { type FieldError, field, invalid, notSupported, required } from '../../../kube/field-errors.ts';
import type { JSONSchemaProps } from '../../types/apiextensions-v1.ts';
import { findFieldPath } from '../schema/field-path.ts';
import { toStructural } from '../schema/structural.ts';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const LINE_BREAK = /[\n\r]/;

export function validateRuleTexts(schema: JSONSchemaProps, path: string, errors: FieldError[]): void {
  for (const [i, each] of (schema['x-kubernetes-validations'] ?? []).entries()) {
    const at = (name: string): string =>
      field.child(field.index(field.child(path, 'x-kubernetes-validations'), i), name);
    const { fieldPath = '', message = '', messageExpression = '', reason } = each;
    const rule = each.rule.trim();
    if (rule === '') errors.push(required(at('rule'), 'rule is not specified'));
    else if (message !== '' && message.trim() === '') {
      errors.push(invalid(at('message'), message, 'must be non-empty if specified'));
    } else if (LINE_BREAK.test(message.trim())) {
      errors.push(invalid(at('message'), message, 'must not contain line breaks'));
    } else if (LINE_BREAK.test(rule) && message.trim() === '') {
      errors.push(required(at('message'), 'message must be specified if rule contains line breaks'));
    }
    if (messageExpression !== '' && messageExpression.trim() === '') {
      errors.push(required(at('messageExpression'), 'messageExpression must be non-empty if specified'));
    }
    if (reason !== undefined && !REASONS.includes(reason)) errors.push(notSupported(at('reason'), reason, REASONS));
    if (fieldPath === '') continue;
    if (fieldPath.trim() === '') errors.push(invalid(at('fieldPath'), fieldPath, 'must be non-empty if specified'));
    if (LINE_BREAK.test(fieldPath)) errors.push(invalid(at('fieldPath'), fieldPath, 'must not contain line breaks'));
    const structural = toStructural(schema);
    if (structural.ok && 'error' in findFieldPath(fieldPath, structural.structural)) {
      errors.push(invalid(at('fieldPath'), fieldPath, 'must be a valid path'));
    }
  }
}
