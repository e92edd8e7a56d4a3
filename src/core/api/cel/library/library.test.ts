import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { celEnvironment, celValueOf, compileCel } from '../cel.ts';
import { DYN_DECL } from '../decl-types.ts';
import { formatGoFloat } from '../../../kube/go-float.ts';
import { toJson } from '../values/to-json.ts';
import type { Json } from '../../../kube/json.ts';
import { fixed } from './format-text.ts';
import { addressProblem, prefixProblem } from './net-problems.ts';
import { compareVersions, parseVersion } from './semver.ts';
import { uriProblem } from './urls.ts';

const environment = celEnvironment({ a: DYN_DECL, b: DYN_DECL, c: DYN_DECL, d: DYN_DECL });
const programs = new Map<string, ReturnType<typeof compileCel>>();

/** The value of an expression over JSON, as JSON; errors as text with a mark before it. */
function run(expression: string, ...values: readonly Json[]): Json {
  const compiled = programs.get(expression) ?? compileCel(expression, environment);
  programs.set(expression, compiled);
  if (!compiled.ok) throw new Error(compiled.message);
  const [a, b, c, d] = values.map((value) => celValueOf(value, DYN_DECL));
  const result = compiled.program.evaluate({ a, b, c, d });
  return result.ok ? toJson(result.value) : `! ${result.error}`;
}

/** Texts with characters inside and outside of the basic plane, over a small alphabet so that searches succeed. */
const texts = fc
  .array(fc.constantFrom('a', 'b', 'é', '日', '😀', ','), { maxLength: 8 })
  .map((parts) => parts.join(''));
const points = (text: string): string[] => Array.from(text);

describe('functions on texts count characters', () => {
  it('for positions, as an array of them does', () => {
    fc.assert(
      fc.property(texts, texts, fc.integer({ min: 0, max: 9 }), (text, part, at) => {
        const all = points(text);
        const wanted = points(part);
        const isAt = (i: number): boolean => wanted.every((p, j) => all[i + j] === p);
        const places = all.map((_, i) => i).filter((i) => isAt(i) && i + wanted.length <= all.length);
        if (part !== '') {
          expect(run('a.indexOf(b)', text, part)).toBe(places[0] ?? -1);
          expect(run('a.lastIndexOf(b)', text, part)).toBe(places.at(-1) ?? -1);
          expect(run('a.indexOf(b, c)', text, part, at)).toBe(places.find((i) => i >= at) ?? -1);
        }
        expect(run('size(a)', text)).toBe(all.length);
        expect(run('a.charAt(b)', text, at)).toBe(at > all.length ? `! index out of range: ${at}` : (all[at] ?? ''));
        const rest = at > all.length ? `! index out of range: ${at}` : all.slice(at).join('');
        expect(run('a.substring(b)', text, at)).toBe(rest);
      }),
    );
  });

  it('for splitting, joining and replacing', () => {
    fc.assert(
      fc.property(texts, texts, texts, fc.integer({ min: -1, max: 4 }), (text, part, by, limit) => {
        if (part !== '') {
          expect(run('a.split(b).join(b)', text, part)).toBe(text);
          expect(run('a.split(b, c).join(b)', text, part, limit)).toBe(limit === 0 ? '' : text);
          expect(run('a.replace(b, c)', text, part, by)).toBe(text.split(part).join(by));
        }
        const pieces = run('a.split(b, c)', text, part, limit) as string[];
        if (limit >= 0) expect(pieces.length).toBeLessThanOrEqual(limit);
        let replaced = text;
        const count = limit < 0 ? 20 : limit;
        if (part !== '' && !by.includes(part) && !part.includes(by)) {
          for (let i = 0; i < count; i++) replaced = replaced.replace(part, () => by);
          expect(run('a.replace(b, c, d)', text, part, by, limit)).toBe(
            text.split(part).length - 1 <= count ? text.split(part).join(by) : expect.any(String),
          );
        }
      }),
    );
  });

  it('and trims what Go calls space', () => {
    expect(run('a.trim()', '\u0085\u00a0 \t\n x \u3000\u2003')).toBe('x');
    expect(run('a.trim()', '\ufeffx')).toBe('\ufeffx');
  });
});

describe('functions on lists', () => {
  const numbers = fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 8 });

  it('do what arrays do', () => {
    fc.assert(
      fc.property(numbers, numbers, fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 8 }), (x, y, i, j) => {
        expect(run('a.sort()', x)).toEqual([...x].sort((p, q) => p - q));
        expect(run('a.reverse()', x)).toEqual(x.toReversed());
        expect(run('a.distinct()', x)).toEqual([...new Set(x)]);
        expect(run('a + b', x, y)).toEqual([...x, ...y]);
        expect(run('a.sum()', x)).toBe(x.reduce((p, q) => p + q, 0));
        expect(run('a.isSorted()', x)).toBe(x.every((v, k) => k === 0 || (x[k - 1] ?? 0) <= v));
        expect(run('a.max()', x)).toBe(x.length === 0 ? '! max called on empty list' : Math.max(...x));
        expect(run('sets.contains(a, b)', x, y)).toBe(new Set(y).isSubsetOf(new Set(x)));
        expect(run('sets.intersects(a, b)', x, y)).toBe(!new Set(y).isDisjointFrom(new Set(x)));
        if (i <= j && j <= x.length) expect(run('a.slice(b, c)', x, i, j)).toEqual(x.slice(i, j));
        expect(run('[a, b].flatten()', x, y)).toEqual([...x, ...y]);
        expect(run('a.sortBy(k, -k)', x)).toEqual([...x].sort((p, q) => q - p));
      }),
    );
  });

  it('loop as arrays do', () => {
    fc.assert(
      fc.property(numbers, fc.integer({ min: -5, max: 5 }), (x, n) => {
        expect(run('a.all(v, v > b)', x, n)).toBe(x.every((v) => v > n));
        expect(run('a.exists(v, v > b)', x, n)).toBe(x.some((v) => v > n));
        expect(run('a.exists_one(v, v > b)', x, n)).toBe(x.filter((v) => v > n).length === 1);
        expect(run('a.filter(v, v > b)', x, n)).toEqual(x.filter((v) => v > n));
        expect(run('a.map(v, v > b, v * 2)', x, n)).toEqual(x.filter((v) => v > n).map((v) => v * 2));
        expect(run('a.transformList(i, v, i + v)', x)).toEqual(x.map((v, i) => i + v));
      }),
    );
  });
});

