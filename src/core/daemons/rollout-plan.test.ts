import { describe, expect, it } from 'vitest';
import { daemonPodRules } from './daemon-pod-rules.ts';
import { createEngine } from './engine.ts';
import { createRolloutOrder } from './rollout-order.ts';
import { NO_WISHES, planRollout, type RolloutWishes } from './rollout-plan.ts';
import { makeDaemon, makeNode, makePod } from './testing/samples.ts';

const NOW = 100_000;
/** By name n1 comes first, by zone n3 does. */
const ZONES = { n1: 'z3', n2: 'z2', n3: 'z1' };

function chosen(pods: 'available' | 'unavailable', wishes: Partial<RolloutWishes>, label?: string): readonly string[] {
  const engine = createEngine(daemonPodRules, NOW);
  engine.apply({ type: 'daemon', daemon: makeDaemon('d') });
  Object.entries(ZONES).forEach(([node, zone], i) => {
    engine.apply({ type: 'node', node: makeNode(node, { labels: { zone } }) });
    const ready = pods === 'available' ? { readySince: 1000 } : {};
    const child = makePod({ node, hash: 'old', uid: node, version: i + 1, bound: true, ...ready });
    engine.apply({ type: 'child', daemon: 'd', child });
  });
  const view = engine.daemon('d');
  if (view === undefined) throw new Error('the engine lost its daemon');
  const limits = { maxUnavailable: 2, maxSurge: 0 };
  const order = createRolloutOrder(engine, label);
  return planRollout(engine, view, limits, order, { ...NO_WISHES, ...wishes }).remove.map((pod) => pod.metadata.uid);
}

describe.each(['available', 'unavailable'] as const)('a rollout over %s pods', (pods) => {
  it('goes by name where no label is named', () => {
    expect(chosen(pods, { partition: 1 })).toEqual(['n1', 'n2']);
    expect(chosen(pods, { canary: 1 })).toEqual(['n1']);
  });

  it('goes by the label that is named, group by group', () => {
    expect(chosen(pods, { partition: 1 }, 'zone')).toEqual(['n3', 'n2']);
    expect(chosen(pods, { canary: 1 }, 'zone')).toEqual(['n3']);
  });
});
