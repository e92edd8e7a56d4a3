import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Taint, Toleration } from '../api/types/core-v1.ts';
import { compileTolerations, printTaint, taintNo, toleratesTaint } from './taints.ts';

const KEYS = ['dedicated', 'spot', 'constructor', ''];
const VALUES = ['gpu', '', 'infra'];
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

const taints = fc.record(
  { key: fc.constantFrom(...KEYS), effect: fc.constantFrom(...EFFECTS), value: fc.constantFrom(...VALUES) },
  { requiredKeys: ['key', 'effect'] },
);
const tolerations = fc.record(
  {
    key: fc.constantFrom(...KEYS),
    operator: fc.constantFrom('', 'Equal', 'Exists', 'Lt', 'Gt', 'Nonsense'),
    value: fc.constantFrom(...VALUES),
    effect: fc.constantFrom('', ...EFFECTS),
    tolerationSeconds: fc.integer({ min: -5, max: 300 }),
  },
  { requiredKeys: [] },
);

/** The documented rules as a checklist, written without looking at the implementation's shape. */
function oracle(toleration: Toleration, taint: Taint): boolean {
  const effectOk = toleration.effect === undefined || toleration.effect === '' || toleration.effect === taint.effect;
  const keyOk = toleration.key === undefined || toleration.key === '' || toleration.key === taint.key;
  const operator = toleration.operator === undefined || toleration.operator === '' ? 'Equal' : toleration.operator;
  const valueOk = operator === 'Exists' || (operator === 'Equal' && (toleration.value ?? '') === (taint.value ?? ''));
  return effectOk && keyOk && valueOk;
}

describe('one toleration and one taint', () => {
  it('follow the documented rules', () => {
    fc.assert(
      fc.property(tolerations, taints, (toleration, taint) => {
        expect(toleratesTaint(toleration, taint)).toBe(oracle(toleration, taint));
      }),
    );
  });

  it.each<[string, Toleration, Taint, boolean]>([
    ['an empty toleration matches only taints without a value', {}, { key: 'a', effect: 'NoSchedule' }, true],
    ['an empty toleration does not match a value', {}, { key: 'a', value: 'x', effect: 'NoSchedule' }, false],
    [
      'Exists without a key matches everything',
      { operator: 'Exists' },
      { key: 'a', value: 'x', effect: 'NoExecute' },
      true,
    ],
    ['another effect', { operator: 'Exists', effect: 'NoExecute' }, { key: 'a', effect: 'NoSchedule' }, false],
    [
      'Lt is behind a gate that is off',
      { key: 'a', operator: 'Lt', value: '5' },
      { key: 'a', value: '3', effect: 'NoSchedule' },
      false,
    ],
    ['an unknown operator matches nothing', { key: 'a', operator: 'Has' }, { key: 'a', effect: 'NoSchedule' }, false],
  ])('%s', (_, toleration, taint, expected) => {
    expect(toleratesTaint(toleration, taint)).toBe(expected);
  });
});

describe('compiled tolerations', () => {
  it('find the first taint that keeps the pod away, and count the ones that merely discourage', () => {
    fc.assert(
      fc.property(fc.array(tolerations, { maxLength: 4 }), fc.array(taints, { maxLength: 4 }), (list, present) => {
        const compiled = compileTolerations(list);
        const tolerated = (taint: Taint) => list.some((toleration) => oracle(toleration, taint));
        expect(compiled.firstUntolerated(present)).toBe(
          present.find((taint) => taint.effect !== 'PreferNoSchedule' && !tolerated(taint)),
        );
        expect(compiled.countUntoleratedPreferences(present)).toBe(
          present.filter((taint) => taint.effect === 'PreferNoSchedule' && !tolerated(taint)).length,
        );
        expect(compiled.toleratesUnschedulable).toBe(
          tolerated({ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }),
        );
      }),
    );
  });

  it('compile once per list', () => {
    const list: Toleration[] = [{ operator: 'Exists' }];
    expect(compileTolerations(list)).toBe(compileTolerations(list));
    expect(compileTolerations(undefined)).toBe(compileTolerations(undefined));
  });

  it('have nothing against a node without taints', () => {
    expect(compileTolerations(undefined).firstUntolerated(undefined)).toBeUndefined();
    expect(compileTolerations(undefined).countUntoleratedPreferences(undefined)).toBe(0);
  });
});

describe('time until a NoExecute taint evicts a pod', () => {
  const evict: Taint = { key: 'down', effect: 'NoExecute' };
  const slow: Taint = { key: 'slow', effect: 'NoExecute' };
  it.each<[string, Toleration[], Taint[] | undefined, number]>([
    ['for ever without such taints', [], [{ key: 'x', effect: 'NoSchedule' }], Infinity],
    ['for ever without taints', [], undefined, Infinity],
    ['now when a taint is not tolerated', [{ key: 'slow', operator: 'Exists' }], [slow, evict], 0],
    ['for ever when tolerated without limit', [{ operator: 'Exists' }], [evict, slow], Infinity],
    [
      'the shortest limit',
      [
        { key: 'down', operator: 'Exists', tolerationSeconds: 300 },
        { key: 'slow', operator: 'Exists', tolerationSeconds: 60 },
      ],
      [evict, slow],
      60,
    ],
    ['now for zero and negative limits', [{ operator: 'Exists', tolerationSeconds: -1 }], [evict], 0],
    [
      'by the first toleration that matches',
      [
        { operator: 'Exists', tolerationSeconds: 10 },
        { key: 'down', operator: 'Exists' },
      ],
      [evict],
      10,
    ],
  ])('%s', (_, list, present, expected) => {
    expect(compileTolerations(list).secondsUntilEviction(present)).toBe(expected);
  });
});

describe('the refusal', () => {
  it('names the taint to tolerate, as kubectl writes taints', () => {
    expect(printTaint({ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' })).toBe('dedicated=gpu:NoSchedule');
    expect(printTaint({ key: 'spot', effect: 'NoExecute' })).toBe('spot:NoExecute');
    const no = taintNo({ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' });
    expect(no.message).toBe('node(s) had untolerated taint(s)');
    expect(no.fix).toContain('tolerate `dedicated=gpu:NoSchedule`');
    expect(no.preemptionHelps).toBe(false);
  });
});
