/** YAML that is broken, ambiguous or a bomb. */
import { describe, expect, it } from 'vitest';
import { expectCase, get, patch, post, useHouse, type Case } from './support/house.ts';
import { statusOf } from './support/wire-client.ts';

const house = useHouse();

const YAML = 'application/yaml';
const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: new\n';

const bomb = (levels: number, width: number): string => {
  const lines = [`a0: &a0 [${'x,'.repeat(width)}x]`];
  for (let i = 1; i < levels; i += 1) lines.push(`a${i}: &a${i} [${`*a${i - 1},`.repeat(width)}*a${i - 1}]`);
  return `${lines.join('\n')}\n`;
};

/** Also long enough for the way that large texts take. */
const filler = `# ${'-'.repeat(100)}\n`.repeat(200);

const BROKEN: readonly (readonly [name: string, body: string | Buffer, message?: RegExp])[] = [
  ['a tab as indentation', `${head}data:\n\tk: v\n`, /line 6/],
  ['an open flow map', `${head}data: {k: v\n`, /line/],
  ['an open quote', `${head}data:\n  k: "v\n`, /line/],
  ['an unknown alias', `${head}data: *nothing\n`, /alias/i],
  ['an alias to itself', `${head}data: &a [*a]\n`, /nested deeper/],
  ['an alias bomb', head + bomb(9, 9), /alias/i],
  ['a wide alias bomb', `${head}a: &a [${'x,'.repeat(1000)}]\nb: [${'*a,'.repeat(1000)}]\n`, /alias/i],
  ['a merge bomb', `${head}${mergeBomb()}`, /alias|merge|unknown|unmarshal/i],
  ['absurd nesting in flow style', `${head}data: ${'['.repeat(5000)}${']'.repeat(5000)}\n`, /nest|deep/i],
  ['absurd nesting in flow style, never closed', `${head}data: ${'['.repeat(50_000)}`, /./],
  ['absurd nesting in block style', `${head}${nested(2000)}`, /nest|deep/i],
  ['a large text that is broken at its end', `${filler}${head}data: {`, /line 20\d/],
  ['a list', '- a\n- b\n', /./],
  ['a number', '17', /./],
  ['a key that is a map', `${head}data:\n  ? {a: b}\n  : c\n`, /./],
  ['control characters', `${head}data:\n  k: "a\u0000b"\u0001\n`, /./],
  ['random bytes', Buffer.from('fffe00017f80c0af', 'hex'), /./],
  ['a directive of another version', `%YAML 9.9\n%TAG ! tag:evil,2000:\n---\n- !x y`, /./],
];

function mergeBomb(): string {
  const lines = ['m0: &m0 {k0: 1}'];
  for (let i = 1; i < 12; i += 1) lines.push(`m${i}: &m${i} {<<: [${`*m${i - 1},`.repeat(9)}*m${i - 1}], k${i}: 1}`);
  return `${lines.join('\n')}\n`;
}

function nested(levels: number): string {
  return Array.from({ length: levels }, (_, i) => `${' '.repeat(i)}a:`).join('\n');
}

describe('broken YAML', () => {
  it.each(
    BROKEN.map(([name, body, message]): Case => ({ name, ...post(body, YAML), code: 400, message: message ?? /./ })),
  )('is refused when creating: $name', (each) => expectCase(house, each));

  it.each(BROKEN.map(([name, body, message]) => ({ name, body, message: message ?? /./ })))(
    'is refused when applying: $name',
    async ({ body }) => {
      const request = { ...patch('merge', body), headers: { 'content-type': 'application/apply-patch+yaml' } };
      const answer = await house.unharmed(() => house.ask({ ...request, path: `${request.path}?fieldManager=x` }));
      expect([400, 415]).toContain(answer.status);
      expect(statusOf(answer).kind).toBe('Status');
    },
  );
});

