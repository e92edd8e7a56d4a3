import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../kube/json.ts';
import { celEnvironment, celValueOf, compileCel, type CelResult } from './cel.ts';
import { DYN_DECL } from './decl-types.ts';
import { declTypeOf } from './schema-types.ts';

const environment = celEnvironment({ object: DYN_DECL });

function run(expression: string, object: Json = null, limit?: number): CelResult {
  const compiled = compileCel(expression, environment);
  if (!compiled.ok) throw new Error(compiled.message);
  const bindings = { object: celValueOf(object, DYN_DECL) };
  return compiled.program.evaluate(bindings, limit === undefined ? {} : { limit });
}

function refusal(expression: string): string {
  const compiled = compileCel(expression, environment);
  return compiled.ok ? 'accepted' : compiled.message;
}

const nested = (open: string, inner: string, close: string, depth: number): string =>
  open.repeat(depth) + inner + close.repeat(depth);

describe('expressions that mean harm', () => {
  it('refuses nesting beyond 250', () => {
    const limit = 'ERROR: <input>:-1:0: expression recursion limit exceeded: 250';
    expect(refusal(nested('(', '1', ')', 300))).toBe(limit);
    expect(refusal(nested('[', '', ']', 50_000))).toBe(limit);
    expect(refusal(nested('object[', '0', ']', 10_000))).toBe(limit);
    expect(refusal(nested('f(', '1', ')', 10_000))).toBe(limit);
    expect(refusal(nested('true ? 1 : ', '2', '', 5000))).toBe(limit);
  });

  it('refuses chains as long as nesting is deep', () => {
    const limit = 'ERROR: <input>:-1:0: max recursion depth exceeded';
    expect(refusal(Array.from({ length: 20_000 }, () => '1').join('+'))).toBe(limit);
    expect(refusal(`object${'.a'.repeat(20_000)}`)).toBe(limit);
    expect(refusal(`object${'[0]'.repeat(20_000)}`)).toBe(limit);
    expect(refusal(`object${'.f()'.repeat(20_000)}`)).toBe(limit);
  });

  it('takes long conjunctions, which do not nest', () => {
    expect(run(Array.from({ length: 10_000 }, () => 'true').join(' && '))).toMatchObject({ ok: true, value: true });
  });

  it('takes signs by the thousand', () => {
    expect(run(`${'!'.repeat(10_001)}true`)).toMatchObject({ value: false });
    expect(run(`${'-'.repeat(10_001)}1`)).toMatchObject({ value: -1n });
  });

  it('refuses more than a hundred thousand characters', () => {
    expect(refusal(`'${'a'.repeat(100_000)}'`)).toContain('expression code point size exceeds limit');
    expect(refusal(`'${'\u{1f600}'.repeat(99_998)}'`)).toBe('accepted');
  });

  it('reads huge numbers without building them', () => {
    expect(refusal('9'.repeat(99_999))).toContain('invalid int literal');
    expect(refusal(`${'9'.repeat(99_000)}u`)).toContain('invalid uint literal');
    expect(refusal(`1e${'9'.repeat(99_000)}`)).toContain('invalid double literal');
  });

  it('gives up on text that is nothing but mistakes', () => {
    expect(refusal('$'.repeat(99_999)).split('\n').length).toBeLessThan(400);
    expect(refusal('( '.repeat(200))).toContain('ERROR');
    expect(refusal(Array.from({ length: 400 }, () => ')').join(' '))).toContain('lookahead limit exceeded: 256');
  });

  it('does not copy without end what macros copy', () => {
    const chain = `object.?a${'.optMap(x, x)'.repeat(60)}`;
    expect(refusal(chain)).toContain('expression is too large');
  });

  it('checks large expressions in reasonable time', () => {
    const equal = Array.from({ length: 3000 }, (_, index) => `[${index}] == [object]`).join(' || ');
    expect(refusal(equal)).toBe('accepted');
  });
});

