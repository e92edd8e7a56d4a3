/** Reconciles one Ticket: carries out step after step (ticket-step.ts) until none is left. */
import { TICKET_PHASES } from '../../../core/api/names.ts';
import { PODS, TICKETS } from '../../../core/api/registry/resources.ts';
import type { Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { phaseOf, timeOf } from '../../../core/daemons/ticket-phase.ts';
import { isBeingDeleted } from '../../../core/kube/finalizers.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import { StatusError } from '../../../core/kube/status-error.ts';
import { keyOf, keyText, parseKeyText } from '../../../machinery/cache/object-keys.ts';
import { withType } from '../../../machinery/children/with-type.ts';
import type { WritesUnderWay } from '../../../machinery/children/writes-under-way.ts';
import { isRefused, textOf, unlessGone } from '../../../machinery/children/write-outcomes.ts';
import type { Client } from '../../../machinery/client/client.ts';
import type { Reconciler, ReconcileResult } from '../../../machinery/controller/controller.ts';
import type { Alarm } from '../../../machinery/time/alarm.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import { noteFailure, noteReserved } from './guardian-backoff.ts';
import { fullName, isAlive } from './guardian-state.ts';
import type { GuardianWriter } from './guardian-writer.ts';
import type { HandoverWriter } from './handover-writer.ts';
import type { LeftShades } from './left-shades.ts';
import type { TicketEvents } from './ticket-events.ts';
import { adoptedName, cordonedNode, factsOf, isAdoptable, type KnownFacts, type TicketCaches } from './ticket-facts.ts';
import type { TicketMemory, TicketRun, Waiters } from './ticket-memory.ts';
import { statusAfter } from './ticket-status.ts';
import { nextStep, type Report, type Step, type TicketFacts } from './ticket-step.ts';

/** The parts that every reconcile works with. */
export interface TicketSync {
  readonly client: Client;
  readonly clock: Clock;
  readonly caches: TicketCaches;
  readonly memory: TicketMemory;
  readonly writer: GuardianWriter;
  readonly handovers: HandoverWriter;
  readonly shades: LeftShades;
  readonly events: TicketEvents;
  readonly alarm: Alarm;
  /** Writes of Tickets' statuses, by key of the Ticket. */
  readonly writes: WritesUnderWay;
  /** Reconciles the Ticket once more. */
  enqueue(key: string): void;
  /** Tickets whose rest depends on the spec of their Order, by its UID. */
  readonly onOrder: Waiters;
  /** Finished Tickets that a tick of their Order's schedule may make needless, by the UID of the Order. */
  readonly onTick: Waiters;
  /** Tickets that wait for a cordoned node, by its name. */
  readonly onNode: Waiters;
}

/** More steps than any Ticket takes at a time; what is left then is done after others had their turn. */
const MOST_STEPS = 10;
/** Internal errors in a row after which a Ticket says why it has no guardian: a single one may be an accident. */
const ERRORS_TOLD = 3;

const DONE: ReconcileResult = Object.freeze({});
const NOTHING_KNOWN: KnownFacts = Object.freeze({});

type HandoverStep = Extract<Step, { type: 'ask' | 'shade' | 'unshade' | 'bind' }>;

/** One step of a handover. Returns the Ticket where its status was written. */
async function handOver(
  sync: TicketSync,
  ticket: Stored<Ticket>,
  step: HandoverStep,
  { guardians }: TicketFacts,
): Promise<Stored<Ticket> | undefined> {
  const { client, handovers, memory } = sync;
  switch (step.type) {
    case 'ask': {
      const { podNamespace: namespace = '', podName: name = '', podUID = '' } = ticket.status?.claim ?? {};
      const pod = await unlessGone(client.get(PODS, { namespace, name }));
      if (pod?.metadata.uid === podUID) sync.caches.guardians.wrote(pod);
      else memory.of(ticket).handover = { gone: podUID };
      return undefined;
    }
    case 'shade':
      try {
        await handovers.shade(ticket, step.name, step.nodeName, step.like);
        return undefined;
      } catch (error) {
        // The guardian has not been touched yet. A claimant that leaves does so without a shade.
        if (!isRefused(error)) throw error;
        if (phaseOf(ticket) === TICKET_PHASES.claimed) {
          memory.of(ticket).handover = { refused: textOf(error) };
          return undefined;
        }
        const message = `the shade was refused: ${textOf(error)}`;
        return write(sync, ticket, { type: 'claim-failed', message, guardian: guardians.find(isAlive) });
      }
    case 'unshade':
      for (const shade of step.shades) await handovers.unshade(shade);
      return undefined;
    case 'bind': {
      const refused = await handovers.bind(step.pod, step.nodeName);
      if (refused !== undefined)
        memory.of(ticket).handover = {
          refused: `pod ${fullName(step.pod)} does not fit on node ${step.nodeName}: ${refused}`,
        };
      else sync.caches.guardians.wrote(await client.get(PODS, keyOf(step.pod)));
      return undefined;
    }
  }
}

export const createTicketSync =
  (sync: TicketSync): Reconciler<string> =>
  async (key, signal) => {
    const { name, namespace } = parseKeyText(key);
    const cached = sync.caches.tickets.lister.get(name, namespace);
    const ticket = cached === undefined ? undefined : sync.caches.written.latest(cached);
    // The guardian of a Ticket that goes is the garbage collector's; its shades have our finalizer.
    if (ticket === undefined || isBeingDeleted(ticket)) {
      sync.alarm.set(key, undefined);
      await sync.shades.letGo(key, signal);
      if (ticket !== undefined) sync.memory.forget(ticket.metadata.uid);
      return undefined;
    }
    const run = sync.memory.find(ticket.metadata.uid);
    if (run !== undefined) {
      run.object = ticket;
      if (run.doubts.size > 0) await sync.writer.settle(run, signal);
    }
    return carryOut(sync, key, ticket, signal);
  };

async function carryOut(
  sync: TicketSync,
  key: string,
  first: Stored<Ticket>,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const { caches, clock, memory, writer } = sync;
  let ticket = first;
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    signal.throwIfAborted();
    const facts = factsOf(caches, ticket, memory.find(ticket.metadata.uid) ?? NOTHING_KNOWN, clock.now());
    noteGuardian(sync, facts);
    const step = nextStep(facts);
    switch (step.type) {
      case 'rest':
        return restUntil(sync, key, facts, step.until);
      case 'report': {
        const written = await write(sync, ticket, step.report);
        if (written === undefined) return DONE;
        ticket = written;
        break;
      }
      case 'make': {
        const outcome = await make(sync, ticket);
        if (outcome === 'made') break;
        sync.alarm.set(key, facts.expiresAt);
        return outcome;
      }
      case 'take':
        await writer.take(ticket, step.guardian);
        break;
      case 'remove':
        for (const guardian of step.guardians) await writer.remove(guardian);
        break;
      case 'ask':
      case 'shade':
      case 'unshade':
      case 'bind':
        ticket = (await handOver(sync, ticket, step, facts)) ?? ticket;
        break;
      case 'end':
        await end(sync, ticket);
        return DONE;
    }
  }
  return { requeueAfterMs: 1 };
}

