/** Versions and continue tokens that are stale, foreign, tampered with or no versions at all. */
import { describe, expect, it } from 'vitest';
import { configMap, expectCase, expectFailure, get, patch, post, put, useHouse, type Case } from './support/house.ts';
import type { Status } from '../../src/core/kube/status-error.ts';
import { statusOf } from './support/wire-client.ts';

const house = useHouse({ history: { events: 40 } });
const PATH = '/api/v1/namespaces/default/configmaps';
const ALL = '/api/v1/configmaps';
const replace = (resourceVersion: unknown): string =>
  JSON.stringify({ ...configMap(), metadata: { name: 'cm', resourceVersion } });

/** As a kube-apiserver has it, which makes no proper answer of this. */
const NO_NUMBER = { code: 500, reason: undefined, message: 'strconv.ParseUint: parsing ' } as const;

describe('resource versions', () => {
  const NONSENSE = [
    'abc',
    '-1',
    '1.5',
    '1e3',
    '0x10',
    ' 1',
    '18446744073709551616',
    '9'.repeat(400),
    '１',
    '01x',
    'null',
    '__proto__',
  ];
  it.each(
    NONSENSE.flatMap((version): Case[] => {
      const text = encodeURIComponent(version);
      return [
        {
          name: `list at ${version.slice(0, 30)}`,
          ...get(`${PATH}?resourceVersion=${text}`),
          code: 400,
          message: 'nvalid',
        },
        {
          name: `watch from ${version.slice(0, 30)}`,
          ...get(`${PATH}?watch=1&resourceVersion=${text}`),
          code: 422,
          message: 'nvalid',
        },
        {
          name: `get at ${version.slice(0, 30)}`,
          ...get(`${PATH}/cm?resourceVersion=${text}`),
          code: 400,
          message: 'nvalid',
        },
      ];
    }),
  )('are refused when they are none: $name', (each) => expectCase(house, each));

  it.each([
    {
      name: 'stale',
      ...put(replace('1')),
      code: 409,
      message:
        'Operation cannot be fulfilled on configmaps "cm": the object has been modified; please apply your changes to the latest version and try again',
    },
    { name: 'of the future', ...put(replace('99999999')), code: 409, message: 'the object has been modified' },
    {
      name: 'stale, in a patch',
      ...patch('merge', '{"metadata":{"resourceVersion":"1"}}'),
      code: 409,
      message: 'the object has been modified',
    },
    { name: 'garbage', ...put(replace('garbage')), ...NO_NUMBER },
    { name: 'negative', ...put(replace('-5')), ...NO_NUMBER },
    { name: 'overflowing', ...put(replace('99999999999999999999')), ...NO_NUMBER },
    { name: 'a number', ...put(replace(5)), code: 400 },
    {
      name: 'of another UID',
      ...put(JSON.stringify({ ...configMap(), metadata: { name: 'cm', uid: 'x' } })),
      code: 409,
      message: 'Precondition failed: UID in precondition: x, UID in object meta: ',
    },
    {
      name: 'when creating',
      ...put(''),
      method: 'POST',
      path: PATH,
      body: JSON.stringify({ ...configMap(), metadata: { name: 'new', resourceVersion: '5' } }),
      code: 400,
      message: 'resourceVersion should not be set on objects to be created',
    },
    {
      name: 'in a deletion',
      ...put('{"preconditions":{"resourceVersion":"1"}}'),
      method: 'DELETE',
      code: 409,
      message: 'the ResourceVersion in the precondition (1) does not match',
    },
    {
      name: 'a UID in a deletion',
      ...put('{"preconditions":{"uid":"x"}}'),
      method: 'DELETE',
      code: 409,
      message: 'the UID in the precondition (x) does not match',
    },
    {
      name: 'that do not agree with their match',
      ...get(`${PATH}?resourceVersionMatch=Exact`),
      code: 422,
      message: 'resourceVersionMatch is forbidden unless resourceVersion is provided',
    },
    {
      name: 'with an unknown match',
      ...get(`${PATH}?resourceVersion=1&resourceVersionMatch=Perhaps`),
      code: 422,
      message: 'supported values: ',
    },
    {
      name: 'of the future, to list',
      ...get(`${PATH}?resourceVersion=99999999`),
      code: 504,
      message: 'Too large resource version: 99999999, current: ',
    },
  ] as Case[])('do not let a write pass: $name', (each) => expectCase(house, each));
});

