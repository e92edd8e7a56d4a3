/** The end of a reconcile: what was found is written into the status, and what people must know is an event and a log line as well. */
import { orderPlan } from '../../../core/api/kinds/reservation/order-plan.ts';
import { ORDER_CONDITIONS, RESERVATION_EVENTS, TICKET_REASONS } from '../../../core/api/names.ts';
import type { Order, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { countIneligible, describeIneligible } from '../../../core/daemons/ineligible-nodes.ts';
import { REFRESH_TABLE } from '../../../core/daemons/refresh-table.ts';
import { CLAIMED, DENIED, ENDED, MISSING, NO_ROOM, OUTDATED, SURPLUS } from '../../../core/daemons/ticket-rules.ts';
import { isDenied, isUnschedulable } from '../../../core/daemons/ticket-phase.ts';
import { findCondition } from '../../../core/kube/conditions.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { newer } from '../../../core/kube/resource-version.ts';
import type { Client } from '../../../machinery/client/client.ts';
import type { Logger } from '../../../machinery/logging/logger.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import type { KnownOrder, OrderFailure } from './known-order.ts';
import type { NodeCensus } from './node-census.ts';
import { INVALID, orderConditions, type OrderFacts } from './order-conditions.ts';
import type { OrderEvents } from './order-events.ts';
import type { OrderRegistry, OrderView } from './order-registry.ts';
import { countsOf, type ScheduleTimes, writeOrderStatus } from './order-status.ts';
import { tickets } from './ticket-tally.ts';

export interface ReportOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly registry: OrderRegistry;
  readonly census: NodeCensus;
  readonly events: OrderEvents;
}

/** Least time between two writes of a status of which only counts and messages change: nodes that flap cost few of them. */
const WRITE_EVERY_MS = 1000;

/** Returns after how many milliseconds the rest is to be reported; undefined where all is. */
export async function report(
  options: ReportOptions,
  order: KnownOrder,
  times: ScheduleTimes,
): Promise<number | undefined> {
  const { client, clock, registry, census } = options;
  const view = registry.view(order);
  const counts = countsOf(order, view);
  const noNodes = order.board.mode === 'nodes' && counts.replicas === 0 ? whyNoNodes(options, order) : undefined;
  if (noNodes === undefined) {
    order.noNodes = undefined;
    registry.withoutNodes.delete(order);
  }
  const facts: OrderFacts = {
    mode: order.board.mode,
    isPaused: orderPlan(order.object.spec).paused,
    wanted: counts.replicas,
    available: counts.availableReplicas,
    updated: counts.updatedReplicas,
    claimed: standingClaims(order, view, counts.unavailableReplicas),
    ended: view.count(ENDED),
    missing: view.count(MISSING),
    surplus: view.count(SURPLUS),
    outdated: view.count(OUTDATED),
    refused: refusedPlaces(order, view),
    failure: order.failure ?? deniedGuardians(order, view),
    noNodes,
    overlaps: census.overlapsOf(order.uid),
    misfits: census.misfitsOf(order.uid),
    nextTick: times.next,
    startsAt: startToCome(order, clock.now()),
  };
  const conditions = orderConditions(facts);
  const waitMs = order.reportedAt + WRITE_EVERY_MS - clock.monotonic();
  const found = { counts, times, conditions };
  const written = await writeOrderStatus(client, order.object, found, clock.now(), waitMs > 0);
  if (written === 'later') return waitMs;
  if (written !== order.object) order.reportedAt = clock.monotonic();
  order.object = newer(written, order.object);
  return undefined;
}

/** An Order that cannot be carried out is not acted on: its Tickets stay as they are, and so do its counts. */
export async function reportInvalid(
  { client, clock, logger, events }: Omit<ReportOptions, 'registry' | 'census'>,
  object: Stored<Order>,
  problem: string,
): Promise<Stored<Order>> {
  const failure = { reason: INVALID, message: problem };
  const known = findCondition(object.status?.conditions, ORDER_CONDITIONS.failure);
  if (known?.status !== 'True' || known.message !== problem) {
    events.note(object, 'Warning', INVALID, problem);
    const { namespace = '', name } = object.metadata;
    logger.warn('The Order cannot be carried out as written', { namespace, name, problem });
  }
  const conditions = [
    {
      type: ORDER_CONDITIONS.ready,
      status: 'False',
      reason: INVALID,
      message: 'the Order cannot be carried out as written',
    },
    { type: ORDER_CONDITIONS.failure, status: 'True', ...failure },
  ];
  const found = { counts: undefined, times: { last: undefined, next: undefined }, conditions };
  const written = await writeOrderStatus(client, object, found, clock.now());
  return written === 'later' ? object : written;
}

