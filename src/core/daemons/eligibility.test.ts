import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compileEligibility,
  DAEMON_SET_POLICY,
  type DaemonPolicy,
  ORDER_POLICY,
  SHOULD_CONTINUE,
  SHOULD_RUN,
} from './eligibility.ts';
import { createEligibilityIndex } from './eligibility-index.ts';
import type { PlacementSpec } from './node-anchors.ts';
import { anyNodeWish, anyPlacement, makeNode, type NodeWish } from './testing/samples.ts';

const BOTH = SHOULD_RUN | SHOULD_CONTINUE;
const taint = (key: string, effect: string) => ({ key, effect });

describe('eligibility of nodes for DaemonSets', () => {
  const cases: readonly (readonly [string, PlacementSpec, NodeWish, number])[] = [
    ['any node', {}, {}, BOTH],
    ['another node is named', { nodeName: 'other' }, {}, 0],
    ['this node is named', { nodeName: 'n' }, {}, BOTH],
    ['selector matches', { nodeSelector: { zone: 'a' } }, { labels: { zone: 'a' } }, BOTH],
    ['selector does not match', { nodeSelector: { zone: 'a' } }, { labels: { zone: 'b' } }, 0],
    ['cordoned', {}, { unschedulable: true, taints: [taint('node.kubernetes.io/unschedulable', 'NoSchedule')] }, BOTH],
    ['not ready, without a taint', {}, { ready: 'False' }, BOTH],
    [
      'not ready, tainted NoSchedule',
      {},
      { taints: [taint('node.kubernetes.io/not-ready', 'NoSchedule')] },
      SHOULD_CONTINUE,
    ],
    ['not ready, tainted NoExecute', {}, { taints: [taint('node.kubernetes.io/not-ready', 'NoExecute')] }, BOTH],
    ['unreachable, tainted NoExecute', {}, { taints: [taint('node.kubernetes.io/unreachable', 'NoExecute')] }, BOTH],
    ['under memory pressure', {}, { taints: [taint('node.kubernetes.io/memory-pressure', 'NoSchedule')] }, BOTH],
    ['under disk pressure', {}, { taints: [taint('node.kubernetes.io/disk-pressure', 'NoSchedule')] }, BOTH],
    ['under pid pressure', {}, { taints: [taint('node.kubernetes.io/pid-pressure', 'NoSchedule')] }, BOTH],
    [
      'without network',
      {},
      { taints: [taint('node.kubernetes.io/network-unavailable', 'NoSchedule')] },
      SHOULD_CONTINUE,
    ],
    [
      'without network, on the host network',
      { hostNetwork: true },
      { taints: [taint('node.kubernetes.io/network-unavailable', 'NoSchedule')] },
      BOTH,
    ],
    ['untolerated NoSchedule', {}, { taints: [taint('dedicated', 'NoSchedule')] }, SHOULD_CONTINUE],
    ['untolerated NoExecute', {}, { taints: [taint('dedicated', 'NoExecute')] }, 0],
    [
      'both, one tolerated',
      { tolerations: [{ key: 'a', operator: 'Exists' }] },
      { taints: [taint('a', 'NoExecute'), taint('b', 'NoSchedule')] },
      SHOULD_CONTINUE,
    ],
    [
      'tolerated',
      { tolerations: [{ key: 'dedicated', operator: 'Exists' }] },
      { taints: [taint('dedicated', 'NoExecute')] },
      BOTH,
    ],
    ['PreferNoSchedule', {}, { taints: [taint('slow', 'PreferNoSchedule')] }, BOTH],
  ];
  it.each(cases)('%s', (_what, spec, wish, verdict) => {
    expect(compileEligibility(spec).judge(makeNode('n', wish))).toBe(verdict);
  });

  it('never looks at what an affinity term that cannot be read says, but at the others', () => {
    const terms = (...nodeSelectorTerms: readonly object[]) =>
      ({
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
      }) as PlacementSpec;
    const bad = { matchExpressions: [{ key: 'zone', operator: 'Sometimes' }] };
    const good = { matchExpressions: [{ key: 'zone', operator: 'Exists' }] };
    const node = makeNode('n', { labels: { zone: 'a' } });
    expect(compileEligibility(terms(bad)).judge(node)).toBe(0);
    expect(compileEligibility(terms(bad, good)).judge(node)).toBe(BOTH);
    expect(compileEligibility(terms({})).judge(node)).toBe(0);
    expect(compileEligibility(terms()).judge(node)).toBe(0);
  });

  it('says why not, and what to do about it', () => {
    const spec = { nodeSelector: { zone: 'a' } };
    const [affinity, untolerated] = compileEligibility(spec).explain(
      makeNode('n', { taints: [taint('dedicated', 'NoSchedule')] }),
    );
    expect(affinity?.code).toBe('NodeAffinityMismatch');
    expect(untolerated?.fix).toContain('tolerate `dedicated:NoSchedule`');
    expect(compileEligibility({ nodeName: 'x' }).explain(makeNode('n'))[0]?.code).toBe('NodeNameMismatch');
  });

  it('is one for templates that place pods alike', () => {
    const first = compileEligibility({ nodeSelector: { zone: 'a' } });
    expect(compileEligibility({ nodeSelector: { zone: 'a' } })).toBe(first);
    expect(compileEligibility({ nodeSelector: { zone: 'b' } })).not.toBe(first);
  });
});

