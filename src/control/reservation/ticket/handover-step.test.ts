import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TICKET_PHASES as PHASE } from '../../../core/api/names.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { claimingStatus } from '../../../core/daemons/ticket-claim.ts';
import { isHanded, phaseOf } from '../../../core/daemons/ticket-phase.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { formatTime } from '../../../core/kube/time.ts';
import { isTerminal } from '../../../core/placement/pod-record.ts';
import { isAlive } from './guardian-state.ts';
import { statusAfter } from './ticket-status.ts';
import { nextStep, type Step, type TicketFacts } from './ticket-step.ts';
import { shadePod } from './shade-pod.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const NODE = 'node';

const meta = (name: string) => ({
  name,
  namespace: 'team',
  uid: `uid-${name}`,
  resourceVersion: '1',
  creationTimestamp: formatTime(NOW),
});

const podOf = (name: string, nodeName: string | undefined): Stored<Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: meta(name),
  spec: {
    containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }],
    ...(nodeName === undefined ? {} : { nodeName }),
  },
  status: {
    phase: nodeName === undefined ? 'Pending' : 'Running',
    conditions: nodeName === undefined ? [] : [{ type: 'Ready', status: 'True' }],
  },
});

const deleting = (pod: Stored<Pod>): Stored<Pod> => ({
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: formatTime(NOW) },
});
const bound = (pod: Stored<Pod>): Stored<Pod> => ({ ...podOf(pod.metadata.name, NODE), metadata: pod.metadata });

/** The objects of one slot, and what the controller has learnt from answers. */
interface Slot {
  ticket: Stored<Ticket>;
  guardians: Stored<Pod>[];
  shades: Stored<Pod>[];
  claimant: Stored<Pod> | undefined;
  follower: Stored<Pod> | undefined;
  refused: string | undefined;
  now: number;
  made: number;
  isRobbed: boolean;
}

function claimedSlot(): Slot {
  const held: Stored<Ticket> = {
    apiVersion: 'core.korder.dev/v1alpha1',
    kind: 'Ticket',
    metadata: meta('room'),
    spec: { resources: { requests: { cpu: '1' } } },
    status: { phase: PHASE.reserved, guardianPod: 'team/g', nodeName: NODE },
  };
  const claimant = podOf('claimant', undefined);
  return {
    ticket: { ...held, status: claimingStatus(held, claimant, NOW) },
    guardians: [podOf('g', NODE)],
    shades: [],
    claimant,
    follower: undefined,
    refused: undefined,
    now: NOW,
    made: 0,
    isRobbed: false,
  };
}

const factsOf = (slot: Slot): TicketFacts => ({
  ticket: slot.ticket,
  guardians: slot.guardians,
  shades: slot.shades,
  claimant: isHanded(slot.ticket) ? (slot.claimant ?? 'gone') : 'none',
  follower: slot.follower?.spec.nodeName === undefined ? slot.follower : 'served',
  isFollowed: slot.follower !== undefined,
  refusedClaim: slot.refused,
  inheritance: undefined,
  heir: 'none',
  expiresAt: undefined,
  renews: false,
  keepsFinished: true,
  mayMake: true,
  toldAt: undefined,
  now: slot.now,
});

/** A guardian, a shade or the bound claimant counts on the node. */
const isCovered = ({ guardians, shades, claimant, follower }: Slot): boolean =>
  shades.length > 0 ||
  [...guardians, claimant, follower].some((pod) => pod?.spec.nodeName === NODE && !isTerminal(pod));

const stored = (pod: Pod): Stored<Pod> => ({ ...pod, metadata: { ...pod.metadata, ...meta(pod.metadata.name) } });

/** Carries one step out. */
function carryOut(slot: Slot, step: Step, isRefused: boolean): void {
  switch (step.type) {
    case 'report':
      slot.ticket = { ...slot.ticket, status: statusAfter(slot.ticket, step.report, slot.now) };
      slot.refused = undefined;
      return;
    case 'shade':
      slot.shades.push(stored(shadePod(slot.ticket, step.name, step.nodeName, podOf('model', NODE), 'pause')));
      return;
    case 'unshade':
      slot.shades = slot.shades.filter((shade) => !step.shades.includes(shade));
      return;
    case 'remove':
      slot.guardians = slot.guardians.map((pod) => (step.guardians.includes(pod) ? deleting(pod) : pod));
      return;
    case 'make':
      slot.guardians.push(podOf(`made-${(slot.made += 1)}`, undefined));
      return;
    case 'bind':
      if (isRefused) {
        slot.refused = 'Insufficient cpu';
        // Somebody else has the room already: a shade for a guardian would protect nothing.
        slot.isRobbed ||= step.pod !== slot.claimant;
      } else if (step.pod === slot.claimant) slot.claimant = bound(step.pod);
      else if (step.pod === slot.follower) slot.follower = bound(step.pod);
      else slot.guardians = slot.guardians.map((pod) => (pod === step.pod ? bound(pod) : pod));
      return;
    case 'ask':
    case 'take':
    case 'rest':
    case 'end':
      return;
  }
}

