/**
 * When a schedule is due. Read as Kubernetes' own parser reads it (`5/15` runs from five on, `?` is `*`, of two restricted kinds
 * of day either will do), then handed to croner with every value spelled out, which knows calendars and time zones.
 */
import { Cron } from 'croner';
import { parseGoDuration } from '../go-duration.ts';
import { scheduleProblem } from './schedule-problem.ts';

export interface Schedule {
  /** The first time after this one (epoch ms); undefined when there is none any more. */
  next(after: number): number | undefined;
}

export type ReadSchedule =
  | { readonly ok: true; readonly schedule: Schedule }
  | { readonly ok: false; readonly error: string };

const DESCRIPTORS = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

interface Field {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const FIELDS: readonly Field[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] },
  { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];

/** @param timeZone of the object; one in the schedule itself counts first. Without any it is UTC. */
export function readSchedule(text: string, timeZone: string | undefined): ReadSchedule {
  const error = scheduleProblem(text);
  if (error !== undefined) return { ok: false, error };
  const zoned = /^(?:CRON_)?TZ=(\S*)\s+(.*)$/.exec(text);
  const zone = zoned?.[1] ?? timeZone ?? 'UTC';
  const plain = (zoned?.[2] ?? text).trim();
  if (plain.startsWith('@every ')) return { ok: true, schedule: every(plain.slice('@every '.length)) };
  const fields = (DESCRIPTORS.get(plain) ?? plain).split(/\s+/);
  const pattern = fields
    .map((field, index) => spelledOut(field, FIELDS[index] ?? { min: 0, max: 0, names: [] }))
    .join(' ');
  const cron = new Cron(pattern, { timezone: zone === '' || zone === 'Local' ? 'UTC' : zone });
  return { ok: true, schedule: { next: (after) => cron.nextRun(new Date(after))?.getTime() } };
}

function every(duration: string): Schedule {
  const ms = Math.max(1000, Math.floor((parseGoDuration(duration) ?? 0) / 1000) * 1000);
  return { next: (after) => Math.floor(after / 1000) * 1000 + ms };
}

/** Every value of a field; `*` where it restricts nothing. */
function spelledOut(text: string, field: Field): string {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    if (part === '') continue;
    const [span = '', stepText] = part.split('/');
    const step = stepText === undefined ? 1 : Number(stepText);
    const [low = '', high] = span.split('-');
    const isAll = low === '*' || low === '?';
    if (isAll && step === 1) return '*';
    const first = isAll ? field.min : valueOf(low, field);
    const last = isAll || (high === undefined && stepText !== undefined) ? field.max : valueOf(high ?? low, field);
    for (let value = first; value <= last; value += step) values.add(value);
  }
  return [...values].sort((a, b) => a - b).join(',');
}

const valueOf = (text: string, { names }: Field): number => {
  const named = names.indexOf(text.toLowerCase());
  return named >= 0 && text !== '' ? named : Number(text);
};

export interface Due {
  /** The most recent scheduled time that was missed. */
  readonly time: number | undefined;
  /** More than a hundred scheduled times were missed. */
  readonly isLong: boolean;
}

/** The most recent time since `earliest` that has come. */
export function mostRecent(schedule: Schedule, earliest: number, now: number): Due {
  const first = schedule.next(earliest);
  if (first === undefined || now < first) return { time: undefined, isLong: false };
  const second = schedule.next(first);
  if (second === undefined || now < second) return { time: first, isLong: false };
  const between = Math.round((second - first) / 1000);
  if (between < 1) return { time: undefined, isLong: false };
  const missed = Math.floor(Math.floor((now - first) / 1000) / between) + 1;
  // From the end: after a year of absence not every missed time is visited. Where times are uneven the last may be
  // further back.
  let time = first;
  for (let back = 2 * between * 1000; ; back *= 2) {
    const from = Math.max(first, now - back);
    for (let next = schedule.next(from); next !== undefined && next <= now; next = schedule.next(next)) time = next;
    if (time > first || from === first) break;
  }
  return { time, isLong: missed > 100 };
}

/** RFC 3339 in a time zone, to the second. */
export function zonedTime(epochMs: number, timeZone: string | undefined): string {
  const plain = new Date(epochMs).toISOString().slice(0, 19);
  if (timeZone === undefined || timeZone === '' || timeZone === 'UTC' || timeZone === 'Local') return `${plain}Z`;
  const parts = new Map<string, string>(
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
      .formatToParts(new Date(epochMs))
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: string): string => (parts.get(type) ?? '').padStart(2, '0');
  const local = `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}:${part('second')}`;
  const minutes = Math.round((Date.parse(`${local}Z`) - Math.floor(epochMs / 1000) * 1000) / 60_000);
  if (minutes === 0) return `${local}Z`;
  const size = Math.abs(minutes);
  return `${local}${minutes < 0 ? '-' : '+'}${String(Math.floor(size / 60)).padStart(2, '0')}:${String(size % 60).padStart(2, '0')}`;
}
