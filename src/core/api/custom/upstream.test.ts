/**
 * Answers of Kubernetes' own packages for schemas, values and definitions (testdata/upstream.jsonl) against ours. Each
 * line is a case: a schema with a value (and an old one), or a definition (and an old one).
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type FieldError, fieldErrorMessage } from '../../kube/field-errors.ts';
import type { KubeObject } from '../../kube/objects.ts';
import type { CustomResourceDefinition, JSONSchemaProps } from '../types/apiextensions-v1.ts';
import { defaultDefinition } from './crd/defaults.ts';
import { validateDefinition, validateDefinitionUpdate } from './crd/validate-definition.ts';
import { validateEmbedded } from './schema/embedded.ts';
import { validateListTypes } from './schema/list-types.ts';
import { compileRules } from './schema/rules.ts';
import { fill, prune } from './schema/shape.ts';
import { toStructural } from './schema/structural.ts';
import { valueValidator } from './schema/value-validator.ts';

interface Case {
  readonly name: string;
  readonly schema?: JSONSchemaProps;
  readonly value?: KubeObject;
  readonly old?: KubeObject;
  readonly crd?: CustomResourceDefinition;
  readonly oldCRD?: CustomResourceDefinition;
  readonly expect: {
    readonly error?: string;
    readonly errors?: readonly string[];
    readonly value?: unknown;
    readonly unknown?: readonly string[];
  };
}

const cases = readFileSync(new URL('testdata/upstream.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Case);

const texts = (errors: readonly FieldError[]): readonly string[] => errors.map(fieldErrorMessage).toSorted();

describe('values against schemas', () => {
  for (const each of cases.filter(({ schema }) => schema !== undefined)) {
    it(`judges ${each.name}`, () => {
      const { schema = {}, value, old } = each;
      const result = toStructural(schema);
      if (!result.ok) {
        expect(result.error).toBe(each.expect.error);
        return;
      }
      const { structural } = result;
      const pruned = prune(value as KubeObject, structural);
      const filled = fill(pruned.value, structural);
      expect({ unknown: pruned.unknownFields, value: filled }).toEqual({
        unknown: each.expect.unknown ?? [],
        value: each.expect.value,
      });
      const values = valueValidator(schema);
      const errors = [
        ...(old === undefined ? values.validate(filled) : values.validateUpdate(filled, old)),
        ...(compileRules(structural)?.validate(filled, old).errors ?? []),
        ...validateEmbedded(filled, structural),
        ...validateListTypes(filled, structural),
      ];
      expect(texts(errors)).toEqual(each.expect.errors?.toSorted());
    });
  }
});

describe('definitions', () => {
  for (const each of cases.filter(({ crd }) => crd !== undefined)) {
    it(`judges ${each.name}`, () => {
      const definition = defaultDefinition(each.crd as CustomResourceDefinition);
      const errors =
        each.oldCRD === undefined
          ? validateDefinition(definition)
          : validateDefinitionUpdate(definition, defaultDefinition(each.oldCRD));
      expect(texts(errors)).toEqual(each.expect.errors?.toSorted());
    });
  }
});
