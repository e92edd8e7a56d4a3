/**
 * One shift of the controllers: from the moment this process may act until it may not, or is asked to stop. What stands in for
 * a part of Kubernetes looks first whether that part is at work, and goes on looking: where it is, ours does nothing, because
 * two would undo each other's work. The others run all the same.
 */
import { actingHolder } from '../control/daemonset/other-controller.ts';
import type { Resource } from '../core/kube/objects.ts';
import { StatusError } from '../core/kube/status-error.ts';
import { linkAbort, wasAborted, type LinkedAbort } from '../machinery/abort.ts';
import type { Actor } from '../machinery/actor.ts';
import { createBackoff } from '../machinery/backoff.ts';
import type { Client } from '../machinery/client.ts';
import type { Clock } from '../machinery/clock.ts';
import type { Logger } from '../machinery/logger.ts';
import type { Metrics } from '../machinery/metrics.ts';
import type { Random } from '../machinery/random.ts';
import { AssemblyError } from './errors.ts';
import type { InsteadOf, OperatorController } from './operator-controllers.ts';

/** `waiting`: not begun. `refused`: somebody else does its work. */
export type WorkState = 'waiting' | 'running' | 'refused' | 'stopped';

export interface Worker {
  readonly row: Pick<OperatorController, 'name' | 'insteadOf'>;
  readonly actor: Actor;
}

export interface ShiftOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The parts of Kubernetes that ours stand in for are off, although their program is at work: its Lease says nothing. */
  readonly insteadOfUpstream: boolean;
  /** What the server says runs inside it; absent where it cannot be asked. */
  readonly runsInServer?: (signal: AbortSignal) => Promise<readonly string[]>;
}

export interface Shift {
  /** Resolves when all have stopped after the signal; rejects when one could not go on, or none has anything to do. */
  run(signal: AbortSignal): Promise<void>;
  states(): ReadonlyMap<string, WorkState>;
  ready(): boolean;
  /** What those that run watch by themselves and do not know yet. */
  unknown(): Iterable<Pick<Resource, 'group' | 'resource'>>;
}

/** Who does the work of one of ours. */
interface Other {
  readonly other: string;
  readonly holder: string;
  /** How to make room for ours. */
  readonly fix: string;
}

/** More often than a Lease runs out: whoever begins to act is seen before its first work is undone often. */
const LOOK_EVERY_MS = 10_000;

export function createShift(workers: readonly Worker[], options: ShiftOptions): Shift {
  const { client, clock, random, logger } = options;
  const states = new Map<string, WorkState>(workers.map(({ row }) => [row.name, 'waiting']));
  const running = options.metrics.gauge({
    name: 'everynode_controller_running',
    help: 'Whether a controller works here: 0 while another process leads, or where somebody else does its work',
    labels: ['controller'],
  });
  const enter = (name: string, state: WorkState): void => {
    states.set(name, state);
    running.with({ controller: name }).set(state === 'running' ? 1 : 0);
  };
  for (const { row } of workers) enter(row.name, 'waiting');

  async function find(instead: InsteadOf, signal: AbortSignal): Promise<Other | undefined> {
    const inside = (await options.runsInServer?.(signal)) ?? [];
    if (inside.includes(instead.name)) return { other: 'everynode up', holder: instead.name, fix: instead.fixEmbedded };
    if (options.insteadOfUpstream) return undefined;
    const holder = await actingHolder(client, clock, instead.lease);
    return holder === undefined ? undefined : { other: instead.lease, holder, fix: instead.fix };
  }

  /** Asks until there is an answer: a server that is overloaded says nothing about who acts. */
  async function whoActs(instead: InsteadOf, signal: AbortSignal): Promise<Other | undefined> {
    const backoff = createBackoff(clock, random);
    for (;;) {
      try {
        return await find(instead, signal);
      } catch (error) {
        if (!(error instanceof StatusError) || (error.code !== 429 && error.code < 500)) throw error;
        await clock.sleep(backoff.next(), signal);
      }
    }
  }

  const fixes: string[] = [];
  function refuse(name: string, found: Other): void {
    enter(name, 'refused');
    fixes.push(found.fix);
    logger.error('A controller does not run, because another one does its work on this cluster', {
      controller: name,
      ...found,
    });
  }

  /** Stops ours when the other one has come, or when nobody can tell any more. */
  async function lookOut(name: string, instead: InsteadOf, own: LinkedAbort): Promise<void> {
    try {
      for (;;) {
        await clock.sleep(LOOK_EVERY_MS, own.signal);
        const found = await whoActs(instead, own.signal);
        if (found === undefined) continue;
        refuse(name, found);
        return own.abort();
      }
    } catch (error) {
      if (own.signal.aborted) return;
      own.abort(error);
      throw error;
    }
  }

  async function work({ row: { name, insteadOf }, actor }: Worker, signal: AbortSignal): Promise<void> {
    const isAsking = !options.insteadOfUpstream || options.runsInServer !== undefined;
    const instead = isAsking ? insteadOf : undefined;
    const found = instead === undefined ? undefined : await whoActs(instead, signal);
    if (found !== undefined) return refuse(name, found);
    using own = linkAbort(signal);
    enter(name, 'running');
    const looking = instead === undefined ? undefined : lookOut(name, instead, own);
    // Heard of below, when the actor has stopped.
    looking?.catch(() => undefined);
    try {
      await actor.start(own.signal);
    } finally {
      own.abort();
      if (states.get(name) === 'running') enter(name, 'stopped');
    }
    await looking;
  }

  return {
    states: () => states,
    ready: () =>
      workers.every(({ row, actor }) => {
        const state = states.get(row.name);
        return state === 'refused' || (state === 'running' && (actor.ready?.() ?? true));
      }),
    unknown: () =>
      workers.flatMap(({ row, actor }) => (states.get(row.name) === 'running' ? [...(actor.unknown?.() ?? [])] : [])),
    async run(signal) {
      using all = linkAbort(signal);
      let failure: { readonly error: unknown } | undefined;
      await Promise.all(
        workers.map(async (worker) => {
          try {
            await work(worker, all.signal);
          } catch (error) {
            if (wasAborted(error, all.signal)) return;
            failure ??= { error: new Error(`${worker.row.name} could not go on`, { cause: error }) };
            all.abort();
          }
        }),
      );
      if (failure !== undefined) throw failure.error;
      if (!signal.aborted && states.values().every((state) => state === 'refused')) throw nothingRuns(workers, fixes);
    },
  };
}

const nothingRuns = (workers: readonly Worker[], fixes: readonly string[]): AssemblyError =>
  new AssemblyError(
    'EN_ASSEMBLY_NOTHING_RUNS',
    `others do the work of ${workers.map(({ row }) => row.name).join(' and ')} on this cluster: ${fixes.join('; ')}`,
  );
