import { describe, expect, it } from 'vitest';
import type { Node } from '../api/types/core-v1.ts';
import { createDaemonClassifier, type Daemon } from './classify.ts';
import { describeMisfits, describeOverlaps, findMisfits, findOverlaps } from './overhead-fit.ts';
import { createOverheadLedger } from './overhead-ledger.ts';
import { readyNode } from './testing/ticket-samples.ts';

const { classify } = createDaemonClassifier();
const daemon = (kind: 'Order' | 'DaemonSet', name: string, cpu: string, nodeSelector = {}): Daemon => {
  const resources = { requests: { cpu } };
  const spec =
    kind === 'Order'
      ? { daemonSet: true, template: { spec: { resources, nodeSelector } } }
      : { template: { spec: { containers: [{ name: 'main', resources }], nodeSelector } } };
  const apiVersion = kind === 'Order' ? 'core.korder.dev/v1alpha1' : 'apps/v1';
  const object = { apiVersion, kind, metadata: { name, namespace: 'default', uid: name }, spec };
  const found = classify(object);
  if (found === undefined) throw new Error('no daemon');
  return found;
};
const node = (name: string, cpu: string, labels = {}): Node => ({
  ...readyNode(name, { labels }),
  status: { allocatable: { cpu, memory: '1Gi', pods: '110' }, conditions: [{ type: 'Ready', status: 'True' }] },
});

function ledgerOf(daemons: readonly Daemon[], nodes: readonly Node[]) {
  const ledger = createOverheadLedger();
  for (const each of daemons) ledger.setDaemon(each);
  for (const each of nodes) ledger.setNode(each);
  return ledger;
}

describe('Orders that do not fit', () => {
  const order = daemon('Order', 'a', '1500m');
  const agent = daemon('DaemonSet', 'agent', '600m');

  it('are found by what all daemons of a node ask for together', () => {
    const nodes = [node('n0', '2'), node('n1', '4'), node('n2', '1')];
    const ledger = ledgerOf([order, agent], nodes);
    const misfits = findMisfits(ledger, order, nodes);
    expect(misfits).toEqual({ count: 2, names: ['n0', 'n2'], resources: ['cpu'] });
    expect(describeMisfits(misfits)).toBe(
      '2 nodes have too little cpu for all daemons that want them: n0, n2; ' +
        'lower the requests of the Order or exclude the nodes by its node selector',
    );
    ledger.removeDaemon('agent');
    expect(findMisfits(ledger, order, nodes).names).toEqual(['n2']);
  });

  it('are not blamed for what they do not ask for, nor for nodes that they do not want', () => {
    const nodes = [node('n0', '1', { gpu: 'yes' }), node('n1', '1')];
    const greedy = daemon('DaemonSet', 'greedy', '8');
    const nothing = daemon('Order', 'b', '0', { gpu: 'yes' });
    expect(findMisfits(ledgerOf([greedy, nothing], nodes), nothing, nodes).count).toBe(0);
    const some = daemon('Order', 'c', '1m', { gpu: 'yes' });
    expect(findMisfits(ledgerOf([greedy, some], nodes), some, nodes).names).toEqual(['n0']);
  });

  it('are told with ten nodes at most', () => {
    const nodes = Array.from({ length: 12 }, (_, index) => node(`n${10 + index}`, '1'));
    const misfits = findMisfits(ledgerOf([order], nodes), order, nodes);
    expect(misfits.names).toHaveLength(10);
    expect(describeMisfits(misfits)).toContain('n10, n11, n12, n13, n14, n15, n16, n17, n18, n19 and 2 more;');
  });
});

describe('Orders that overlap', () => {
  it('are found on nodes that several of them want; DaemonSets do not count', () => {
    const nodes = [node('n0', '2', { gpu: 'yes' }), node('n1', '2')];
    const first = daemon('Order', 'a', '1');
    const second = daemon('Order', 'b', '1', { gpu: 'yes' });
    const ledger = ledgerOf([first, second, daemon('DaemonSet', 'agent', '1')], nodes);
    expect(findOverlaps(ledger, first, nodes)).toEqual({ count: 1, names: ['n0'], orders: ['default/b'] });
    expect(describeOverlaps(findOverlaps(ledger, first, nodes))).toBe(
      '1 node is wanted by other Orders too (default/b): n0',
    );
    ledger.removeDaemon('b');
    expect(findOverlaps(ledger, first, nodes).count).toBe(0);
  });
});

describe('the version of the ledger', () => {
  it('changes when answers may, and not with every state of a node', () => {
    const order = daemon('Order', 'a', '1');
    const ledger = createOverheadLedger();
    let last = ledger.version;
    const changes = (what: () => void): boolean => {
      what();
      const isChanged = ledger.version !== last;
      last = ledger.version;
      return isChanged;
    };
    const first = node('n0', '2');
    expect(changes(() => ledger.setDaemon(order))).toBe(true);
    expect(changes(() => ledger.setDaemon(order))).toBe(false);
    expect(changes(() => ledger.setNode(first))).toBe(true);
    expect(changes(() => ledger.setNode({ ...first, metadata: { ...first.metadata, resourceVersion: '9' } }))).toBe(
      false,
    );
    expect(changes(() => ledger.setNode({ ...first, spec: { unschedulable: true } }))).toBe(true);
    expect(changes(() => ledger.setNode(node('n0', '3')))).toBe(true);
    expect(changes(() => ledger.removeNode('n0'))).toBe(true);
    expect(changes(() => ledger.removeNode('n0'))).toBe(false);
    expect(changes(() => ledger.removeDaemon('a'))).toBe(true);
  });
});
