import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod, PodStatus } from '../../../core/api/types/core-v1.ts';
import type { Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { isAlive, isHolding, lossOf, refusal, shortfall, shortResources } from './guardian-state.ts';

const pod = (status: PodStatus, spec: Partial<Pod['spec']> = {}, deletionTimestamp?: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'guardian', namespace: 'team', ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
  spec: { containers: [], nodeName: 'node', ...spec },
  status,
});
const ready = (status: string) => [{ type: 'Ready', status }];
const GONE = '2026-01-01T00:00:00Z';

describe('a guardian', () => {
  it.each([
    [{ phase: 'Running', conditions: ready('True') }, undefined, [true, true]],
    [{ phase: 'Running', conditions: ready('False') }, undefined, [true, false]],
    [{ phase: 'Pending' }, undefined, [true, false]],
    [{ phase: 'Running', conditions: ready('True') }, GONE, [false, false]],
    [{ phase: 'Failed' }, undefined, [false, false]],
    [{ phase: 'Succeeded' }, undefined, [false, false]],
  ])('%j deleted %s: is it alive, does it hold its room: %j', (status, deleted, [alive, holds]) => {
    expect([isAlive(pod(status, {}, deleted)), isHolding(pod(status, {}, deleted))]).toEqual([alive, holds]);
  });

  it('is refused only in the words of the scheduler, and before it has a node', () => {
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no room' }];
    expect(refusal(pod({ conditions }, { nodeName: '' }))).toBe('no room');
    expect(refusal(pod({ conditions }))).toBe(undefined);
    const gated = [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }];
    expect(refusal(pod({ conditions: gated }, { nodeName: '' }))).toBe(undefined);
  });

  it.each<[string, readonly Pod[], RegExp]>([
    ['nothing is left of', [], /^the guardian was deleted$/],
    ['was deleted', [pod({ phase: 'Running' }, {}, GONE)], /^guardian guardian was deleted$/],
    [
      'was preempted',
      [pod({ conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }] }, {}, GONE)],
      /was preempted by a pod of higher priority, as system-critical pods may do/,
    ],
    [
      'was evicted',
      [pod({ conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }] })],
      /was evicted: EvictionByEvictionAPI$/,
    ],
    ['failed', [pod({ phase: 'Failed', reason: 'OutOfcpu', message: 'no' })], /ended in phase Failed \(OutOfcpu: no\)/],
  ])('that %s says so', (_what, guardians, words) => {
    expect(lossOf(guardians)).toMatch(words);
  });
});

describe('the cover of a Ticket', () => {
  const names = ['cpu', 'memory', 'example.com/gpu'];
  const amounts = fc.record(Object.fromEntries(names.map((name) => [name, fc.integer({ min: 0, max: 9 })])), {
    requiredKeys: [],
  });
  const texts = (given: { readonly [name: string]: number | undefined }) =>
    Object.fromEntries(Object.entries(given).map(([name, amount]) => [name, String(amount)]));

  it('is complete exactly where the containers together request as much of everything', () => {
    fc.assert(
      fc.property(amounts, fc.array(amounts, { minLength: 1, maxLength: 3 }), (wanted, given) => {
        const containers = given.map((each, at) => ({ name: `c${at}`, resources: { requests: texts(each) } }));
        const ticket = { spec: { resources: { requests: texts(wanted) } } } as unknown as Ticket;
        const short = names.filter(
          (name) => given.reduce((sum, each) => sum + (each[name] ?? 0), 0) < (wanted[name] ?? 0),
        );
        const found = shortResources(ticket, pod({}, { containers }));
        expect(found.map(({ name }) => name).toSorted()).toEqual(short.toSorted());
        expect(shortfall(ticket, pod({}, { containers })) === undefined).toBe(short.length === 0);
      }),
    );
  });

  it('says what is short, and what to do', () => {
    const ticket = { spec: { resources: { requests: { cpu: '500m', memory: '1Gi' } } } } as unknown as Ticket;
    const containers = [{ name: 'guardian', resources: { requests: { cpu: '0.1', memory: '2Gi' } } }];
    expect(shortfall(ticket, pod({}, { containers }))).toMatch(
      /requests 100m instead of 500m cpu: .* delete the guardian/,
    );
  });
});
