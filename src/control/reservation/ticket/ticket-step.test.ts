import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RESERVATION_LABELS } from '../../../core/api/names.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Ticket, TicketSpec, TicketStatus } from '../../../core/api/types/korder-v1alpha1.ts';
import { guardianHash } from '../../../core/daemons/reservation-hash.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { formatTime } from '../../../core/kube/time.ts';
import { fullName, isAlive, isHolding } from './guardian-state.ts';
import { statusAfter, windowEnd } from './ticket-status.ts';
import { type Heir, nextStep, type TicketFacts } from './ticket-step.ts';

const NOW = Date.UTC(2026, 0, 1, 12);
const SPEC: TicketSpec = { resources: { requests: { cpu: '1' } }, duration: '1h', ttlSecondsAfterFinished: 60 };

const ticketWith = (status: TicketStatus, spec: TicketSpec = SPEC): Stored<Ticket> => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Ticket',
  metadata: {
    name: 'room',
    namespace: 'team',
    uid: 't',
    resourceVersion: '1',
    creationTimestamp: formatTime(NOW),
    generation: 1,
  },
  spec,
  status,
});

type State = 'unscheduled' | 'refused' | 'starting' | 'running' | 'small' | 'unready' | 'deleting' | 'failed';

function guardian(uid: string, state: State, spec: TicketSpec = SPEC): Stored<Pod> {
  const isBound = state !== 'unscheduled' && state !== 'refused';
  const cpu = state === 'small' ? '100m' : '1';
  const isRunning = state === 'running' || state === 'small' || state === 'unready' || state === 'deleting';
  const refused = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no room' };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: uid,
      namespace: 'team',
      uid,
      resourceVersion: '1',
      creationTimestamp: formatTime(NOW - 60_000),
      labels: { [RESERVATION_LABELS.guardianHash]: guardianHash(spec) },
      ...(state === 'deleting' ? { deletionTimestamp: formatTime(NOW) } : {}),
    },
    spec: {
      containers: [{ name: 'guardian', resources: { requests: { cpu } } }],
      ...(isBound ? { nodeName: 'node' } : {}),
    },
    status: {
      phase: state === 'failed' ? 'Failed' : isRunning ? 'Running' : 'Pending',
      conditions:
        state === 'refused'
          ? [refused]
          : [{ type: 'Ready', status: isRunning && state !== 'unready' ? 'True' : 'False' }],
    },
  };
}

const factsWith = (ticket: Stored<Ticket>, facts: Partial<TicketFacts> = {}): TicketFacts => ({
  ticket,
  guardians: [],
  shades: [],
  claimant: 'none',
  follower: undefined,
  isFollowed: false,
  refusedClaim: undefined,
  inheritance: undefined,
  heir: 'none',
  expiresAt: undefined,
  renews: false,
  keepsFinished: false,
  mayMake: true,
  toldAt: undefined,
  now: NOW,
  ...facts,
});

const RESERVED: TicketStatus = { phase: 'Reserved', guardianPod: 'team/g', nodeName: 'node' };

