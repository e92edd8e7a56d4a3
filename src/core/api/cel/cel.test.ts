import { describe, expect, it } from 'vitest';
import {
  celEnvironment,
  celValueOf,
  compileCel,
  costMessage,
  maxCardinality,
  remainingBudget,
  STATIC_RULE_COST_LIMIT,
  type CelBindings,
  type CelEnvironment,
} from './cel.ts';
import { DYN_DECL, opaqueDecl } from './decl-types.ts';
import { declTypeOf } from './schema-types.ts';
import { INT, STRING } from './types.ts';
import type { JSONSchemaProps } from '../types/apiextensions-v1.ts';

const declOf = (schema: JSONSchemaProps) => {
  const decl = declTypeOf(schema);
  if (!decl) throw new Error('no type');
  return decl;
};

const program = (expression: string, environment: CelEnvironment) => {
  const compiled = compileCel(expression, environment);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.program;
};

const value = (expression: string, environment: CelEnvironment, bindings: CelBindings = {}): unknown => {
  const result = program(expression, environment).evaluate(bindings);
  return result.ok ? result.value : result.error;
};

const NOTHING = celEnvironment({});

describe('messages of the compiler', () => {
  const message = (expression: string): string => {
    const compiled = compileCel(expression, celEnvironment({ self: DYN_DECL }));
    return compiled.ok ? 'compiled' : compiled.message;
  };

  it('point at the place', () => {
    expect(message('self == x')).toBe(
      "ERROR: <input>:1:9: undeclared reference to 'x' (in container '')\n | self == x\n | ........^",
    );
  });

  it('name the line, and show that line alone', () => {
    expect(message('self ==\n  x\n|| true')).toBe(
      "ERROR: <input>:2:3: undeclared reference to 'x' (in container '')\n |   x\n | ..^",
    );
  });

  it('stand in the order of the text', () => {
    const lines = message('y || x').split('\n');
    expect(lines.filter((line) => line.startsWith('ERROR')).map((line) => line.slice(0, 20))).toEqual([
      'ERROR: <input>:1:1: ',
      'ERROR: <input>:1:6: ',
    ]);
  });

  it('count characters, not bytes, and widen the pointer below wide ones', () => {
    expect(message("'日本' == y")).toBe(
      "ERROR: <input>:1:9: undeclared reference to 'y' (in container '')\n | '日本' == y\n | .．．.....^",
    );
    expect(message("'😀' == y")).toContain('<input>:1:8:');
  });

  it('show tabs as spaces', () => {
    expect(message('\ty')).toBe("ERROR: <input>:1:2: undeclared reference to 'y' (in container '')\n |  y\n | .^");
  });

  it('stop after a hundred', () => {
    const lines = message(Array.from({ length: 150 }, (_, i) => `u${i}`).join(' || ')).split('\n');
    expect(lines.at(-1)).toBe('50 more errors were truncated');
  });
});

describe('programs', () => {
  it('know the variables they refer to', () => {
    const environment = celEnvironment({ self: DYN_DECL, oldSelf: DYN_DECL, other: DYN_DECL });
    expect([...program('self.x == 1 && [1].all(y, y < oldSelf.x)', environment).references].sort()).toEqual([
      'oldSelf',
      'self',
    ]);
  });

  it('know their type', () => {
    expect(program('1 + 2', NOTHING).outputType).toBe(INT);
    expect(program("'a' + 'b'", NOTHING).outputType).toBe(STRING);
  });

  it('ask for a variable only if they need it', () => {
    const environment = celEnvironment({ a: DYN_DECL, b: DYN_DECL });
    const asked: string[] = [];
    const bindings = {
      a: () => {
        asked.push('a');
        return true;
      },
      b: () => {
        asked.push('b');
        return true;
      },
    };
    expect(value('a', environment, bindings)).toBe(true);
    expect(asked).toEqual(['a']);
  });

  it('say which variable has no value', () => {
    expect(value('self.x', celEnvironment({ self: DYN_DECL }))).toBe('no such attribute(s): self');
  });

  it('may be run again and again', () => {
    const environment = celEnvironment({ self: DYN_DECL });
    const doubled = program('self.map(x, x * 2)', environment);
    const run = (json: number[]) => {
      const result = doubled.evaluate({ self: celValueOf(json, DYN_DECL) });
      return result.ok && result.value;
    };
    const first = run([1, 2]);
    expect(run([3])).toMatchObject({ items: [6n] });
    expect(first).toMatchObject({ items: [2n, 4n] });
  });

  it('tell mistakes in the text from programs that cannot be made', () => {
    expect(compileCel('1 +', NOTHING)).toMatchObject({ ok: false, phase: 'compile' });
    expect(compileCel("int('x')", NOTHING)).toMatchObject({
      ok: false,
      phase: 'program',
      message: "type conversion error from 'string' to 'int'",
    });
  });

  it('keep integers exact beyond what doubles hold', () => {
    const environment = celEnvironment({ self: declOf({ type: 'integer' }) });
    expect(value('self + 1', environment, { self: 9007199254740993n })).toBe(9007199254740994n);
  });
});

