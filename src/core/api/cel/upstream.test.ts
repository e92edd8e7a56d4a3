import { describe, expect, it } from 'vitest';
import { compileCel, type CelProgram } from './cel.ts';
import { described, facts, sample } from './testdata/sample.ts';
import { printType } from './types.ts';

/** Estimates beyond exact integers are compared to nine digits. */
const close = (a: number, b: number): boolean => a === b || Math.abs(a / b - 1) < 1e-9;

const { environment, bindings } = sample();

function outcome(program: CelProgram, expected: readonly unknown[]): readonly unknown[] {
  const result = program.evaluate(bindings);
  const [min, max] = expected[4] as [number, number];
  const { estimatedCost: cost } = program;
  const estimate = close(cost.min, min) && close(cost.max, max) ? [min, max] : [cost.min, cost.max];
  const end = result.ok ? ['v', described(result.value)] : ['x', result.error];
  return [program.expression, ...end, printType(program.outputType), estimate, result.cost];
}

function answer(expression: string, expected: readonly unknown[]): readonly unknown[] {
  const compiled = compileCel(expression, environment);
  if (compiled.ok) return outcome(compiled.program, expected.length > 4 ? expected : [...expected, '', [0, 0], 0]);
  if (compiled.phase === 'program') return [expression, 'p', compiled.message];
  const sorted = [...compiled.issues].sort((a, b) => a.line - b.line || a.column - b.column);
  const lines = sorted.map(({ line, column, message }) => `${line}:${column + 1}: ${message}`);
  return [expression, 'c', lines.length === 1 ? lines[0] : lines];
}

describe('facts recorded from the environment of Kubernetes 1.36', () => {
  const all = facts();

  it('has a table worth the name', () => {
    expect(all.length).toBeGreaterThan(1300);
  });

  it.each([
    ['refuses what it refuses, in its words', 'c'],
    ['cannot make what it cannot make', 'p'],
    ['fails as it fails, at its cost', 'x'],
    ['yields its values, types, estimates and costs', 'v'],
  ])('%s', (_, kind) => {
    const chosen = all.filter((fact) => fact[1] === kind);
    const wrong = chosen
      .map((fact) => ({ wanted: fact, got: answer(fact[0], fact) }))
      .filter(({ wanted, got }) => JSON.stringify(wanted) !== JSON.stringify(got));
    expect(chosen).not.toHaveLength(0);
    expect(wrong).toEqual([]);
  });
});
