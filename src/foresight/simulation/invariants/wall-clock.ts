/** The wall clock may jump between an actor's decision and the commit of it: the actor is judged by what the clock has shown it. */
import type { ClusterView } from '../cluster-view.ts';

/** The earliest and the latest time (epoch ms) that the wall clock has shown within the last `withinMs`. */
export function wallWithin(
  view: ClusterView,
  withinMs: number,
): { readonly earliest: number; readonly latest: number } {
  const now = view.now();
  const wall = view.wall();
  let latest = wall;
  let earliest = wall;
  /** Distance of the wall clock from the present one, before the jumps visited so far. */
  let offset = 0;
  for (const { at, byMs } of view.jumps.toReversed()) {
    earliest = Math.min(earliest, wall + offset - (now - Math.max(at, now - withinMs)));
    if (at < now - withinMs) break;
    offset -= byMs;
    latest = Math.max(latest, wall + offset - (now - at));
  }
  earliest = Math.min(earliest, wall + offset - withinMs);
  return { earliest, latest };
}
