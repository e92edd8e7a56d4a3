import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RESERVATION_ANNOTATIONS, RESERVATION_LABELS as LABEL } from '../../../core/api/names.ts';
import { evaluate } from '../../../core/api/pod-security/evaluate.ts';
import type { Ticket, TicketSpec } from '../../../core/api/types/korder-v1alpha1.ts';
import { guardianHash } from '../../../core/daemons/reservation-hash.ts';
import { labelValueProblems } from '../../../core/kube/names.ts';
import type { ObjectMeta } from '../../../core/kube/meta-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { compileRequiredNodeAffinity } from '../../../core/placement/node-affinity.ts';
import { compileTolerations } from '../../../core/placement/taints.ts';
import { GUARDIAN_IMAGE, guardianPod } from './guardian-pod.ts';

const ticketWith = (spec: TicketSpec, metadata: Partial<ObjectMeta> = {}): Stored<Ticket> => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Ticket',
  metadata: {
    name: 'room',
    namespace: 'team',
    uid: 'ticket-uid',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...metadata,
  },
  spec,
});

const order = {
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Order',
  name: 'rooms',
  uid: 'order-uid',
  controller: true,
};

const quantity = fc.constantFrom('100m', '1', '256Mi', '2Gi');
const resources = fc.record(
  {
    requests: fc.record({ cpu: quantity, memory: quantity }, { requiredKeys: [] }),
    limits: fc.record({ cpu: quantity, memory: quantity }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);
const toleration = fc.record(
  {
    key: fc.constantFrom('a', 'b'),
    operator: fc.constant('Exists'),
    effect: fc.constantFrom('NoSchedule', 'NoExecute'),
  },
  { requiredKeys: ['operator'] },
);
const ticketSpec: fc.Arbitrary<TicketSpec> = fc.record(
  {
    resources,
    nodeSelector: fc.dictionary(fc.constantFrom('zone', 'arch'), fc.constantFrom('x', 'y')),
    tolerations: fc.array(toleration, { maxLength: 3 }),
    schedulerName: fc.constantFrom('default-scheduler', 'other'),
    priorityClassName: fc.constantFrom('system-node-critical', 'mine'),
    nodeName: fc.constantFrom('node-1', 'node-2'),
    duration: fc.constantFrom('1h', '2h'),
  },
  { requiredKeys: [] },
);

describe('the guardian of any Ticket', () => {
  it('passes the Pod Security level restricted in every version', () => {
    fc.assert(
      fc.property(ticketSpec, fc.constantFrom(19, 22, 25, 36), (spec, version) => {
        const { metadata, spec: made } = guardianPod(ticketWith(spec), '');
        expect(evaluate({ level: 'restricted', version }, metadata.annotations, made)).toEqual([]);
      }),
    );
  });

  it('requests what the Ticket reserves, goes where the Ticket may, and onto nodes that are not reserved yet', () => {
    fc.assert(
      fc.property(ticketSpec, (spec) => {
        const { spec: made } = guardianPod(ticketWith(spec), '');
        expect(made.containers).toHaveLength(1);
        expect(made.containers[0]?.resources).toEqual(spec.resources ?? {});
        expect(made.nodeSelector).toEqual(spec.nodeSelector);
        expect(made.schedulerName).toBe(spec.schedulerName);
        expect(made.priorityClassName).toBe(spec.priorityClassName ?? 'everynode-guardian');
        expect(made.tolerations?.slice(0, -1)).toEqual(spec.tolerations ?? []);
        const tolerates = compileTolerations(made.tolerations ?? []);
        expect(tolerates.tolerates({ key: 'everynode.dev/unreserved', effect: 'NoSchedule' })).toBe(true);
        // The scheduler judges whether the pod fits: no pod is put onto a node past it.
        expect(made.nodeName).toBe(undefined);
        expect(made.terminationGracePeriodSeconds).toBe(1);
        expect([made.automountServiceAccountToken, made.enableServiceLinks]).toEqual([false, false]);
      }),
    );
  });

  it('has a name that follows from the Ticket and the guardian before it, and labels that tell whose it is', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]([-a-z0-9.]{0,240}[a-z0-9])?$/), fc.uuid(), (name, predecessor) => {
        const ticket = ticketWith({}, { name });
        const pod = guardianPod(ticket, predecessor);
        expect(guardianPod(ticket, predecessor).metadata.name).toBe(pod.metadata.name);
        expect(guardianPod(ticket, '').metadata.name).not.toBe(pod.metadata.name);
        expect(pod.metadata.name.length).toBeLessThanOrEqual(63);
        for (const value of Object.values(pod.metadata.labels ?? {})) expect(labelValueProblems(value)).toEqual([]);
        expect(pod.metadata.ownerReferences).toMatchObject([
          { kind: 'Ticket', name, uid: 'ticket-uid', controller: true },
        ]);
      }),
    );
  });
});

