import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node } from '../api/types/core-v1.ts';
import type { KubeObject } from '../kube/objects.ts';
import { createDaemonClassifier, type Daemon, GvkError, parseGvks } from './classify.ts';
import { SHOULD_RUN } from './verdict.ts';
import { createOverheadLedger } from './overhead-ledger.ts';
import { anyNodeWish, anyPlacement, makeNode } from './testing/samples.ts';

const { classify } = createDaemonClassifier(parseGvks('example.test/v1/GpuNode, /v1/PodTemplate'));

const resources = (cpu: string, memory: string) => ({ requests: { cpu, memory } });
const object = (apiVersion: string, kind: string, name: string, spec: unknown): KubeObject =>
  ({ apiVersion, kind, metadata: { name, namespace: 'default', uid: name }, spec }) as unknown as KubeObject;

const daemonSet = (name: string, cpu: string, placement: object = {}): KubeObject =>
  object('apps/v1', 'DaemonSet', name, {
    selector: {},
    template: { spec: { containers: [{ name: 'main', resources: resources(cpu, '10Mi') }], ...placement } },
  });

const classified = (each: KubeObject): Daemon => {
  const daemon = classify(each);
  if (daemon === undefined) throw new Error('no daemon');
  return daemon;
};

describe('the classifier', () => {
  it('knows DaemonSets, Orders in daemonSet mode and the kinds it was told of', () => {
    expect(classify(daemonSet('a', '1'))?.sort).toBe('DaemonSet');
    const order = { daemonSet: true, template: { spec: { resources: resources('2', '1Gi') } } };
    expect(classify(object('core.korder.dev/v1alpha1', 'Order', 'o', order))?.sort).toBe('Order');
    expect(classify(object('core.korder.dev/v1alpha1', 'Order', 'o', { replicas: 3 }))).toBeUndefined();
    expect(classify(object('example.test/v1', 'GpuNode', 'g', {}))?.sort).toBe('Other');
    expect(classify(object('example.test/v2', 'GpuNode', 'g', {}))).toBeUndefined();
    expect(classify(object('apps/v1', 'Deployment', 'd', {}))).toBeUndefined();
  });

  it('reads the cost of other kinds from their template, and says when it cannot', () => {
    const spec = { template: { spec: { containers: [{ name: 'main' }] } } };
    expect(classified(object('example.test/v1', 'GpuNode', 'g', spec)).spec?.containers).toHaveLength(1);
    for (const hostile of [
      {},
      null,
      7,
      { template: 1 },
      { template: { spec: { containers: 'x' } } },
      { template: { spec: { containers: [null] } } },
    ])
      expect(classified(object('example.test/v1', 'GpuNode', 'g', hostile)).spec).toBeUndefined();
  });

  it('tells daemon pods by any of their owners', () => {
    const { isDaemonPod } = createDaemonClassifier(parseGvks('example.test/v1/GpuNode'));
    const pod = (apiVersion: string, kind: string) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', ownerReferences: [{ apiVersion, kind, name: 'x', uid: 'x' }] },
      spec: { containers: [] },
    });
    expect(isDaemonPod(pod('apps/v1', 'DaemonSet'))).toBe(true);
    expect(isDaemonPod(pod('example.test/v1', 'GpuNode'))).toBe(true);
    expect(isDaemonPod(pod('apps/v1', 'ReplicaSet'))).toBe(false);
    expect(isDaemonPod(pod('other.test/v1', 'DaemonSet'))).toBe(false);
  });

  it('reads whether an Order is in daemonSet mode from its plan', () => {
    const order = (spec: object) => classify(object('core.korder.dev/v1alpha1', 'Order', 'o', spec));
    expect(order({ daemonSet: true })?.eligibility.policy.name).toBe('Order');
    expect(order({ daemonSet: false, template: {} })).toBeUndefined();
    expect(order({})).toBeUndefined();
  });

  it('takes guardians of daemonSet Orders for daemon pods, and those of replicas for workload', () => {
    const { isDaemonPod } = createDaemonClassifier();
    const guardian = (label: string, annotation: string) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'g',
        labels: { 'korder.dev/guardian': label },
        annotations: { [`cluster-autoscaler.kubernetes.io/${annotation}`]: 'true' },
        ownerReferences: [{ apiVersion: 'core.korder.dev/v1alpha1', kind: 'Ticket', name: 't', uid: 't' }],
      },
      spec: { containers: [] },
    });
    expect(isDaemonPod(guardian('true', 'daemonset-pod'))).toBe(true);
    expect(isDaemonPod(guardian('true', 'safe-to-evict'))).toBe(false);
    // Somebody else's pod with that annotation is not ours to classify.
    expect(isDaemonPod(guardian('false', 'daemonset-pod'))).toBe(false);
  });

  it('refuses a kind that is no group/version/kind', () => {
    for (const text of ['a', 'a/b', 'a/b/c/d', '//Kind', 'g/v/']) expect(() => parseGvks(text)).toThrow(GvkError);
    expect(() => parseGvks('x')).toThrow(`invalid GVK format "x", expected 'group/version/kind'`);
    expect(parseGvks(' , a/v1/B ,')).toEqual([{ group: 'a', version: 'v1', kind: 'B' }]);
  });
});

