import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node } from '../../../core/api/types/core-v1.ts';
import type { Order } from '../../../core/api/types/korder-v1alpha1.ts';
import { createDaemonClassifier } from '../../../core/daemons/classify.ts';
import { findMisfits, findOverlaps } from '../../../core/daemons/overhead-fit.ts';
import { createOverheadLedger } from '../../../core/daemons/overhead-ledger.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { createNodeCensus } from './node-census.ts';

interface NodeWish {
  readonly pool: string;
  readonly cpu: number;
  readonly isReady: boolean;
}

const nodeOf = (name: string, { pool, cpu, isReady }: NodeWish): Stored<Node> => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: '', labels: { pool } },
  spec: {},
  status: {
    allocatable: { cpu: String(cpu), memory: '4Gi', pods: '3' },
    conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
  },
});

const orderOf = (name: string, pool: string | undefined, cpu: number): Stored<Order> => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Order',
  metadata: { name, namespace: 'default', uid: name, resourceVersion: '1', creationTimestamp: '' },
  spec: {
    daemonSet: true,
    template: {
      spec: {
        resources: { requests: cpu === 0 ? { memory: '1Gi' } : { cpu: String(cpu) } },
        ...(pool === undefined ? {} : { nodeSelector: { pool } }),
      },
    },
  },
});

type Step =
  | { readonly do: 'node'; readonly name: string; readonly wish: NodeWish }
  | { readonly do: 'node-gone'; readonly name: string }
  | { readonly do: 'order'; readonly name: string; readonly pool: string | undefined; readonly cpu: number }
  | { readonly do: 'order-gone'; readonly name: string };

const node = fc.constantFrom('n0', 'n1', 'n2', 'n3');
const order = fc.constantFrom('o0', 'o1', 'o2');
const pool = fc.constantFrom('a', 'b');
const wish = fc.record({ pool, cpu: fc.integer({ min: 1, max: 4 }), isReady: fc.boolean() });

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('node' as const), name: node, wish }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('node-gone' as const), name: node }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('order' as const),
      name: order,
      pool: fc.option(pool, { nil: undefined }),
      cpu: fc.integer({ min: 0, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('order-gone' as const), name: order }) },
);

/** The answers of functions that go through all nodes. */
function answersFromNothing(nodes: readonly Stored<Node>[], orders: readonly Stored<Order>[]) {
  const ledger = createOverheadLedger();
  const classifier = createDaemonClassifier();
  for (const each of nodes) ledger.setNode(each);
  const daemons = orders.map((each) => classifier.classify(each)).filter((daemon) => daemon !== undefined);
  for (const daemon of daemons) ledger.setDaemon(daemon);
  return daemons.map((daemon) => ({
    uid: daemon.key,
    overlaps: findOverlaps(ledger, daemon, nodes),
    misfits: findMisfits(ledger, daemon, nodes),
  }));
}

describe('the census of nodes', () => {
  it('answers as one that goes through all nodes, and tells every Order whose answer changes', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 30 }), (steps) => {
        const told = new Set<string>();
        const census = createNodeCensus((uid) => told.add(uid));
        const nodes = new Map<string, Stored<Node>>();
        const orders = new Map<string, Stored<Order>>();
        let before = new Map<string, string>();
        for (const step of steps) {
          told.clear();
          if (step.do === 'node') {
            nodes.set(step.name, nodeOf(step.name, step.wish));
            census.setNode(nodeOf(step.name, step.wish));
          } else if (step.do === 'node-gone') {
            nodes.delete(step.name);
            census.removeNode(step.name);
          } else if (step.do === 'order') {
            orders.set(step.name, orderOf(step.name, step.pool, step.cpu));
            census.setOrder(orderOf(step.name, step.pool, step.cpu));
          } else {
            orders.delete(step.name);
            census.removeOrder(step.name);
          }
          const wanted = answersFromNothing([...nodes.values()], [...orders.values()]);
          const found = wanted.map(({ uid }) => ({
            uid,
            overlaps: census.overlapsOf(uid),
            misfits: census.misfitsOf(uid),
          }));
          expect(found).toEqual(wanted);
          const after = new Map(found.map((answer) => [answer.uid, JSON.stringify(answer.overlaps)]));
          // The Order that changed is being reconciled anyway.
          for (const [uid, text] of after)
            if (before.has(uid) && before.get(uid) !== text && !('name' in step && step.name === uid))
              expect(told.has(uid)).toBe(true);
          before = after;
        }
      }),
    );
  });

  it('names ten nodes and counts the rest', () => {
    const census = createNodeCensus(() => undefined);
    for (let i = 0; i < 15; i += 1) census.setNode(nodeOf(`n${i}`, { pool: 'a', cpu: 4, isReady: true }));
    census.setOrder(orderOf('one', undefined, 1));
    census.setOrder(orderOf('two', 'a', 1));
    const { count, names, orders } = census.overlapsOf('one');
    expect([count, names.length, orders]).toEqual([15, 10, ['default/two']]);
  });

  it('tells nobody of heartbeats', () => {
    const told: string[] = [];
    const census = createNodeCensus((uid) => void told.push(uid));
    const first = nodeOf('n0', { pool: 'a', cpu: 4, isReady: true });
    census.setNode(first);
    census.setOrder(orderOf('one', undefined, 1));
    census.setOrder(orderOf('two', 'a', 1));
    census.overlapsOf('one');
    told.length = 0;
    census.setNode({ ...first, metadata: { ...first.metadata, resourceVersion: '2' } });
    expect(told).toEqual([]);
  });
});
