import { describe, expect, it } from 'vitest';
import { celValueOf } from './cel.ts';
import { compileRules } from './rules.ts';
import { CelOptional, NONE } from './values/values.ts';
import type { JSONSchemaProps, ValidationRule } from '../types/apiextensions-v1.ts';

const schema = (...rules: readonly ValidationRule[]): JSONSchemaProps => ({
  type: 'object',
  properties: { replicas: { type: 'integer' }, max: { type: 'integer' }, name: { type: 'string', maxLength: 20 } },
  'x-kubernetes-validations': rules,
});

const only = (rule: ValidationRule) => {
  const compiled = compileRules(schema(rule));
  const first = compiled?.rules[0];
  if (!compiled || !first) throw new Error('no rule');
  return { ...compiled, first };
};

describe('rules of a schema', () => {
  it('are none where none are written', () => {
    expect(compileRules({ type: 'object' })).toBeUndefined();
    expect(compileRules(schema())).toBeUndefined();
  });

  it('are judged with the values of the schema', () => {
    const { first, decl } = only({ rule: 'self.replicas <= self.max' });
    const run = (replicas: number) => first.program?.evaluate({ self: celValueOf({ replicas, max: 3 }, decl) });
    expect(run(3)).toMatchObject({ ok: true, value: true, cost: 5 });
    expect(run(4)).toMatchObject({ ok: true, value: false });
  });

  it('tell whether they speak of the old value', () => {
    expect(only({ rule: 'self.max == oldSelf.max' }).first.usesOldSelf).toBe(true);
    expect(only({ rule: 'self.max == 1' }).first.usesOldSelf).toBe(false);
  });

  it('may take the old value as an optional', () => {
    const { first, decl } = only({ rule: 'oldSelf.hasValue() || self.max == 1', optionalOldSelf: true });
    const self = celValueOf({ max: 2 }, decl);
    expect(first.program?.evaluate({ self, oldSelf: NONE })).toMatchObject({ value: false });
    expect(first.program?.evaluate({ self, oldSelf: new CelOptional(null) })).toMatchObject({ value: true });
  });

  it.each<[string, ValidationRule, string]>([
    [
      'do not compile',
      { rule: 'self.nope' },
      "compilation failed: ERROR: <input>:1:5: undefined field 'nope'\n | self.nope\n | ....^",
    ],
    ['are no condition', { rule: 'self.max' }, 'cel expression must evaluate to a bool'],
    ['are anything', { rule: 'dyn(self.max)' }, 'cel expression must evaluate to a bool'],
    [
      'cannot become a program',
      { rule: "int('x') == 1" },
      "program instantiation failed: type conversion error from 'string' to 'int'",
    ],
  ])('are refused when they %s', (_, rule, error) => {
    expect(only(rule).first).toMatchObject({ error, usesOldSelf: false });
    expect(only(rule).first.program).toBeUndefined();
  });

  it('may be empty', () => {
    const { first } = only({ rule: '  ' });
    expect(first.program).toBeUndefined();
    expect(first.error).toBeUndefined();
  });

  it.each<[string, string | undefined]>([
    ["'at most ' + string(self.max)", undefined],
    ['self.max', 'messageExpression must evaluate to a string'],
    [
      'nope',
      "messageExpression compilation failed: ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')\n | nope\n | ^",
    ],
    ["string(int('x'))", "messageExpression instantiation failed: type conversion error from 'string' to 'int'"],
  ])('have a message of their own: %s', (messageExpression, error) => {
    const { first, decl } = only({ rule: 'true', messageExpression });
    expect(first.messageError).toBe(error);
    const made = first.messageProgram?.evaluate({ self: celValueOf({ max: 3 }, decl) });
    expect(made).toEqual(error === undefined ? expect.objectContaining({ value: 'at most 3' }) : undefined);
  });

  it('are priced by the schema', () => {
    expect(only({ rule: "self.name.contains('x')" }).first.maxCost).toBe(10);
    expect(only({ rule: 'true', messageExpression: 'self.name + self.name' }).first.messageMaxCost).toBe(20);
    expect(only({ rule: 'true' }).maxCardinality).toBe(Math.floor((3 * 1024 * 1024) / 3));
  });
});