describe('eligibility of nodes for Orders', () => {
  it('asks for nodes that are ready and not cordoned, but takes nothing away', () => {
    const judge = (wish: NodeWish): number => compileEligibility({}, ORDER_POLICY).judge(makeNode('n', wish));
    expect(judge({ ready: 'True' })).toBe(BOTH);
    expect(judge({})).toBe(SHOULD_CONTINUE);
    expect(judge({ ready: 'Unknown' })).toBe(SHOULD_CONTINUE);
    expect(judge({ ready: 'True', unschedulable: true })).toBe(SHOULD_CONTINUE);
    expect(judge({ ready: 'True', taints: [taint('node.kubernetes.io/disk-pressure', 'NoSchedule')] })).toBe(
      SHOULD_CONTINUE,
    );
  });
  it('says why not', () => {
    const codes = compileEligibility({}, ORDER_POLICY)
      .explain(makeNode('n', { ready: 'False', unschedulable: true }))
      .map((no) => no.code);
    expect(codes).toEqual(['NodeUnschedulable', 'NodeNotReady']);
  });
});

describe('an explanation', () => {
  it('is given exactly where a node is not eligible', () => {
    const policies: readonly DaemonPolicy[] = [DAEMON_SET_POLICY, ORDER_POLICY];
    fc.assert(
      fc.property(anyPlacement, anyNodeWish, fc.constantFrom(...policies), (spec, wish, policy) => {
        const eligibility = compileEligibility(spec, policy);
        const node = makeNode('n1', wish);
        expect(eligibility.explain(node).length === 0).toBe((eligibility.judge(node) & SHOULD_RUN) !== 0);
      }),
    );
  });
});

describe('the index of eligibilities', () => {
  it('leaves out no daemon that wants a node, and none whose answer changes', () => {
    fc.assert(
      fc.property(
        fc.array(anyPlacement, { maxLength: 6 }),
        anyNodeWish,
        anyNodeWish,
        fc.constantFrom('n1', 'n2', 'n3'),
        (specs, before, after, name) => {
          const index = createEligibilityIndex<number>();
          const eligibilities = specs.flatMap((spec) => [
            compileEligibility(spec),
            compileEligibility(spec, ORDER_POLICY),
          ]);
          eligibilities.forEach((eligibility, i) => index.add(eligibility, i));
          const old = makeNode(name, before);
          const node = makeNode(name, after);
          const may = new Set([...index.mayWant(node)].flatMap((group) => [...group.daemons]));
          const concerned = new Set([...index.concerned(old, node)].flatMap((group) => [...group.daemons]));
          eligibilities.forEach((eligibility, i) => {
            if (eligibility.judge(node) !== 0) expect(may).toContain(i);
            if (eligibility.judge(node) !== eligibility.judge(old)) expect(concerned).toContain(i);
          });
          eligibilities.forEach((eligibility, i) => index.remove(eligibility, i));
          expect([...index.mayWant(node)]).toEqual([]);
        },
      ),
    );
  });
});
