/**
 * A write whose decision may have to wait. Decisions are synchronous, because the store orders them; most admission
 * plugins are too. Where one answers with a promise, the decision is left, the answer awaited, and the decision made
 * again; answers count only for the object they were given for.
 */
import type { Stored } from '../../../core/kube/objects.ts';
import { StatusError } from '../../../core/kube/status-error.ts';
import type { Decision, Store, StoreKey } from '../../store/store.ts';

/** Runs a step of a decision: its result, or, when it is a promise, the result once it is there. */
export type Step = <T>(name: string, run: () => T | Promise<T>) => T;

/**
 * Another write may change the object during each wait; after this many rounds the client gets an error and may retry.
 */
const MOST_ROUNDS = 32;
/**
 * Rounds after which an overtaken write queues behind the others of its object; not at once, since a plugin that the
 * decision waits for may write the same object.
 */
const ROUNDS_IN_A_CROWD = 4;

class Pause extends Error {
  readonly answer: Promise<unknown>;
  constructor(answer: Promise<unknown>) {
    super('a decision waits for an answer');
    this.answer = answer;
  }
}

export function stagedWrite(
  store: Store,
  key: StoreKey,
  decide: (accepted: Stored | undefined, revision: number, step: Step) => Decision,
): Promise<Stored> {
  const stages = createStages();
  const attempt = (): Promise<Stored> =>
    store.write(key, (accepted, revision) => {
      stages.judge(accepted);
      return decide(accepted, revision, stages.step);
    });
  return attempt().catch((error: unknown) => continueAfterPause(error, attempt, () => takeTurn(store, key)));
}

/** Queues of writers that overtook each other, by object: the promise of the last writer in each queue. */
const lines = new WeakMap<Store, Map<string, Promise<void>>>();

/** Waits until all earlier writers are done; the returned function is to be called when this writer is done. */
async function takeTurn(store: Store, key: StoreKey): Promise<() => void> {
  let ofStore = lines.get(store);
  if (ofStore === undefined) lines.set(store, (ofStore = new Map()));
  const line = ofStore;
  const name = `${key.tenant}/${key.group}/${key.resource}/${key.namespace}/${key.name}`;
  const before = line.get(name);
  const { promise, resolve } = Promise.withResolvers<void>();
  line.set(name, promise);
  await before;
  return () => {
    if (line.get(name) === promise) line.delete(name);
    resolve();
  };
}

/** Like `stagedWrite`, for a dry run: nothing is written. */
export function stagedDecision(
  store: Store,
  key: StoreKey,
  decide: (accepted: Stored | undefined, step: Step) => Stored,
): Promise<Stored> {
  const stages = createStages();
  const attempt = async (): Promise<Stored> => {
    const accepted = store.accepted(key);
    stages.judge(accepted);
    return decide(accepted, stages.step);
  };
  return attempt().catch((error: unknown) => continueAfterPause(error, attempt));
}

async function continueAfterPause(
  first: unknown,
  attempt: () => Promise<Stored>,
  turn?: () => Promise<() => void>,
): Promise<Stored> {
  let error = first;
  let leave: (() => void) | undefined;
  try {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      if (!(error instanceof Pause)) throw error;
      await error.answer;
      if (round === ROUNDS_IN_A_CROWD) leave = await turn?.();
      try {
        return await attempt();
      } catch (next) {
        error = next;
      }
    }
  } finally {
    leave?.();
  }
  if (!(error instanceof Pause)) throw error;
  throw new StatusError(500, 'ServerTimeout', 'the object keeps changing while admission is asked; please try again');
}

function createStages(): { judge(accepted: Stored | undefined): void; readonly step: Step } {
  let base: Stored | undefined;
  let answers: Map<string, unknown> | undefined;
  return {
    judge(accepted) {
      if (accepted !== base) answers = undefined;
      base = accepted;
    },
    step<T>(name: string, run: () => T | Promise<T>): T {
      if (answers?.has(name) === true) return answers.get(name) as T;
      const outcome = run();
      if (!(outcome instanceof Promise)) return outcome;
      const kept = (answers ??= new Map<string, unknown>());
      throw new Pause(outcome.then((value) => kept.set(name, value)));
    },
  };
}
