import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node, Pod } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { createQuarantine, firstToGo, sortPods } from './sort-pods.ts';

const meta = (name: string) => ({ name, namespace: 'ns', uid: name, resourceVersion: '1' });

interface Sample {
  readonly name: string;
  readonly created: string;
  readonly deleting: boolean;
  readonly nodeName: string;
  readonly phase: string;
  readonly reason: string | undefined;
}

const pods: fc.Arbitrary<readonly Sample[]> = fc.uniqueArray(
  fc.record({
    name: fc.stringMatching(/^[a-z]{1,3}$/),
    created: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z', '2026-01-02T00:00:00Z'),
    deleting: fc.boolean(),
    nodeName: fc.constantFrom('', 'here', 'lost', 'gone'),
    phase: fc.constantFrom('Pending', 'Running', 'Unknown', 'Succeeded', 'Failed'),
    reason: fc.constantFrom('Evicted', undefined),
  }),
  { selector: ({ name }) => name, maxLength: 20 },
);

const made = (all: readonly Sample[]): readonly Stored<Pod>[] =>
  all.map(({ name, created, deleting, nodeName, phase, reason }) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...meta(name),
      creationTimestamp: created,
      ...(deleting ? { deletionTimestamp: '2026-01-03T00:00:00Z' } : {}),
    },
    spec: { containers: [], ...(nodeName === '' ? {} : { nodeName }) },
    status: { phase, ...(reason === undefined ? {} : { reason }) },
  }));

const node = (name: string, ready: string, taints: readonly string[]): Stored<Node> => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { ...meta(name), creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { taints: taints.map((key) => ({ key, effect: 'NoExecute' })) },
  status: { conditions: [{ type: 'Ready', status: ready }] },
});
const NODES = new Map([
  ['here', node('here', 'True', ['node.kubernetes.io/out-of-service'])],
  ['lost', node('lost', 'Unknown', ['node.kubernetes.io/out-of-service'])],
]);

describe('pods that may be removed', () => {
  it('each for a reason of its own', () => {
    fc.assert(
      fc.property(pods, fc.integer({ min: 0, max: 6 }), (all, keepEnded) => {
        const list = made(all);
        const sorted = sortPods(list, (name) => NODES.get(name), keepEnded);
        const ended = list.filter(({ status }) => status?.phase === 'Succeeded' || status?.phase === 'Failed');
        expect(sorted.ended.length).toBe(keepEnded === 0 ? 0 : Math.max(0, ended.length - keepEnded));
        // No pod that stays ranks before a pod that goes.
        const staying = ended.filter((pod) => !sorted.ended.includes(pod));
        for (const going of sorted.ended) for (const stays of staying) expect(firstToGo(going, stays)).toBeLessThan(0);
        for (const { metadata, spec } of sorted.outOfService) {
          expect([spec.nodeName, metadata.deletionTimestamp !== undefined]).toEqual(['lost', true]);
        }
        expect(sorted.unscheduled).toEqual(
          list.filter(({ metadata, spec }) => metadata.deletionTimestamp !== undefined && spec.nodeName === undefined),
        );
        expect([...sorted.byMissingNode.values()].flat()).toEqual(list.filter(({ spec }) => spec.nodeName === 'gone'));
      }),
    );
  });
});

describe('the quarantine of a missing node', () => {
  it('must be unbroken, and begins anew after every answer', () => {
    const step = fc.record({ wait: fc.integer({ min: 0, max: 30 }), missing: fc.subarray(['a', 'b']) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const quarantine = createQuarantine(40);
        const since = new Map<string, number>();
        let now = 0;
        for (const { wait, missing } of steps) {
          now += wait;
          const due = quarantine.due(new Set(missing), now);
          for (const name of ['a', 'b']) {
            const began = since.get(name);
            if (!missing.includes(name)) since.delete(name);
            else if (began === undefined) since.set(name, now);
            const isDue = missing.includes(name) && began !== undefined && now - began >= 40;
            expect(due.includes(name)).toBe(isDue);
            if (isDue) since.delete(name);
          }
        }
      }),
    );
  });
});
