import { describe, expect, it } from 'vitest';
import { generateDaemonSetCase } from './daemonset-generate.ts';
import { differenceOf } from './difference.ts';
import { generateSchedulerCase } from './scheduler-generate.ts';
import { shrink } from './shrink.ts';

const FOREVER = { tries: 10_000, untilMs: Number.POSITIVE_INFINITY };

describe('the smallest form of a case', () => {
  it('keeps only what makes the difference', async () => {
    const world = {
      nodes: [{ metadata: { name: 'a', labels: { x: '1' } } }, { metadata: { name: 'b' } }],
      steps: [1, 2, 3],
    };
    const play = async (form: typeof world) =>
      form.nodes.length > 0 && form.steps.includes(2) ? 'differs' : undefined;
    const { smallest } = await shrink(world, 'differs', play, FOREVER);
    expect(smallest).toEqual({ nodes: [{ metadata: { name: 'a' } }], steps: [2] });
  });

  it('is not looked for longer than allowed', async () => {
    let plays = 0;
    const play = async () => {
      plays += 1;
      return undefined;
    };
    await shrink({ nodes: [1, 2, 3] }, 'differs', play, { ...FOREVER, tries: 2 });
    expect(plays).toBe(2);
  });
});

describe('generators', () => {
  it.each([generateSchedulerCase, generateDaemonSetCase])(
    'make the same of the same seed, and other cases of others',
    (generate) => {
      expect(generate('a/1')).toEqual(generate('a/1'));
      expect(generate('a/1')).not.toEqual(generate('a/2'));
    },
  );
});

describe('a difference', () => {
  it('names only what differs', () => {
    expect(differenceOf('a step', { a: 1, b: { c: [1] } }, { a: 1, b: { c: [2] }, d: 4 })).toEqual({
      after: 'a step',
      kubernetes: { b: { c: [1] }, d: 'nothing' },
      everynode: { b: { c: [2] }, d: 4 },
    });
    expect(differenceOf('a step', { a: [1] }, { a: [1] })).toBeUndefined();
  });
});
