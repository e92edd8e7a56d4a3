import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepFreeze } from '../../kube/immutable.ts';
import { encodeJson, type Json, parseJson } from '../../kube/json.ts';
import { checkObject } from './check.ts';
import { strictComplaints, strictDecodingError } from './decoding-errors.ts';
import { schemaOfKubernetesKind } from './schema-of.ts';
import { typeNames } from './type-schema.ts';

/** The result of Kubernetes' decoder for an input, computed with its own packages. */
interface Expected {
  readonly input: { readonly apiVersion: string; readonly kind: string };
  readonly error?: string;
  readonly strict?: string;
  readonly output?: Json;
}

const cases = readFileSync(new URL('./testdata/decoding.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => parseJson(line) as unknown as Expected);

const schemaOf = ({ apiVersion, kind }: Expected['input']): string => schemaOfKubernetesKind(apiVersion, kind) ?? '';

/** Go writes an empty list as null, everynode leaves it out or writes an empty list. */
function withoutNothing(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNothing);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null && !(Array.isArray(member) && member.length === 0))
      .map(([key, member]) => [key, withoutNothing(member)]),
  );
}

describe('checkObject, against Kubernetes', () => {
  const failing = cases.filter((expected) => expected.error !== undefined);
  it.each(failing.map((expected) => [expected.error, expected] as const))('complains: %s', (error, { input }) => {
    expect(checkObject(schemaOf(input), input).error).toBe(error);
  });

  const fine = cases.filter((expected) => expected.error === undefined);
  it.each(fine.map((expected) => [encodeJson(expected.input as never).slice(0, 160), expected] as const))(
    'reads %s',
    (_name, { input, output, strict }) => {
      const checked = checkObject(schemaOf(input), input);
      expect(checked.error).toBeUndefined();
      expect(withoutNothing(checked.object)).toEqual(withoutNothing(output));
      expect(strictDecodingError(strictComplaints(checked.unknownFields, []))).toBe(strict);
    },
  );
});

const container = (extra: object = {}): object => ({ name: 'c', image: 'i', resources: {}, ...extra });
const pod = (spec: object, extra: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [container()], ...spec },
  status: {},
  ...extra,
});
const check = (value: unknown, options?: Parameters<typeof checkObject>[2]): ReturnType<typeof checkObject> =>
  checkObject('core/v1.Pod', value, options);

describe('checkObject', () => {
  it('returns the object itself when nothing had to change', () => {
    const value = deepFreeze(pod({ nodeName: 'n', volumes: [{ name: 'v', hostPath: { path: '/x' } }] }));
    expect(check(value)).toEqual({ object: value, error: undefined, unknownFields: [] });
    expect(check(value).object).toBe(value);
  });

  it('shares what did not change', () => {
    const value = pod({ hostNetwork: false, volumes: [{ name: 'v' }] }) as {
      spec: { volumes: object[]; containers: object[] };
    };
    const { spec } = check(value).object as typeof value;
    expect(spec).not.toHaveProperty('hostNetwork');
    expect(spec.volumes).toBe(value.spec.volumes);
    expect(spec.containers).toBe(value.spec.containers);
  });

  it('never changes what it was given', () => {
    const value = deepFreeze(pod({ foo: 1, hostNetwork: null, containers: [null, { name: 'x', bar: 1 }] }));
    expect(() => check(value)).not.toThrow();
  });

  it('takes a value that is no object for what it is', () => {
    expect(check([]).error).toBe('json: cannot unmarshal array into Go value of type v1.Pod');
    expect(check('x').error).toBe('json: cannot unmarshal string into Go value of type v1.Pod');
  });

  it('reads 80.0 as 80, because JSON.parse has forgotten how it was spelled', () => {
    const value = pod({ containers: [container({ ports: [{ containerPort: parseJson('80.0') }] })] });
    expect(check(value).error).toBeUndefined();
  });

  it('collects at most a hundred unknown fields', () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`x${i}`, i]));
    const checked = check(pod(many));
    expect(checked.unknownFields).toHaveLength(100);
    expect(checked.unknownFields[0]).toBe('spec.x0');
    expect(checked.object).toEqual(pod({}));
  });

  it('takes hostile keys as data', () => {
    const text =
      '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"__proto__":null,"constructor":"x"}},"__proto__":{"polluted":1},"spec":{"containers":[],"constructor":{}}}';
    const { object, unknownFields } = check(parseJson(text));
    expect(unknownFields).toEqual(['__proto__', 'spec.constructor']);
    expect(encodeJson(object as Json)).toBe(
      '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"__proto__":"","constructor":"x"}},"spec":{"containers":[]},"status":{}}',
    );
    expect((object as { polluted?: number }).polluted).toBeUndefined();
  });

  it('keeps fields that an open type does not name, without a complaint', () => {
    const value = {
      apiVersion: 'kubernetes.planton.dev/v1',
      kind: 'KubernetesDaemonSet',
      metadata: { name: 'd' },
      spec: { create_namespace: true, createNamespace: false },
    };
    const checked = checkObject('planton/v1.KubernetesDaemonSet', value);
    expect(checked.object).toBe(value);
    expect(checked.unknownFields).toEqual([]);
  });

  it('keeps explicit empty values of our own kinds, as custom resources do', () => {
    const value = {
      apiVersion: 'core.korder.dev/v1alpha1',
      kind: 'Order',
      metadata: { name: 'o' },
      spec: { replicas: 0, paused: false, template: { spec: { duration: '24h', nodeSelector: {} } } },
    };
    expect(checkObject('korder/v1alpha1.Order', value).object).toBe(value);
  });

  it('refuses schemas that nest without end', () => {
    let schema: object = { type: 'string' };
    for (let i = 0; i < 300; i++) schema = { properties: { a: schema } };
    const value = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: {},
      spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema: schema } }] },
    };
    expect(checkObject('apiextensions/v1.CustomResourceDefinition', value).error).toBe('exceeded max depth');
  });

  it('starts every pass afresh', () => {
    expect(check(pod({ containers: 'x', foo: 1 })).error).toContain('cannot unmarshal string');
    expect(check(pod({}))).toMatchObject({ error: undefined, unknownFields: [] });
  });
});

