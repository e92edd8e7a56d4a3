import { describe, expect, it, vi } from 'vitest';
import { createNo, describeNo, REASONS, refuse } from './answer.ts';

describe('a reason', () => {
  it('works out its advice when read, once', () => {
    const fix = vi.fn<() => string>(() => 'do this');
    const no = createNo('TooManyPods', fix);
    expect(fix).not.toHaveBeenCalled();
    expect([no.fix, no.fix]).toEqual(['do this', 'do this']);
    expect(fix).toHaveBeenCalledTimes(1);
  });

  it('is plain data to whoever prints it', () => {
    expect(JSON.parse(JSON.stringify(createNo('TooManyPods', () => 'do this')))).toEqual({
      code: 'TooManyPods',
      plugin: 'NodeResourcesFit',
      message: 'Too many pods',
      preemptionHelps: true,
      fix: 'do this',
    });
  });

  it('may bring its own words', () => {
    expect(
      createNo('InsufficientResource', () => '', { message: 'Insufficient x', preemptionHelps: false }),
    ).toMatchObject({
      message: 'Insufficient x',
      preemptionHelps: false,
    });
    expect(describeNo('Mine', 'Plugin', 'text', true, () => 'f')).toMatchObject({
      code: 'Mine',
      plugin: 'Plugin',
      fix: 'f',
    });
  });

  it('has a code fit for the reason of a condition', () => {
    expect(Object.keys(REASONS).filter((code) => !/^[A-Z][A-Za-z]*$/.test(code))).toEqual([]);
  });
});

describe('a refusal', () => {
  it('is hopeless as soon as one reason is', () => {
    const [soft, hard] = [createNo('TooManyPods', () => ''), createNo('NodeUnschedulable', () => '')];
    expect(refuse([soft, soft]).preemptionHelps).toBe(true);
    expect(refuse([soft, hard]).preemptionHelps).toBe(false);
  });
});