describe('the next step of a Ticket', () => {
  it.each<[string, Partial<TicketFacts> & { readonly ticket: Stored<Ticket> }, object]>([
    ['a new one', { ticket: ticketWith({}) }, { type: 'make' }],
    [
      'before its start',
      { ticket: ticketWith({}, { ...SPEC, startTime: formatTime(NOW + 9_000) }) },
      { type: 'rest', until: NOW + 9_000 },
    ],
    ['whose node is drained', { ticket: ticketWith({}), mayMake: false }, { type: 'rest' }],
    [
      'with a guardian that waits',
      { ticket: ticketWith({}), guardians: [guardian('g', 'starting')] },
      { type: 'rest' },
    ],
    [
      'with a guardian that is refused',
      { ticket: ticketWith({}), guardians: [guardian('g', 'refused')] },
      { type: 'report', report: { type: 'unschedulable', message: 'no room' } },
    ],
    [
      'with a guardian that runs',
      { ticket: ticketWith({}), guardians: [guardian('g', 'running')] },
      { type: 'report', report: { type: 'reserved' } },
    ],
    [
      'with a guardian that is too small',
      { ticket: ticketWith({}), guardians: [guardian('g', 'small')] },
      { type: 'report', report: { type: 'too-small' } },
    ],
    ['that has grown', { ticket: ticketWith(RESERVED), guardians: [guardian('g', 'small', {})] }, { type: 'remove' }],
    [
      'Reserved',
      { ticket: ticketWith(RESERVED), guardians: [guardian('g', 'running')], expiresAt: NOW + 5 },
      { type: 'rest', until: NOW + 5 },
    ],
    [
      'Reserved on a silent node',
      { ticket: ticketWith(RESERVED), guardians: [guardian('g', 'unready')] },
      { type: 'rest' },
    ],
    ['Reserved, guardian gone', { ticket: ticketWith(RESERVED) }, { type: 'report', report: { type: 'lost' } }],
    ['Reserved, guardian passed on', { ticket: ticketWith(RESERVED), heir: 'served' }, { type: 'rest' }],
    [
      'whose predecessor has a guardian',
      { ticket: ticketWith({}), inheritance: guardian('old', 'running') },
      { type: 'take' },
    ],
    [
      'whose own guardian has no node, though that of its predecessor has',
      { ticket: ticketWith({}), guardians: [guardian('g', 'refused')], inheritance: guardian('old', 'running') },
      { type: 'remove', guardians: [{ metadata: { name: 'g' } }] },
    ],
    [
      'whose own guardian waits, as does that of its predecessor',
      {
        ticket: ticketWith({}),
        guardians: [guardian('g', 'unscheduled')],
        inheritance: guardian('old', 'unscheduled'),
      },
      { type: 'rest' },
    ],
    [
      'whose own guardian waits, and which has a successor itself',
      {
        ticket: ticketWith({}),
        guardians: [guardian('g', 'unscheduled')],
        inheritance: guardian('old', 'running'),
        heir: 'waiting',
      },
      { type: 'rest' },
    ],
    [
      'whose time is over',
      { ticket: ticketWith(RESERVED), guardians: [guardian('g', 'running')], expiresAt: NOW },
      { type: 'report', report: { type: 'expired', keeps: undefined } },
    ],
    [
      'that will have a successor',
      { ticket: ticketWith(RESERVED), guardians: [guardian('g', 'running')], expiresAt: NOW, renews: true },
      { type: 'report', report: { type: 'expired', keeps: { metadata: { name: 'g' } } } },
    ],
    [
      'Expired, kept for a successor',
      { ticket: ticketWith({ ...RESERVED, phase: 'Expired' }), guardians: [guardian('g', 'running')], renews: true },
      { type: 'rest' },
    ],
    [
      'Expired, not kept, its Order resumed since',
      { ticket: ticketWith({ phase: 'Expired' }), guardians: [guardian('g', 'running')], renews: true },
      { type: 'remove' },
    ],
    [
      'Expired, guardian taken',
      { ticket: ticketWith({ ...RESERVED, phase: 'Expired' }), heir: 'served' },
      { type: 'report', report: { type: 'parted' } },
    ],
    [
      'Expired, guardian left',
      { ticket: ticketWith({ phase: 'Expired' }), guardians: [guardian('g', 'running')] },
      { type: 'remove' },
    ],
    [
      'Expired, within its TTL',
      { ticket: ticketWith({ phase: 'Expired', finishedTime: formatTime(NOW - 1_000) }) },
      { type: 'rest', until: NOW + 59_000 },
    ],
    [
      'Expired, after its TTL',
      { ticket: ticketWith({ phase: 'Expired', finishedTime: formatTime(NOW - 60_000) }) },
      { type: 'end' },
    ],
    [
      'Expired, by somebody who did not say when',
      { ticket: ticketWith({ phase: 'Expired', expirationTime: formatTime(NOW + 3_600_000) }) },
      { type: 'report', report: { type: 'parted' } },
    ],
    [
      'Released, by somebody who did not say when',
      { ticket: ticketWith({ phase: 'Released' }) },
      { type: 'report', report: { type: 'parted' } },
    ],
    [
      'Expired, needed by its Order',
      { ticket: ticketWith({ phase: 'Expired', finishedTime: formatTime(NOW - 60_000) }), keepsFinished: true },
      { type: 'rest' },
    ],
    [
      'Expired, to be retained',
      { ticket: ticketWith({ phase: 'Expired', finishedTime: formatTime(0) }, { ...SPEC, cleanupPolicy: 'Retain' }) },
      { type: 'rest' },
    ],
    [
      'Released, after its TTL',
      { ticket: ticketWith({ phase: 'Released', finishedTime: formatTime(NOW - 60_000) }) },
      { type: 'end' },
    ],
  ])('%s', (_name, { ticket, ...facts }, step) => {
    expect(nextStep(factsWith(ticket, facts))).toMatchObject(step);
  });
});