/** Notes which guardian is alive; one that is gone without having been Reserved was lost, too. */
function noteGuardian({ memory, clock }: TicketSync, { ticket, guardians }: TicketFacts): void {
  const alive = guardians.find(isAlive);
  const run = memory.find(ticket.metadata.uid);
  if (run === undefined) return;
  if (alive !== undefined) {
    run.current = alive.metadata.uid;
    return;
  }
  if (run.current === undefined || phaseOf(ticket) !== TICKET_PHASES.pending) return;
  lose(run, run.current, clock.monotonic());
}

function lose(run: TicketRun, guardian: string | undefined, now: number): void {
  if (guardian !== undefined) run.predecessor = guardian;
  run.current = undefined;
  noteFailure(run.backoff, now);
}

function restUntil(
  { alarm, clock, memory, caches, onOrder, onTick, onNode }: TicketSync,
  key: string,
  { ticket, guardians, expiresAt, mayMake }: TicketFacts,
  until: number | undefined,
): ReconcileResult {
  alarm.set(key, until);
  const run = memory.find(ticket.metadata.uid);
  if (run !== undefined && phaseOf(ticket) !== TICKET_PHASES.pending) memory.forgetIfWell(run, clock.monotonic());
  const order = controllerOf(ticket);
  const { phase, expirationTime } = ticket.status ?? {};
  // A Ticket of a schedule may live beyond its time while its renewal is under way; an expired one is kept as the Order needs it.
  const isDeferred = phase === TICKET_PHASES.reserved && timeOf(expirationTime) !== expiresAt;
  const isExpired = phase === TICKET_PHASES.expired;
  if (order !== undefined && (isDeferred || isExpired)) onOrder.add(order.uid, key);
  if (order !== undefined && isExpired) onTick.add(order.uid, key);
  if (!mayMake && !guardians.some(isAlive)) {
    const node = cordonedNode(caches.nodes, ticket);
    if (node !== undefined) onNode.add(node, key);
  }
  return DONE;
}

