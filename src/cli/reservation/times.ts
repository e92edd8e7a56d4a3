/** Times of Orders and Tickets for people. Pure. */
import { humanDuration, parseTime } from '../../core/kube/time.ts';

/** `in 5m`, or `now` for a moment that is over. */
export function timeLeft(time: string, now: number): string {
  const at = parseTime(time);
  if (at === undefined) return time;
  return at - now < 1000 ? 'now' : `in ${humanDuration(at - now)}`;
}

/** `5m ago`. */
export function timePast(time: string, now: number): string {
  const at = parseTime(time);
  return at === undefined ? time : `${humanDuration(Math.max(0, now - at))} ago`;
}
