/** Parts of timestamps and durations. */
import type { Fn, FunctionTable } from '../values/function-table.ts';
import { zoneOffsetMinutes } from '../values/times.ts';
import { CelDuration, CelTimestamp, type Val } from '../values/values.ts';

type Part = (local: Date, nanos: number) => number;

const DAY = 86_400_000;

const dayOfYear: Part = (local) => {
  const start = new Date(0);
  start.setUTCFullYear(local.getUTCFullYear(), 0, 1);
  return Math.floor((local.getTime() - start.getTime()) / DAY);
};

/** Name of the overload, its spelling with a zone, and the part. */
const PARTS: readonly (readonly [string, string, Part])[] = [
  ['timestamp_to_year', 'timestamp_to_year_with_tz', (local) => local.getUTCFullYear()],
  ['timestamp_to_month', 'timestamp_to_month_with_tz', (local) => local.getUTCMonth()],
  ['timestamp_to_day_of_year', 'timestamp_to_day_of_year_with_tz', dayOfYear],
  ['timestamp_to_day_of_month', 'timestamp_to_day_of_month_with_tz', (local) => local.getUTCDate() - 1],
  ['timestamp_to_day_of_month_1_based', 'timestamp_to_day_of_month_1_based_with_tz', (local) => local.getUTCDate()],
  ['timestamp_to_day_of_week', 'timestamp_to_day_of_week_with_tz', (local) => local.getUTCDay()],
  ['timestamp_to_hours', 'timestamp_to_hours_with_tz', (local) => local.getUTCHours()],
  ['timestamp_to_minutes', 'timestamp_to_minutes_with_tz', (local) => local.getUTCMinutes()],
  ['timestamp_to_seconds', 'timestamp_to_seconds_tz', (local) => local.getUTCSeconds()],
  ['timestamp_to_milliseconds', 'timestamp_to_milliseconds_with_tz', (_, nanos) => Math.floor(nanos / 1e6)],
];

const partOf = (time: CelTimestamp, zone: string, part: Part): Val => {
  const offset = zoneOffsetMinutes(time, zone);
  if (typeof offset !== 'number') return offset;
  return BigInt(part(new Date((time.seconds + offset * 60) * 1000), time.nanos));
};

const durationIn =
  (unit: bigint): Fn =>
  (duration) =>
    (duration as CelDuration).nanos / unit;

export const TIME_FUNCTIONS: FunctionTable = [
  ...PARTS.flatMap(([plain, zoned, part]): FunctionTable => [
    [plain, (time) => partOf(time as CelTimestamp, 'UTC', part)],
    [zoned, (time, zone) => partOf(time as CelTimestamp, zone as string, part)],
  ]),
  ['duration_to_hours', durationIn(3_600_000_000_000n)],
  ['duration_to_minutes', durationIn(60_000_000_000n)],
  ['duration_to_seconds', durationIn(1_000_000_000n)],
  ['duration_to_milliseconds', durationIn(1_000_000n)],
];
