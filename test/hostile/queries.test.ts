/** Query strings: selectors, options, watches. */
import { performance } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { configMap, expectCase, expectFailure, get, post, put, useHouse, type Case } from './support/house.ts';

const house = useHouse();
const PATH = '/api/v1/namespaces/default/configmaps';
const labels = (selector: string): string => `${PATH}?labelSelector=${encodeURIComponent(selector)}`;
const fields = (selector: string): string => `${PATH}?fieldSelector=${encodeURIComponent(selector)}`;

describe('selectors', () => {
  const LABELS: readonly (readonly [string, string?])[] = [
    ['=', "found '=', expected: !, identifier, or 'end of string'"],
    ['a in', "found '' expected: '('"],
    ['a in (', "found '', expected: ',', ')' or identifier"],
    ['a in (b', "found '', expected: ',' or ')'"],
    ['a notin', "found '' expected: '('"],
    ['a==b=c'],
    ['a b', "found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    [',', "found ',', expected: !, identifier, or 'end of string'"],
    ['a,,b', "found ',', expected: identifier after ','"],
    ['a,', "found '', expected: identifier after ','"],
    ['!', "found '', expected: identifier"],
    ['!!a'],
    ['a>b'],
    ['a<'],
    ['ä=b'],
    ['a=ä'],
    ['a=$(x)'],
    [`a=${'x'.repeat(64)}`, 'must be no more than 63'],
    [`${'x'.repeat(64)}=a`, 'name part must be no more than 63'],
    [`${'x'.repeat(300)}/a=b`],
    ['a/b/c=d'],
    ['__proto__=a'],
    ['(', "found '(', expected: !, identifier, or 'end of string'"],
  ];
  it.each([
    ...LABELS.map(([text, message]): Case => ({
      name: `labels ${text.slice(0, 30)}`,
      ...get(labels(text)),
      code: 400,
      ...(message === undefined ? {} : { message }),
    })),
    ...LABELS.map(([text]): Case => ({
      name: `watched labels ${text.slice(0, 30)}`,
      ...get(`${labels(text)}&watch=1`),
      code: 400,
    })),
    { name: 'a field nobody has', ...get(fields('spec.nothing=x')), code: 400, message: 'spec.nothing' },
    { name: 'a field without value', ...get(fields('metadata.name')), code: 400, message: 'invalid selector' },
    { name: 'a field with a bad escape', ...get(fields('metadata.name=a\\b')), code: 400 },
    { name: 'a field of a pod on a config map', ...get(fields('spec.nodeName=x')), code: 400 },
    { name: 'a prototype as field', ...get(fields('__proto__.x=1')), code: 400 },
    { name: 'fields, watched', ...get(`${fields('nothing=x')}&watch=1`), code: 400 },
  ] as Case[])('are refused when malformed: $name', (each) => expectCase(house, each));

  it('may be large without being slow', async () => {
    const values = (count: number): string => Array.from({ length: count }, (_, i) => `v${i}`).join(',');
    const large = [
      `a in (${values(2000)})`,
      `a notin (${values(2000)})`,
      Array.from({ length: 2000 }, (_, i) => `!k${i}`).join(','),
      Array.from({ length: 1500 }, (_, i) => `k${i}!=v`).join(','),
      `${' '.repeat(12_000)}a`,
      `a in (${','.repeat(12_000)})`,
      '!'.repeat(12_000),
      '('.repeat(12_000),
    ];
    for (const text of large) {
      const answer = await house.unharmed(() => house.ask(get(labels(text))));
      expect([text.slice(0, 20), answer.status === 200 || answer.status === 400]).toEqual([text.slice(0, 20), true]);
    }
    const many = Array.from({ length: 1000 }, (_, i) => `metadata.name!=n${i}`).join(',');
    expect((await house.unharmed(() => house.ask(get(fields(many))))).status).toBe(200);
  });

  it('in objects may be large without being slow', async () => {
    const expressions = Array.from({ length: 20_000 }, (_, i) => ({
      key: `k${i}`,
      operator: 'In',
      values: ['a', 'b'],
    }));
    const deployment = (spec: object): string =>
      JSON.stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'big' }, spec });
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const bodies = [
      deployment({ selector: { matchExpressions: expressions }, template }),
      deployment({ selector: { matchLabels: Object.fromEntries(expressions.map(({ key }) => [key, 'a'])) }, template }),
      deployment({
        selector: { matchExpressions: [{ key: 'a', operator: 'In', values: expressions.map(({ key }) => key) }] },
        template,
      }),
    ];
    for (const body of bodies) {
      const answer = await house.unharmed(() =>
        house.ask(post(body, 'application/json', '/apis/apps/v1/namespaces/default/deployments')),
      );
      expect(
        expectFailure({
          ...answer,
          text:
            answer.text.slice(0, 1) === '{' && answer.text.length > 60_000
              ? JSON.stringify({ ...(JSON.parse(answer.text) as object), message: 'long', details: {} })
              : answer.text,
        }).code,
      ).toBe(422);
    }
  });
});

