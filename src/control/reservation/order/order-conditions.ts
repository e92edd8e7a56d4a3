/** The conditions of an Order, from its counts. Every condition is written whether it holds or not, so that each is cleared as well. */
import { ORDER_CONDITIONS, RESERVATION_EVENTS } from '../../../core/api/names.ts';
import { listed } from '../../../core/daemons/ineligible-nodes.ts';
import {
  describeMisfits,
  describeOverlaps,
  type Misfits,
  type NodesFound,
  type Overlaps,
} from '../../../core/daemons/overhead-fit.ts';
import type { Condition } from '../../../core/kube/meta-v1.ts';
import { formatTime } from '../../../core/kube/time.ts';
import type { OrderFailure } from './known-order.ts';
import { tickets } from './ticket-tally.ts';

export type NewCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** What the conditions tell of. Counts are of places: nodes in daemonSet mode, replicas otherwise. */
export interface OrderFacts {
  readonly mode: 'nodes' | 'slots';
  readonly isPaused: boolean;
  readonly wanted: number;
  readonly available: number;
  readonly updated: number;
  /** Wanted places with a Ticket that was given to a pod, and none beside it. */
  readonly claimed: number;
  /** Wanted places whose Ticket has ended for good. */
  readonly ended: number;
  /** Tickets to be made or deleted now. */
  readonly missing: number;
  readonly surplus: number;
  readonly outdated: number;
  /** Wanted places without room for the guardian. */
  readonly refused: NodesFound & { readonly why: readonly string[] };
  readonly failure: OrderFailure | undefined;
  /** Why no node is eligible; undefined where one is. */
  readonly noNodes: string | undefined;
  readonly overlaps: Overlaps;
  readonly misfits: Misfits;
  /** Epoch ms of the next tick of the schedule. */
  readonly nextTick: number | undefined;
  /** Epoch ms of the start of the Tickets; undefined where it is over or there is none. */
  readonly startsAt: number | undefined;
}

export function orderConditions(facts: OrderFacts): readonly NewCondition[] {
  const common = [ready(facts), progressing(facts), failed(facts), fits(facts)];
  return facts.mode === 'slots' ? common : [...common, nodesEligible(facts), overlaps(facts)];
}

/** Types of conditions that Orders with replicas do not have. */
export const ONLY_OF_NODES: ReadonlySet<string> = new Set([ORDER_CONDITIONS.nodesEligible, ORDER_CONDITIONS.overlaps]);

const is = (type: string, status: 'True' | 'False' | 'Unknown', reason: string, message: string): NewCondition => ({
  type,
  status,
  reason,
  message,
});

function ready({ wanted, available, claimed, ended, noNodes, failure, ...times }: OrderFacts): NewCondition {
  const type = ORDER_CONDITIONS.ready;
  const unmet = wanted - available - claimed;
  if (failure?.reason === INVALID) return is(type, 'False', INVALID, 'the Order cannot be carried out as written');
  if (noNodes !== undefined) return is(type, 'False', RESERVATION_EVENTS.noEligibleNodes, noNodes);
  const counts = `${available} of ${tickets(wanted)} ${wanted === 1 ? 'is' : 'are'} available`;
  const more = [
    ...(claimed > 0 ? [`${claimed} claimed`] : []),
    ...(ended > 0 ? [`${ended} ended, and not to be renewed`] : []),
  ];
  const message = [counts, ...more].join(', ');
  if (unmet <= 0) return is(type, 'True', 'TicketsAvailable', message);
  if (ended >= unmet) return is(type, 'False', 'TicketsEnded', message);
  return is(type, 'False', 'TicketsUnavailable', `${message}${whenOf(times)}`);
}

function whenOf({ nextTick, startsAt }: Pick<OrderFacts, 'nextTick' | 'startsAt'>): string {
  if (startsAt !== undefined) return `; they start at ${formatTime(startsAt)}`;
  return nextTick === undefined ? '' : `; the next tick of the schedule is at ${formatTime(nextTick)}`;
}

/** Reason of the condition Failure of an Order that the API server should have refused. */
export const INVALID = 'InvalidOrder';

function progressing(facts: OrderFacts): NewCondition {
  const { isPaused, wanted, updated, missing, surplus, outdated, available, claimed, ended, startsAt } = facts;
  const type = ORDER_CONDITIONS.progressing;
  if (isPaused)
    return is(type, 'Unknown', 'Paused', 'the Order is paused: Tickets are neither made, renewed nor removed');
  if (missing > 0 || surplus > 0) {
    const message = `${tickets(missing)} to be made, ${tickets(surplus)} to be deleted`;
    return is(type, 'True', 'ChangingTickets', message);
  }
  if (outdated > 0) {
    const message = `${updated} of ${tickets(wanted)} made from the present template`;
    return is(type, 'True', 'ReplacingTickets', message);
  }
  if (updated > available + claimed && startsAt !== undefined)
    return is(type, 'True', 'WaitingForStart', `Tickets get their guardians at ${formatTime(startsAt)}`);
  if (updated > available + claimed) return is(type, 'True', 'WaitingForGuardians', 'Tickets wait for their guardians');
  return available + claimed + ended >= wanted
    ? is(type, 'False', 'Complete', 'there is nothing to do')
    : is(type, 'False', 'WaitingForTick', 'Tickets are made at the next tick of the schedule');
}

const failed = ({ failure }: OrderFacts): NewCondition =>
  failure === undefined
    ? is(ORDER_CONDITIONS.failure, 'False', 'NoFailure', '')
    : is(ORDER_CONDITIONS.failure, 'True', failure.reason, failure.message);

function fits({ mode, wanted, refused }: OrderFacts): NewCondition {
  const type = ORDER_CONDITIONS.fits;
  if (refused.count === 0) return is(type, 'True', 'NoneRefused', '');
  const why = refused.why.length === 0 ? '' : ` (${refused.why.join(', ')})`;
  const where = mode === 'slots' ? '' : `: ${listed(refused.names, refused.names.length, refused.count)}`;
  return is(type, 'False', 'NoRoom', `no room for ${refused.count} of ${tickets(wanted)}${why}${where}`);
}

const nodesEligible = ({ noNodes, wanted }: OrderFacts): NewCondition =>
  noNodes === undefined
    ? is(ORDER_CONDITIONS.nodesEligible, 'True', 'NodesEligible', `${nodes(wanted)} eligible`)
    : is(ORDER_CONDITIONS.nodesEligible, 'False', RESERVATION_EVENTS.noEligibleNodes, noNodes);

function overlaps({ overlaps: shared, misfits }: OrderFacts): NewCondition {
  const type = ORDER_CONDITIONS.overlaps;
  const parts = [
    ...(shared.count === 0 ? [] : [describeOverlaps(shared)]),
    ...(misfits.count === 0 ? [] : [describeMisfits(misfits)]),
  ];
  const reason = misfits.count > 0 ? 'NodesTooSmall' : shared.count > 0 ? 'NodesShared' : 'NoOverlap';
  return is(type, shared.count > 0 ? 'True' : 'False', reason, parts.join('; '));
}

const nodes = (count: number): string => `${count} ${count === 1 ? 'node is' : 'nodes are'}`;