describe('values of schemas', () => {
  const check = (schema: JSONSchemaProps, json: Parameters<typeof celValueOf>[0], expression: string): unknown => {
    const self = declOf(schema);
    return value(expression, celEnvironment({ self, oldSelf: self }), {
      self: celValueOf(json, self),
      oldSelf: celValueOf(json, self),
    });
  };
  const list = (type: 'set' | 'map', items: JSONSchemaProps, keys?: string[]): JSONSchemaProps => ({
    type: 'array',
    items,
    'x-kubernetes-list-type': type,
    ...(keys ? { 'x-kubernetes-list-map-keys': keys } : {}),
  });
  const item: JSONSchemaProps = {
    type: 'object',
    properties: { name: { type: 'string' }, port: { type: 'integer' } },
  };

  it('compare sets whatever their order, and unite them', () => {
    const schema = list('set', { type: 'string' });
    expect(check(schema, ['a', 'b'], "self == ['b', 'a']")).toBe(true);
    expect(check(schema, ['a', 'b'], "['b', 'a'] == self")).toBe(false);
    expect(check(schema, ['a', 'b'], "(self + ['b', 'c', 'c']).size()")).toBe(3n);
  });

  it('compare maps of items by their keys, and merge them in place', () => {
    const schema = list('map', item, ['name']);
    const two = [
      { name: 'a', port: 1 },
      { name: 'b', port: 2 },
    ];
    expect(check(schema, two, 'self == oldSelf')).toBe(true);
    expect(check(schema, two, 'self + [self[1]] == self')).toBe(true);
    expect(check(schema, two, '[self[1], self[0]] == self')).toBe(false);
    expect(check(schema, two, 'self == [self[1], self[0]]')).toBe(true);
  });

  it('see null as absent in properties and as null in values of maps', () => {
    const nullable: JSONSchemaProps = { type: 'string', nullable: true };
    expect(check({ type: 'object', properties: { a: nullable } }, { a: null }, 'has(self.a)')).toBe(false);
    expect(check({ type: 'object', additionalProperties: nullable }, { a: null }, 'dyn(self.a) == null')).toBe(true);
  });

  it('are errors where the data does not fit', () => {
    expect(check({ type: 'object', properties: { a: { type: 'integer' } } }, { a: 'x' }, 'self.a == 1')).toBe(
      'invalid data, expected int, got string',
    );
    expect(check({ type: 'integer' }, null, 'self == 1')).toBe('invalid data, got null for schema with nullable=false');
  });

  it('do not show fields that no expression can name or type', () => {
    const schema: JSONSchemaProps = {
      type: 'object',
      properties: {
        'ok-name': { type: 'string' },
        '1st': { type: 'string' },
        'sp ace': { type: 'string' },
        anything: { 'x-kubernetes-preserve-unknown-fields': true },
      },
    };
    expect([...(declOf(schema).fields?.keys() ?? [])]).toEqual(['ok__dash__name']);
  });

  it('give resource roots their names', () => {
    const decl = declTypeOf({ type: 'object', properties: { spec: { type: 'object' } } }, true);
    expect([...(decl?.fields?.keys() ?? [])].sort()).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
    expect([...(decl?.fields?.get('metadata')?.fields?.keys() ?? [])]).toEqual(['name', 'generateName']);
  });
});

describe('budgets', () => {
  it('shrink by what was spent', () => {
    const result = program('[1, 2].all(x, x > 0)', NOTHING).evaluate({});
    expect(remainingBudget(100, result)).toBe(100 - result.cost);
    expect(remainingBudget(result.cost, result)).toBe(0);
    expect(remainingBudget(result.cost - 1, result)).toBeUndefined();
  });

  it('end with an evaluation that was stopped', () => {
    const result = program('[1, 2].all(x, x > 0)', NOTHING).evaluate({}, { limit: 1 });
    expect(remainingBudget(1e9, result)).toBeUndefined();
  });
});

describe('estimates', () => {
  const rule = 'self.all(x, self.all(y, x.contains(y)))';
  const estimate = (schema: JSONSchemaProps): number =>
    program(rule, celEnvironment({ self: declOf(schema) })).estimatedCost.max;

  it('grow with what the schema allows', () => {
    const bounded: JSONSchemaProps = { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 10 } };
    const unbounded: JSONSchemaProps = { type: 'array', items: { type: 'string' } };
    expect(estimate(bounded)).toBeLessThan(STATIC_RULE_COST_LIMIT);
    expect(estimate(unbounded)).toBeGreaterThan(STATIC_RULE_COST_LIMIT * 100);
  });

  it('are an upper bound of what is counted', () => {
    const schema: JSONSchemaProps = { type: 'array', maxItems: 3, items: { type: 'string', maxLength: 5 } };
    const self = declOf(schema);
    const compiled = program(rule, celEnvironment({ self }));
    const { cost } = compiled.evaluate({ self: celValueOf(['aaaaa', 'aaaaa', 'aaaaa'], self) });
    expect(cost).toBeLessThanOrEqual(compiled.estimatedCost.max);
  });

  it.each([
    [1_200_000_000, 'more than 100x'],
    [25_000_000, '2.5x'],
    [10_400_000, '1.040000x'],
  ])('say how much %i is too much', (cost, factor) => {
    expect(costMessage('estimated rule cost', cost, STATIC_RULE_COST_LIMIT)).toBe(
      `estimated rule cost exceeds budget by factor of ${factor} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`,
    );
  });

  it('know how often a rule may run in a request', () => {
    expect(maxCardinality(declOf({ type: 'integer' }))).toBe(1_572_864);
    expect(maxCardinality(opaqueDecl(INT))).toBe(1_572_864);
  });
});
