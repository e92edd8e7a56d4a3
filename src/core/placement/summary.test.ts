import { describe, expect, it } from 'vitest';
import { createNo, type NoCode, type Refusal, refuse, refuseEverywhere, YES } from './answer.ts';
import { nodeAffinityConflictNo } from './node-affinity.ts';
import { NO_NODES, preemptionSays, preemptionSummary, summarize, summarizeFailure, truncateNote } from './summary.ts';

const refusal = (...codes: NoCode[]): Refusal => refuse(codes.map((code) => createNo(code, () => '')));
const times = (count: number, one: Refusal): Refusal[] => Array.from({ length: count }, () => one);

describe('the summary', () => {
  it('is the daemon example of the documentation', () => {
    const text = summarizeFailure({
      totalNodes: 5,
      refusals: [refusal('InsufficientCpu')],
      unjudged: "node(s) didn't satisfy plugin(s) [NodeAffinity]",
      afterwards: preemptionSummary(5, [refusal('NoVictims')]),
    });
    expect(text).toBe(
      "0/5 nodes are available: 1 Insufficient cpu, 4 node(s) didn't satisfy plugin(s) [NodeAffinity]. " +
        'no new claims to deallocate, preemption: 0/5 nodes are available: 1 No preemption victims found for incoming pod, ' +
        '4 Preemption is not helpful for scheduling.',
    );
  });

  it('sorts the parts as text, so ten comes before two', () => {
    const refusals = [...times(2, refusal('NodeUnschedulable')), ...times(10, refusal('UntoleratedTaint'))];
    expect(summarizeFailure({ totalNodes: 12, refusals })).toBe(
      '0/12 nodes are available: 10 node(s) had untolerated taint(s), 2 node(s) were unschedulable.',
    );
  });

  it('counts every reason of a node', () => {
    expect(summarize([refusal('TooManyPods', 'InsufficientCpu'), refusal('InsufficientCpu')])).toBe(
      '0/2 nodes are available: 1 Too many pods, 2 Insufficient cpu.',
    );
  });

  it('says once what holds everywhere', () => {
    const everywhere = refuseEverywhere(nodeAffinityConflictNo());
    expect(summarize(times(3, everywhere))).toBe('0/3 nodes are available: pod affinity terms conflict.');
  });

  it('needs nodes, and reasons', () => {
    expect(summarize([])).toBe(NO_NODES);
    expect(summarize([YES])).toBe('0/1 nodes are available:');
    expect(summarizeFailure({ totalNodes: 0, refusals: [], unjudged: 'x', afterwards: '' })).toBe(
      '0/0 nodes are available:',
    );
    expect(preemptionSays('x')).toBe('no new claims to deallocate, preemption: x');
  });
});

describe('the note of an event', () => {
  it('is cut to 1024 bytes, between characters', () => {
    expect(truncateNote('x'.repeat(1024))).toHaveLength(1024);
    expect(truncateNote('x'.repeat(1025))).toBe(`${'x'.repeat(1020)} ...`);
    const cut = truncateNote('é'.repeat(600) + 'x');
    expect(cut).toBe(`${'é'.repeat(510)} ...`);
    expect(truncateNote(`x${'é'.repeat(600)}`)).toBe(`x${'é'.repeat(509)} ...`);
  });
});
