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
    const status = {
      replicas: 3,
      availableReplicas: 2,
      conditions: ready,
      nextScheduleTime: '2026-01-02T03:00:00Z',
    };
    expect(cellsOf(orderPrinter, { spec: { daemonSet: true, refreshPolicy: 'Always' }, status })).toEqual({
      Name: 'x',
      Mode: 'EveryNode',
      Wanted: 3,
      Available: 2,
      Strategy: 'OneTime',
      Ready: 'True',
      Age: '24h',
      Refresh: 'Always',
      Paused: 'false',
      Next: '3h',
    });
    const strategy = { type: 'Recurring', refreshPolicy: 'Never' };
    expect(cellsOf(orderPrinter, { spec: { replicas: 4, paused: true, strategy } })).toMatchObject({
      Mode: 'Replicas',
      Wanted: 4,
      Available: 0,
      Strategy: 'Recurring',
      Ready: '',
      Refresh: 'Never',
      Paused: 'true',
      Next: '',
    });
    expect(cellsOf(orderPrinter, { spec: { daemonSet: true } })).toMatchObject({ Wanted: 0, Refresh: 'OnClaim' });
  });

  it('a ticket says where it holds room, and for how long', () => {
    const held = {
      phase: 'Reserved',
      nodeName: 'n1',
      guardianPod: 'ns/g',
      activationTime: '2026-01-01T00:00:00Z',
      expirationTime: '2026-01-02T08:00:00Z',
    };
    expect(cellsOf(ticketPrinter, { spec: {}, status: held })).toEqual({
      Name: 'x',
      Phase: 'Reserved',
      Node: 'n1',
      'Claimed-By': '',
      Expires: '8h',
      Age: '24h',
      'Guardian-Pod': 'ns/g',
      Reason: '',
    });
    const { expirationTime: _, ...endless } = held;
    expect(cellsOf(ticketPrinter, { spec: {}, status: endless })['Expires']).toBe('never');
    const over = { ...held, phase: 'Expired', expirationTime: '2026-01-01T23:55:00Z' };
    expect(cellsOf(ticketPrinter, { spec: {}, status: over })['Expires']).toBe('5m ago');
  });

  it('a ticket without a status waits', () => {
    expect(cellsOf(ticketPrinter, { spec: {} })).toMatchObject({ Phase: 'Pending', Node: '', Expires: '' });
    const waiting = { phase: 'Pending', reason: 'Unschedulable' };
    expect(cellsOf(ticketPrinter, { spec: {}, status: waiting })['Reason']).toBe('Unschedulable');
  });

  it('a ticket names its guardian in the older shape too', () => {
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
