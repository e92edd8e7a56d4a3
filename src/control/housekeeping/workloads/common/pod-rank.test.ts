import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import { DELETION_COST, podsToDelete } from './pod-rank.ts';

const NOW = Date.parse('2026-01-01T10:00:00Z');

interface Facts {
  readonly node?: string;
  readonly phase?: string;
  readonly ready?: string;
  readonly cost?: string;
  readonly restarts?: number;
  readonly created?: string;
}

const pod = (name: string, version = '1', facts: Facts = {}): Stored<Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    uid: `uid-${name}`,
    resourceVersion: version,
    creationTimestamp: facts.created ?? '2026-01-01T09:00:00Z',
    ...(facts.cost === undefined ? {} : { annotations: { [DELETION_COST]: facts.cost } }),
  },
  spec: { containers: [], ...(facts.node === undefined ? {} : { nodeName: facts.node }) },
  status: {
    phase: facts.phase ?? 'Running',
    ...(facts.ready === undefined
      ? {}
      : { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: facts.ready }] }),
    ...(facts.restarts === undefined
      ? {}
      : { containerStatuses: [{ name: 'main', image: '', imageID: '', ready: true, restartCount: facts.restarts }] }),
  },
});

const names = (pods: readonly Stored<Pod>[]): readonly string[] => pods.map(({ metadata }) => metadata.name);

describe('the order in which pods go', () => {
  const order = (...pods: readonly Stored<Pod>[]): readonly string[] =>
    names(podsToDelete(pods, [], pods.length - 1, NOW));

  it.each<[string, Facts, Facts]>([
    ['the one without a node', {}, { node: 'n' }],
    ['the pending one', { node: 'n', phase: 'Pending' }, { node: 'n', phase: 'Running' }],
    ['the one that is not ready', { node: 'n' }, { node: 'n', ready: '2026-01-01T09:00:00Z' }],
    [
      'the cheaper one',
      { node: 'n', ready: '2026-01-01T09:00:00Z', cost: '-5' },
      { node: 'n', ready: '2026-01-01T09:00:00Z', cost: '3' },
    ],
    [
      'the one that is ready for a shorter time',
      { node: 'n', ready: '2026-01-01T09:59:00Z' },
      { node: 'n', ready: '2026-01-01T08:00:00Z' },
    ],
    ['the one with more restarts', { node: 'n', restarts: 4 }, { node: 'n', restarts: 1 }],
    ['the younger one', { node: 'n', created: '2026-01-01T09:59:00Z' }, { node: 'n', created: '2026-01-01T01:00:00Z' }],
  ])('%s first', (_what, first, second) => {
    expect(order(pod('z', '1', first), pod('a', '1', second))).toEqual(['z']);
    expect(order(pod('a', '1', second), pod('z', '1', first))).toEqual(['z']);
  });

  it('those that share a node with most others first', () => {
    const ready = '2026-01-01T09:00:00Z';
    const pods = [
      pod('a', '1', { node: 'x', ready }),
      pod('b', '1', { node: 'y', ready }),
      pod('c', '1', { node: 'y', ready }),
    ];
    expect(names(podsToDelete(pods, pods, 1, NOW))).toEqual(['b']);
  });

  it('is a total one: no pod is lost or named twice', () => {
    const facts = fc.record({
      node: fc.constantFrom('x', 'y', ''),
      phase: fc.constantFrom('Pending', 'Running'),
      cost: fc.constantFrom('0', '1', 'nonsense'),
      restarts: fc.nat({ max: 2 }),
      created: fc.constantFrom('2026-01-01T09:00:00Z', '2026-01-01T09:59:00Z'),
    });
    fc.assert(
      fc.property(fc.array(facts, { minLength: 1, maxLength: 10 }), fc.nat({ max: 10 }), (list, count) => {
        const pods = list.map((each, index) => pod(`p${index}`, '1', each));
        const gone = podsToDelete(pods, pods, count, NOW);
        expect(gone).toHaveLength(Math.min(count, pods.length));
        expect(new Set(gone).size).toBe(gone.length);
        expect(new Set(podsToDelete(pods.toReversed(), pods, count, NOW))).toEqual(new Set(gone));
      }),
    );
  });
});
