import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UNRESERVED_TAINT } from '../api/names.ts';
import type { Taint } from '../api/types/core-v1.ts';
import { formatTime } from '../kube/time.ts';
import { compileEligibility, DAEMON_SET_POLICY, type DaemonPolicy, ORDER_POLICY } from './eligibility.ts';
import { FOR_A_TIME, SHOULD_CONTINUE, SHOULD_RUN, TEMPORARY } from './verdict.ts';
import { createEligibilityIndex } from './eligibility-index.ts';
import type { PlacementSpec } from './node-anchors.ts';
import { anyNodeWish, anyPlacement, makeNode, type NodeWish } from './testing/samples.ts';
import { anyOrderNodeWish, anyOrderPlacement } from './testing/ticket-samples.ts';

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
    ['waiting for Orders', {}, { taints: [taint(UNRESERVED_TAINT, 'NoSchedule')] }, BOTH],
    ['waiting for Orders by another effect', {}, { taints: [taint(UNRESERVED_TAINT, 'NoExecute')] }, 0],
    [
      'tolerated for a time',
      { tolerations: [{ key: 'a', operator: 'Exists', tolerationSeconds: 60 }] },
      { taints: [taint('a', 'NoExecute')] },
      BOTH,
    ],
    [
      'tolerated for no time',
      { tolerations: [{ key: 'a', operator: 'Exists', tolerationSeconds: 0 }] },
      { taints: [taint('a', 'NoExecute')] },
      0,
    ],
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
  const KEEP = SHOULD_CONTINUE;
  const GRACE = SHOULD_CONTINUE | TEMPORARY;
  const TIMED = SHOULD_CONTINUE | FOR_A_TIME;
  const NOT_READY = 'node.kubernetes.io/not-ready';
  const UNREACHABLE = 'node.kubernetes.io/unreachable';
  const CORDON = 'node.kubernetes.io/unschedulable';
  const everything: PlacementSpec = { tolerations: [{ operator: 'Exists' }] };
  const tolerate = (key: string, tolerationSeconds?: number): PlacementSpec => ({
    tolerations: [{ key, operator: 'Exists', ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }) }],
  });
  const ready = { ready: 'True' };
  const tainted = (key: string, effect: string, more: NodeWish = {}): NodeWish => ({
    ...ready,
    taints: [taint(key, effect)],
    ...more,
  });
  const cases: readonly (readonly [string, PlacementSpec, NodeWish, number])[] = [
    ['Ready and schedulable', {}, ready, BOTH],
    ['node selector matches', { nodeSelector: { zone: 'a' } }, { ...ready, labels: { zone: 'a' } }, BOTH],
    ['node selector does not match', { nodeSelector: { zone: 'a' } }, { ...ready, labels: { zone: 'b' } }, 0],
    ['another node is named', { nodeName: 'other' }, ready, 0],
    ['not Ready', {}, { ready: 'False' }, GRACE],
    ['Ready is unknown', {}, { ready: 'Unknown' }, GRACE],
    ['has not reported yet', {}, {}, GRACE],
    ['not Ready, whatever is tolerated', everything, { ready: 'False' }, GRACE],
    ['tainted not-ready:NoExecute', {}, tainted(NOT_READY, 'NoExecute', { ready: 'False' }), GRACE],
    ['tainted not-ready:NoSchedule, and Ready since a moment ago', {}, tainted(NOT_READY, 'NoSchedule'), GRACE],
    ['tainted not-ready, tolerated, and Ready', tolerate(NOT_READY), tainted(NOT_READY, 'NoSchedule'), BOTH],
    ['tainted unreachable:NoExecute', {}, tainted(UNREACHABLE, 'NoExecute', { ready: 'Unknown' }), GRACE],
    ['unreachable, tolerated for a time', tolerate(UNREACHABLE, 30), tainted(UNREACHABLE, 'NoExecute'), TIMED],
    [
      'unreachable and not Ready, tolerated for a time',
      tolerate(UNREACHABLE, 30),
      tainted(UNREACHABLE, 'NoExecute', { ready: 'Unknown' }),
      GRACE | TIMED,
    ],
    ['unreachable, tolerated for no time', tolerate(UNREACHABLE, 0), tainted(UNREACHABLE, 'NoExecute'), 0],
    ['cordoned', {}, { ...ready, unschedulable: true }, GRACE],
    ['cordoned, by the taint alone', {}, tainted(CORDON, 'NoSchedule'), GRACE],
    ['cordoned, the taint tolerated', tolerate(CORDON), tainted(CORDON, 'NoSchedule', { unschedulable: true }), GRACE],
    ['cordoned, everything tolerated', everything, tainted(CORDON, 'NoSchedule', { unschedulable: true }), GRACE],
    ['untolerated NoSchedule', {}, tainted('dedicated', 'NoSchedule'), KEEP],
    ['tolerated NoSchedule', tolerate('dedicated'), tainted('dedicated', 'NoSchedule'), BOTH],
    ['untolerated NoSchedule, and not Ready', {}, tainted('dedicated', 'NoSchedule', { ready: 'False' }), GRACE],
    ['PreferNoSchedule', {}, tainted('slow', 'PreferNoSchedule'), BOTH],
    ['under disk pressure', {}, tainted('node.kubernetes.io/disk-pressure', 'NoSchedule'), KEEP],
    ['untolerated NoExecute', {}, tainted('maintenance', 'NoExecute'), 0],
    ['untolerated NoExecute, and not Ready', {}, tainted('maintenance', 'NoExecute', { ready: 'False' }), 0],
    ['tolerated NoExecute', tolerate('maintenance'), tainted('maintenance', 'NoExecute'), BOTH],
    ['NoExecute tolerated for a time', tolerate('maintenance', 60), tainted('maintenance', 'NoExecute'), TIMED],
    ['NoExecute tolerated for no time', tolerate('maintenance', 0), tainted('maintenance', 'NoExecute'), 0],
    ['NoSchedule tolerated, the seconds do not count', tolerate('a', 60), tainted('a', 'NoSchedule'), BOTH],
    ['waiting for Orders', {}, tainted(UNRESERVED_TAINT, 'NoSchedule'), BOTH],
    ['waiting for Orders by another effect', {}, tainted(UNRESERVED_TAINT, 'NoExecute'), 0],
  ];
  it.each(cases)('%s', (_what, spec, wish, verdict) => {
    expect(compileEligibility(spec, ORDER_POLICY).judge(makeNode('n', wish))).toBe(verdict);
  });

  it('ends a toleration by the time of the taint, or else by the time since which it is known', () => {
    const { toleratedUntil } = compileEligibility(
      {
        tolerations: [
          { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 },
          { key: 'b', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 10 },
          { key: 'b', operator: 'Exists', effect: 'NoExecute' },
          { key: 'c', operator: 'Exists' },
        ],
      },
      ORDER_POLICY,
    );
    const until = (...taints: readonly Taint[]): number => toleratedUntil(makeNode('n', { taints }), 500_000);
    const timed = (key: string, seconds: number) => ({
      ...taint(key, 'NoExecute'),
      timeAdded: formatTime(seconds * 1000),
    });
    expect(until()).toBe(Infinity);
    expect(until(timed('a', 100))).toBe(160_000);
    expect(until(taint('a', 'NoExecute'))).toBe(560_000);
    expect(until(timed('a', 100), timed('b', 120))).toBe(130_000);
    expect(until(timed('c', 100))).toBe(Infinity);
    expect(until(taint('a', 'NoSchedule'))).toBe(Infinity);
  });

  it('says every reason why not, each with what to do about it', () => {
    const explain = (spec: PlacementSpec, wish: NodeWish) =>
      compileEligibility(spec, ORDER_POLICY)
        .explain(makeNode('n', wish))
        .map(({ code, fix }) => [code, fix]);
    const all = {
      ready: 'False',
      unschedulable: true,
      taints: [taint('dedicated', 'NoSchedule'), taint('x', 'NoExecute')],
    };
    expect(
      explain(
        { nodeSelector: { zone: 'a' }, tolerations: [{ key: 'x', operator: 'Exists', tolerationSeconds: 5 }] },
        all,
      ),
    ).toEqual([
      ['NodeAffinityMismatch', "label the node `zone=a` or drop it from the pod's nodeSelector"],
      ['UntoleratedTaint', 'tolerate `dedicated:NoSchedule` or remove that taint from the node'],
      ['TaintToleratedForATime', 'tolerate `x:NoExecute` without tolerationSeconds or remove that taint from the node'],
      ['NodeUnschedulable', 'uncordon the node (`kubectl uncordon n`); a toleration does not help'],
      ['NodeNotReady', 'wait for node `n` to become Ready, or look at `kubectl describe node n`'],
    ]);
    expect(explain({}, tainted(NOT_READY, 'NoSchedule')).map(([code]) => code)).toEqual(['NodeNotReady']);
    expect(explain({}, tainted(CORDON, 'NoSchedule')).map(([code]) => code)).toEqual(['NodeUnschedulable']);
  });
});