describe('what was seen before', () => {
  it('is taken from the baseline without a look', () => {
    const old = pod({}) as { spec: object };
    const unseen = { ...old, spec: { ...old.spec, containers: 'not looked at' } };
    expect(check({ ...unseen, status: { phase: 'Running' } }, { baseline: unseen }).error).toBeUndefined();
    expect(check({ ...unseen, status: {} }, { baseline: old }).error).toContain('cannot unmarshal string');
  });

  it('is remembered by list once it came twice, with what it became', () => {
    const containers = deepFreeze([{ name: 'a', image: 'x' }]);
    const read = (): unknown =>
      (check(pod({ containers, nodeName: 'n' }), { immutable: true }).object as { spec: { containers: unknown } }).spec
        .containers;
    read();
    const second = read();
    expect(second).toEqual([{ name: 'a', image: 'x', resources: {} }]);
    expect(read()).toBe(second);
    expect(check(pod({ containers: second }), { immutable: true }).object).toMatchObject({
      spec: { containers: second },
    });
  });

  it('is not remembered if there was something to complain about', () => {
    const containers = [{ name: 'a', foo: 1 }];
    for (let i = 0; i < 4; i++) {
      expect(check(pod({ containers }), { immutable: true }).unknownFields).toEqual(['spec.containers[0].foo']);
    }
  });
});

const REAL_KEYS = (
  'metadata spec status containers name labels template data resources limits versions schema openAPIV3Schema ' +
  'properties items volumes ports eventTime __proto__'
).split(' ');

describe('any JSON at all', () => {
  const kinds = typeNames().filter((name) =>
    /\.(Pod|DaemonSet|CustomResourceDefinition|Secret|Event|Order)$/.test(name),
  );
  /** Objects whose keys are often real ones, so that the walk gets somewhere. */
  const keys = fc.constantFrom(...REAL_KEYS);
  const anything = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 7, withCrossShrink: true },
      fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(keys, tie('value'), { maxKeys: 5 }),
    ),
  })).value;

  it('is checked without a crash, and checking twice changes nothing more', () => {
    fc.assert(
      fc.property(fc.constantFrom(...kinds), anything, (kind, value) => {
        const checked = checkObject(kind, value);
        if (checked.error !== undefined) return;
        const again = checkObject(kind, checked.object);
        expect(again.error).toBeUndefined();
        expect(again.object).toBe(checked.object);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('alternatives of a JSON schema, which read themselves', () => {
  const definition = (openAPIV3Schema: Json): object => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    spec: { versions: [{ schema: { openAPIV3Schema } }] },
  });
  const unknownIn = (schema: Json): readonly string[] =>
    checkObject('apiextensions/v1.CustomResourceDefinition', deepFreeze(definition(schema)), { immutable: true })
      .unknownFields;

  it('lose fields that the type does not have, and nobody is told', () => {
    const odd = { type: 'string', bogus: 1 };
    const inner = { allOf: [odd] };
    for (const member of ['items', 'additionalProperties', 'additionalItems'])
      expect(unknownIn({ [member]: inner })).toEqual([]);
    expect(unknownIn({ items: [odd] })).toEqual([]);
    expect(unknownIn({ dependencies: { a: odd } })).toEqual([]);
    // The same list, where it is read as a struct's.
    expect(unknownIn(inner)).toEqual(['spec.versions[0].schema.openAPIV3Schema.allOf[0].bogus']);
  });
});
