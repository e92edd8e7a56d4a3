import { describe, expect, it } from 'vitest';
import { NODES, PODS } from '../../../core/api/registry/resources.ts';
import { createKnowledge } from './knowledge.ts';

describe('what an actor could have known', () => {
  it('begins when it was first shown a state at least that new', () => {
    const knowledge = createKnowledge();
    knowledge.shown('a', NODES, '10', 100);
    knowledge.shown('a', NODES, '20', 200);
    knowledge.shown('a', NODES, '15', 300);
    expect([5, 10, 11, 20, 21].map((revision) => knowledge.knewAt('a', 'nodes', revision))).toEqual([
      100,
      100,
      200,
      200,
      undefined,
    ]);
  });

  it('is its own, a resource at a time, and gone with its life', () => {
    const knowledge = createKnowledge();
    knowledge.shown('a', NODES, '10', 100);
    knowledge.shown('b', PODS, '10', 100);
    expect(knowledge.knewAt('a', 'pods', 10)).toBeUndefined();
    expect(knowledge.knewAt('b', 'pods', 10)).toBe(100);
    knowledge.forget('a');
    expect(knowledge.knewAt('a', 'nodes', 10)).toBeUndefined();
  });
});
