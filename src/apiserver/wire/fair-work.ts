/**
 * Long work of many requests on one thread: it is done in slices, one at a time, and between any two of them the event
 * loop serves all other requests. Users take turns, whatever each has under way, so that the work of one delays another
 * by a slice; of one user's requests the short ones go first, then the oldest, so that some are answered instead of all
 * being late. The work of one user under way is bounded; a request beyond that is refused with 429. A request that is
 * over gives up its place.
 *
 * Requests that never ask for a turn (a get, a small write) cost nothing here and never wait.
 */
import { StatusError, tooManyRequests } from '../../core/kube/status-error.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type { Pace } from '../contract/request.ts';
import type { Exchange } from './exchange.ts';

export interface FairWorkLimits {
  /** How long one slice may hold the process. */
  readonly sliceMs: number;
  /** Requests with long work that one user may have under way, those that wait included. */
  readonly perUser: number;
}

/** Each request may hold two blocks of bytes on their way out (see send-bits.ts), which makes 32 MiB a user. */
export const DEFAULT_WORK_LIMITS: FairWorkLimits = { sliceMs: 4, perUser: 100 };

const RETRY_AFTER_SECONDS = 1;
/** Work that has taken less goes before the older work of the same user. */
const SHORT_MS = 20;

export interface RequestPace extends Pace {
  /** The user on whose account the work is done. */
  readonly user: string;
  /** Counts the request as long work, once; throws a 429 when its user has too much under way. */
  enter(): void;
  /** The request is over. */
  end(): void;
}

export interface FairWork {
  /** `counted: false` for work that has a limit of its own, such as the beginning of a watch. */
  pace(user: string, exchange: Exchange, options?: { readonly counted: boolean }): RequestPace;
  /** Requests that wait for their turn. */
  readonly waiting: number;
}

interface User {
  /** Requests that asked for a turn and are not over. */
  jobs: number;
  /** Requests that are counted as long work. */
  underWay: number;
  /** Waiting requests, the next one last. */
  readonly queue: Job[];
}

interface Job {
  readonly user: User;
  /** Grows with each request. */
  readonly number: number;
  workedMs: number;
  /** Set while the job waits. */
  waiting: { resolve(): void; reject(error: StatusError): void } | undefined;
}

export function createFairWork(limits: FairWorkLimits, clock: Clock): FairWork {
  const users = new Map<string, User>();
  /** Users with a waiting request; the first is next. */
  const ring = new Set<User>();
  /** State of the loop's present turn. */
  const turn: {
    /** The job whose slice it is. */
    job: Job | undefined;
    beganAt: number;
    /** The next turn is booked; until then `beganAt` holds. */
    booked: boolean;
  } = { job: undefined, beganAt: 0, booked: false };
  let requests = 0;
  let waiting = 0;

  function book(): void {
    if (turn.booked) return;
    turn.booked = true;
    clock.after(0, nextTurn);
  }

  function nextTurn(): void {
    turn.booked = false;
    turn.job = undefined;
    const next = takeNext();
    if (next === undefined) return;
    beginSlice(next);
    next.waiting?.resolve();
    next.waiting = undefined;
  }

  function beginSlice(job: Job): void {
    turn.job = job;
    turn.beganAt = clock.monotonic();
    book();
  }

  function takeNext(): Job | undefined {
    for (const user of ring) {
      const job = user.queue.pop();
      ring.delete(user);
      if (user.queue.length > 0) ring.add(user);
      if (job === undefined) continue;
      waiting -= 1;
      return job;
    }
    return undefined;
  }

  function wait(job: Job): Promise<void> {
    const { queue } = job.user;
    let at = queue.length;
    while (at > 0 && isBefore(queue[at - 1] as Job, job)) at -= 1;
    queue.splice(at, 0, job);
    ring.add(job.user);
    waiting += 1;
    book();
    return new Promise((resolve, reject) => void (job.waiting = { resolve, reject }));
  }

  function forget(job: Job): void {
    const at = job.user.queue.indexOf(job);
    if (at < 0) return;
    job.user.queue.splice(at, 1);
    waiting -= 1;
    if (job.user.queue.length === 0) ring.delete(job.user);
    job.waiting?.reject(OVER);
    job.waiting = undefined;
  }

  function userOf(name: string): User {
    let user = users.get(name);
    if (user === undefined) users.set(name, (user = { jobs: 0, underWay: 0, queue: [] }));
    return user;
  }

  function pace(name: string, exchange: Exchange, { counted } = { counted: true }): RequestPace {
    /** Created when the request asks for its first turn. */
    let job: Job | undefined;
    let entered = false;
    let ended = false;

    const began = (): Job => {
      if (job === undefined) {
        job = { user: userOf(name), number: requests++, workedMs: 0, waiting: undefined };
        job.user.jobs += 1;
      }
      return job;
    };
    const leave = (): void => {
      if (job === undefined || ended) return;
      ended = true;
      forget(job);
      if (entered && counted) job.user.underWay -= 1;
      job.user.jobs -= 1;
      if (job.user.jobs === 0) users.delete(name);
    };
    const enter = (): void => {
      if (entered) return;
      const { user } = began();
      if (counted && user.underWay >= limits.perUser) {
        throw tooManyRequests('too many requests, please try again later', RETRY_AFTER_SECONDS);
      }
      entered = true;
      if (counted) user.underWay += 1;
      exchange.signal.addEventListener('abort', leave, { once: true });
    };
    return {
      user: name,
      enter,
      end: leave,
      turn() {
        if (ended) return Promise.reject(OVER);
        const now = clock.monotonic();
        const isMine = turn.booked && turn.job === job && job !== undefined;
        const left = turn.booked && turn.job !== undefined ? turn.beganAt + limits.sliceMs - now : limits.sliceMs;
        if (left > 0 && (isMine || waiting === 0)) {
          if (turn.job === undefined) beginSlice(began());
          else turn.job = began();
          return undefined;
        }
        if (isMine && job !== undefined) job.workedMs += now - turn.beganAt;
        if (exchange.closed) return Promise.reject(OVER);
        try {
          enter();
        } catch (error) {
          return Promise.reject(error);
        }
        return wait(began());
      },
    };
  }

  return {
    pace,
    get waiting() {
      return waiting;
    },
  };
}

/** Whether one goes before the other, both of one user. */
function isBefore(one: Job, other: Job): boolean {
  const isShort = one.workedMs < SHORT_MS;
  if (isShort !== other.workedMs < SHORT_MS) return isShort;
  return one.number < other.number;
}

/** Ends the work of a request that is over; no client reads it. */
const OVER = new StatusError(504, 'Timeout', 'the request is over');
