/**
 * One shift of the controllers: from the moment this process may act until it may not, or is asked to stop. A controller that
 * stands in for a part of Kubernetes asks first whether it may (`rivals.ts`), and goes on asking: where it may not, it does
 * nothing, because two would undo each other's work, and it begins when it may. The others run all the same.
 */
import type { Resource } from '../../core/kube/objects.ts';
import { linkAbort, wasAborted, type LinkedAbort } from '../../machinery/time/abort.ts';
import type { Actor } from '../../machinery/actor.ts';
import { createBackoff } from '../../machinery/time/backoff.ts';
import type { Logger } from '../../machinery/logging/logger.ts';
import type { Metrics } from '../../machinery/metrics/metrics.ts';
import { AssemblyError } from '../common/errors.ts';
import type { ControllerRow, InsteadOf } from '../catalogue/entry.ts';
import { createRivals, type Refusal, type RivalOptions } from './rivals.ts';

/**
 * `waiting`: not begun. `refused`: another program does its work, or may, or it is unknown; it begins when that has
 * changed.
 */
type WorkState = 'waiting' | 'running' | 'refused' | 'stopped';

export interface Worker {
  readonly row: Pick<ControllerRow, 'name' | 'insteadOf'>;
  /** A new actor: each is started once. The first is made at once, so that its informers are known; others after a refusal. */
  create(): Actor;
}

export interface ShiftOptions extends RivalOptions {
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export interface Shift {
  /**
   * Resolves when all controllers have stopped after the signal; rejects when one could not go on, or all are refused.
   */
  run(signal: AbortSignal): Promise<void>;
  states(): ReadonlyMap<string, WorkState>;
  /** `daemonset refused: …`, one of each controller. */
  describe(): readonly string[];
  /** Every controller runs and is ready. */
  ready(): boolean;
  /** Resources that running controllers watch by themselves and have not listed yet. */
  unknown(): Iterable<Pick<Resource, 'group' | 'resource'>>;
}

/** Polled more often than the 15 s of a Lease, so that a newly started upstream controller is noticed before the two have fought for long. */
const LOOK_EVERY_MS = 10_000;

/** One controller of the shift. */
interface Post {
  readonly row: Worker['row'];
  readonly create: () => Actor;
  /** The running actor, or the next to run. */
  actor: Actor;
  /** Whether `actor` has been started: it cannot be again. */
  isUsed: boolean;
  state: WorkState;
  /** Set while the controller is refused. */
  refusal: Refusal | undefined;
}

export function createShift(workers: readonly Worker[], options: ShiftOptions): Shift {
  const { clock, random, logger } = options;
  const rivals = createRivals(options);
  const running = options.metrics.gauge({
    name: 'everynode_controller_running',
    help: 'Whether a controller works here: 0 while another process leads, or where somebody else does its work',
    labels: ['controller'],
  });
  const enter = (post: Post, state: WorkState, refusal?: Refusal): void => {
    post.state = state;
    post.refusal = refusal;
    running.with({ controller: post.row.name }).set(state === 'running' ? 1 : 0);
  };
  const posts = workers.map(({ row, create }): Post => {
    const post: Post = { row, create, actor: create(), isUsed: false, state: 'waiting', refusal: undefined };
    enter(post, 'waiting');
    return post;
  });

  /** Throws where all controllers are refused, none for lack of a right: the process ends, and says what would help. */
  function refuse(post: Post, refusal: Refusal): void {
    const { name } = post.row;
    if (post.refusal?.why !== refusal.why)
      logger.error('A controller does not run, lest two do the same work on this cluster', {
        controller: name,
        why: refusal.why,
        fix: refusal.fix,
        ...(refusal.error === undefined ? {} : { error: refusal.error }),
      });
    enter(post, 'refused', refusal);
    if (posts.every((each) => each.refusal !== undefined && each.refusal.kind !== 'forbidden'))
      throw nothingRuns(posts);
  }

  /** Waits until the controller may act. */
  async function untilAllowed(post: Post, instead: InsteadOf, signal: AbortSignal): Promise<void> {
    const backoff = createBackoff(clock, random);
    for (;;) {
      const refusal = await rivals.refusal(instead, post.refusal, signal);
      if (refusal === undefined) return;
      refuse(post, refusal);
      await clock.sleep(backoff.next(), signal);
    }
  }

  /** Stops the actor when it may not act any more; returns why, or nothing when it was stopped otherwise. */
  async function lookOut(instead: InsteadOf, own: LinkedAbort): Promise<Refusal | undefined> {
    try {
      for (;;) {
        await clock.sleep(LOOK_EVERY_MS, own.signal);
        const refusal = await rivals.refusal(instead, undefined, own.signal);
        if (refusal === undefined) continue;
        own.abort();
        return refusal;
      }
    } catch (error) {
      if (own.signal.aborted) return undefined;
      own.abort(error);
      throw error;
    }
  }

  /** Runs the actor until it is stopped; returns the refusal that stopped it. */
  async function act(post: Post, instead: InsteadOf | undefined, signal: AbortSignal): Promise<Refusal | undefined> {
    if (post.isUsed) post.actor = post.create();
    post.isUsed = true;
    using own = linkAbort(signal);
    enter(post, 'running');
    const looking = instead === undefined ? undefined : lookOut(instead, own);
    // Awaited below, when the actor has stopped.
    looking?.catch(() => undefined);
    try {
      await post.actor.start(own.signal);
    } finally {
      own.abort();
      enter(post, 'stopped');
    }
    return looking;
  }

  async function work(post: Post, signal: AbortSignal): Promise<void> {
    const { insteadOf } = post.row;
    const instead = rivals.concern(insteadOf) ? insteadOf : undefined;
    for (;;) {
      if (instead !== undefined) await untilAllowed(post, instead, signal);
      const refusal = await act(post, instead, signal);
      if (refusal === undefined) return;
      refuse(post, refusal);
    }
  }

  return {
    states: () => new Map(posts.map(({ row, state }) => [row.name, state])),
    describe: () =>
      posts.map(({ row, state, refusal }) => `${row.name} ${state}${refusal === undefined ? '' : `: ${refusal.why}`}`),
    ready: () => posts.every(({ state, actor }) => state === 'running' && (actor.ready?.() ?? true)),
    unknown: () => posts.flatMap(({ state, actor }) => (state === 'running' ? [...(actor.unknown?.() ?? [])] : [])),
    async run(signal) {
      using all = linkAbort(signal);
      let failure: { readonly error: unknown } | undefined;
      await Promise.all(
        posts.map(async (post) => {
          try {
            await work(post, all.signal);
          } catch (error) {
            if (wasAborted(error, all.signal)) return;
            failure ??= { error: isNothingRuns(error) ? error : cannotGoOn(post, error) };
            all.abort();
          }
        }),
      );
      if (failure !== undefined) throw failure.error;
    },
  };
}

const cannotGoOn = ({ row }: Post, cause: unknown): Error => new Error(`${row.name} could not go on`, { cause });

const NOTHING_RUNS = 'EN_ASSEMBLY_NOTHING_RUNS';
const isNothingRuns = (error: unknown): boolean => error instanceof AssemblyError && error.code === NOTHING_RUNS;

function nothingRuns(posts: readonly Post[]): AssemblyError {
  const lines = posts.map(({ row, refusal }) => `${row.name} (${refusal?.why ?? ''}: ${refusal?.fix ?? ''})`);
  return new AssemblyError(NOTHING_RUNS, `there is nothing to do on this cluster: ${lines.join('; ')}`);
}
