/** Starts actors together, and leaves behind how to stop them together. */
import type { Actor } from '../../machinery/actor.ts';

/** What must be done at the end, in the order in which it was begun. */
export type Undo = (() => Promise<void> | void)[];

/** Answers only if one of them could not go on. */
export function startActors(actors: readonly Actor[], undo: Undo): Promise<Error> {
  const stopping = new AbortController();
  const { promise, resolve } = Promise.withResolvers<Error>();
  const runs = actors.map((actor) =>
    actor.start(stopping.signal).catch((error: unknown) => {
      resolve(new Error(`${actor.name} could not go on`, { cause: error }));
    }),
  );
  undo.push(async () => {
    stopping.abort();
    await Promise.all(runs);
  });
  return promise;
}
