/** JSON that is broken, ambiguous or absurd. */
import { describe, expect, it } from 'vitest';
import { configMap, expectCase, get, post, put, useHouse, type Case } from './support/house.ts';
import { statusOf } from './support/wire-client.ts';

const house = useHouse();

const text = (data: string): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"},"data":${data}}`;
const BROKEN: readonly (readonly [name: string, body: string | Buffer, message: string | RegExp])[] = [
  ['nothing at all', '', /EOF|end of JSON|required|must/],
  ['only a space', ' ', /./],
  ['a truncated object', '{"apiVersion":"v1","kind":"ConfigMap"', 'unexpected end of JSON input'],
  ['a truncated string', '{"apiVersion":"v1","ki', 'unexpected end of JSON input'],
  ['NaN', text('{"k":NaN}'), "invalid character 'N' looking for beginning of value"],
  ['Infinity', text('{"k":-Infinity}'), "invalid character 'I' in numeric literal"],
  ['a trailing comma', text('{"k":"v",}'), "invalid character '}' looking for beginning of object key string"],
  ['a comment', `/* hello */${text('{}')}`, "invalid character '/' looking for beginning of value"],
  ['single quotes', "{'apiVersion':'v1'}", "invalid character '\\'' looking for beginning of object key string"],
  ['two documents', text('{}') + text('{}'), "invalid character '{' after top-level value"],
  ['a control character in a string', text('{"k":"a\u0001b"}'), "invalid character '\\x01' in string literal"],
  ['a NUL in a string', text('{"k":"a\u0000b"}'), "invalid character '\\x00' in string literal"],
  ['a bad escape', text('{"k":"\\x41"}'), "invalid character 'x' in string escape code"],
  ['a byte order mark', `\ufeff${text('{}')}`, /invalid character .* looking for beginning of value/],
  ['an array', '[]', /./],
  ['a string', '"ConfigMap"', /./],
  ['a number', '17', /./],
  ['true', 'true', /./],
  ['100,000 open arrays', '['.repeat(100_000), 'exceeded max depth'],
  ['100,000 nested arrays', text(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), 'exceeded max depth'],
  ['100,000 nested objects', text(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`), 'exceeded max depth'],
  ['a number beyond every double', text('{"k":1e400}'), /./],
  ['random bytes', Buffer.from('fffe00017f80c0af', 'hex'), /invalid character/],
  ['UTF-16', Buffer.from(text('{}'), 'utf16le'), /invalid character/],
];

describe('broken JSON', () => {
  it.each(BROKEN.map(([name, body, message]): Case => ({ name, ...post(body), code: 400, message })))(
    'is refused when creating: $name',
    (each) => expectCase(house, each),
  );

  it.each(BROKEN.map(([name, body, message]): Case => ({ name, ...put(body), code: 400, message })))(
    'is refused when replacing: $name',
    (each) => expectCase(house, each),
  );
});

describe('JSON that says too much', () => {
  const DOUBLE = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"twice"},"data":{"k":"1","k":"2"}}';

  it('has duplicate keys refused where strictness is asked for', () =>
    expectCase(house, {
      name: '',
      ...post(DOUBLE),
      path: '/api/v1/namespaces/default/configmaps?fieldValidation=Strict',
      code: 400,
      message: 'strict decoding error: duplicate field "data.k"',
    }));

  it('may repeat keys in what its kind keeps as it came', async () => {
    const text =
      '{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"twice"},"data":{"spec":null,"spec":{"a":1}},"revision":1}';
    const path = '/apis/apps/v1/namespaces/default/controllerrevisions?fieldValidation=Strict&dryRun=All';
    const answer = await house.ask({ ...post(text), path });
    expect([answer.status, answer.headers['warning']]).toEqual([201, undefined]);
    expect(JSON.parse(answer.text)).toMatchObject({ data: { spec: { a: 1 } } });
    const twice = text.replace('"revision":1', '"revision":1,"revision":2');
    await expectCase(house, {
      name: '',
      ...post(twice),
      path,
      code: 400,
      message: 'strict decoding error: duplicate field "revision"',
    });
  });

  it('takes the last of duplicate keys, and warns', async () => {
    const answer = await house.ask({ ...post(DOUBLE), path: '/api/v1/namespaces/default/configmaps?dryRun=All' });
    expect(answer.status).toBe(201);
    expect(JSON.parse(answer.text)).toMatchObject({ data: { k: '2' } });
    expect(answer.headers['warning']).toBe('299 - "duplicate field \\"data.k\\""');
  });
});

describe('strange but legal JSON', () => {
  const create = async (data: string): Promise<{ data: { k: string } }> => {
    const answer = await house.ask({ ...post(text(data)), path: '/api/v1/namespaces/default/configmaps?dryRun=All' });
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    return JSON.parse(answer.text) as { data: { k: string } };
  };

  it('reads half a surrogate pair as Go does: as the replacement character', async () => {
    expect((await create('{"k":"a\\ud800b"}')).data.k).toBe('a\ufffdb');
    expect((await create('{"k":"\\udc00\\ud800"}')).data.k).toBe('\ufffd\ufffd');
    expect((await create('{"k":"\\ud83d\\ude00"}')).data.k).toBe('😀');
    expect((await create('{"k":"\\\\ud800"}')).data.k).toBe('\\ud800');
  });

  it('reads invalid UTF-8 as Go does: as replacement characters', async () => {
    const bytes = Buffer.concat([
      Buffer.from(text('{"k":"a').slice(0, -1)),
      Buffer.from([0xff, 0xc0]),
      Buffer.from('b"}}'),
    ]);
    const answer = await house.ask({ ...post(bytes), path: '/api/v1/namespaces/default/configmaps?dryRun=All' });
    expect(statusOf(answer)).toMatchObject({ data: { k: 'a\ufffd\ufffdb' } });
  });

  it('keeps numbers of any size where any number may stand, and refuses them where not', async () => {
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'n' } };
    for (const digits of ['9223372036854775808', '1'.repeat(400), '-9223372036854775809', '1.5', '1e300']) {
      const spec = `{"terminationGracePeriodSeconds":${digits},"containers":[{"name":"c","image":"i"}]}`;
      const answer = await house.unharmed(() =>
        house.ask(
          post(
            `${JSON.stringify(object).slice(0, -1)},"spec":${spec}}`,
            'application/json',
            '/api/v1/namespaces/default/pods',
          ),
        ),
      );
      expect([digits, answer.status, statusOf(answer).message]).toEqual([
        digits,
        400,
        expect.stringContaining('json: cannot unmarshal number'),
      ]);
    }
  });

  it('still serves everyone else afterwards', async () => {
    expect((await house.ask(get('/api/v1/namespaces/default/configmaps/cm'))).status).toBe(200);
    expect(configMap()).toBeDefined();
  });
});
