/**
 * Generated schemas and values: our validator beside ajv. The schema is translated for ajv where Kubernetes means
 * something else by the same words; after that both must find the same values valid, and the same places wrong.
 */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toStructural } from '../../src/core/api/custom/schema/structural.ts';
import { validateListTypes } from '../../src/core/api/custom/schema/list-types.ts';
import { valueValidator } from '../../src/core/api/custom/schema/value-validator.ts';
import { cases, TIMEOUT } from './support/cases.ts';
import { anySchema } from './support/schemas.ts';
import { translate } from './support/translate-schema.ts';
import { spoiltValue, valueFor, withoutHugeNumbers } from './support/schema-values.ts';

const suite = cases('schemas.test.ts');
const VALUES = 8;
const OPTIONS = {
  ...{ allErrors: true, ownProperties: true, strict: false, validateSchema: false, addUsedSchema: false },
  logger: false,
} as const;

/** Where ajv found fault, in our notation; `undefined` when a combination of schemas failed, which has no one place. */
function placesOf(errors: readonly ErrorObject[], value: unknown): ReadonlySet<string> | undefined {
  const places = new Set<string>();
  for (const { instancePath, keyword, params, schemaPath } of errors) {
    // How null is judged is wrapped around every schema; what is behind it tells more.
    if (keyword === 'if') continue;
    if (keyword === 'uniqueItems') return undefined;
    if (/\/(?:anyOf|oneOf|allOf|not)(?:\/|$)/.test(schemaPath)) return undefined;
    let place = pointerToPath(instancePath, value);
    if (keyword === 'required') {
      const { missingProperty } = params as { readonly missingProperty: string };
      place = place === '' ? missingProperty : `${place}.${missingProperty}`;
    }
    places.add(place);
  }
  return places;
}

function pointerToPath(pointer: string, value: unknown): string {
  let path = '';
  let at: unknown = value;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    path += Array.isArray(at) ? `[${name}]` : path === '' ? name : `.${name}`;
    at = (at as { readonly [key: string]: unknown })[name];
  }
  return path;
}

/** `undefined` where ajv itself stumbles: it compares objects by calling their own `toString`. */
function verdictOf(validate: ValidateFunction, value: unknown): boolean | undefined {
  try {
    return validate(value);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

const schemaWithValues = anySchema.chain((schema) =>
  fc.tuple(
    fc.constant(schema),
    fc.array(fc.oneof(valueFor(schema), valueFor(schema).chain(spoiltValue)), {
      minLength: VALUES,
      maxLength: VALUES,
      size: 'max',
    }),
  ),
);

describe('structural schemas', () => {
  it('find the same values valid as ajv does, and the same places wrong', { timeout: TIMEOUT }, () => {
    fc.assert(
      fc.property(schemaWithValues, ([schema, values]) => {
        const structural = toStructural(schema);
        if (!structural.ok) throw new Error(structural.error);
        const ajv = new Ajv(OPTIONS);
        const theirs = ajv.compile(translate(schema));
        const ours = valueValidator(schema);
        // A double that large is a multiple of everything to ajv.
        const usesFactors = JSON.stringify(schema).includes('"multipleOf"');
        for (const drawn of values) {
          const value = usesFactors ? withoutHugeNumbers(drawn) : drawn;
          suite.count();
          const found = [...ours.validate(value), ...validateListTypes(value, structural.structural)];
          const valid = verdictOf(theirs, value);
          if (valid === undefined) continue;
          const told = {
            value,
            found: found.map(({ field, message }) => `${field}: ${message}`),
            theirs: theirs.errors,
          };
          expect([found.length === 0, told]).toEqual([valid, told]);
          const places = placesOf(theirs.errors ?? [], value);
          if (places === undefined) continue;
          // That a number is out of its type's range is told of no place.
          const named = found.filter(
            ({ field, message }) => field !== '' || !message.includes('value must be of type'),
          );
          if (named.length === found.length || named.length > 0) {
            expect([new Set(named.map(({ field }) => field)), told]).toEqual([places, told]);
          }
        }
      }),
      suite.settings(1, VALUES),
    );
  });
});