const STATES: readonly State[] = [
  'unscheduled',
  'refused',
  'starting',
  'running',
  'small',
  'unready',
  'deleting',
  'failed',
];
const anyGuardians = fc
  .array(fc.constantFrom(...STATES), { maxLength: 3 })
  .map((states) => states.map((state, at) => guardian(`g${at}`, state)));
const anyStatus: fc.Arbitrary<TicketStatus> = fc.record(
  {
    phase: fc.constantFrom('Pending', 'Reserved', 'Expired', 'Released'),
    guardianPod: fc.constantFrom('team/g0', 'team/g1', 'team/other'),
    nodeName: fc.constant('node'),
    finishedTime: fc.constantFrom(formatTime(NOW - 120_000), formatTime(NOW - 1_000)),
    reason: fc.constantFrom('GuardianLost', 'Unschedulable', 'GuardianTooSmall'),
  },
  { requiredKeys: [] },
);
const anyFacts: fc.Arbitrary<TicketFacts> = fc
  .record({
    status: anyStatus,
    guardians: anyGuardians,
    inherits: fc.constantFrom<State | undefined>(undefined, 'running', 'unscheduled'),
    heir: fc.constantFrom<Heir>('none', 'waiting', 'served'),
    expiresAt: fc.constantFrom(undefined, NOW - 1, NOW + 1),
    renews: fc.boolean(),
    keepsFinished: fc.boolean(),
    mayMake: fc.boolean(),
    toldAt: fc.constantFrom(undefined, NOW - 1_000, NOW - 3_600_000),
  })
  .map(({ status, inherits, ...facts }) =>
    factsWith(ticketWith(status), { ...facts, inheritance: inherits && guardian('old', inherits) }),
  );

/** Carries steps out on paper until the Ticket rests or ends. */
function settle(first: TicketFacts): {
  readonly facts: TicketFacts;
  readonly isGone: boolean;
  readonly removed: readonly Stored<Pod>[];
} {
  let facts = first;
  const removed: Stored<Pod>[] = [];
  for (let steps = 0; steps < 10; steps += 1) {
    const step = nextStep(facts);
    const { ticket, guardians } = facts;
    switch (step.type) {
      case 'rest':
        if (step.until !== undefined) expect(step.until).toBeGreaterThan(NOW);
        return { facts, isGone: false, removed };
      case 'end':
        return { facts, isGone: true, removed };
      case 'ask':
      case 'shade':
      case 'unshade':
      case 'bind':
        throw new Error(`without a claim there is no ${step.type}`);
      case 'report':
        facts = { ...facts, ticket: { ...ticket, status: statusAfter(ticket, step.report, NOW) } };
        if (step.report.type === 'unschedulable') facts = { ...facts, toldAt: NOW };
        break;
      case 'make':
        facts = { ...facts, guardians: [...guardians, guardian('new', 'unscheduled')] };
        break;
      case 'take':
        // Two would ask for the room twice, and the scheduler might give it twice.
        expect(guardians.filter(isAlive)).toEqual([]);
        facts = { ...facts, guardians: [...guardians, step.guardian], inheritance: undefined };
        break;
      case 'remove':
        removed.push(...step.guardians);
        facts = { ...facts, guardians: guardians.filter((pod) => !step.guardians.includes(pod)) };
        break;
    }
  }
  throw new Error('it does not come to rest');
}

