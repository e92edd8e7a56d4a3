import { afterEach, describe, expect, it } from 'vitest';
import { realClock } from '../../machinery/time/real-clock.ts';
import { parseYaml } from './parse-yaml.ts';
import { createYamlBodies, type LaneLimits, type YamlAsker } from './yaml.ts';

const parse = (text: string): unknown => parseYaml(text).value;

describe('YAML bodies', () => {
  it('read as Kubernetes reads them', () => {
    expect(parse('a: word\nb: true\nc: 0o17\nd: 1.5\ne: ~\nf: 9007199254740993\n')).toEqual({
      a: 'word',
      b: true,
      c: 15,
      d: 1.5,
      e: null,
      f: 9007199254740993n,
    });
  });

  // Values that sigs.k8s.io/yaml 1.6 makes of the same words.
  it.each([
    ['yes', true],
    ['Off', false],
    ['n', false],
    ['yEs', 'yEs'],
    ['"yes"', 'yes'],
    ['0777', 511],
    ['0789', 789],
    ['-0x1F', -31],
    ['0b101', 5],
    ['1_000', 1000],
    ['+5', 5],
    ['18446744073709551615', 18446744073709551615n],
    ['18446744073709551616', 18446744073709551616],
    ['1e3', 1000],
    ['1e+999', '1e+999'],
    ['1_0.5', 10.5],
    ['-017', -15],
    ['0x', '0x'],
    ['1e+3', 1000],
    ['.5', 0.5],
    ['1.', 1],
    ['1:30', '1:30'],
    ['2001-01-01', '2001-01-01'],
    ['2001-01-01T00:00:00Z', '2001-01-01T00:00:00Z'],
    ['~', null],
    ['""', ''],
    ['!!binary aGk=', 'hi'],
    ['!!str 5', '5'],
  ])('take %s as Go does', (text, expected) => expect(parse(text)).toEqual(expected));

  it('end with the first document', () => {
    expect(parse('a: 1\n---\nb: [\n')).toEqual({ a: 1 });
    expect(parse('---\na: 1\n...\n')).toEqual({ a: 1 });
  });

  it('may give a key twice: the last counts, and whoever wants to know is told', () => {
    expect(parseYaml('a: 1\nb: {c: [x, {d: 1, d: 2}]}\na: 2\n')).toEqual({
      value: { a: 2, b: { c: ['x', { d: 2 }] } },
      duplicates: ['line 2: key "d" already set in map', 'line 3: key "a" already set in map'],
    });
    expect(parseYaml('a: 1\nb: 1\n').duplicates).toEqual([]);
  });

  it('keep hostile keys as plain data', () => {
    const value = parse('__proto__: {polluted: true}\nconstructor: x\n') as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('refuse alias bombs and what is nested without end, saying where', () => {
    const bomb = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]'];
    for (let i = 1; i < 9; i += 1)
      bomb.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(',')}]`,
      );
    expect(() => parseYaml(bomb.join('\n'))).toThrow(/alias/i);
    expect(() => parseYaml('['.repeat(600) + ']'.repeat(600))).toThrow(/nested deeper/);
    expect(() => parseYaml(`[${'['.repeat(20_000)}`)).toThrow(/nested too deep|line 1/);
    expect(() => parseYaml('a: &a [*a, *a]')).toThrow(/nested deeper/);
    expect(() => parseYaml(`a: &a [${'x,'.repeat(3000)}]\nb: [${'*a,'.repeat(90)}]`)).toThrow(/aliases/);
  });

  it('find a key given twice among very many, wherever it is', () => {
    const keys = Array.from({ length: 5000 }, (_, i) => `    k${i}: v`).join('\n');
    expect(parseYaml(`a:\n  - b:\n${keys}\n    k0: again\n`).duplicates).toEqual([
      expect.stringMatching(/^line \d+: key "k0" already set in map$/),
    ]);
  });

  it('refuse numbers that JSON does not have', () => {
    for (const text of ['.nan', '.inf', '-.inf', '[+.Inf]']) expect(() => parseYaml(text)).toThrow(/no number/);
  });
});

/** Of 20 KB, and of 60. */
const text = (keys: number): string => Array.from({ length: keys }, (_, i) => `key${i}: value ${i}`).join('\n');
const SMALL = text(1000);
const LARGE = text(3000);

function asker(user: string): YamlAsker & { readonly controller: AbortController } {
  const controller = new AbortController();
  return { user, controller, signal: controller.signal, turn: () => undefined };
}

describe('large YAML bodies', () => {
  const open: { close(): void }[] = [];
  const bodies = (limits?: readonly LaneLimits[]) => {
    const created = createYamlBodies(realClock, limits);
    open.push(created);
    return created;
  };
  afterEach(() => {
    for (const each of open.splice(0)) each.close();
  });
  const ONE_READER: readonly LaneLimits[] = [
    { characters: Number.POSITIVE_INFINITY, readers: 1, heapMb: 256, perUser: 3 },
  ];

  it('are read off the main thread, with every digit, one after the other by the same thread', async () => {
    const yaml = bodies();
    expect((await yaml.decode(`${SMALL}\nbig: 9007199254740993`, asker('a'))).value).toMatchObject({
      key999: 'value 999',
      big: 9007199254740993n,
    });
    await expect(yaml.decode(`${SMALL}\nbroken: [`, asker('a'))).rejects.toThrow(/line 100/);
    const float = await yaml.decode(`${SMALL}\nbig: 18446744073709551616\n__proto__: {a: 1}\nkey1: again`, asker('a'));
    expect(float.value).toMatchObject({ big: 18446744073709551616, key1: 'again' });
    expect(Object.keys(float.value as object)).toContain('__proto__');
    expect(float.duplicates).toEqual(['line 1003: key "key1" already set in map']);
  });

  it('of one user wait for each other; those of another do not wait for them', async () => {
    const yaml = bodies(ONE_READER);
    const order: string[] = [];
    const send = (user: string, name: string) => yaml.decode(LARGE, asker(user)).then(() => order.push(name));
    const first = [send('greedy', 'g1'), send('greedy', 'g2'), send('greedy', 'g3')];
    await Promise.all([...first, send('modest', 'm1')]);
    expect(order).toEqual(['g1', 'm1', 'g2', 'g3']);
  });

  it('beyond a few are told to come back', async () => {
    const yaml = bodies(ONE_READER);
    yaml.admit('greedy', LARGE.length);
    const sent = Array.from({ length: 6 }, () => yaml.decode(LARGE, asker('greedy')));
    // `admit` refuses before the text has been read, too; another user has room.
    expect(() => yaml.admit('greedy', LARGE.length)).toThrow(/too many YAML bodies/);
    yaml.admit('modest', LARGE.length);
    const outcomes = await Promise.allSettled(sent);
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled'],
      ...['rejected', 'rejected'],
    ]);
    expect(outcomes[5]).toMatchObject({ reason: { status: { code: 429, details: { retryAfterSeconds: 1 } } } });
    expect(yaml.open).toBe(0);
  });

  it('end with their request, whether they wait or are being read', async () => {
    const yaml = bodies(ONE_READER);
    const [read, waiting, next] = [asker('a'), asker('a'), asker('a')];
    const hostile = `${LARGE}\n`.repeat(20);
    const outcomes = Promise.allSettled([
      yaml.decode(hostile, read),
      yaml.decode(hostile, waiting),
      yaml.decode(SMALL, next),
    ]);
    expect(yaml.open).toBe(3);
    waiting.controller.abort();
    expect(yaml.open).toBe(2);
    read.controller.abort();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(yaml.open).toBe(0);
    await expect(yaml.decode(LARGE, read)).rejects.toThrow('aborted');
  });

  it('that are small wait for no large one', async () => {
    const yaml = bodies();
    const order: string[] = [];
    const large = yaml.decode(`${LARGE}\n`.repeat(12), asker('a')).then(() => order.push('large'));
    await yaml.decode(SMALL, asker('a')).then(() => order.push('small'));
    await large;
    expect(order).toEqual(['small', 'large']);
  });
});