describe('continue tokens', () => {
  const token = (body: unknown): string =>
    Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)).toString('base64url');
  const good = { v: 'meta.k8s.io/v1', rv: 5, start: 'a\0' };
  const bad: readonly (readonly [string, string])[] = [
    ['nonsense', 'nonsense!'],
    ['not base64', '%%%'],
    ['no JSON', token('hello')],
    ['a number', token('17')],
    ['null', token('null')],
    ['an array', token('[]')],
    ['another version', token({ ...good, v: 'v9' })],
    ['no revision', token({ ...good, rv: 0 })],
    ['a negative revision', token({ ...good, rv: -7 })],
    ['a fractional revision', token({ ...good, rv: 1.5 })],
    ['a textual revision', token({ ...good, rv: '5' })],
    ['no start', token({ ...good, start: '' })],
    ['a start that climbs', token({ ...good, start: '../secrets/secret' })],
    ['a start in another namespace', token({ ...good, start: 'kube-system/secret' })],
    ['deep nesting', token('['.repeat(2000))],
    ['10,000 characters', 'A'.repeat(10_000)],
    ['a prototype', token('{"__proto__":{"v":"meta.k8s.io/v1","rv":5,"start":"a"}}')],
  ];
  it.each(
    bad.map(([name, text]): Case => ({
      name,
      ...get(`${PATH}?limit=1&continue=${encodeURIComponent(text)}`),
      code: 400,
      message: 'continue',
    })),
  )('are refused when they are not ours: $name', (each) => expectCase(house, each));

  it('from the future are told so', () =>
    expectCase(house, {
      name: '',
      ...get(`${PATH}?limit=1&continue=${token({ ...good, rv: 99_999_999 })}`),
      code: 504,
    }));

  it('expire with a 410 that carries the way on', async () => {
    for (const name of ['cm2', 'cm3', 'cm4']) {
      expect((await house.ask(post(JSON.stringify(configMap({}, name))))).status).toBe(201);
    }
    const page = JSON.parse((await house.ask(get(`${ALL}?limit=1`))).text) as { metadata: { continue: string } };
    const old = await house.ask(get(`${PATH}/cm`));
    for (let i = 0; i < 200; i += 1) {
      const answer = await house.ask(patch('merge', `{"data":{"k":"${i}"}}`));
      expect(answer.status).toBe(200);
    }
    await house.unharmed(async () => {
      const expired = statusOf(await house.ask(get(`${ALL}?limit=1&continue=${page.metadata.continue}`)));
      expect([expired.code, expired.reason, expired.message]).toEqual([
        410,
        'Expired',
        expect.stringContaining('The provided continue parameter is too old'),
      ]);
      const rv = (JSON.parse(old.text) as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
      // A watch that cannot begin has begun all the same, and ends with its first frame: so clients expect it.
      const frames = await house.ask(get(`${PATH}?watch=1&resourceVersion=${rv}&timeoutSeconds=5`));
      const { type, object: watch } = JSON.parse(frames.text) as { type: string; object: Status };
      expect([frames.status, type]).toEqual([200, 'ERROR']);
      expect([watch.code, watch.reason, watch.message]).toEqual([
        410,
        'Expired',
        expect.stringMatching(/^too old resource version: \d+ \(\d+\)$/),
      ]);
      const exact = expectFailure(await house.ask(get(`${PATH}?resourceVersion=${rv}&resourceVersionMatch=Exact`)));
      expect([exact.code, exact.reason]).toEqual([410, 'Expired']);
    });
    const again = statusOf(await house.ask(get(`${ALL}?limit=1&continue=${page.metadata.continue}`)));
    const rest = await house.ask(get(`${ALL}?continue=${again.metadata.continue}`));
    const all = await house.ask(get(ALL));
    const count = (text: string): number => (JSON.parse(text) as { items: object[] }).items.length;
    expect([rest.status, count(rest.text)]).toEqual([200, count(all.text) - 1]);
  });
});
