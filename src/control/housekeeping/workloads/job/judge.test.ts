import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Job, JobSpec, JobStatus } from '../../../../core/api/types/batch-v1.ts';
import type { Pod } from '../../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import { backoffLeft, NO_BACKOFF, nextBackoff } from './backoff.ts';
import { INDEX, TRACKING } from './job-pods.ts';
import { judge, planPods } from './judge.ts';
import { judgeFailure } from './policies.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');

const job = (spec: Partial<JobSpec>, status: JobStatus = {}): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'work' },
  spec: { template: {}, ...spec },
  status: { startTime: '2026-01-01T00:59:00Z', ...status },
});

interface PodFacts {
  readonly phase: string;
  readonly index?: number;
  readonly deleted?: boolean;
  readonly finished?: string;
  readonly exitCode?: number;
}

let serial = 0;
const pod = ({
  phase,
  index,
  deleted = false,
  finished = '2026-01-01T00:59:30Z',
  exitCode = 1,
}: PodFacts): Stored<Pod> => {
  serial += 1;
  const uid = `uid-${serial}`;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `work-${uid}`,
      uid,
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:59:00Z',
      finalizers: [TRACKING],
      ...(index === undefined ? {} : { annotations: { [INDEX]: String(index) } }),
      ...(deleted ? { deletionTimestamp: '2026-01-01T00:59:40Z' } : {}),
    },
    spec: { containers: [] },
    status: {
      phase,
      ...(phase === 'Failed' || phase === 'Succeeded'
        ? {
            containerStatuses: [
              {
                name: 'main',
                image: 'i',
                imageID: '',
                ready: false,
                restartCount: 0,
                state: { terminated: { exitCode: phase === 'Failed' ? exitCode : 0, finishedAt: finished } },
              },
            ],
          }
        : {}),
    },
  };
};

const phases = fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed');
const facts = fc.record({ phase: phases, index: fc.nat({ max: 9 }), deleted: fc.boolean() });

describe('which pods a Job makes and deletes', () => {
  it('never makes more than may run beside each other, nor more than are still to complete', () => {
    fc.assert(
      fc.property(
        fc.array(facts, { maxLength: 12 }),
        fc.integer({ min: 0, max: 6 }),
        fc.integer({ min: 1, max: 8 }),
        fc.boolean(),
        (list, parallelism, completions, isIndexed) => {
          const work = job({
            parallelism,
            completions,
            completionMode: isIndexed ? 'Indexed' : 'NonIndexed',
            backoffLimit: 1000,
          });
          const pods = list.map(pod);
          const state = judge(work, pods, NO_BACKOFF, NOW + 3_600_000);
          const plan = planPods(work, pods, state, NOW + 3_600_000);
          if (plan.do === 'create') {
            const after = state.active.length + plan.indexes.length;
            expect(after).toBeLessThanOrEqual(parallelism);
            expect(after + state.succeeded).toBeLessThanOrEqual(Math.max(completions, state.succeeded));
            if (isIndexed) {
              const busy = state.active.map(({ metadata }) => Number(metadata.annotations?.[INDEX]));
              expect(new Set([...busy, ...plan.indexes]).size).toBe(after);
              for (const index of plan.indexes) expect(index).toBeLessThan(completions);
            }
          }
          if (plan.do === 'remove') for (const each of plan.pods) expect(state.active).toContain(each);
        },
      ),
    );
  });

  it('keeps one pod an index and none that has too high an index', () => {
    const work = job({ parallelism: 3, completions: 3, completionMode: 'Indexed' });
    const pods = [
      pod({ phase: 'Running', index: 0 }),
      pod({ phase: 'Pending', index: 0 }),
      pod({ phase: 'Running', index: 7 }),
    ];
    const state = judge(work, pods, NO_BACKOFF, NOW);
    const plan = planPods(work, pods, state, NOW);
    expect(plan.do === 'remove' && new Set(plan.pods)).toEqual(new Set([pods[1], pods[2]]));
  });

  it('waits for a pod on its way out where only failed ones are replaced', () => {
    const pods = [pod({ phase: 'Running', deleted: true })];
    for (const [podReplacementPolicy, made] of [
      ['Failed', 0],
      ['TerminatingOrFailed', 1],
    ] as const) {
      const work = job({ podReplacementPolicy });
      const plan = planPods(work, pods, judge(work, pods, NO_BACKOFF, NOW + 60_000), NOW + 60_000);
      expect(plan.do === 'create' ? plan.indexes.length : 0).toBe(made);
    }
  });
});

describe('the wait after failures', () => {
  const failed = (finished: string): Stored<Pod> => pod({ phase: 'Failed', finished });

  it('doubles from ten seconds to ten minutes', () => {
    const waits = [1, 2, 3, 6, 7, 20].map((failures) => backoffLeft({ failures, last: NOW }, NOW));
    expect(waits).toEqual([10_000, 20_000, 40_000, 320_000, 600_000, 600_000]);
  });

  it('counts only failures after the last success', () => {
    const record = nextBackoff(
      { failures: 5, last: 0 },
      [pod({ phase: 'Succeeded', finished: '2026-01-01T00:30:00Z' })],
      [failed('2026-01-01T00:29:00Z'), failed('2026-01-01T00:31:00Z')],
    );
    expect(record).toEqual({ failures: 1, last: Date.parse('2026-01-01T00:31:00Z') });
    expect(nextBackoff(record, [], [failed('2026-01-01T00:32:00Z')]).failures).toBe(2);
    expect(nextBackoff(record, [pod({ phase: 'Succeeded' })], [])).toEqual(NO_BACKOFF);
  });
});

describe('a failure policy', () => {
  const rules = [
    { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
    { action: 'FailJob', onExitCodes: { operator: 'In', values: [42], containerName: 'main' } },
    { action: 'Count', onExitCodes: { operator: 'NotIn', values: [7] } },
    { action: 'FailIndex', onExitCodes: { operator: 'In', values: [7] } },
  ];
  const work = job({ podFailurePolicy: { rules } });
  const verdict = (exitCode: number) => judgeFailure(work, pod({ phase: 'Failed', exitCode }));

  it('is decided by the first rule that matches', () => {
    expect(verdict(42).failsJob).toMatch(/exit code 42 matching FailJob rule at index 1$/);
    expect(verdict(1)).toEqual({ counts: true, failsIndex: false, failsJob: undefined });
    expect(verdict(7).failsIndex).toBe(true);
    const disrupted = pod({ phase: 'Failed', exitCode: 42 });
    const conditions = [{ type: 'DisruptionTarget', status: 'True' }];
    expect(judgeFailure(work, { ...disrupted, status: { ...disrupted.status, conditions } }).counts).toBe(false);
  });
});
