import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../kube/objects.ts';
import type { TablePrinter } from '../kind/kind-definition.ts';
import {
  nodeClaimPrinter,
  nodePoolPrinter,
  orderPrinter,
  partitionPrinter,
  quotaPrinter,
  tenantPrinter,
  ticketPrinter,
} from './own.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');
const metadata = { name: 'x', creationTimestamp: '2026-01-01T00:00:00Z' };
const ready = [{ type: 'Ready', status: 'True', reason: 'R', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }];

/** Cells by column name. */
function cellsOf<T extends KubeObject>(printer: TablePrinter<T>, rest: object): { readonly [column: string]: unknown } {
  const cells = printer.row({ apiVersion: 'v1', kind: 'K', metadata, ...rest } as unknown as T, NOW);
  expect(cells).toHaveLength(printer.columns.length);
  return Object.fromEntries(printer.columns.map((column, index) => [column.name, cells[index]]));
}

describe('kinds of this product', () => {
  it('an order says how many tickets it wants and has', () => {
    const status = { replicas: 3, availableReplicas: 2, conditions: ready };
    expect(cellsOf(orderPrinter, { spec: { daemonSet: true, refreshPolicy: 'Always' }, status })).toMatchObject({
      Kind: 'EveryNode',
      Tickets: 3,
      Available: 2,
      Ready: 'True',
      Age: '24h',
      Refresh: 'Always',
      Paused: 'false',
    });
    expect(cellsOf(orderPrinter, { spec: { strategy: { refreshPolicy: 'Never' } } })).toMatchObject({
      Kind: '1',
      Refresh: 'Never',
    });
  });

  it('a ticket names its guardian, in either shape', () => {
    expect(cellsOf(ticketPrinter, { spec: {}, status: { phase: 'Ready', guardianPod: 'ns/g' } })).toMatchObject({
      Phase: 'Ready',
      'Guardian-Pod': 'ns/g',
      'Claimed-By': '',
    });
    const older = { phase: 'Reserved', podName: 'g', podNamespace: 'ns' };
    expect(cellsOf(ticketPrinter, { spec: {}, status: older })['Guardian-Pod']).toBe('ns/g');
  });

  it('a quota shows whether it holds', () => {
    const conditions = [
      { type: 'Enforced', status: 'True' },
      { type: 'Exceeded', status: 'False' },
    ];
    expect(cellsOf(quotaPrinter, { spec: { scope: { type: 'Cluster' } }, status: { conditions } })).toMatchObject({
      Scope: 'Cluster',
      Enforced: 'True',
      Exceeded: 'False',
    });
  });

  it('a node pool and a node claim have the columns their users know', () => {
    const spec = { template: { spec: { nodeClassRef: { name: 'default' } } }, weight: 5 };
    const status = { nodes: 4, resources: { cpu: '16', memory: '64Gi' }, conditions: ready };
    expect(cellsOf(nodePoolPrinter, { spec, status })).toMatchObject({
      NodeClass: 'default',
      Nodes: '4',
      Ready: 'True',
      Weight: 5,
      CPU: '16',
    });
    const labels = { 'node.kubernetes.io/instance-type': 'm5', 'topology.kubernetes.io/zone': 'a' };
    const claim = { metadata: { ...metadata, labels }, spec: {}, status: { nodeName: 'n1', providerID: 'p://1' } };
    expect(cellsOf(nodeClaimPrinter, claim)).toMatchObject({
      Type: 'm5',
      Zone: 'a',
      Node: 'n1',
      ID: 'p://1',
      Ready: '',
    });
  });

  it('open shapes are read with care', () => {
    expect(cellsOf(tenantPrinter, { status: { phase: 'Active', conditions: ready } })).toMatchObject({
      Status: 'Active',
      Ready: 'True',
    });
    const odd = [undefined, 'text', { phase: { a: 1 } }, { conditions: 'no' }, { conditions: [null, 7] }];
    for (const status of odd) expect(cellsOf(tenantPrinter, { status })).toMatchObject({ Status: '', Ready: '' });
    expect(cellsOf(partitionPrinter, { status: { lastSeenTime: '2026-01-01T23:59:30Z' } })['Last Seen']).toBe('30s');
  });
});
