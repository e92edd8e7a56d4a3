/**
 * Patterns, rules and values meant to keep the process busy. Work is counted in steps: a text twice as long may cost
 * about twice as many, a rule no more than its documented limit. Where the engine's own patterns do the work, which
 * nobody can count, texts are so long that anything worse than linear would outlast the test's time by far.
 */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { celEnvironment, celValueOf, compileCel } from '../../src/core/api/cel/cel.ts';
import { DYN_DECL } from '../../src/core/api/cel/decl-types.ts';
import { compilePattern } from '../../src/core/api/custom/schema/patterns.ts';
import { valueValidator } from '../../src/core/api/custom/schema/value-validator.ts';
import type { JSONSchemaProps } from '../../src/core/api/types/apiextensions-v1.ts';
import { createRegistry } from '../../src/core/api/registry/registry.ts';
import { createTestServer } from '../../src/apiserver/testing/test-server.ts';
import { encodeJson, parseJson, JsonSyntaxError, type Json } from '../../src/core/kube/json.ts';
import { apiVersionOf } from '../../src/core/kube/objects.ts';
import { cases, TIMEOUT } from './support/cases.ts';
import { expectHarmless } from './support/harmless.ts';
import { manifestOf } from './support/manifests.ts';
import { requestOf, type Step } from './support/steps.ts';
import { createStepCounter, type StepCounter } from './support/steps-taken.ts';

const suite = cases('stalls.test.ts');

describe('patterns that users write', () => {
  let counter: StepCounter;
  beforeAll(() => (counter = createStepCounter()));
  afterAll(() => counter.stop());

  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom('a', 'b', '.', '[ab]', '\\w', 'a?', '(?:a|a)', 'a|ab', '[^c]', '(?i)A', '\\d', 'a{2,20}'),
      tie('pattern').map((inner) => `(${inner})*`),
      tie('pattern').map((inner) => `(?:${inner})+`),
      tie('pattern').map((inner) => `(${inner}){1,5}`),
      tie('pattern').map((inner) => `(?:${inner})*?`),
      fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `${a}${b}`),
      fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
    ),
  }));

  it('cost what the text is long', { timeout: TIMEOUT }, () => {
    const LENGTH = 300;
    fc.assert(
      fc.property(
        pattern,
        fc.constantFrom('a', 'ab', 'b', '1a', 'aab'),
        fc.constantFrom('$', '!$', ''),
        (text, unit, end) => {
          suite.count();
          let matches: (text: string) => boolean;
          try {
            matches = compilePattern(`^${text}${end}`);
          } catch {
            return;
          }
          const short = `${unit.repeat(LENGTH)}c`;
          const long = `${unit.repeat(LENGTH * 4)}c`;
          // Once before: what is built on the way is built once.
          matches(short);
          const few = counter.count(() => matches(short), 're2js');
          const many = counter.count(() => matches(long), 're2js');
          expect([text, few, many, many <= few * 6 + 20_000]).toEqual([text, few, many, true]);
          expect(many).toBeGreaterThan(0);
        },
      ),
      suite.settings(0.12),
    );
  });
});

describe('rules that users write', () => {
  const environment = celEnvironment({ object: DYN_DECL });
  const list = Array.from({ length: 300 }, (_, i) => i);
  const object = celValueOf({ list, text: 'a'.repeat(10_000), map: { a: 1, b: list } }, DYN_DECL);
  const LIMIT = 20_000;
  let counter: StepCounter;
  beforeAll(() => (counter = createStepCounter()));
  afterAll(() => counter.stop());

  const { rule } = fc.letrec<{ rule: string }>((tie) => ({
    rule: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.constantFrom('true', 'object.text == object.text', 'object.list == object.list', 'size(object.map) > 0'),
      fc.constantFrom('object.text.matches("(a+)+$")', 'object.text.matches("(a|a)*c")', '"x" in object.list'),
      fc.constantFrom('(object.text + object.text).size() > 1', 'object.text.replace("a", object.text).size() > 1'),
      fc.constantFrom('object.text.split("").size() > 1', 'object.list.sum() > 1', '"%s".format([object.list]) != ""'),
      tie('rule').map((inner) => `object.list.all(x, ${inner})`),
      tie('rule').map((inner) => `object.list.exists(x, x > 200 && ${inner})`),
      tie('rule').map((inner) => `object.list.map(x, [x, x]).exists_one(y, ${inner})`),
      tie('rule').map((inner) => `object.list.filter(x, ${inner}).size() > 1`),
      fc.tuple(tie('rule'), tie('rule')).map(([a, b]) => `(${a}) && (${b})`),
      fc.tuple(tie('rule'), tie('rule')).map(([a, b]) => `(${a}) ? (${b}) : false`),
    ),
  }));

  it('end within their limit', { timeout: TIMEOUT }, () => {
    const outcomes = new Set<boolean>();
    fc.assert(
      fc.property(rule, (text) => {
        suite.count();
        const compiled = compileCel(text, environment);
        if (!compiled.ok) throw new Error(`${text}: ${compiled.message}`);
        let ended = false;
        const steps = counter.count(() => {
          const result = compiled.program.evaluate({ object }, { limit: LIMIT });
          ended = result.ok;
          expect(result.cost).toBeLessThanOrEqual(LIMIT * 2);
        }, '/core/api/cel/');
        outcomes.add(ended);
        // However long the text; a unit of cost is a few calls, or a few hundred characters.
        expect([text, steps, steps < LIMIT * 500]).toEqual([text, steps, true]);
      }),
      suite.settings(0.12),
    );
    expect(outcomes.size).toBe(2);
  });
});

