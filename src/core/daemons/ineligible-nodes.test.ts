import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileEligibility, ORDER_POLICY } from './eligibility.ts';
import { countIneligible, describeIneligible } from './ineligible-nodes.ts';
import type { PlacementSpec } from './node-anchors.ts';
import type { NodeWish } from './testing/samples.ts';
import { anyOrderNodeWish, anyOrderPlacement, readyNode, taint } from './testing/ticket-samples.ts';

const sentence = (spec: PlacementSpec, ...wishes: readonly NodeWish[]): string =>
  describeIneligible(
    countIneligible(
      compileEligibility(spec, ORDER_POLICY),
      wishes.map((wish, index) => readyNode(`n${index}`, wish)),
    ),
  );
const GPU = { taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] };
const spec: PlacementSpec = { nodeSelector: { zone: 'a' } };
const here: NodeWish = { labels: { zone: 'a' } };

describe('why an Order wants no node', () => {
  it('is said with the number of nodes for each reason', () => {
    const wishes = [
      ...Array.from({ length: 8 }, () => ({})),
      ...Array.from({ length: 3 }, () => ({ ...here, ...GPU })),
    ];
    expect(sentence(spec, ...wishes, { ...here, ready: 'False' })).toBe(
      '0 of 12 nodes are eligible: 8 do not match the node selector, ' +
        '3 have taints that are not tolerated (dedicated=gpu:NoSchedule), 1 is not Ready',
    );
    expect(sentence({}, { unschedulable: true }, { unschedulable: true })).toBe(
      '0 of 2 nodes are eligible: 2 are cordoned',
    );
    expect(sentence({}, { unschedulable: true })).toBe('0 of 1 node is eligible: 1 is cordoned');
    expect(sentence({})).toBe('the cluster has no nodes');
    expect(sentence({}, {}, {})).toBe('2 of 2 nodes are eligible');
  });

  it('names taints that matter, and only those', () => {
    const wish: NodeWish = {
      taints: [
        taint('a', 'NoSchedule'),
        taint('b', 'NoExecute'),
        taint('c', 'PreferNoSchedule'),
        taint('d', 'NoSchedule'),
        taint('everynode.dev/unreserved', 'NoSchedule'),
        taint('node.kubernetes.io/not-ready', 'NoExecute'),
        taint('node.kubernetes.io/unschedulable', 'NoSchedule'),
      ],
      ready: 'False',
    };
    expect(sentence({ tolerations: [{ key: 'd', operator: 'Exists' }] }, wish)).toBe(
      '0 of 1 node is eligible: 1 has taints that are not tolerated (a:NoSchedule, b:NoExecute)',
    );
    const many = Array.from({ length: 7 }, (_, index) => ({ taints: [taint(`t${index}`, 'NoSchedule')] }));
    expect(sentence({}, ...many)).toContain(
      '(t0:NoSchedule, t1:NoSchedule, t2:NoSchedule, t3:NoSchedule, t4:NoSchedule and 2 more)',
    );
  });

  it('counts each node once, whatever it has', () => {
    fc.assert(
      fc.property(anyOrderPlacement, fc.array(anyOrderNodeWish, { maxLength: 8 }), (placement, wishes) => {
        const nodes = wishes.map((wish, index) => readyNode(`n${index}`, wish));
        const {
          total,
          eligible,
          selector,
          taint: tainted,
          notReady,
          cordoned,
          taints,
        } = countIneligible(compileEligibility(placement, ORDER_POLICY), nodes);
        expect(total).toBe(nodes.length);
        expect(eligible + selector + tainted + notReady + cordoned).toBe(total);
        expect(taints.length > 0).toBe(tainted > 0);
      }),
    );
  });
});
