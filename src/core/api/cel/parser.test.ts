import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { childrenOf, type Expr, type Literal } from './ast.ts';
import { nodeFactory } from './nodes.ts';
import { parse } from './parser.ts';
import { plainDecimal } from './values/times.ts';
import { CelUint } from './values/values.ts';

const make = nodeFactory;

/** An expression as text, parentheses around everything that has an operator. Written only for these tests. */
function print(expr: Expr): string {
  switch (expr.kind) {
    case 'literal':
      return printLiteral(expr.value);
    case 'ident':
      return expr.name;
    case 'select':
      return expr.test ? `has(${operand(expr.operand)}.${expr.field})` : `${operand(expr.operand)}.${expr.field}`;
    case 'call':
      return printCall(expr);
    case 'list':
      return `[${expr.elements.map((element, i) => (expr.optionals.has(i) ? '?' : '') + print(element)).join(', ')}]`;
    case 'map':
      return `{${expr.entries.map((e) => `${e.optional ? '?' : ''}${print(e.key)}: ${print(e.value)}`).join(', ')}}`;
    case 'struct':
      return `${expr.name}{${expr.fields.map((f) => `${f.optional ? '?' : ''}${f.name}: ${print(f.value)}`).join(', ')}}`;
    case 'fold':
      throw new Error('loops have no text of their own');
  }
}

/** Numbers, and operands with a sign, need parentheses before a dot. */
const operand = (expr: Expr): string =>
  expr.kind === 'literal' || (expr.kind === 'call' && /^[!-]_$/.test(expr.name)) ? `(${print(expr)})` : print(expr);

const fieldOf = (expr: Expr | undefined): string =>
  expr?.kind === 'literal' && typeof expr.value === 'string' ? expr.value : '';

const OPERATORS = new Map([
  ['_+_', '+'],
  ['_-_', '-'],
  ['_*_', '*'],
  ['_/_', '/'],
  ['_%_', '%'],
  ['_<_', '<'],
  ['_<=_', '<='],
  ['_>_', '>'],
  ['_>=_', '>='],
  ['_==_', '=='],
  ['_!=_', '!='],
  ['@in', 'in'],
  ['_&&_', '&&'],
  ['_||_', '||'],
]);

function printCall(expr: Extract<Expr, { kind: 'call' }>): string {
  const [a, b, c] = expr.args.map(print);
  const operator = OPERATORS.get(expr.name);
  if (operator !== undefined) return `(${a} ${operator} ${b})`;
  if (expr.name === '_?_:_') return `(${a} ? ${b} : ${c})`;
  if (expr.name === '!_') return `!(${a})`;
  if (expr.name === '-_') return `-(${a})`;
  const first = expr.args[0] && operand(expr.args[0]);
  if (expr.name === '_[_]') return `${first}[${b}]`;
  if (expr.name === '_[?_]') return `${first}[?${b}]`;
  if (expr.name === '_?._') return `${first}.?${fieldOf(expr.args[1])}`;
  const args = expr.args.map(print).join(', ');
  return expr.target ? `${operand(expr.target)}.${expr.name}(${args})` : `${expr.name}(${args})`;
}