describe('steps carried out one after the other', () => {
  it('come to rest, where the phase says what the guardians are', () => {
    fc.assert(
      fc.property(anyFacts, (first) => {
        const { facts, isGone } = settle(first);
        const { status } = facts.ticket;
        const alive = facts.guardians.filter(isAlive);
        if (isGone) {
          expect(['Expired', 'Released']).toContain(status?.phase);
          return;
        }
        if (status?.phase === 'Released') return;
        expect(alive.length).toBeLessThanOrEqual(status?.phase === 'Expired' ? 3 : 1);
        const [held] = alive;
        if (status?.phase === 'Reserved' && facts.heir === 'none')
          expect(status.guardianPod).toBe(held && fullName(held));
        if (held !== undefined && isHolding(held) && (status?.phase ?? 'Pending') === 'Pending')
          expect(status?.reason).toBe('GuardianTooSmall');
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['Expired', 'Released'])('begin the TTL of a Ticket that is %s without a time', (phase) => {
    const { facts } = settle(factsWith(ticketWith({ phase })));
    expect(facts.ticket.status).toMatchObject({ phase, reason: phase, finishedTime: formatTime(NOW) });
    expect(nextStep({ ...facts, now: NOW + 60_000 })).toEqual({ type: 'end' });
  });

  it('never bring back a Ticket that has ended', () => {
    fc.assert(
      fc.property(anyFacts, (first) => {
        const { facts } = settle(first);
        const before = first.ticket.status?.phase;
        if (before === 'Expired' || before === 'Released') expect(facts.ticket.status?.phase).toBe(before);
      }),
    );
  });

  it('remove no guardian that holds the room of a Ticket whose time runs, but surplus ones', () => {
    fc.assert(
      fc.property(anyFacts, (first) => {
        const { facts, removed } = settle(first);
        if (facts.ticket.status?.phase !== 'Reserved') return;
        if (removed.some(isHolding)) expect(facts.guardians.some((pod) => isAlive(pod))).toBe(true);
      }),
    );
  });

  it('keep a guardian for a successor until it is taken', () => {
    fc.assert(
      fc.property(anyFacts, (first) => {
        const { phase, guardianPod } = first.ticket.status ?? {};
        // Of a Ticket that has ended the status says which guardian was to stay.
        const isNamed =
          phase !== 'Expired' || first.guardians.some((pod) => isAlive(pod) && fullName(pod) === guardianPod);
        const isWanted = first.heir === 'waiting' || (first.heir === 'none' && first.renews && isNamed);
        const { facts, removed } = settle(first);
        if (facts.ticket.status?.phase !== 'Expired' || !isWanted) return;
        expect(removed.filter(isAlive)).toEqual([]);
      }),
    );
  });
});

describe('the status', () => {
  it('of a Ticket that is Reserved again keeps its times', () => {
    const times = { activationTime: formatTime(NOW - 9_000), expirationTime: formatTime(NOW + 9_000) };
    const ticket = ticketWith({ phase: 'Pending', reason: 'GuardianLost', message: 'gone', ...times });
    const status = statusAfter(ticket, { type: 'reserved', guardian: guardian('g', 'running') }, NOW);
    expect(status).toMatchObject({
      ...times,
      phase: 'Reserved',
      guardianPod: 'team/g',
      nodeName: 'node',
      observedGeneration: 1,
    });
    expect('reason' in status || 'message' in status).toBe(false);
  });

  it('ends a duration after the start, or after the Ticket is Reserved where it has none', () => {
    const end = (spec: TicketSpec) =>
      statusAfter(ticketWith({}, spec), { type: 'reserved', guardian: guardian('g', 'running') }, NOW).expirationTime;
    expect(end(SPEC)).toBe(formatTime(NOW + 3_600_000));
    expect(end({ ...SPEC, startTime: formatTime(NOW - 60_000) })).toBe(formatTime(NOW + 3_540_000));
    expect(end({})).toBe(undefined);
    expect(windowEnd(ticketWith({}, { ...SPEC, startTime: formatTime(NOW) }))).toBe(NOW + 3_600_000);
    expect(windowEnd(ticketWith({}))).toBe(undefined);
    // The successor of a Ticket whose window has ended holds the room for its duration, or it would expire at once, and so on.
    expect(windowEnd(ticketWith({}, { ...SPEC, startTime: formatTime(NOW - 3_600_000) }))).toBe(undefined);
  });

  it('keeps conditions of others', () => {
    const mark = { type: 'NodeEligible', status: 'False', reason: 'x', message: '', lastTransitionTime: formatTime(0) };
    const { conditions } = statusAfter(ticketWith({ conditions: [mark] }), { type: 'lost', message: 'gone' }, NOW);
    expect(conditions).toMatchObject([
      mark,
      { type: 'Ready', status: 'False', reason: 'GuardianLost', message: 'gone' },
    ]);
  });
});
