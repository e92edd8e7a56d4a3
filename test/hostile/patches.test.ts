/** Patches that point nowhere, say too much, or cost more than they are. */
import { describe, expect, it } from 'vitest';
import { expectCase, expectFailure, patch, useHouse, type Case, type PatchType } from './support/house.ts';

const house = useHouse();
const PATH = '/api/v1/namespaces/default/configmaps/cm';
const ops = (...operations: readonly unknown[]): string => JSON.stringify(operations);
const rejected = 'the server rejected our request due to an error in our request';

describe('JSON patches', () => {
  const bad = (name: string, body: string, code = 422, message: string | RegExp = rejected): Case => ({
    name,
    ...patch('json', body),
    code,
    message,
  });
  it.each([
    bad('a pointer into nothing', ops({ op: 'replace', path: '/nothing/at/all', value: 1 })),
    bad('a pointer into text', ops({ op: 'add', path: '/data/k/x', value: 1 })),
    bad('a pointer without slash', ops({ op: 'add', path: 'data', value: {} })),
    bad('a removal of nothing', ops({ op: 'remove', path: '/data/nothing' })),
    bad('a removal of everything', ops({ op: 'remove', path: '' })),
    bad('a test that fails', ops({ op: 'test', path: '/data/k', value: 'other' })),
    bad(
      'a change before a test that fails',
      ops({ op: 'replace', path: '/data/k', value: 'x' }, { op: 'test', path: '/data/k', value: 'v' }),
    ),
    bad('an unknown operation', ops({ op: 'explode', path: '/data' })),
    bad('an operation without name', ops({ path: '/data' })),
    bad('an operation that is a list', ops({ op: [], path: '/data' })),
    bad('no path', ops({ op: 'remove' })),
    bad('a path that is a number', ops({ op: 'remove', path: 5 })),
    bad('no from', ops({ op: 'move', path: '/data' })),
    bad('a move into itself', ops({ op: 'move', from: '/metadata', path: '/metadata/labels/x' })),
    bad('an index out of bounds', ops({ op: 'add', path: '/metadata/finalizers/99', value: 'x' })),
    bad('an index that is none', ops({ op: 'add', path: '/metadata/ownerReferences/first', value: {} })),
    bad('an overflowing index', ops({ op: 'add', path: '/data/99999999999999999999/x', value: {} })),
    bad('a bad escape', ops({ op: 'remove', path: '/data/~2' })),
    bad('an operation that is null', '[null]'),
    bad('an operation that is text', '["remove"]', 400, 'cannot unmarshal'),
    bad('an object', '{}', 400, 'JSON patch'),
    bad('text', '"x"', 400, 'JSON patch'),
    bad('broken JSON', '[{"op"', 400, 'unexpected end of JSON input'),
    bad(
      '100,000 operations',
      JSON.stringify(
        Array.from({ length: 100_000 }, () => ({ op: 'test', path: '/data/k', value: 'v' })).slice(0, 60_000),
      ),
      413,
      'The allowed maximum operations in a JSON patch is 10000, got 60000',
    ),
    bad(
      'a replaced identity',
      ops({ op: 'replace', path: '/metadata/name', value: 'other' }),
      400,
      'the name of the object (other) does not match the name on the URL (cm)',
    ),
    bad('a replaced kind', ops({ op: 'replace', path: '/kind', value: 'Secret' }), 422, /./),
    bad(
      'a whole other document',
      ops({ op: 'replace', path: '', value: { a: 1 } }),
      400,
      'the name of the object (cm based on URL) was undeterminable: name must be provided',
    ),
    bad('a list for an object', ops({ op: 'replace', path: '', value: [] }), 422, /./),
    bad('a wrong type', ops({ op: 'replace', path: '/data', value: 'text' }), 422, 'cannot unmarshal string'),
    bad(
      'a deep value',
      `[{"op":"add","path":"/data/x","value":${'['.repeat(100_000)}${']'.repeat(100_000)}}]`,
      400,
      'exceeded max depth',
    ),
  ])('are refused: $name', (each) => expectCase(house, each));

  it('cost no more than their size', async () => {
    const many = (operation: (i: number) => object, count = 10_000): string =>
      ops(...Array.from({ length: count }, (_, i) => operation(i)));
    const big = 'v'.repeat(200_000);
    const items = Array.from({ length: 400_000 }, () => 1);
    const bodies: readonly (readonly [string, string])[] = [
      ['10,000 tests of everything', many(() => ({ op: 'test', path: '', value: { a: 1 } }))],
      ['10,000 additions', many((i) => ({ op: 'add', path: `/data/k${i}`, value: 'v' }))],
      [
        '10,000 additions and removals',
        many((i) => (i % 2 === 0 ? { op: 'add', path: '/data/x', value: 'v' } : { op: 'remove', path: '/data/x' })),
      ],
      [
        '10,000 insertions at the front of a list',
        ops(
          { op: 'add', path: '/x', value: [] },
          ...Array.from({ length: 9999 }, () => ({ op: 'add', path: '/x/0', value: 'a' })),
        ),
      ],
      [
        'removals from the middle of a huge list',
        ops(
          { op: 'add', path: '/x', value: items },
          ...Array.from({ length: 9999 }, () => ({ op: 'remove', path: '/x/1' })),
        ),
      ],
      [
        'moves within a huge list',
        ops(
          { op: 'add', path: '/x', value: items },
          ...Array.from({ length: 9999 }, () => ({ op: 'move', from: '/x/1', path: '/x/399000' })),
        ),
      ],
      [
        'copies of copies',
        ops(
          { op: 'add', path: '/x', value: { a: big } },
          ...Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '/x', path: `/x/c${i}` })),
        ),
      ],
      [
        'copies of a large text',
        ops(
          { op: 'add', path: '/data/x', value: big },
          ...Array.from({ length: 9000 }, (_, i) => ({ op: 'copy', from: '/data/x', path: `/data/c${i}` })),
        ),
      ],
      ['a pointer of a million steps', ops({ op: 'remove', path: '/a'.repeat(1_000_000) })],
      ['large tests', many(() => ({ op: 'test', path: '/data', value: { k: 'x'.repeat(200) } }))],
    ];
    for (const [name, body] of bodies) {
      const answer = await house.unharmed(() => house.ask({ ...patch('json', body), path: `${PATH}?dryRun=All` }));
      expect([name, answer.status < 500]).toEqual([name, true]);
    }
  });
});

