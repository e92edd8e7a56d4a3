/** Sample Orders, Tickets, and nodes with what matters to them. */
import fc from 'fast-check';
import {
  NODE_INELIGIBLE_REASONS,
  RESERVATION_ANNOTATIONS,
  RESERVATION_LABELS,
  TICKET_CONDITIONS,
  TICKET_PHASES,
  UNRESERVED_TAINT,
} from '../../api/names.ts';
import type { Node, Taint, Toleration } from '../../api/types/core-v1.ts';
import type { Order, OrderSpec, TicketSpec } from '../../api/types/korder-v1alpha1.ts';
import type { Condition } from '../../kube/meta-v1.ts';
import type { Stored } from '../../kube/objects.ts';
import { formatTime } from '../../kube/time.ts';
import { pinnedTo } from '../daemon-pod.ts';
import { compileEligibility, ORDER_POLICY } from '../eligibility.ts';
import type { PlacementSpec } from '../node-anchors.ts';
import type { OrderDefinition } from '../order-definition.ts';
import { guardianHash } from '../reservation-hash.ts';
import type { DaemonTicket } from '../ticket-child.ts';
import type { TicketPhase } from '../ticket-phase.ts';
import { makeNode, type NodeWish } from './samples.ts';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;

export const makeOrder = (
  spec: OrderSpec = {},
  annotations: { readonly [key: string]: string } = {},
): Stored<Order> => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Order',
  metadata: {
    name: 'room',
    namespace: 'default',
    uid: 'order-uid',
    resourceVersion: '1',
    creationTimestamp: formatTime(0),
    annotations,
  },
  spec: { daemonSet: true, ...spec },
});

const SPEC: TicketSpec = { resources: { requests: { cpu: '1' } } };

export const makeDefinition = (
  more: Partial<OrderDefinition> = {},
  placement: PlacementSpec = {},
): OrderDefinition => ({
  key: 'order',
  eligibility: compileEligibility(placement, ORDER_POLICY),
  strategy: 'OneTime',
  refresh: 'OnClaim',
  graceMs: 5 * MINUTE,
  templateHash: 'new',
  guardianHash: guardianHash({ ...SPEC, affinity: pinnedTo(undefined, '') }),
  minReadySeconds: 0,
  tick: undefined,
  ...more,
});

export interface TicketWish {
  readonly node?: string;
  readonly uid?: string;
  readonly version?: number;
  readonly phase?: TicketPhase;
  readonly hash?: string;
  /** Requests another amount than the present template. */
  readonly isOtherSize?: boolean;
  readonly createdAt?: number;
  /** Reserved, claimed or finished at this time (epoch ms). */
  readonly at?: number;
  readonly renewedAt?: number;
  readonly isDeleting?: boolean;
  readonly nodeUid?: string;
  readonly predecessor?: string;
  readonly hasGuardian?: boolean;
  readonly reason?: string;
  readonly mark?: { readonly since: number; readonly reason: string } | undefined;
}

export function makeTicket(wish: TicketWish = {}): DaemonTicket {
  const { node = 'n0', uid = 't0', phase = TICKET_PHASES.pending, at = 0, createdAt = 0, mark } = wish;
  const time = formatTime(at);
  const conditions: Condition[] = [];
  if (phase === TICKET_PHASES.reserved)
    conditions.push({
      type: TICKET_CONDITIONS.ready,
      status: 'True',
      reason: '',
      message: '',
      lastTransitionTime: time,
    });
  if (mark !== undefined)
    conditions.push({
      type: TICKET_CONDITIONS.nodeEligible,
      status: 'False',
      reason: mark.reason,
      message: '',
      lastTransitionTime: formatTime(mark.since),
    });
  return {
    apiVersion: 'core.korder.dev/v1alpha1',
    kind: 'Ticket',
    metadata: {
      name: `ticket-${uid}`,
      namespace: 'default',
      uid,
      resourceVersion: String(wish.version ?? 1),
      creationTimestamp: formatTime(createdAt),
      labels: { [RESERVATION_LABELS.templateHash]: wish.hash ?? 'new' },
      annotations: {
        ...(wish.nodeUid === undefined ? {} : { [RESERVATION_ANNOTATIONS.nodeUid]: wish.nodeUid }),
        ...(wish.predecessor === undefined ? {} : { [RESERVATION_ANNOTATIONS.predecessor]: wish.predecessor }),
      },
      ...(wish.isDeleting === true ? { deletionTimestamp: formatTime(1) } : {}),
    },
    spec: {
      ...(wish.isOtherSize === true ? { resources: { requests: { cpu: '2' } } } : SPEC),
      affinity: pinnedTo(undefined, node),
    },
    status: {
      phase,
      ...(phase === TICKET_PHASES.reserved ? { activationTime: time } : {}),
      ...(phase === TICKET_PHASES.claimed ? { claimedTime: time } : {}),
      ...(phase === TICKET_PHASES.expired || phase === TICKET_PHASES.released ? { finishedTime: time } : {}),
      ...(wish.renewedAt === undefined ? {} : { renewedTime: formatTime(wish.renewedAt) }),
      ...(wish.hasGuardian === true ? { guardianPod: `default/guardian-${uid}` } : {}),
      ...(wish.reason === undefined ? {} : { reason: wish.reason }),
      ...(conditions.length === 0 ? {} : { conditions }),
    },
  };
}