describe('the overhead ledger', () => {
  it('sums what every wanting daemon asks for', () => {
    const ledger = createOverheadLedger();
    ledger.setDaemon(classified(daemonSet('logs', '100m')));
    ledger.setDaemon(classified(daemonSet('gpu', '1', { nodeSelector: { gpu: 'yes' } })));
    const order = { daemonSet: true, template: { spec: { resources: resources('2', '1Gi') } } };
    ledger.setDaemon(classified(object('core.korder.dev/v1alpha1', 'Order', 'o', order)));
    ledger.setNode(makeNode('plain', { ready: 'True' }));
    ledger.setNode(makeNode('gpu', { ready: 'True', labels: { gpu: 'yes' } }));
    ledger.setNode(makeNode('down', { ready: 'False' }));
    expect(ledger.onNode('plain')).toMatchObject({ cpu: 2100, pods: 2 });
    expect(ledger.onNode('gpu')).toMatchObject({ cpu: 3100, pods: 3 });
    // Nothing is reserved on a node that cannot be used.
    expect(ledger.onNode('down')).toMatchObject({ cpu: 100, pods: 1 });
    expect(ledger.daemonsOn(makeNode('new', { labels: { gpu: 'yes' } })).map((daemon) => daemon.key)).toEqual([
      'logs',
      'gpu',
    ]);
  });

  const step = fc.oneof(
    fc.record({ do: fc.constant('node' as const), name: fc.constantFrom('n0', 'n1', 'n2'), wish: anyNodeWish }),
    fc.record({ do: fc.constant('node-gone' as const), name: fc.constantFrom('n0', 'n1', 'n2') }),
    fc.record({
      do: fc.constant('daemon' as const),
      key: fc.constantFrom('d0', 'd1', 'd2'),
      cpu: fc.integer({ min: 0, max: 5 }),
      placement: anyPlacement,
    }),
    fc.record({ do: fc.constant('daemon-gone' as const), key: fc.constantFrom('d0', 'd1', 'd2') }),
  );

  it('holds after any sequence of events what adding up anew would give', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 10, maxLength: 60 }), (steps) => {
        const ledger = createOverheadLedger();
        const nodes = new Map<string, Node>();
        const daemons = new Map<string, { readonly daemon: Daemon; readonly cpu: number }>();
        for (const each of steps) {
          if (each.do === 'node') {
            nodes.set(each.name, makeNode(each.name, each.wish));
            ledger.setNode(makeNode(each.name, each.wish));
          } else if (each.do === 'node-gone') {
            nodes.delete(each.name);
            ledger.removeNode(each.name);
          } else if (each.do === 'daemon') {
            const daemon = classified(daemonSet(each.key, `${each.cpu}m`, each.placement));
            daemons.set(each.key, { daemon, cpu: each.cpu });
            ledger.setDaemon(daemon);
          } else {
            daemons.delete(each.key);
            ledger.removeDaemon(each.key);
          }
          for (const [name, node] of nodes) {
            const wanting = [...daemons.values()].filter(
              ({ daemon }) => (daemon.eligibility.judge(node) & SHOULD_RUN) !== 0,
            );
            const cpu = wanting.reduce((sum, one) => sum + one.cpu, 0);
            expect(ledger.onNode(name)).toMatchObject({ cpu, pods: wanting.length });
            expect(ledger.forNode(node)).toMatchObject({ cpu, pods: wanting.length });
            expect(ledger.daemonsOn(node)).toHaveLength(wanting.length);
          }
        }
      }),
      { numRuns: 150 },
    );
  });
});
