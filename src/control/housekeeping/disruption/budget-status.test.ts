import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from '../../../core/api/types/policy-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { formatTime } from '../../../core/kube/time.ts';
import { countBudget, DELETION_TIMEOUT_MS, expectation, failedBudget, staleNoteIn } from './budget-status.ts';

const NOW = Date.UTC(2026, 0, 1, 12);
const meta = (name: string) => ({ name, namespace: 'ns', uid: name, resourceVersion: '1', creationTimestamp: 'x' });

const budget = (spec: PodDisruptionBudgetSpec, status: object = {}): Stored<PodDisruptionBudget> => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { ...meta('b'), generation: 3 },
  spec,
  status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, ...status },
});

const pod = (name: string, ready: boolean, deleting = false): Stored<Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...meta(name), ...(deleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
  spec: { containers: [] },
  status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
});

describe('what a budget expects', () => {
  it.each([
    [{ minAvailable: 2 }, 5, 9, { expectedPods: 5, desiredHealthy: 2 }],
    [{ minAvailable: '50%' }, 5, 9, { expectedPods: 9, desiredHealthy: 5 }],
    [{ maxUnavailable: 1 }, 5, 9, { expectedPods: 9, desiredHealthy: 8 }],
    [{ maxUnavailable: '20%' }, 5, 9, { expectedPods: 9, desiredHealthy: 7 }],
    [{ maxUnavailable: 20 }, 5, 9, { expectedPods: 9, desiredHealthy: 0 }],
    [{}, 5, 9, { expectedPods: 0, desiredHealthy: 0 }],
  ])('of %j', (spec, pods, scale, expected) => {
    expect(expectation(budget(spec), pods, scale)).toEqual(expected);
  });

  it('says what it cannot read', () => {
    expect(() => expectation(budget({ maxUnavailable: 'many' }), 1, 1)).toThrow(
      'invalid value for IntOrString: invalid type: string is not a percentage',
    );
  });
});

describe('the count', () => {
  const pods = fc.uniqueArray(
    fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      ready: fc.boolean(),
      deleting: fc.boolean(),
      /** Milliseconds since its eviction was approved. */
      approved: fc.option(fc.integer({ min: 0, max: 2 * DELETION_TIMEOUT_MS }), { nil: undefined }),
    }),
    { selector: ({ name }) => name },
  );

  it('never allows more than what is healthy beyond what is wanted, and settles at once', () => {
    fc.assert(
      fc.property(pods, fc.integer({ min: 0, max: 6 }), (some, desiredHealthy) => {
        const stamped = some.map((each) => ({
          ...each,
          at: each.approved === undefined ? undefined : formatTime(NOW - each.approved),
        }));
        const disruptedPods = Object.fromEntries(
          stamped.flatMap(({ name, at }) => (at === undefined ? [] : [[name, at]])),
        );
        const before = budget(
          { minAvailable: desiredHealthy },
          { disruptedPods: { ...disruptedPods, gone: formatTime(NOW) } },
        );
        const all = some.map(({ name, ready, deleting }) => pod(name, ready, deleting));
        const {
          budget: after,
          recheckAt,
          overdue,
        } = countBudget(before, all, { expectedPods: all.length, desiredHealthy }, NOW);
        // Upstream's rule, once more: neither terminating pods nor pods whose eviction was approved count.
        const isPending = (at: string | undefined): boolean =>
          at !== undefined && Date.parse(at) + DELETION_TIMEOUT_MS > NOW;
        const healthy = stamped.filter(({ ready, deleting, at }) => ready && !deleting && !isPending(at)).length;
        expect(after.status).toMatchObject({
          currentHealthy: healthy,
          desiredHealthy,
          expectedPods: all.length,
          disruptionsAllowed: all.length === 0 ? 0 : Math.max(0, healthy - desiredHealthy),
          observedGeneration: 3,
        });
        const kept = stamped.filter(
          ({ deleting, at }) => !deleting && at !== undefined && Date.parse(at) + DELETION_TIMEOUT_MS >= NOW,
        );
        expect(Object.keys(after.status?.disruptedPods ?? {}).toSorted()).toEqual(
          kept.map(({ name }) => name).toSorted(),
        );
        expect(overdue.length + kept.length).toBe(
          stamped.filter(({ deleting, at }) => !deleting && at !== undefined).length,
        );
        expect(recheckAt === undefined).toBe(kept.length === 0);
        expect(countBudget(after, all, { expectedPods: all.length, desiredHealthy }, NOW).budget).toBe(after);
      }),
    );
  });
});

describe('a budget that cannot be counted', () => {
  it('allows nothing, says why, and says it once', () => {
    const failed = failedBudget(budget({}, { disruptionsAllowed: 4, currentHealthy: 7 }), 'no scale', NOW);
    expect(failed.status).toMatchObject({
      disruptionsAllowed: 0,
      currentHealthy: 7,
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message: 'no scale' }],
    });
    expect(failedBudget(failed, 'no scale', NOW + 1)).toBe(failed);
  });
});

describe('the note on a pod that is to be disturbed', () => {
  const noted = (condition: object, status: object = {}, deleting = false): Stored<Pod> => ({
    ...pod('a', true, deleting),
    status: {
      ...status,
      conditions: [
        { type: 'DisruptionTarget', status: 'True', lastTransitionTime: formatTime(NOW - 30_000), ...condition },
      ],
    },
  });

  it('is stale after two minutes, unless the pod is going or the kubelet wrote it', () => {
    expect(staleNoteIn(noted({}), NOW)).toBe(90_000);
    expect(staleNoteIn(noted({}), NOW + 600_000)).toBe(0);
    expect(staleNoteIn(pod('a', true), NOW)).toBeUndefined();
    expect(staleNoteIn(noted({ status: 'False' }), NOW)).toBeUndefined();
    expect(staleNoteIn(noted({ reason: 'TerminationByKubelet' }), NOW)).toBeUndefined();
    expect(staleNoteIn(noted({}, { phase: 'Failed' }), NOW)).toBeUndefined();
    expect(staleNoteIn(noted({}, {}, true), NOW)).toBeUndefined();
  });
});
