import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { evaluate } from '../../api/pod-security/evaluate.ts';
import { lintComponent } from '../lint/lint-component.ts';
import { loadManifests, prepareComponents } from './load.ts';
import { printObjects } from '../print/print-yaml.ts';
import { problemText } from '../problem.ts';
import { MODES } from '../render/mode.ts';
import { brief, manifestOf, type Parts, textOf } from '../testing/manifests.ts';

const prepared = (...texts: readonly string[]) =>
  prepareComponents(loadManifests(texts.map((text, index) => ({ file: `${index}.yaml`, text }))));

describe('several documents', () => {
  it('each say what is wrong with them, also in one file', async () => {
    const text = ['a', 'b'].map((name) => textOf({ metadata: { name }, spec: { nope: 1 } })).join('---\n');
    const { problems } = await prepared(text);
    expect(brief(problems)).toEqual(['EN_COMPONENT_UNKNOWN_FIELD spec.nope', 'EN_COMPONENT_UNKNOWN_FIELD spec.nope']);
    expect(new Set(problems.map(({ place }) => place.line)).size).toBe(2);
  });

  it('may not be the same component', async () => {
    const { problems } = await prepared(textOf({}), textOf({}), textOf({ spec: { namespace: 'other' } }));
    expect(problems.map(problemText)).toEqual([
      '1.yaml:4:9: metadata.name: agents/agent is given twice; the other one is at 0.yaml:4:9 [EN_COMPONENT_DUPLICATE]',
    ]);
  });

  it('without a name are not the same', async () => {
    const nameless: Parts = { metadata: { name: '' } };
    const { problems } = await prepared(textOf(nameless), textOf(nameless));
    expect(brief(problems)).toEqual(['EN_COMPONENT_REQUIRED metadata.name', 'EN_COMPONENT_REQUIRED metadata.name']);
  });

  it('in a circle are told as that, and nothing that follows from it', async () => {
    const peer = (name: string, of: string) =>
      textOf({
        metadata: { name },
        spec: { namespace: { valueFrom: { kind: 'KubernetesDaemonSet', name: of, fieldPath: 'spec.namespace' } } },
      });
    expect(brief((await prepared(peer('a', 'b'), peer('b', 'a'))).problems)).toEqual([
      'EN_COMPONENT_CYCLE metadata.name',
    ]);
  });

  it('that take a namespace nobody has say who has it not', async () => {
    const from = (kind: string, name: string, fieldPath: string) => ({ valueFrom: { kind, name, fieldPath } });
    const { problems } = await prepared(
      textOf({ metadata: { name: 'a' }, spec: { namespace: from('KubernetesNamespace', 'gone', 'spec.name') } }),
      textOf({
        metadata: { name: 'b' },
        spec: { namespace: from('KubernetesDaemonSet', 'a', 'status.outputs.namespace') },
      }),
    );
    expect(problems.map(({ message }) => message)).toEqual([
      'KubernetesNamespace gone is not among the documents',
      'KubernetesDaemonSet a has no text at status.outputs.namespace',
    ]);
  });

  it('that refer to what is not there say so once', async () => {
    const { problems } = await prepared(
      textOf({
        spec: { namespace: { valueFrom: { name: 'gone' } } },
        app: { env: { variables: { A: { valueFrom: { kind: 'X', name: 'x', fieldPath: 'spec.a' } } } } },
      }),
    );
    expect(brief(problems)).toEqual([
      'EN_COMPONENT_REFERENCE spec.namespace.valueFrom',
      'EN_COMPONENT_REFERENCE spec.container.app.env.variables.A.valueFrom',
    ]);
  });
});

it('a manifest that is wrong in every line is answered soon', async () => {
  const nope = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 1]));
  const { problems } = await prepared(stringify(manifestOf({ pod: nope })));
  expect(problems).toHaveLength(20_000);
}, 5_000);

describe('an example that somebody spoilt', () => {
  const folder = fileURLToPath(new URL('../../../../examples/components/', import.meta.url));
  const texts = globSync('*.yaml', { cwd: folder }).map((file) => readFileSync(`${folder}${file}`, 'utf8'));
  const example = fc.constantFrom(...texts);

  const PIECES = [
    '\t',
    '\n',
    '  ',
    ': ',
    '- ',
    '"',
    "'",
    '{',
    ']',
    '&a ',
    '*a',
    '!',
    '|',
    '#',
    '%',
    '---\n',
    '\ufeff',
    '<<: ',
  ];
  const cut = fc.record({ at: fc.nat(4000), length: fc.nat(30), piece: fc.constantFrom('', ...PIECES) });
  const spoiltText = fc
    .tuple(example, fc.array(cut, { minLength: 1, maxLength: 5 }))
    .map(([text, cuts]) =>
      cuts.reduce((old, { at, length, piece }) => splice(old, at % old.length, length, piece), text),
    );
  const splice = (text: string, at: number, length: number, piece: string): string =>
    text.slice(0, at) + piece + text.slice(at + length);

  const WEIRD = [
    null,
    0,
    -1,
    1.5,
    2 ** 53,
    '',
    ' ',
    'x'.repeat(300),
    '__proto__',
    'constructor',
    'env:',
    '100%',
    '../..',
    true,
    [],
    {},
    [null],
    [[]],
    { a: {} },
    { valueFrom: {} },
    { valueFrom: { name: 'a', fieldPath: '__proto__.x' } },
    { value: null },
    ['a', 'a'],
  ] as const;
  const change = fc.record({ at: fc.nat(500), value: fc.constantFrom(...WEIRD), key: fc.constantFrom('', 'x', '_') });
  const spoiltTree = fc.tuple(example, fc.array(change, { minLength: 1, maxLength: 4 })).map(([text, changes]) => {
    const root = parse(text) as object;
    for (const { at, value, key } of changes) {
      const places = [...placesIn(root)];
      const [parent, name] = places[at % places.length] ?? [{}, ''];
      parent[Array.isArray(parent) ? name : `${name}${key}`] = structuredClone(value);
    }
    return stringify(root);
  });
  type Members = { [key: string]: unknown };
  function* placesIn(value: object): Generator<readonly [Members, string]> {
    for (const [key, member] of Object.entries(value)) {
      yield [value as Members, key];
      if (typeof member === 'object' && member !== null) yield* placesIn(member as object);
    }
  }

  it.each([
    ['in its text', spoiltText],
    ['in its fields', spoiltTree],
  ])('%s is answered, with a place for everything that is wrong', async (_, spoilt) => {
    await fc.assert(
      fc.asyncProperty(spoilt, fc.constantFrom(...MODES), async (text, mode) => {
        const secrets = { env: () => 'hunter2', file: () => 'hunter2' };
        const { components, problems } = await prepareComponents(loadManifests([{ file: 'm', text }]), {
          mode,
          secrets,
        });
        for (const problem of problems) {
          expect(problem.place.line).toBeGreaterThan(0);
          expect(problemText(problem)).not.toMatch(/hunter2|undefined|\[object|NaN/);
        }
        for (const { read, rendered, problems: own } of components) {
          expect(printObjects(rendered.objects)).not.toMatch(/hunter2|undefined|\[object/);
          if (own.length === 0) lintComponent(read, rendered, { podSecurity: evaluate, namespaceLabels: {} });
        }
      }),
      { numRuns: 150 },
    );
  });
});