/** A node that is Ready unless told otherwise. */
export const readyNode = (name: string, wish: NodeWish = {}, uid = `uid-of-${name}`): Node => {
  const node = makeNode(name, { ready: 'True', ...wish });
  return { ...node, metadata: { ...node.metadata, uid } };
};

export const taint = (key: string, effect: string, addedAt?: number): Taint => ({
  key,
  effect,
  ...(addedAt === undefined ? {} : { timeAdded: formatTime(addedAt) }),
});

const tolerateFor = (key: string, seconds: number): Toleration => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: seconds,
});

const wholeSeconds = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max }).map((s) => s * SECOND);

const anyOrderTaint: fc.Arbitrary<Taint> = fc
  .tuple(
    fc.constantFrom(
      'node.kubernetes.io/not-ready',
      'node.kubernetes.io/unreachable',
      'node.kubernetes.io/unschedulable',
      UNRESERVED_TAINT,
      'maintenance',
      'dedicated',
    ),
    fc.constantFrom('NoSchedule', 'NoExecute', 'PreferNoSchedule'),
    fc.option(wholeSeconds(60), { nil: undefined }),
  )
  .map(([key, effect, addedAt]) => taint(key, effect, addedAt));

export const anyOrderNodeWish: fc.Arbitrary<NodeWish> = fc.record(
  {
    labels: fc.dictionary(fc.constantFrom('zone'), fc.constantFrom('a', 'b')),
    taints: fc.array(anyOrderTaint, { maxLength: 2 }),
    ready: fc.constantFrom('True', 'True', 'True', 'False', 'Unknown'),
    unschedulable: fc.boolean(),
  },
  { requiredKeys: ['ready'] },
);

export const anyOrderPlacement: fc.Arbitrary<PlacementSpec> = fc.constantFrom<PlacementSpec>(
  {},
  { nodeSelector: { zone: 'a' } },
  { tolerations: [{ operator: 'Exists' }] },
  { tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }, tolerateFor('maintenance', 20)] },
  { tolerations: [tolerateFor('maintenance', 5), tolerateFor('node.kubernetes.io/not-ready', 10)] },
  { tolerations: [tolerateFor('maintenance', 0), tolerateFor('node.kubernetes.io/unreachable', 0)] },
);

export const anyDefinition: fc.Arbitrary<OrderDefinition> = fc
  .tuple(
    anyOrderPlacement,
    fc.record({
      strategy: fc.constantFrom('OneTime', 'Scheduled', 'Recurring'),
      refresh: fc.constantFrom('OnClaim', 'Always', 'Never'),
      graceMs: fc.constantFrom(0, 10 * SECOND, 40 * SECOND),
      templateHash: fc.constantFrom('new', 'old'),
      minReadySeconds: fc.constantFrom(0, 10),
      tick: fc.option(wholeSeconds(60), { nil: undefined }),
    }),
  )
  .map(([placement, more]) => makeDefinition(more, placement));

export const anyTicketWish: fc.Arbitrary<Omit<TicketWish, 'uid' | 'node' | 'version'>> = fc.record(
  {
    phase: fc.constantFrom(...Object.values(TICKET_PHASES)),
    hash: fc.constantFrom('new', 'new', 'old'),
    isOtherSize: fc.boolean(),
    createdAt: wholeSeconds(60),
    at: wholeSeconds(60),
    renewedAt: wholeSeconds(60),
    isDeleting: fc.constantFrom(false, false, false, true),
    nodeUid: fc.constantFrom('node-a', 'node-a', 'node-b'),
    predecessor: fc.constantFrom('order/t0', 'order/t1'),
    hasGuardian: fc.boolean(),
    reason: fc.constantFrom('Unschedulable', 'GuardianLost'),
    mark: fc.option(
      fc.record({ since: wholeSeconds(60), reason: fc.constantFrom(...Object.values(NODE_INELIGIBLE_REASONS)) }),
      { nil: undefined },
    ),
  },
  { requiredKeys: ['phase', 'hash'] },
);
