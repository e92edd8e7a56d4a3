/**
 * A write whose decision may have to wait. Decisions are synchronous, because the store orders them; most admission
 * plugins are too. Where one answers with a promise, the decision is left, the answer awaited, and the decision made
 * again; answers count only for the object they were given for.
 */
import type { Stored } from '../../core/kube/objects.ts';
import { StatusError } from '../../core/kube/status-error.ts';
import type { Decision, Store, StoreKey } from '../store/store.ts';

/** Runs a step of a decision: its result, or, when it is a promise, the result once it is there. */
export type Step = <T>(name: string, run: () => T | Promise<T>) => T;

/** Someone else may change the object each time we wait; after this many rounds the client shall try again. */
const MOST_ROUNDS = 32;

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
  return attempt().catch((error: unknown) => continueAfterPause(error, attempt));
}

/** The same for a decision that only wants to know: nothing is written. */
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

async function continueAfterPause(first: unknown, attempt: () => Promise<Stored>): Promise<Stored> {
  let error = first;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    if (!(error instanceof Pause)) throw error;
    await error.answer;
    try {
      return await attempt();
    } catch (next) {
      error = next;
    }
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