describe('options', () => {
  const body = JSON.stringify(configMap());
  it.each([
    {
      name: 'a limit that is no number',
      ...get(`${PATH}?limit=many`),
      code: 400,
      message: 'strconv.ParseInt: parsing "many": invalid syntax',
    },
    { name: 'a limit beyond numbers', ...get(`${PATH}?limit=99999999999999999999`), code: 400 },
    { name: 'a fractional limit', ...get(`${PATH}?limit=1.5`), code: 400 },
    { name: 'a timeout that is no number', ...get(`${PATH}?watch=1&timeoutSeconds=soon`), code: 400 },
    {
      name: 'an unknown dryRun',
      ...post(body, 'application/json', `${PATH}?dryRun=Some`),
      code: 422,
      message: 'dryRun: Unsupported value: ["Some"]: supported values: "All"',
    },
    {
      name: 'an empty dryRun',
      ...post(body, 'application/json', `${PATH}?dryRun=`),
      code: 422,
      message: 'dryRun: Unsupported value: [""]: supported values: "All"',
    },
    { name: 'a timeout of a list that is no number', ...get(`${PATH}?timeoutSeconds=soon`), code: 400 },
    {
      name: 'force where nothing is applied',
      method: 'PATCH',
      path: `${PATH}/cm?force=true`,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: '{}',
      code: 422,
      message: 'force: Forbidden: may not be specified for non-apply patch',
    },
    {
      name: 'an unknown dryRun of a deletion',
      method: 'DELETE',
      path: `${PATH}/cm?dryRun=Some`,
      code: 422,
      message: 'dryRun',
    },
    {
      name: 'an unknown fieldValidation',
      ...post(body, 'application/json', `${PATH}?fieldValidation=Perhaps`),
      code: 422,
      message: 'fieldValidation: Unsupported value: "Perhaps"',
    },
    {
      name: 'a long fieldManager',
      ...post(body, 'application/json', `${PATH}?fieldManager=${'x'.repeat(129)}`),
      code: 422,
      message: 'fieldManager',
    },
    {
      name: 'an unprintable fieldManager',
      ...post(body, 'application/json', `${PATH}?fieldManager=%07`),
      code: 422,
      message: 'fieldManager',
    },
    {
      name: 'an unknown policy',
      method: 'DELETE',
      path: `${PATH}/cm?propagationPolicy=Explode`,
      code: 422,
      message: 'propagationPolicy',
    },
    {
      name: 'an unknown policy in a body',
      ...put('{"propagationPolicy":"Explode"}'),
      method: 'DELETE',
      code: 422,
      message: 'propagationPolicy',
    },
    {
      name: 'two policies',
      ...put('{"propagationPolicy":"Orphan","orphanDependents":true}'),
      method: 'DELETE',
      code: 422,
    },
    { name: 'a textual grace', ...put('{"gracePeriodSeconds":"5"}'), method: 'DELETE', code: 400 },
    { name: 'an infinite grace', ...put('{"gracePeriodSeconds":1e300}'), method: 'DELETE', code: 400 },
    { name: 'a grace that is no number', method: 'DELETE', path: `${PATH}/cm?gracePeriodSeconds=x`, code: 400 },
    { name: 'options that are a list', ...put('[]'), method: 'DELETE', code: 400 },
    {
      name: 'options of another kind',
      ...put('{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"}}'),
      method: 'DELETE',
      code: 400,
    },
    { name: 'preconditions that are text', ...put('{"preconditions":"x"}'), method: 'DELETE', code: 400 },
    { name: 'an includeObject nobody knows', ...get(`${PATH}?includeObject=All`), code: 400 },
    {
      name: 'initial events of a list',
      ...get(`${PATH}?sendInitialEvents=true`),
      code: 422,
      message: 'sendInitialEvents is forbidden for list',
    },
    {
      name: 'initial events without a match',
      ...get(`${PATH}?watch=1&sendInitialEvents=true`),
      code: 422,
      message: 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    },
  ] as Case[])('are refused when they make no sense: $name', (each) => expectCase(house, each));

  it('nobody knows are ignored, however many', async () => {
    const many = Array.from({ length: 1000 }, (_, i) => `k${i}=v`).join('&');
    expect((await house.unharmed(() => house.ask(get(`${PATH}?${many}&pretty=1&%00=%00&=&&==&limit=`)))).status).toBe(
      200,
    );
    expect((await house.unharmed(() => house.ask(get(`${PATH}?limit=-1`)))).status).toBe(200);
  });
});

describe('watches', () => {
  it('with absurd timeouts neither end the process nor fail to end', async () => {
    const { openHttp2 } = await import('./support/wire-client.ts');
    const client = openHttp2(house.cluster.server, house.admin);
    await house.unharmed(async () => {
      for (const timeout of ['0', '-1', '-999999999999', '2147484', '999999999999', '9007199254740993']) {
        const stream = client.session.request({ ':path': `${PATH}?watch=1&timeoutSeconds=${timeout}` });
        stream.on('error', () => {});
        const status = await new Promise((resolve) => stream.on('response', (headers) => resolve(headers[':status'])));
        expect([timeout, status === 200 || status === 400]).toEqual([timeout, true]);
        const ended = new Promise<'ended'>((resolve) => stream.on('end', () => resolve('ended')).resume());
        const outcome = await Promise.race([
          ended,
          new Promise((resolve) => setTimeout(() => resolve('goes on'), 100)),
        ]);
        if (Number(timeout) > 0 && status === 200) expect([timeout, outcome]).toEqual([timeout, 'goes on']);
        stream.close(8);
      }
    });
    client.close();
  });

  it('end when asked to', async () => {
    const began = performance.now();
    const answer = await house.ask(get(`${PATH}?watch=1&timeoutSeconds=1`));
    expect([answer.status, performance.now() - began > 900]).toEqual([200, true]);
  });

  it('are many and cheap, and gone when their client is', async () => {
    const { openHttp2 } = await import('./support/wire-client.ts');
    await house.unharmed(async () => {
      const client = openHttp2(house.cluster.server, house.admin);
      const streams = Array.from({ length: 500 }, () => client.session.request({ ':path': `${PATH}?watch=1` }));
      for (const stream of streams) stream.on('error', () => {});
      await Promise.all(streams.map((stream) => new Promise((resolve) => stream.once('response', resolve))));
      client.close();
      expect((await house.ask(get('/readyz'))).text).toBe('ok');
    });
  });
});
