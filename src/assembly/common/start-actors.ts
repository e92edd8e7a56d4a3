/** Starts actors together, and registers how to stop them together. */
import type { Actor } from '../../machinery/actor.ts';

/** Steps to run at the end, in reverse: the order is that of the starts. */
export type Undo = (() => Promise<void> | void)[];

/** Resolves only if one of the actors could not go on. */
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
