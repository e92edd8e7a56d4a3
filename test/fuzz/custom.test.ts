/** Kinds with generated schemas, spoilt definitions of them, and spoilt objects of theirs. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTestServer, type TestServer } from '../../src/apiserver/testing/test-server.ts';
import type { KindDefinition } from '../../src/core/api/kind/kind-definition.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../src/core/api/registry/resources.ts';
import type { CustomResourceDefinition, JSONSchemaProps } from '../../src/core/api/types/apiextensions-v1.ts';
import type { Json } from '../../src/core/kube/json.ts';
import { SYSTEM_TENANT } from '../../src/core/kube/objects.ts';
import { definitionOf, objectOf, thingOf, versionOf } from '../custom/definitions.ts';
import { cases, TIMEOUT } from './support/cases.ts';
import { expectHarmless } from './support/harmless.ts';
import { canaryOf, manifestOf } from './support/manifests.ts';
import { mutations } from './support/mutations.ts';
import { objectSchema } from './support/schemas.ts';
import { valueFor } from './support/schema-values.ts';
import { serveKind } from './support/serve-kind.ts';
import { requestOf, stepFor, type Step } from './support/steps.ts';

const suite = cases('custom.test.ts');

/** What stands under allOf and its like must be said outside too, or the definition is refused. */
function withoutCombinations(whole: JSONSchemaProps): JSONSchemaProps {
  const { additionalProperties, items, properties } = whole;
  const schema = Object.fromEntries(
    Object.entries(whole).filter(([key]) => !['allOf', 'anyOf', 'oneOf', 'not'].includes(key)),
  ) as JSONSchemaProps;
  return {
    ...schema,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, each]) => [name, withoutCombinations(each)]),
          ),
        }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: withoutCombinations(additionalProperties) }
      : {}),
    ...(items === undefined ? {} : { items: withoutCombinations(items as JSONSchemaProps) }),
  };
}

/** Values that a field has when nobody gave it one; some do not fit, and their definition is refused. */
const withDefaults = (schema: JSONSchemaProps, values: readonly Json[]): JSONSchemaProps => ({
  ...schema,
  ...(schema.properties === undefined
    ? {}
    : {
        properties: Object.fromEntries(
          Object.entries(schema.properties).map(([name, each], i) => {
            const value = values[i];
            return [name, value === undefined || value === null ? each : { ...each, default: value }];
          }),
        ),
      }),
});

const RULES = [
  'true',
  'self == oldSelf',
  'size(self) < 3',
  "has(self.a) ? self.a != 'b' : true",
  'self.all(k, k != "c")',
];

const spec = fc
  .tuple(
    objectSchema,
    fc.boolean(),
    fc.array(fc.constantFrom<Json | undefined>(undefined, undefined, 1, 'a', true, {}, []), {
      minLength: 4,
      maxLength: 4,
    }),
    fc.option(fc.constantFrom(...RULES), { freq: 4 }),
  )
  .map(([schema, keeps, values, rule]) => ({
    ...withDefaults(keeps ? schema : withoutCombinations(schema), values as Json[]),
    ...(rule === null ? {} : { 'x-kubernetes-validations': [{ rule, message: 'told by a rule' }] }),
  }));

const definitionFor = (schema: JSONSchemaProps): CustomResourceDefinition =>
  definitionOf(
    versionOf(
      objectOf({
        spec: schema,
        status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        replicas: { type: 'integer' },
      }),
      {
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
      },
    ),
  );

/** What is kept is in the shape the schema gives it, and valid. */
function expectInShape(server: TestServer, kind: KindDefinition): void {
  const { group, resource } = kind;
  for (const object of server.store.list({ tenant: SYSTEM_TENANT, group, resource })) {
    expect(kind.custom?.check(object).unknownFields).toEqual([]);
    expect(kind.strategy.defaults(object)).toBe(object);
    const errors = kind.strategy.validate(object).filter(({ message }) => !message.includes('told by a rule'));
    expect(errors).toEqual([]);
  }
}

describe('kinds that users define', () => {
  it('keep what fits their schema and nothing else', { timeout: TIMEOUT }, async () => {
    let served = 0;
    const run = spec.chain((schema) =>
      fc.tuple(
        fc.constant(schema),
        fc.array(fc.tuple(stepFor(SAMPLE_KIND), valueFor(schema)), { minLength: 1, maxLength: 25, size: 'max' }),
      ),
    );
    await fc.assert(
      fc.asyncProperty(run, async ([schema, steps]) => {
        const server = await createTestServer();
        const definition = definitionFor(schema);
        const kind = await serveKind(server, definition);
        suite.count();
        if (kind === undefined) return;
        served += 1;
        for (const [step, value] of steps) {
          suite.count();
          const thing = thingOf(definition, step.name, value as never);
          const metadata = { ...thing.metadata, annotations: { note: canaryOf(step.name) } };
          await expectHarmless(server, kind, requestOf(kind, step, { ...thing, metadata } as never));
          expectInShape(server, kind);
        }
      }),
      suite.settings(0.85, 5),
    );
    expect(served).toBeGreaterThan(0);
  });

  it('are refused or served, whatever is wrong with their definition', { timeout: TIMEOUT }, async () => {
    const step: Step = {
      ...{ name: 'a', verb: 'create', subresource: '', dryRun: false, validation: 'Warn', manager: 'first' },
      mutations: [],
    };
    const server = await createTestServer();
    const kind = server.server.registry.byResource('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
    if (kind === undefined) throw new Error('definitions are not served');
    await fc.assert(
      fc.asyncProperty(spec, mutations, fc.boolean(), async (schema, list, dryRun) => {
        suite.count();
        const manifest = { ...manifestOf(kind, 'things.test.example.com'), spec: definitionFor(schema).spec };
        const request = requestOf(kind, { ...step, mutations: list, dryRun }, manifest as never);
        await expectHarmless(server, kind, request);
        if (!dryRun) await server.client.deleteCollection(CUSTOM_RESOURCE_DEFINITIONS);
      }),
      suite.settings(0.2),
    );
  });
});

/** Steps need to know of subresources only. */
const SAMPLE_KIND = {
  subresources: [
    { name: 'status', verbs: ['get', 'patch', 'update'] },
    { name: 'scale', verbs: ['get', 'patch', 'update'] },
  ],
} as unknown as KindDefinition;
