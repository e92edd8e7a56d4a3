/** Keys that mean something to JavaScript and must mean nothing to us. */
import { describe, expect, it } from 'vitest';
import { expectFailure, get, patch, post, useHouse } from './support/house.ts';
import { statusOf, type WireAnswer } from './support/wire-client.ts';

const house = useHouse();

const KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'then',
  'toJSON',
  '__defineGetter__',
];
const PATH = '/api/v1/namespaces/default/configmaps';

/** A JSON object with these members, spelt out: an object literal would not keep `__proto__`. */
const members = (value: string, keys = KEYS): string =>
  `{${keys.map((key) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
const body = (rest: string, metadata = ''): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"proto"${metadata}},${rest}}`;
const dry = (text: string): Promise<WireAnswer> =>
  house.unharmed(() => house.ask({ ...post(text), path: `${PATH}?dryRun=All` }));
const parsed = (answer: WireAnswer): { data: object; metadata: { labels: object; annotations: object } } =>
  JSON.parse(answer.text) as never;

describe('hostile keys', () => {
  it('are data in data, labels and annotations', async () => {
    const answer = await dry(
      body(
        `"data":${members('"v"')}`,
        `,"labels":${members(
          '"v"',
          KEYS.filter((key) => !key.startsWith('_')),
        )},"annotations":${members('"v"', ['constructor', 'prototype'])}`,
      ),
    );
    expect(answer.status).toBe(201);
    const { data, metadata } = parsed(answer);
    expect(Object.keys(data).toSorted()).toEqual(KEYS.toSorted());
    expect(Object.keys(metadata.labels)).toContain('constructor');
    expect(Object.keys(metadata.annotations)).toEqual(['constructor', 'prototype']);
  });

  it('are refused as label keys where they are no label keys', async () => {
    const status = expectFailure(
      await dry(body('"data":{}', `,"labels":{"__proto__":"v"},"annotations":{"__proto__":"v"}`)),
    );
    expect([status.code, status.message]).toEqual([
      422,
      expect.stringContaining('metadata.labels: Invalid value: "__proto__": name part must consist of'),
    ]);
  });

  it('are unknown fields everywhere else', async () => {
    for (const key of KEYS) {
      for (const value of ['{"polluted":true}', '1', 'null', '[]', '"x"']) {
        const texts = [
          body(`${JSON.stringify(key)}:${value}`),
          body('"data":{}', `,${JSON.stringify(key)}:${value}`),
          body(`"data":{},"immutable":false,${JSON.stringify(key)}:${value}`),
        ];
        for (const text of texts) {
          const lenient = await house.ask({ ...post(text), path: `${PATH}?dryRun=All` });
          expect([text, lenient.status]).toEqual([text, 201]);
          expect(lenient.text).not.toContain('polluted');
          const strict = await house.ask({ ...post(text), path: `${PATH}?dryRun=All&fieldValidation=Strict` });
          expect([text, strict.status, statusOf(strict).message]).toEqual([
            text,
            400,
            expect.stringContaining(`unknown field`),
          ]);
        }
      }
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('are members to patches of every kind', async () => {
    for (const key of ['__proto__', 'constructor', 'prototype']) {
      const bodies = [
        patch('merge', `{"data":{${JSON.stringify(key)}:"v"}}`),
        patch('strategic-merge', `{"data":{${JSON.stringify(key)}:"v"}}`),
        patch('json', `[{"op":"add","path":"/data/${key}","value":"v"}]`),
        patch('json', `[{"op":"copy","from":"/data/k","path":"/data/${key}"}]`),
      ];
      for (const request of bodies) {
        const answer = await house.unharmed(() => house.ask({ ...request, path: `${request.path}?dryRun=All` }));
        expect([request.body, answer.status]).toEqual([request.body, 200]);
        expect(Object.keys(parsed(answer).data).toSorted()).toEqual([key, 'k'].toSorted());
      }
    }
  });

  it('lead nowhere in the pointers of patches', async () => {
    const pointers = [
      '/__proto__/polluted',
      '/constructor/prototype/polluted',
      '/data/__proto__/polluted',
      '/data/constructor/prototype/polluted',
      '/metadata/labels/__proto__/polluted',
    ];
    for (const path of pointers) {
      for (const op of ['add', 'replace', 'remove', 'test']) {
        const request = patch('json', JSON.stringify([{ op, path, value: true }]));
        const status = expectFailure(await house.unharmed(() => house.ask(request)));
        expect([path, op, status.code]).toEqual([path, op, 422]);
      }
      for (const op of ['move', 'copy']) {
        const status = expectFailure(
          await house.unharmed(() => house.ask(patch('json', JSON.stringify([{ op, from: path, path: '/data/x' }])))),
        );
        expect(status.code).toBe(422);
      }
    }
    const directives = [
      '{"$patch":"__proto__"}',
      '{"$retainKeys":["__proto__"],"__proto__":{"polluted":1}}',
      '{"$setElementOrder/__proto__":["a"]}',
      '{"$deleteFromPrimitiveList/constructor":["a"]}',
      '{"__proto__":{"$patch":"delete"}}',
    ];
    for (const text of directives) {
      const answer = await house.unharmed(() =>
        house.ask({ ...patch('strategic-merge', text), path: `${PATH}/cm?dryRun=All` }),
      );
      // A directive nobody knows, and the order of a field nobody has, are what Kubernetes calls its own faults.
      const isOwnFault = /unknown patch type|unable to find api field/.test(answer.text);
      expect([text, answer.status < 500 || isOwnFault]).toEqual([text, true]);
    }
  });

  it('find nothing as paths, names, groups, tenants and query parameters', async () => {
    for (const key of KEYS) {
      for (const path of [
        `/${key}`,
        `/api/${key}`,
        `/api/v1/${key}`,
        `/apis/${key}`,
        `/apis/apps/${key}`,
        `/apis/${key}/v1/pods`,
        `/api/v1/namespaces/${key}`,
        `${PATH}/${key}`,
        `${PATH}/cm/${key}`,
        `/openapi/v3/${key}`,
        `/livez/${key}`,
        `/tenants/${key}`,
      ]) {
        const answer = await house.unharmed(() => house.ask(get(path)));
        expect([path, answer.status]).toEqual([path, 404]);
      }
      const query = await house.unharmed(() =>
        house.ask(
          get(
            `${PATH}?${key}=1&${key}[polluted]=1&fieldSelector=metadata.name%3D${key}&labelSelector=${encodeURIComponent('a!=b')}`,
          ),
        ),
      );
      expect(query.status).toBe(200);
      const field = await house.unharmed(() => house.ask(get(`${PATH}?fieldSelector=${key}%3Dx`)));
      expect(expectFailure(field).code).toBe(400);
    }
  });
});