/** Things that others do. */
const EVENTS: { readonly [name: string]: (slot: Slot) => void } = {
  guardianGone: (slot) => void (slot.guardians = slot.guardians.filter(isAlive)),
  claimantDeleted: (slot) => void (slot.claimant &&= deleting(slot.claimant)),
  claimantGone(slot) {
    if (slot.claimant?.metadata.deletionTimestamp !== undefined) slot.claimant = undefined;
  },
  late: (slot) => void (slot.now += 10 * 60_000),
  kubeletDeletesShades: (slot) => void (slot.shades = slot.shades.map(deleting)),
  followerWaits(slot) {
    if (phaseOf(slot.ticket) === PHASE.claimed) slot.follower ??= podOf('follower', undefined);
  },
};

const play = (events: readonly string[], refusals: readonly boolean[]): Slot => {
  const slot = claimedSlot();
  let at = 0;
  const work = (): void => {
    for (let steps = 0; steps < 12; steps += 1) {
      const step = nextStep(factsOf(slot));
      if (step.type === 'rest') return;
      const isClaimed = phaseOf(slot.ticket) === PHASE.claimed;
      carryOut(slot, step, refusals[at++ % refusals.length] ?? false);
      // A claimant that has left without a guardian to follow it gives the room back.
      if (!isClaimed && !slot.isRobbed && phaseOf(slot.ticket) !== PHASE.released)
        expect([step, isCovered(slot)]).toEqual([step, true]);
    }
    throw new Error(`it does not come to rest: ${JSON.stringify(nextStep(factsOf(slot)))}`);
  };
  work();
  for (const event of events) {
    EVENTS[event]?.(slot);
    work();
  }
  return slot;
};

const anyEvents = fc.array(fc.constantFrom(...Object.keys(EVENTS)), { maxLength: 12 });
const anyRefusals = fc.array(fc.boolean(), { minLength: 1, maxLength: 6 });

describe('a handover', () => {
  it('goes step by step: shade, guardian, claimant, Ticket, shade', () => {
    const slot = claimedSlot();
    const types: string[] = [];
    const next = (): Step => nextStep(factsOf(slot));
    for (let steps = 0; steps < 20 && phaseOf(slot.ticket) !== PHASE.released; steps += 1) {
      const step = next();
      types.push(step.type === 'report' ? step.report.type : step.type);
      if (step.type !== 'rest') carryOut(slot, step, false);
      else if (slot.guardians.length > 0) slot.guardians = [];
      else break;
    }
    expect(types).toEqual(['shade', 'remove', 'rest', 'bind', 'claimed', 'unshade', 'rest']);
  });

  it('covers the slot at every step, whatever happens in between', () => {
    fc.assert(
      fc.property(anyEvents, anyRefusals, (events, refusals) => void play(events, refusals)),
      { numRuns: 5_000 },
    );
  });

  it('leaves no shade, and no Ticket Claiming, once all that ends has ended', () => {
    const toTheEnd = ['guardianGone', 'claimantGone', 'late', 'guardianGone', 'claimantGone', 'guardianGone'];
    fc.assert(
      fc.property(anyEvents, anyRefusals, (events, refusals) => {
        const slot = play([...events, ...toTheEnd], refusals);
        expect([slot.shades, phaseOf(slot.ticket)]).toEqual([[], expect.not.stringMatching(PHASE.claiming)]);
      }),
      { numRuns: 5_000 },
    );
  });

  it('gives the slot of a claimant that leaves to the guardian that waits for it', () => {
    const slot = play(['guardianGone', 'followerWaits', 'claimantDeleted'], [false]);
    expect(slot.shades).toHaveLength(1);
    EVENTS['claimantGone']?.(slot);
    const types: string[] = [];
    for (let step = nextStep(factsOf(slot)); step.type !== 'rest'; step = nextStep(factsOf(slot))) {
      types.push(step.type === 'report' ? step.report.type : step.type);
      carryOut(slot, step, false);
      expect(isCovered(slot)).toBe(true);
      if (types.length > 5) break;
    }
    expect(types).toEqual(['bind', 'released', 'unshade']);
  });
});
