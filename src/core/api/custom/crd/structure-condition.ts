/** The NonStructuralSchema condition of definitions that were stored under older rules. */
import { aggregateMessage, type FieldError, field, invalid } from '../../../kube/field-errors.ts';
import type { CustomResourceDefinition } from '../../types/apiextensions-v1.ts';
import { append } from '../../rules/append.ts';
import { toStructural } from '../schema/structural.ts';
import { validateStructural } from '../schema/structural-rules.ts';
import { type ConditionWords, withCondition, withoutCondition } from './conditions.ts';
import { isFaultless } from './faultless.ts';

export function withStructureCondition<T extends CustomResourceDefinition>(definition: T, now: string): T {
  const words = judge(definition);
  return words === undefined
    ? withoutCondition(definition, 'NonStructuralSchema')
    : withCondition(definition, words, now);
}

function judge({ spec }: CustomResourceDefinition): ConditionWords | undefined {
  const errors: FieldError[] = [];
  if (spec.preserveUnknownFields === true) {
    errors.push(invalid('spec.preserveUnknownFields', true, 'must be false'));
  }
  for (const [i, { name, schema }] of spec.versions.entries()) {
    if (schema?.openAPIV3Schema === undefined || isFaultless(schema.openAPIV3Schema)) continue;
    const result = toStructural(schema.openAPIV3Schema);
    if (!result.ok) {
      const message = `failed to check validation schema for version ${name}: ${result.error}`;
      return { type: 'NonStructuralSchema', status: 'Unknown', reason: 'StructuralError', message };
    }
    const path = `${field.index('spec.versions', i)}.schema.openAPIV3Schema`;
    append(errors, validateStructural(result.structural, path));
  }
  if (errors.length === 0) return undefined;
  return {
    type: 'NonStructuralSchema',
    status: 'True',
    reason: 'Violations',
    message: aggregateMessage(errors),
  };
}