const LENGTH = 200_000;
const UNITS = [
  'a',
  '1',
  '-',
  '.',
  ' ',
  '/',
  ':',
  'a.',
  'a-',
  '0.',
  '@',
  '1h',
  '1 ',
  '"',
  '\\',
  '%',
  '$(',
  'é',
  '\t',
  ',',
  '=',
  '_',
  '::',
  '9.',
];
const longText = fc
  .tuple(fc.constantFrom(...UNITS), fc.constantFrom('', '!', 'z', '1'))
  .map(([unit, end]) => `${unit.repeat(LENGTH / unit.length)}${end}`);
/** Cases are told by their beginning. */
const shown = (text: string): string => `${text.slice(0, 10)}…${text.slice(-2)}`;

describe('long, deep and wide values', () => {
  const FORMATS = [
    ...['uri', 'email', 'hostname', 'ipv4', 'ipv6', 'cidr', 'mac', 'uuid', 'isbn', 'creditcard', 'ssn', 'hexcolor'],
    ...['rgbcolor', 'byte', 'date', 'duration', 'date-time', 'k8s-short-name', 'k8s-long-name', 'bsonobjectid'],
  ];

  it('are judged by every format', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(fc.constantFrom(...FORMATS), longText, (format, text) => {
        suite.count();
        const schema: JSONSchemaProps = { type: 'string', format };
        expect(valueValidator(schema).validate(text).length, shown(text)).toBeLessThanOrEqual(2);
      }),
      suite.settings(0.35),
    );
  });

  it('are judged wherever a kind has a text', { timeout: 240_000 }, async () => {
    const server = await createTestServer();
    const byName = new Map(
      createRegistry()
        .all()
        .filter(({ verbs }) => verbs.includes('create'))
        .map((kind) => [`${apiVersionOf(kind)} ${kind.kind}`, kind]),
    );
    const step: Step = {
      ...{
        name: 'a',
        verb: 'create',
        subresource: '',
        mutations: [],
        dryRun: true,
        validation: 'Ignore',
        manager: 'me',
      },
    };
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...byName.keys()), fc.nat(1000), longText, async (name, where, text) => {
        suite.count();
        const kind = byName.get(name);
        if (kind === undefined) return;
        const manifest = manifestOf(kind, 'a');
        const places = textsIn(manifest);
        const place = places[where % places.length] ?? [];
        await expectHarmless(server, kind, requestOf(kind, step, withText(manifest, place, text)));
      }),
      suite.settings(0.35),
    );
  });

  it('are read or refused however deep or wide', { timeout: 120_000 }, () => {
    const brackets = fc.tuple(
      fc.constantFrom('[', '{"a":', '[[', '[{"b":', ' '),
      fc.integer({ min: 1, max: 400_000 }),
      fc.constantFrom('1', '', ']', '}'),
    );
    fc.assert(
      fc.property(brackets, ([open, depth, end]) => {
        suite.count();
        try {
          const read = parseJson(`${open.repeat(depth)}${end}`);
          expect(encodeJson(read).length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(JsonSyntaxError);
        }
      }),
      suite.settings(0.1),
    );
  });
});

type Path = readonly (string | number)[];

function textsIn(value: Json, path: Path = []): Path[] {
  if (typeof value === 'string') return path[0] === 'kind' || path[0] === 'apiVersion' ? [] : [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    textsIn(each as Json, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

function withText(value: Json, path: Path, text: string): Json {
  const [step, ...rest] = path;
  if (step === undefined) return text;
  if (Array.isArray(value)) {
    return (value as readonly Json[]).map((item, i) => (i === step ? withText(item, rest, text) : item));
  }
  const bag = value as { readonly [key: string]: Json };
  return { ...bag, [step]: withText(bag[step] ?? null, rest, text) };
}
