import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Container } from '../../api/types/core-v1.ts';
import type { JsonObject } from '../../kube/json.ts';
import { loadManifests, prepareComponents } from '../load/load.ts';
import { problemText } from '../problem.ts';
import { brief, textOf } from '../testing/manifests.ts';
import { checkComponent } from '../validate/check-component.ts';
import { applySet } from './set.ts';
import type { SourceNode } from '../../kube/yaml/source-node.ts';
import { SourceDocument, sourceOf } from '../source.ts';

const document = (value: unknown): SourceDocument => new SourceDocument({ file: 'm', root: sourceOf(value) });
const plain = (node: SourceNode): unknown => {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(plain);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plain(value)]));
};
const set = (value: unknown, expression: string, asText = false): unknown => {
  const result = applySet(document(value), expression, { asText });
  return result.fault === undefined ? plain(result.document.root) : result.fault.message;
};

describe('an override', () => {
  it.each([
    ['a=1', { a: 1 }],
    ['a=-5', { a: -5 }],
    ['a=0', { a: 0 }],
    ['a=007', { a: '007' }],
    ['a=1.5', { a: '1.5' }],
    ['a=true', { a: true }],
    ['a=false', { a: false }],
    ['a=True', { a: 'True' }],
    ['a=', { a: '' }],
    ['a=x=y', { a: 'x=y' }],
    ['a.b.c=x', { a: { b: { c: 'x' } } }],
    ['a[0].b=x', { a: [{ b: 'x' }] }],
    ['a[0][0]=1', { a: [[1]] }],
    ['a={x,2,true}', { a: ['x', 2, true] }],
    ['a={}', { a: [] }],
    ['a=1,b=2', { a: 1, b: 2 }],
    ['a=x\\,y,b=2', { a: 'x,y', b: 2 }],
    ['a.b\\.c/d=x', { a: { 'b.c/d': 'x' } }],
    ['a={1},b=2', { a: [1], b: 2 }],
  ])('%s', (expression, expected) => {
    expect(set({}, expression)).toEqual(expected);
  });

  it('as text takes nothing for anything else', () => {
    expect(set({}, 'a=true,b=1,c=null,d={1}', true)).toEqual({ a: 'true', b: '1', c: 'null', d: ['1'] });
  });

  it('null removes', () => {
    expect(set({ a: 1, b: [1, 2] }, 'a=null,b[0]=null')).toEqual({ b: [2] });
  });

  it('changes what is there, in whatever spelling, and nothing else', () => {
    expect(set({ mount_path: '/a', x: [1, 2] }, 'mountPath=/b,x[1]=3')).toEqual({ mount_path: '/b', x: [1, 3] });
    expect(set({ mountPath: '/a' }, 'mount_path=/b')).toEqual({ mountPath: '/b' });
  });

  it.each([
    ['', 'path=value'],
    ['a', 'expected path=value'],
    ['=1', 'path=value'],
    ['a[x]=1', 'index'],
    ['a[99999]=1', 'index'],
    ['a[2]=1', 'no place'],
    ['a..b=1', 'path=value'],
    ['a={1', '}'],
    ['a={1}x=2', 'comma'],
  ])('%s is refused', (expression, message) => {
    expect(set({ a: [1] }, expression)).toContain(message);
  });

  it('a list where a mapping is, and the other way round, is refused', () => {
    expect(set({ a: { b: 1 } }, 'a[0]=1')).toContain('list');
    expect(set({ a: [1] }, 'a.b=1')).toContain('mapping');
  });

  const overridden = async (
    app: JsonObject,
    expression: string,
  ): Promise<readonly string[] | Container | undefined> => {
    const loaded = loadManifests([{ file: 'm.yaml', text: textOf({ app }) }], [{ expression }]);
    const { components, problems } = await prepareComponents(loaded);
    if (problems.length > 0) return problems.map(problemText);
    return components[0]?.rendered.daemonSet.spec.template.spec?.containers[0];
  };

  it.each<[string, JsonObject, string, object]>([
    ['tag', { image: 'a.io/b:1' }, 'image.tag=2.0', { image: 'a.io/b:2.0' }],
    ['tag where none is', { image: 'a.io:5000/b' }, 'image.tag=2.0', { image: 'a.io:5000/b:2.0' }],
    ['repository', { image: 'a.io/b:1' }, 'image.repo=c.io/d', { image: 'c.io/d:1' }],
    ['tag of the long form', { image: { repo: 'a.io/b', tag: '1' } }, 'image.tag=2.0', { image: 'a.io/b:2.0' }],
    [
      'path of a host path',
      { volumeMounts: [{ name: 'v', mountPath: '/v', hostPath: '/a', hostPathType: 'Directory' }] },
      'volumeMounts[0].hostPath.path=/b',
      {},
    ],
    [
      'variable',
      { env: { A: 'x' } },
      'env.variables.A=y',
      { env: expect.arrayContaining([{ name: 'A', value: 'y' }]) as unknown },
    ],
  ])('changes the %s of a thing that is written in its short form', async (_, app, expression, expected) => {
    expect(await overridden(app, `spec.container.app.${expression}`)).toMatchObject(expected);
  });

  it('of a part that a short form does not have is told as ever', async () => {
    const problems = await overridden({ image: 'a.io/b:1' }, 'spec.container.app.image.tga=2');
    expect(JSON.stringify(problems)).toContain('mapping');
  });

  it('whatever it says, it answers', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), (text) => {
        expect(applySet(document({ a: [1] }), text)).toBeDefined();
      }),
    );
  });

  it('what is wrong with a value is told as what it is: an override', () => {
    const { components } = loadManifests(
      [{ file: 'm.yaml', text: textOf({}) }],
      [{ expression: 'spec.minReadySeconds=soon' }],
    );
    const problems = components.flatMap((read) => checkComponent(read).problems);
    expect(problems.map(problemText)).toEqual([
      '--set spec.minReadySeconds: expected a whole number, at least 0, found the text "soon" [EN_COMPONENT_TYPE]',
    ]);
  });

  it('never tells a value', () => {
    const secrets = 'spec.container.app.env.secrets[0].name=TOKEN,spec.container.app.env.secrets[0].value=hunter2';
    const { components, problems } = loadManifests(
      [{ file: 'm.yaml', text: textOf({}) }],
      [{ expression: secrets }, { expression: 'spec.container.app.env.secrets[0].value={hunter2' }],
    );
    expect(brief(problems)).toEqual(['EN_COMPONENT_SET spec.container.app.env.secrets[0].value']);
    expect(JSON.stringify([problems, components])).not.toContain('hunter2');
    expect(components[0]?.component.spec.container.app.env?.secrets?.[0]?.value?.reveal()).toBe('hunter2');
  });

  it.each([
    ['spec.container.app.env.secrets.TOKEN=x,hunter2', 'spec.container.app.env.secrets.TOKEN'],
    ['spec.container.app.env.secrets.TOKEN=x,y.hunter2', 'spec.container.app.env.secrets.TOKEN'],
    ['spec.container.app.env.secrets.TOKEN:hunter2', 'spec.container.app.env.secrets.…'],
    ['spec.container.app.env.secrets.TOKEN hunter2', 'spec.container.app.env.secrets.…'],
    ['hunter2', '…'],
  ])('%s shows no more than can be a path', (expression, path) => {
    const { problems } = loadManifests([{ file: 'm.yaml', text: textOf({}) }], [{ expression }]);
    expect(problems).toMatchObject([{ code: 'EN_COMPONENT_SET', path, place: { override: path } }]);
    expect(problems.map(problemText).join('')).not.toContain('hunter2');
  });

  it('that is wrong is told once, however many components it changes', async () => {
    const texts = ['a', 'b'].map((name) => ({ file: `${name}.yaml`, text: textOf({ metadata: { name } }) }));
    const { problems } = await prepareComponents(loadManifests(texts, [{ expression: 'spec.nodeSelector.a=true' }]));
    expect(problems.map(problemText)).toEqual([
      '--set spec.nodeSelector.a: expected a text, found true (give it with --set-string) [EN_COMPONENT_TYPE]',
    ]);
  });
});
