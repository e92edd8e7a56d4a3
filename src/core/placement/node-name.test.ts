import { describe, expect, it } from 'vitest';
import { nodeNameMatches, nodeNameNo } from './node-name.ts';

describe('spec.nodeName', () => {
  it.each([
    [undefined, 'a', true],
    ['', 'a', true],
    ['a', 'a', true],
    ['b', 'a', false],
  ])('%s on node %s: %s', (wanted, node, expected) => {
    expect(nodeNameMatches(wanted, node)).toBe(expected);
  });

  it('refuses in kube-scheduler words, beyond the help of preemption', () => {
    expect(nodeNameNo('b')).toMatchObject({
      code: 'NodeNameMismatch',
      message: "node(s) didn't match the requested node name",
      preemptionHelps: false,
      fix: expect.stringContaining('`b`') as string,
    });
  });
});
