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

/** Someone else may change the object each time we wait; after this many rounds the client shall try again. */
const MOST_ROUNDS = 32;
/** So often a write is overtaken before it stands in line with the others; not at once, since whoever is asked may write. */
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

/** Who writes an object one after the other, because they got in each other's way; the last of each line. */
const lines = new WeakMap<Store, Map<string, Promise<void>>>();

/** Waits until all who came before are done; the answer is to be called when we are. */
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