/** Writes the status and tells of it. The Ticket as written; undefined when it is gone. A conflict is thrown: the watch brings the newer state. */
async function write(sync: TicketSync, ticket: Stored<Ticket>, report: Report): Promise<Stored<Ticket> | undefined> {
  const { clock, caches, events, memory } = sync;
  const written = await writeStatus(sync, { ...ticket, status: statusAfter(ticket, report, clock.now()) });
  if (written === undefined) return undefined;
  caches.written.wrote(written);
  const cached = caches.tickets.lister.get(written.metadata.name, written.metadata.namespace);
  if (cached !== undefined) caches.written.confirm(cached);
  events.reported(written, report);
  const known = memory.find(written.metadata.uid);
  if (known !== undefined) known.object = written;
  if (report.type === 'reserved' && known !== undefined) noteReserved(known.backoff, clock.monotonic());
  if (report.type === 'unschedulable') memory.of(written).toldAt = clock.now();
  if (known !== undefined && isOfClaim(report)) known.handover = undefined;
  if (report.type === 'lost') noteLoss(memory.of(written), caches, clock.monotonic());
  return written;
}

const isOfClaim = ({ type }: Report): boolean => type === 'claimed' || type === 'claim-failed' || type === 'released';

function writeStatus(
  { client, writes, enqueue }: TicketSync,
  ticket: Stored<Ticket>,
): Promise<Stored<Ticket> | undefined> {
  const key = keyText(keyOf(ticket));
  return writes.during(
    key,
    () => unlessGone(client.update(TICKETS, withType(TICKETS, ticket), { subresource: 'status' })),
    (written) => written,
    () => enqueue(key),
  );
}

/** The next guardian is named after the one that is still there, or was there last. */
function noteLoss(run: TicketRun, { guardians }: TicketCaches, now: number): void {
  const [last] = guardians.of(run.object.metadata.uid);
  // A loss that was noticed before it was told counts once.
  if (run.current === undefined && run.backoff.notBefore > now) return;
  lose(run, run.current ?? last?.metadata.uid, now);
}

/** `made`: go on with the next step. */
async function make(sync: TicketSync, ticket: Stored<Ticket>): Promise<'made' | ReconcileResult> {
  const { clock, memory, writer } = sync;
  const run = memory.of(ticket);
  const waitMs = run.backoff.notBefore - clock.monotonic();
  if (waitMs > 0) return { requeueAfterMs: waitMs };
  try {
    if (await adopt(sync, ticket)) return 'made';
    const [old] = sync.caches.guardians.of(ticket.metadata.uid);
    const isOpen = await writer.make(run, old?.metadata.uid ?? run.predecessor);
    // A namespace that is being deleted lets no guardian in, and the Ticket goes with it.
    return isOpen ? 'made' : DONE;
  } catch (error) {
    return refused(sync, run, error);
  }
}

/** A pod that is to become the guardian may be there although the cache does not show it yet: the server is asked once. */
async function adopt({ client, writer }: TicketSync, ticket: Stored<Ticket>): Promise<boolean> {
  const name = adoptedName(ticket);
  if (name === undefined) return false;
  const pod = await unlessGone(client.get(PODS, { ...keyOf(ticket), name }));
  return pod !== undefined && isAdoptable(ticket, pod) && writer.take(ticket, pod);
}

/** The server has refused the guardian: the Ticket says why, and tries again later and later. Other failures are thrown. */
async function refused(sync: TicketSync, run: TicketRun, error: unknown): Promise<ReconcileResult> {
  const { clock } = sync;
  const isBroken = error instanceof StatusError && error.code === 500;
  if (!isRefused(error) && !isBroken) throw error;
  noteFailure(run.backoff, clock.monotonic());
  const { object: ticket, backoff } = run;
  const message = textOf(error);
  const isTold = ticket.status?.phase === TICKET_PHASES.pending && ticket.status.message === message;
  if (!isTold && (!isBroken || backoff.failures >= ERRORS_TOLD))
    await write(sync, ticket, { type: 'create-failed', message });
  return { requeueAfterMs: Math.max(1, backoff.notBefore - clock.monotonic()) };
}

/** Deletes the Ticket as it was seen: a user may have given it a longer TTL since. */
async function end({ client, events, memory }: TicketSync, ticket: Stored<Ticket>): Promise<void> {
  const { uid, resourceVersion } = ticket.metadata;
  const preconditions = { uid, resourceVersion };
  const deleted = await unlessGone(client.delete(TICKETS, keyOf(ticket), { preconditions }));
  memory.forget(uid);
  if (deleted !== undefined) events.ended(ticket);
}