describe('evaluations that would not end', () => {
  const OUT = { ok: false, outOfBudget: true };

  it('ends loops in loops', () => {
    const loops = 'object.all(a, object.all(b, object.all(c, object.all(d, a + b + c + d >= 0))))';
    expect(
      run(
        loops,
        Array.from({ length: 100 }, (_, i) => i),
      ),
    ).toMatchObject(OUT);
  });

  it('ends texts that double', () => {
    expect(run(`[object]${'.map(x, x + x)'.repeat(60)}[0].size()`, 'ab')).toMatchObject(OUT);
  });

  it('ends texts that multiply', () => {
    const multiplied = `[object]${".map(x, x.replace('a', x))".repeat(8)}[0]`;
    expect(run(multiplied, 'a'.repeat(100))).toMatchObject(OUT);
  });

  it('doubles a list sixty times without making it', () => {
    const doubled = `[object]${'.map(x, x + x)'.repeat(60)}[0].size() > 1000`;
    expect(run(doubled, [1, 2])).toMatchObject({ ok: true, value: true });
  });

  it('ends comparisons of lists that hold themselves twice, sixty times over', () => {
    const twice = `[object]${'.map(x, [x, x])'.repeat(60)}[0]`;
    // Such lists are priced as two elements; a smaller limit only makes the test short.
    const limit = 20_000;
    expect(run(`${twice} == ${twice}`, [1], limit)).toMatchObject(OUT);
    expect(run(`[${twice}].indexOf(${twice})`, [1], limit)).toMatchObject(OUT);
    expect(run(`'%s'.format([${twice}])`, [1], limit)).toMatchObject(OUT);
    expect(run(`dyn(${twice}).flatten(100).size()`, [1], limit)).toMatchObject(OUT);
  });

  it('ends ranges before they are made', () => {
    expect(run('lists.range(9223372036854775807).size()')).toMatchObject(OUT);
    expect(run('lists.range(object).size()', 1_500_000)).toMatchObject(OUT);
  });

  it('matches patterns in linear time', () => {
    const result = run("object.matches('^(a+)+$')", `${'a'.repeat(5000)}b`);
    expect(result).toMatchObject({ ok: true, value: false });
    expect(run('object.matches(object)', '(x+x+)+y'.repeat(20)).ok).toBe(true);
  });

  it('stops at the limit it is given', () => {
    const compiled = compileCel('object.all(x, x > 0)', environment);
    if (!compiled.ok) throw new Error(compiled.message);
    const object = celValueOf([1, 2, 3], DYN_DECL);
    expect(compiled.program.evaluate({ object }, { limit: 3 })).toMatchObject({
      outOfBudget: true,
      error: 'operation cancelled: actual cost limit exceeded',
    });
    const { cost } = compiled.program.evaluate({ object });
    expect(compiled.program.evaluate({ object }, { limit: cost })).toMatchObject({ ok: true, cost });
  });
});

describe('names that JavaScript gives a meaning', () => {
  const tricky: Json = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": "c", "hasOwnProperty": 3}') as Json;

  it('reads them as data', () => {
    expect(run("object['__proto__'].polluted", tricky)).toMatchObject({ value: 1n });
    expect(run('object.constructor', tricky)).toMatchObject({ value: 'c' });
    expect(run('object.hasOwnProperty', tricky)).toMatchObject({ value: 3n });
  });

  it('does not find what is only inherited', () => {
    expect(run('has(object.toString)', {})).toMatchObject({ value: false });
    expect(run('object.constructor', {})).toMatchObject({ error: 'no such key: constructor' });
    expect(run("'__proto__' in object", {})).toMatchObject({ value: false });
    expect(refusal('constructor')).toContain("undeclared reference to 'constructor'");
    expect(refusal('__proto__')).toContain("undeclared reference to '__proto__'");
    expect(refusal('toString()')).toContain("undeclared reference to 'toString'");
  });

  it('keeps them apart in maps and schemas', () => {
    expect(run("{'__proto__': 1}['__proto__'] + {'a': 1}.size()")).toMatchObject({ value: 2n });
    const schema = JSON.parse('{"type":"object","properties":{"constructor":{"type":"string"}}}') as object;
    const self = declTypeOf(schema);
    if (!self) throw new Error('no type');
    const compiled = compileCel('has(self.constructor)', celEnvironment({ self }));
    expect(compiled.ok && compiled.program.evaluate({ self: celValueOf({}, self) })).toMatchObject({ value: false });
  });
});

describe('anything at all', () => {
  const fragment = fc.constantFrom(
    ...['(', ')', '[', ']', '{', '}', '.', '?', ':', ',', '&&', '||', '==', '!', '-', '+', 'in', ' ', "'a'", '"', "'"],
    ...[
      'object',
      'x',
      'all',
      'map',
      'has(',
      '1',
      '2u',
      '1.5',
      "b'x'",
      'true',
      'null',
      '\\',
      '\n',
      '`',
      '@',
      '\u{1f600}',
    ],
    ...['.all(x, ', '.map(x, ', '.?', '[?', 'size(', 'optional.of(', 'duration(', "r'", "'''", '0x', '//'],
  );

  it('is answered, never thrown at', () => {
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 30 }), fc.jsonValue(), (parts, json) => {
        const compiled = compileCel(parts.join(''), environment);
        if (compiled.ok) compiled.program.evaluate({ object: celValueOf(json, DYN_DECL) });
        else expect(compiled.message).not.toBe('');
      }),
      { numRuns: 1000 },
    );
  });

  it('is answered also when it is not even language', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 }), (codes) => {
        const text = String.fromCharCode(...codes);
        const compiled = compileCel(text, environment);
        if (!compiled.ok) expect(compiled.issues.length).toBeGreaterThan(0);
      }),
      { numRuns: 200 },
    );
  });
});
