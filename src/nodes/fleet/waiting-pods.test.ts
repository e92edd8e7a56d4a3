import { describe, expect, it } from 'vitest';
import type { SimulatedNode } from './node-keeper.ts';
import { WaitingPods } from './waiting-pods.ts';

const NODE = {} as SimulatedNode;

describe('pods that wait for a node', () => {
  it('are taken once, when their node comes up', () => {
    const waiting = new WaitingPods();
    waiting.add('n1', 'a');
    waiting.add('n1', 'b');
    waiting.add('n1', 'a');
    waiting.add('n2', 'c');
    expect([...waiting.take('n1')]).toEqual(['a', 'b']);
    expect([...waiting.take('n1')]).toEqual([]);
    expect([...waiting.take('n2')]).toEqual(['c']);
  });

  it('keep a deleted node at hand until the last of them is gone, or a node of that name comes up', () => {
    const waiting = new WaitingPods();
    waiting.add('n1', 'a');
    waiting.add('n1', 'b');
    waiting.addGhost('n1', NODE);
    waiting.remove('n1', 'a');
    waiting.remove('n1', 'unknown');
    expect(waiting.ghost('n1')).toBe(NODE);
    waiting.remove('n1', 'b');
    expect(waiting.ghost('n1')).toBeUndefined();

    waiting.add('n1', 'c');
    waiting.addGhost('n1', NODE);
    waiting.take('n1');
    expect(waiting.ghost('n1')).toBeUndefined();
  });
});