describe('an explanation', () => {
  it('is given exactly where a node is not eligible', () => {
    const policies: readonly DaemonPolicy[] = [DAEMON_SET_POLICY, ORDER_POLICY];
    fc.assert(
      fc.property(
        fc.oneof(anyPlacement, anyOrderPlacement),
        fc.oneof(anyNodeWish, anyOrderNodeWish),
        fc.constantFrom(...policies),
        (spec, wish, policy) => {
          const eligibility = compileEligibility(spec, policy);
          const node = makeNode('n1', wish);
          expect(eligibility.explain(node).length === 0).toBe((eligibility.judge(node) & SHOULD_RUN) !== 0);
        },
      ),
    );
  });
});

describe('the index of eligibilities', () => {
  it('leaves out no daemon that wants a node, and none whose answer changes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(anyPlacement, anyOrderPlacement), { maxLength: 6 }),
        fc.oneof(anyNodeWish, anyOrderNodeWish),
        fc.oneof(anyNodeWish, anyOrderNodeWish),
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
            if (
              eligibility.judge(node) !== 0 &&
              eligibility.toleratedUntil(node, 0) !== eligibility.toleratedUntil(old, 0)
            )
              expect(concerned).toContain(i);
          });
          eligibilities.forEach((eligibility, i) => index.remove(eligibility, i));
          expect([...index.mayWant(node)]).toEqual([]);
        },
      ),
    );
  });
});
