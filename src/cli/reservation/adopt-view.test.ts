import { describe, expect, it } from 'vitest';
import { adoptNotes, adoptSummary, adoptTable } from './adopt-view.ts';

const LOW = 'priority 0, below everynode-guardian';
const adopted = (name: string) => ({
  name,
  node: 'node-1',
  ticket: `t-${name}`,
  result: 'adopted' as const,
  notes: [LOW],
});
const refused = { name: 'web', result: 'refused' as const, why: 'belongs to Deployment web', fix: 'kubectl delete …' };
const items = [adopted('a'), adopted('b'), refused, adopted('c'), adopted('d')];

describe('the result of an adoption', () => {
  it('is a table with a line for each', () => {
    expect(`\n${adoptTable(items.slice(1, 3), 'pods')}`).toBe(`
POD   NODE     RESULT    TICKET
b     node-1   adopted   t-b
web   -        refused   -
`);
    expect(adoptTable([{ name: 't', node: 'n', result: 'already' }], 'tickets')).toBe(
      'TICKET   NODE   RESULT\nt        n      already\n',
    );
  });

  it('has reasons and notes below, once each', () => {
    expect(adoptNotes(items)).toEqual([
      `a, b, c and 1 more: ${LOW}`,
      'web: belongs to Deployment web\n    kubectl delete …',
    ]);
  });

  it('is summed up', () => {
    expect(adoptSummary(items, 'pods', 'agents')).toBe('4 of 5 pods adopted by Order agents');
    expect(adoptSummary([{ name: 'x', result: 'already' }], 'tickets', 'agents')).toBe(
      '0 of 1 Ticket adopted by Order agents, 1 before',
    );
    expect(adoptSummary([{ name: 'x', result: 'would-adopt' }, refused], 'pods', 'agents')).toBe(
      '1 of 2 pods would be adopted by Order agents (dry run)',
    );
  });
});