function printLiteral(value: Literal): string {
  if (value instanceof CelUint) return `${value.value}u`;
  if (value instanceof Uint8Array) {
    return `b'${Array.from(value, (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}'`;
  }
  if (typeof value === 'string') {
    return `'${Array.from(value, (c) => `\\U${(c.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`).join('')}'`;
  }
  if (typeof value === 'number') {
    const text = plainDecimal(value);
    return text.includes('.') ? text : `${text}.0`;
  }
  return String(value);
}

/** Without ids and places, which printing does not keep. */
function shape(expr: Expr): unknown {
  const own = Object.fromEntries(
    Object.entries(expr).filter(([, v]) => typeof v === 'string' || typeof v === 'bigint' || typeof v === 'boolean'),
  );
  const value = expr.kind === 'literal' ? [printLiteral(expr.value)] : [];
  return [own, value, childrenOf(expr).map(shape)];
}

const NAMES = ['a', 'b1', '_c', 'self', 'object', 'Zz'] as const;

const expressions = (): fc.Arbitrary<Expr> => {
  const factory = make();
  const name = fc.constantFrom(...NAMES);
  const character = fc
    .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.constant(0x1f600))
    .map((c) => String.fromCodePoint(c));
  const text = fc.array(character, { maxLength: 6 }).map((parts) => parts.join(''));
  const literal = fc
    .oneof(
      fc.constant(null),
      fc.boolean(),
      fc.bigInt({ min: -9223372036854775808n, max: 9223372036854775807n }),
      fc.bigInt({ min: 0n, max: 18446744073709551615n }).map((v) => new CelUint(v)),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((v) => !Object.is(v, -0)),
      text,
      fc.uint8Array({ maxLength: 4 }).map((bytes) => new Uint8Array(bytes)),
    )
    .map((value: Literal) => factory.literal(0, value));
  return fc.letrec<{ expr: Expr }>((tie) => {
    const many = fc.array(tie('expr'), { maxLength: 3 });
    const binary = fc.constantFrom(...OPERATORS.keys());
    return {
      expr: fc.oneof(
        { maxDepth: 4, depthSize: 'small', withCrossShrink: true },
        literal,
        name.map((n) => factory.ident(0, n)),
        fc.tuple(tie('expr'), name, fc.boolean()).map(([e, f, test]) => factory.select(0, e, f, test)),
        fc.tuple(binary, tie('expr'), tie('expr')).map(([op, a, b]) => factory.call(0, op, [a, b])),
        fc.tuple(tie('expr'), tie('expr'), tie('expr')).map((args) => factory.call(0, '_?_:_', args)),
        fc
          .tuple(fc.constantFrom('_[_]', '_[?_]'), tie('expr'), tie('expr'))
          .map(([op, a, b]) => factory.call(0, op, [a, b])),
        fc.tuple(tie('expr'), name).map(([e, f]) => factory.call(0, '_?._', [e, factory.literal(0, f)])),
        tie('expr').map((e) => factory.call(0, '!_', [e])),
        fc.tuple(name, many).map(([n, args]) => factory.call(0, n, args)),
        fc.tuple(name, tie('expr'), many).map(([n, target, args]) => factory.call(0, n, args, target)),
        fc
          .tuple(many, fc.boolean())
          .map(([e, optional]) => factory.list(0, e, new Set(optional && e.length > 0 ? [0] : []))),
        fc.array(fc.tuple(tie('expr'), tie('expr'), fc.boolean()), { maxLength: 2 }).map((entries) =>
          factory.map(
            0,
            entries.map(([key, value, optional]) => ({ key, value, optional })),
          ),
        ),
      ),
    };
  }).expr;
};

describe('parsing', () => {
  it('reads back what was printed', () => {
    fc.assert(
      fc.property(expressions(), (expr) => {
        const text = print(expr);
        const parsed = parse(text);
        expect(parsed.ok ? shape(parsed.expr) : parsed).toEqual(shape(expr));
      }),
      { numRuns: 250 },
    );
  });

  it('does not mind spaces, line ends and comments between tokens', () => {
    fc.assert(
      fc.property(expressions(), fc.constantFrom(' ', '\n', '\t', ' // c\n', '\r\n'), (expr, space) => {
        const plain = parse(print(expr));
        // Spaces stand next to commas and brackets only, so that no token is torn.
        const spaced = parse(print(expr).replaceAll(/([,()[\]{}])/g, `${space}$1${space}`));
        expect(spaced.ok && shape(spaced.expr)).toEqual(plain.ok && shape(plain.expr));
      }),
      { numRuns: 100 },
    );
  });

  const tree = (text: string): string => {
    const parsed = parse(text);
    return parsed.ok ? print(parsed.expr) : parsed.issues.map(({ message }) => message).join('; ');
  };

  it.each([
    ['1 + 2 * 3', '(1 + (2 * 3))'],
    ['1 - 2 - 3', '((1 - 2) - 3)'],
    ['a < b == c', '((a < b) == c)'],
    ['a ? b : c ? d : e', '(a ? b : (c ? d : e))'],
    ['a || b && c', '(a || (b && c))'],
    ['a && b && c && d', '((a && b) && (c && d))'],
    ['!a.b', '!(a.b)'],
    ['-a.b()', '-(a.b())'],
    ['-1 + -x', '(-1 + -(x))'],
    ['a in b.c[0]', '(a in b.c[0])'],
    ['a.?b.c[?d]', 'a.?b.c[?d]'],
    ['A.B{c: 1, ?d: e,}', 'A.B{c: 1, ?d: e}'],
    ['has(a.b.c)', 'has(a.b.c)'],
  ])('groups %s', (text, grouped) => {
    expect(tree(text)).toBe(grouped);
  });

  it.each([
    [String.raw`'\a\b\f\n\r\t\v\\\'\"\?\`'`, '\u0007\b\f\n\r\t\v\\\'"?`'],
    [String.raw`"\x41\u00e9\U0001F600\101"`, 'Aé😀A'],
    [String.raw`r'\n'`, String.raw`\n`],
    [`'''a'b\nc'''`, "a'b\nc"],
    [`"""a\r\nb"""`, 'a\nb'],
    [`R"""x"y"""`, 'x"y'],
  ])('reads the string %s', (text, value) => {
    const parsed = parse(text);
    expect(parsed.ok && parsed.expr).toMatchObject({ kind: 'literal', value });
  });

  it.each([
    [String.raw`b'\xff\001a'`, [255, 1, 97]],
    [`b'é'`, [0xc3, 0xa9]],
    [String.raw`br'\x'`, [0x5c, 0x78]],
  ])('reads the bytes %s', (text, bytes) => {
    const parsed = parse(text);
    expect(parsed.ok && parsed.expr.kind === 'literal' && [...(parsed.expr.value as Uint8Array)]).toEqual(bytes);
  });

  it('knows where every operator stands', () => {
    const parsed = parse('self.a  ==  b(c)');
    if (!parsed.ok) throw new Error('does not parse');
    expect(parsed.expr.at).toBe(8);
    expect(childrenOf(parsed.expr).map(({ at }) => at)).toEqual([4, 13]);
  });
});