describe.each(['merge', 'strategic-merge'] as PatchType[])('%s patches', (type) => {
  const bad = (name: string, body: string, code: number, message: string | RegExp = /./): Case => ({
    name,
    ...patch(type, body),
    code,
    message,
  });
  it.each([
    bad('a list', '[]', 400),
    bad('text', '"x"', 400),
    bad('null', 'null', 400),
    bad('nothing', '', 400),
    bad('broken JSON', '{"data":', 400, 'unexpected end of JSON input'),
    bad('absurd nesting', `${'{"data":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 400, 'exceeded max depth'),
    bad('a wrong type', '{"data":"text"}', 422),
    bad('a wrong type within', '{"data":{"k":{"a":1}}}', 422),
    bad('another name', '{"metadata":{"name":"other"}}', 400),
    bad('no name', '{"metadata":{"name":null}}', 400),
    bad('another namespace', '{"metadata":{"namespace":"other"}}', 400),
    bad('another kind', '{"kind":"Secret"}', 422),
    bad('a bad label', '{"metadata":{"labels":{"-":"-"}}}', 422, 'metadata.labels: Invalid value: "-"'),
  ])('are refused: $name', (each) => expectCase(house, each));

  it('cost no more than their size', async () => {
    const wide = JSON.stringify({
      data: Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, null])),
    });
    const deep = `${'{"a":'.repeat(900)}null${'}'.repeat(900)}`;
    for (const body of [wide, deep]) {
      const answer = await house.unharmed(() => house.ask({ ...patch(type, body), path: `${PATH}?dryRun=All` }));
      expect(answer.status).toBe(200);
    }
  });
});

const PATCH_FAULT = /^(?:unknown patch type: |map: map\[|list element types are|expected a |The order in patch list)/;
const code500 = (status: { readonly code?: number }): boolean => status.code === 500;

describe('strategic directives', () => {
  const WEB = '/apis/apps/v1/namespaces/default/deployments/web';
  const template = (spec: object): string => JSON.stringify({ spec: { template: { spec } } });
  it.each([
    { name: 'an unknown directive', ...patch('strategic-merge', '{"$patch":"explode"}', WEB) },
    { name: 'a directive that is a number', ...patch('strategic-merge', '{"$patch":5}', WEB) },
    {
      name: 'a list element without its key',
      ...patch('strategic-merge', template({ containers: [{ image: 'x' }] }), WEB),
    },
    { name: 'a list element that is text', ...patch('strategic-merge', template({ containers: ['c'] }), WEB) },
    {
      name: 'an order that is no list',
      ...patch('strategic-merge', template({ '$setElementOrder/containers': 5 }), WEB),
    },
    {
      name: 'an order with other elements',
      ...patch(
        'strategic-merge',
        template({ '$setElementOrder/containers': [{ name: 'x' }], containers: [{ name: 'y', image: 'i' }] }),
        WEB,
      ),
    },
    {
      name: 'retained keys that are numbers',
      ...patch('strategic-merge', '{"spec":{"strategy":{"$retainKeys":[1],"type":"Recreate"}}}', WEB),
    },
    { name: 'a replaced object', ...patch('strategic-merge', '{"$patch":"replace"}', WEB) },
    { name: 'a deleted object', ...patch('strategic-merge', '{"$patch":"delete"}', WEB) },
    { name: 'a deleted spec', ...patch('strategic-merge', '{"spec":{"$patch":"delete"}}', WEB) },
  ])('that cannot be followed are refused: $name', async (request) => {
    const status = expectFailure(await house.unharmed(() => house.ask(request)));
    expect([status.code, status.message]).toEqual([
      // Kubernetes takes most faults of such a patch upon itself, and says no more than what is wrong with it.
      expect.toSatisfy((code: number) => code === 400 || code === 422 || (code === 500 && status.reason === undefined)),
      expect.stringMatching(code500(status) ? PATCH_FAULT : /./),
    ]);
  });

  it('cost no more than their size', async () => {
    const env = (count: number, offset = 0): object[] =>
      Array.from({ length: count }, (_, i) => ({ name: `E${i + offset}`, value: 'v' }));
    const bodies = [
      template({ containers: [{ name: 'c', env: env(20_000) }] }),
      template({ containers: [{ name: 'c', env: env(10_000), '$setElementOrder/env': env(10_000) }] }),
      template({ containers: [{ name: 'c', env: env(20_000).map((each) => ({ ...each, $patch: 'delete' })) }] }),
      template({ containers: [{ name: 'c', '$setElementOrder/env': env(30_000) }] }),
      JSON.stringify({
        metadata: { '$deleteFromPrimitiveList/finalizers': Array.from({ length: 100_000 }, (_, i) => `f${i}`) },
      }),
    ];
    for (const body of bodies) {
      const answer = await house.unharmed(() =>
        house.ask({ ...patch('strategic-merge', body), path: `${WEB}?dryRun=All` }),
      );
      expect([body.slice(0, 80), answer.status < 500]).toEqual([body.slice(0, 80), true]);
    }
  });
});
