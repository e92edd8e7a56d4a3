/** Rules for times: durations, starts, time zones, schedules. Every finding says what to write instead. */
import { isTimeZone } from '../../../kube/cron/schedule-problem.ts';
import { readSchedule } from '../../../kube/cron/schedule.ts';
import { invalid } from '../../../kube/field-errors.ts';
import { parseGoDuration, readGoDuration } from '../../../kube/go-duration.ts';
import type { ObjectMeta } from '../../../kube/meta-v1.ts';
import { formatTime, parseTime, parseTimeStrictly } from '../../../kube/time.ts';
import type { Findings } from '../../rules/findings.ts';
import { SHORTEST_MS } from './order-plan.ts';

/** Creation of an object, which every API server has stamped before it validates; the clock of rules that need one. */
export const createdMs = ({ creationTimestamp }: ObjectMeta): number => parseTime(creationTimestamp ?? '') ?? 0;

export function validateDuration(found: Findings, text: string | undefined, path: string): void {
  if (text === undefined) return;
  const parsed = readGoDuration(text);
  if (!parsed.ok) {
    found.push(invalid(path, text, `${parsed.error}; write hours, minutes and seconds, such as 24h or 1h30m`));
  } else if (parsed.nanos < BigInt(SHORTEST_MS) * 1_000_000n) {
    found.push(invalid(path, text, 'must be at least 1s, such as 24h'));
  }
}

/** @param earliestMs absent: a start in the past is no finding. */
export function validateStart(
  found: Findings,
  text: string | undefined,
  earliestMs: number | undefined,
  path: string,
): void {
  if (text === undefined) return;
  const parsed = parseTimeStrictly(text);
  if (!parsed.ok) {
    found.push(invalid(path, text, `${parsed.error}; write RFC 3339, such as 2030-01-31T08:00:00Z`));
  } else if (earliestMs !== undefined && parsed.epochMs < earliestMs) {
    const now = formatTime(earliestMs);
    found.push(
      invalid(
        path,
        text,
        `must not be in the past (it is ${now}); name a later time, or leave it out to begin at once`,
      ),
    );
  }
}

/** Kubernetes knows zones by the names of the IANA database only: no offsets, and not the zone of a machine. */
export const isZone = (zone: string): boolean => /^[A-Za-z]/.test(zone) && zone !== 'Local' && isTimeZone(zone);

const NAME_A_ZONE = 'write a name of the IANA database, such as Europe/Berlin, or leave it out for UTC';

export function validateTimeZone(found: Findings, zone: string | undefined, path: string): void {
  if (zone !== undefined && !isZone(zone)) {
    found.push(invalid(path, zone, `unknown time zone; ${NAME_A_ZONE}`));
  }
}

/** The zone that a schedule names itself. */
export const zoneInSchedule = (schedule: string): string | undefined => /^(?:CRON_)?TZ=(\S*)\s/.exec(schedule)?.[1];

export function validateSchedule(
  found: Findings,
  schedule: string,
  { timeZone, fromMs }: { readonly timeZone: string | undefined; readonly fromMs: number },
  path: string,
): void {
  const own = zoneInSchedule(schedule);
  if (own !== undefined && !isZone(own)) {
    found.push(invalid(path, schedule, `unknown time zone ${own}; ${NAME_A_ZONE}`));
    return;
  }
  // An unknown zone has a finding of its own, and no schedule can be read in it.
  const read = readSchedule(schedule, timeZone !== undefined && isZone(timeZone) ? timeZone : undefined);
  if (!read.ok) {
    found.push(
      invalid(path, schedule, `${read.error}; write minute, hour, day, month and weekday, such as 0 */6 * * *`),
    );
    return;
  }
  const every = /@every (.*)$/.exec(schedule)?.[1];
  if (every !== undefined && !((parseGoDuration(every) ?? 0) >= SHORTEST_MS)) {
    found.push(invalid(path, schedule, 'must be at least a second apart, such as @every 6h'));
  } else if (read.schedule.next(fromMs) === undefined) {
    found.push(invalid(path, schedule, 'never comes: no month has such a day; name a day that exists'));
  }
}