describe('YAML that says nothing, or too much', () => {
  it.each([
    { name: 'only a comment', body: '# nothing\n' },
    { name: 'nothing', body: '' },
    { name: 'an empty document', body: '---\n...\n' },
  ])('is an object without a name: $name', ({ name, body }) =>
    expectCase(house, { name, ...post(body, YAML), code: 422, message: 'name or generateName is required' }),
  );

  it('may give a key twice, unless the client is strict: the last counts, and the client is told', async () => {
    const body = `${head}data:\n  k: v\n  k: w\n`;
    const ask = (text: string, mode: string) =>
      house.unharmed(() =>
        house.ask({
          ...post(text, YAML),
          path: `/api/v1/namespaces/default/configmaps?dryRun=All&fieldValidation=${mode}`,
        }),
      );
    // Also on the way that large texts take.
    for (const text of [body, filler + body]) {
      const warned = await ask(text, 'Warn');
      const line = text.split('\n').indexOf('  k: w') + 1;
      const told = `line ${line}: key "k" already set in map`;
      expect([warned.status, warned.headers['warning']]).toEqual([201, `299 - ${JSON.stringify(told)}`]);
      expect(JSON.parse(warned.text)).toMatchObject({ data: { k: 'w' } });
      const ignored = await ask(text, 'Ignore');
      expect([ignored.status, ignored.headers['warning']]).toEqual([201, undefined]);
      const strict = statusOf(await ask(text, 'Strict'));
      expect([strict.code, strict.message]).toEqual([
        400,
        `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  ${told}`,
      ]);
    }
  });

  it('ends with its first document', async () => {
    const answer = await house.unharmed(() =>
      house.ask({
        ...post(`${head}---\nkind: Secret\n`, YAML),
        path: '/api/v1/namespaces/default/configmaps?dryRun=All',
      }),
    );
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([201, { kind: 'ConfigMap' }]);
  });

  it('is answered in YAML that every reader takes for the same', async () => {
    const { text } = await house.ask({ ...get('/api/v1/namespaces/default'), headers: { accept: YAML } });
    expect(text).toMatch(/^apiVersion: v1\nkind: Namespace\nmetadata:\n {2}creationTimestamp: "20/);
  });
});

describe('YAML with ideas of its own', () => {
  const create = (body: string) =>
    house.unharmed(() => house.ask({ ...post(body, YAML), path: '/api/v1/namespaces/default/configmaps?dryRun=All' }));

  it('makes no objects of tags', async () => {
    for (const tag of ['!!js/function', '!!python/object/apply:os.system', '!<tag:yaml.org,2002:binary>', '!x']) {
      const answer = await create(`${head}data:\n  k: ${tag} "process.exit(1)"\n`);
      expect([tag, [201, 400].includes(answer.status)]).toEqual([tag, true]);
      if (answer.status === 201) expect(JSON.parse(answer.text)).toMatchObject({ data: { k: expect.any(String) } });
    }
  });

  it('refuses dates, sets and numbers where a string is expected, instead of guessing', async () => {
    for (const value of [
      '17',
      '1.5',
      'true',
      '0x1f',
      '.nan',
      '.inf',
      '[a]',
      '{a: b}',
      '!!set {a, b}',
      '1e99',
      'yes',
      'off',
      '0777',
    ]) {
      const answer = await create(`${head}data:\n  k: ${value}\n`);
      expect([value, answer.status]).toEqual([value, 400]);
    }
    const date = await create(`${head}data:\n  k: 2001-01-01\n`);
    expect(JSON.parse(date.text)).toMatchObject({ data: { k: '2001-01-01' } });
  });

  it('keeps hostile keys as data, also through anchors and merges, small or large', async () => {
    const body = `${head}data: &d\n  __proto__: a\n  constructor: b\n  prototype: c\nbinaryData:\n  <<: {valueOf: "YQ=="}\n`;
    for (const text of [body, filler + body]) {
      const answer = await create(text);
      const { data, binaryData } = JSON.parse(answer.text) as { data: object; binaryData: object };
      expect([answer.status, Object.entries(data)]).toEqual([
        201,
        [
          ['__proto__', 'a'],
          ['constructor', 'b'],
          ['prototype', 'c'],
        ],
      ]);
      expect(Object.entries(binaryData)).toEqual([['valueOf', 'YQ==']]);
    }
  });

  it('serves others while it reads many large texts at once', async () => {
    const large = `${head}data:\n${Array.from({ length: 4000 }, (_, i) => `  k${i}: "${'v'.repeat(20)}"`).join('\n')}\n`;
    await house.unharmed(async () => {
      const slow = Array.from({ length: 5 }, () => house.ask(post(`${large}broken: [`, YAML)));
      const quick = await house.ask(get('/api/v1/namespaces/default/configmaps/cm'));
      expect(quick.status).toBe(200);
      for (const answer of await Promise.all(slow)) expect(answer.status).toBe(400);
    });
  });
});