function startToCome({ object }: KnownOrder, now: number): number | undefined {
  const { startMs } = orderPlan(object.spec).ticket;
  return startMs !== undefined && startMs > now ? startMs : undefined;
}

/** Tickets that were given to pods and that the refresh policy lets stand: their places lack nothing. */
function standingClaims(
  { definition: { strategy, refresh } }: KnownOrder,
  view: OrderView,
  unavailable: number,
): number {
  if (REFRESH_TABLE[strategy][refresh].claimed !== 'nothing') return 0;
  return Math.min(view.count(CLAIMED), unavailable);
}

function refusedPlaces({ board: { engine } }: KnownOrder, view: OrderView): OrderFacts['refused'] {
  const count = view.count(NO_ROOM);
  const names: string[] = [];
  const why = new Set<string>();
  if (count === 0) return NONE_REFUSED;
  for (const place of view.listed(NO_ROOM)) {
    names.push(engine.nodeName(place));
    const message = view.children(place).find(isUnschedulable)?.status?.message ?? '';
    for (const [text] of message.matchAll(SHORTAGES)) why.add(text);
    if (names.length >= MOST_NAMES) break;
  }
  return { count, names: names.sort(), why: [...why].sort() };
}

/** In the words of the API server, of one Ticket for all: what keeps one guardian out mostly keeps out the others. */
function deniedGuardians({ board: { engine } }: KnownOrder, view: OrderView): OrderFailure | undefined {
  const count = view.count(DENIED);
  if (count === 0) return undefined;
  const found: { readonly name: string; readonly ticket: Ticket }[] = [];
  for (const place of view.listed(DENIED)) {
    const ticket = view.children(place).find(isDenied);
    if (ticket !== undefined) found.push({ name: engine.nodeName(place), ticket });
    if (found.length >= MOST_NAMES) break;
  }
  const [first] = found.sort((a, b) => (a.name < b.name ? -1 : 1));
  const { reason = TICKET_REASONS.createFailed, message = '' } = first?.ticket.status ?? {};
  const verb = reason === TICKET_REASONS.tooSmall ? 'made too small' : 'refused';
  return { reason, message: `guardians of ${tickets(count)} ${verb}: ${message}` };
}

const MOST_NAMES = 10;
const NONE_REFUSED: OrderFacts['refused'] = Object.freeze({ count: 0, names: [], why: [] });
/** As the scheduler words them. The rest of its message changes with every node that comes or goes. */
const SHORTAGES = /Insufficient [\w./-]*\w|Too many pods/g;

/** One sentence for the condition, the event and the log; the latter two once for each sentence. */
function whyNoNodes({ registry, events, logger }: ReportOptions, order: KnownOrder): string {
  const {
    nodes: { engine },
    nodesVersion: version,
  } = registry;
  const { eligibility } = order.definition;
  registry.withoutNodes.add(order);
  if (order.noNodes?.version === version && order.noNodes.eligibility === eligibility) return order.noNodes.sentence;
  const nodes = [...engine.nodes.entries()].map(([, node]) => node);
  const sentence = describeIneligible(countIneligible(eligibility, nodes));
  const told = order.noNodes?.sentence ?? toldSentence(order.object);
  order.noNodes = { sentence, version, eligibility };
  if (sentence !== told) {
    events.note(order.object, 'Warning', RESERVATION_EVENTS.noEligibleNodes, sentence);
    const { namespace = '', name } = order.object.metadata;
    logger.warn('No node is eligible for the Order', { namespace, name, sentence });
  }
  return sentence;
}

/** A controller that was restarted finds the sentence in the status. */
function toldSentence({ status }: Order): string | undefined {
  const condition = findCondition(status?.conditions, ORDER_CONDITIONS.nodesEligible);
  return condition?.status === 'False' ? condition.message : undefined;
}