describe('a guardian', () => {
  it('has the labels of its Order, and no others of the Ticket', () => {
    const labels = { [LABEL.order]: 'rooms', [LABEL.orderUid]: 'order-uid', [LABEL.templateHash]: 'x', app: 'web' };
    const ticket = ticketWith({}, { labels });
    expect(guardianPod(ticket, '').metadata.labels).toEqual({
      [LABEL.order]: 'rooms',
      [LABEL.orderUid]: 'order-uid',
      [LABEL.ticket]: 'room',
      [LABEL.ticketUid]: 'ticket-uid',
      [LABEL.guardian]: 'true',
      [LABEL.role]: 'guardian',
      [LABEL.guardianHash]: guardianHash(ticket.spec),
    });
  });

  it('is daemon overhead for an autoscaler in daemonSet mode, workload that may be moved otherwise', () => {
    const annotationsOf = (metadata: Partial<ObjectMeta>) =>
      Object.keys(guardianPod(ticketWith({}, metadata), '').metadata.annotations ?? {});
    const ownerReferences = [order];
    const overhead = ['cluster-autoscaler.kubernetes.io/daemonset-pod'];
    const workload = ['cluster-autoscaler.kubernetes.io/safe-to-evict'];
    expect(annotationsOf({ ownerReferences })).toEqual(overhead);
    expect(annotationsOf({ ownerReferences, annotations: { [RESERVATION_ANNOTATIONS.slot]: '0' } })).toEqual(workload);
    expect(annotationsOf({})).toEqual(workload);
  });

  it('of a Ticket for one node is required to be there, beside what the affinity requires', () => {
    const terms = [
      { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] },
      { matchExpressions: [{ key: 'zone', operator: 'In', values: ['b'] }] },
    ];
    const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
    const { spec } = guardianPod(ticketWith({ nodeName: 'node-1', affinity: { nodeAffinity: required } }), '');
    const { matches } = compileRequiredNodeAffinity(spec);
    const node = (name: string, zone: string) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { zone } },
      spec: {},
    });
    expect(matches(node('node-1', 'a'))).toBe(true);
    expect(matches(node('node-1', 'b'))).toBe(true);
    expect(matches(node('node-1', 'c'))).toBe(false);
    expect(matches(node('node-2', 'a'))).toBe(false);
  });

  it('shares its containers and tolerations with others of the same template', () => {
    const spec: TicketSpec = { resources: { requests: { cpu: '1' } }, tolerations: [{ operator: 'Exists' }] };
    const a = guardianPod(ticketWith(spec, { name: 'a' }), '').spec;
    const b = guardianPod(ticketWith({ ...spec }, { name: 'b' }), '').spec;
    expect(a.containers).toBe(b.containers);
    expect(a.tolerations).toBe(b.tolerations);
    const other = guardianPod(ticketWith(spec), '', 'registry.test/pause:1').spec;
    expect([a.containers[0]?.image, other.containers[0]?.image]).toEqual([GUARDIAN_IMAGE, 'registry.test/pause:1']);
  });
});