describe('numbers in texts', () => {
  it('are printed as the shortest that reads back', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Number(formatGoFloat(value))).toBe(value);
      }),
    );
  });

  it.each([
    [1e5, '100000'],
    [1e6, '1e+06'],
    [1234567, '1.234567e+06'],
    [0.0001, '0.0001'],
    [0.00001234, '1.234e-05'],
    [-0, '-0'],
    [Infinity, '+Inf'],
    [Number.NaN, 'NaN'],
  ])('%d is %s', (value, text) => {
    expect(formatGoFloat(value)).toBe(text);
  });

  it('keep as many digits as were asked for', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e15, max: 1e15, noNaN: true }),
        fc.integer({ min: 0, max: 20 }),
        (value, digits) => {
          const text = fixed(value, digits);
          expect(text).toMatch(digits === 0 ? /^-?[0-9]+$/ : new RegExp(`^-?[0-9]+\\.[0-9]{${digits}}$`));
          expect(Math.abs(Number(text) - value)).toBeLessThanOrEqual(0.51 * 10 ** -digits + Math.abs(value) * 1e-15);
        },
      ),
    );
    expect([0.5, 1.5, 2.5].map((value) => fixed(value, 0))).toEqual(['0', '2', '2']);
  });
});

describe('versions', () => {
  const version = fc
    .tuple(
      fc.nat(12),
      fc.nat(12),
      fc.nat(12),
      fc.constantFrom('', '-alpha', '-alpha.1', '-alpha.beta', '-1', '-rc.10', '-rc.9'),
    )
    .map(([a, b, c, pre]) => `${a}.${b}.${c}${pre}`);
  const parsed = (text: string) => {
    const found = parseVersion(text);
    if (typeof found === 'string') throw new Error(found);
    return found;
  };

  it('stand in one order', () => {
    fc.assert(
      fc.property(version, version, version, (x, y, z) => {
        const [a, b, c] = [parsed(x), parsed(y), parsed(z)];
        expect(Math.sign(compareVersions(a, b)) + Math.sign(compareVersions(b, a))).toBe(0);
        if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0)
          expect(compareVersions(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });

  it('put pre-releases before releases, numbers before words, and count numbers', () => {
    const order = [
      '1.0.0-1',
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-rc.9',
      '1.0.0-rc.10',
      '1.0.0',
      '1.0.1',
    ];
    const shuffled = order.toReversed().sort((x, y) => compareVersions(parsed(x), parsed(y)));
    expect(shuffled).toEqual(order);
  });
});

describe('addresses and URLs', () => {
  it.each(['1.2.3.4', '::', '::1', '1::', 'fe80::1%eth0', '1:2:3:4:5:6:7:8', '::ffff:1.2.3.4', '1:2:3:4:5:6:1.2.3.4'])(
    '%s is an address',
    (text) => {
      expect(addressProblem(text)).toBeUndefined();
    },
  );

  it.each([
    '',
    '1.2.3',
    '1.2.3.4.5',
    '1..2.3',
    '1.2.3.04',
    '256.1.1.1',
    ':',
    ':::',
    '1:2',
    '1::2::3',
    'g::',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7::8',
    '::1%',
  ])('%j is none', (text) => {
    expect(addressProblem(text)).toMatch(/^ParseAddr\(/);
  });

  it.each(['10.0.0.0/8', '0.0.0.0/0', '::/0', '2001:db8::/128'])('%s is a range', (text) => {
    expect(prefixProblem(text)).toBeUndefined();
  });

  it.each(['10.0.0.0', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/+8', '10.0.0.0/08', '::/129', 'fe80::%a/64', '/8'])(
    '%s is none',
    (text) => {
      expect(prefixProblem(text)).toMatch(/^netip\.ParsePrefix\(/);
    },
  );

  it.each(['http://a', 'https://a:1/b?c#d', '/a', 'mailto:x', 'http://[::1]:80/', 'a+b://c'])('%s is a URI', (text) => {
    expect(uriProblem(text)).toBeUndefined();
  });

  it.each([
    ['', 'parse "": empty url'],
    ['a', 'parse "a": invalid URI for request'],
    ['http://a b/', 'parse "http://a b/": invalid character " " in host name'],
    ['http://a/%zz', 'parse "http://a/%zz": invalid URL escape "%zz"'],
    ['http://a:b/', 'parse "http://a:b/": invalid port ":b" after host'],
    ['\n', 'parse "\\n": net/url: invalid control character in URL'],
  ])('%j is none', (text, problem) => {
    expect(uriProblem(text)).toBe(problem);
  });
});
