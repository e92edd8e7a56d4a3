import { describe, expect, it } from 'vitest';
import type { ContainerStatus, Pod, PodCondition } from '../../core/api/types/core-v1.ts';
import { nextConditions, type ConditionFacts } from './pod-conditions.ts';

const NOW = '2026-01-01T00:00:00Z';
const LATER = '2026-01-01T00:01:00Z';
const ready: ContainerStatus = { name: 'main', image: 'x', imageID: '', ready: true, started: true, restartCount: 0 };
const WELL: ConditionFacts = { phase: 'Running', sandbox: true, init: [], regular: [ready] };

const podOf = (generation: number | undefined, conditions: readonly PodCondition[] = []): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', ...(generation === undefined ? {} : { generation }) },
  spec: { containers: [{ name: 'main', image: 'x' }] },
  status: { conditions },
});
const generations = (conditions: readonly PodCondition[]): unknown[] =>
  conditions.map((each) => each.observedGeneration);

describe('pod conditions', () => {
  it('stay the very same while nothing changes', () => {
    const first = nextConditions(podOf(1), WELL, NOW);
    expect(nextConditions(podOf(1, first), WELL, LATER)).toBe(first);
  });

  it('are told anew of a changed pod, with the times they have', () => {
    const first = nextConditions(podOf(1), WELL, NOW);
    const second = nextConditions(podOf(2, first), WELL, LATER);
    expect(generations(second)).toEqual([2, 2, 2, 2, 2]);
    expect(second.every(({ lastTransitionTime }) => lastTransitionTime === NOW)).toBe(true);
    expect(nextConditions(podOf(2, second), WELL, LATER)).toBe(second);
  });

  it('are not written for ever to a server that keeps no generation in them', () => {
    const kept = nextConditions(podOf(1), WELL, NOW).map(({ type, status }): PodCondition => ({ type, status }));
    expect(nextConditions(podOf(2, kept), WELL, LATER)).toBe(kept);
  });
});
