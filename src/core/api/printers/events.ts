/** One event, two APIs: `v1` and `events.k8s.io/v1` name the same things differently. */
import type { Event as CoreEvent } from '../types/core-v1.ts';
import type { Event as NewEvent } from '../types/events-v1.ts';
import { named, nameOf, printer, text, wide, type Column } from './columns.ts';
import { since } from './text.ts';

/** The common form of both versions; read once a row. */
interface Happening {
  readonly first: string | null | undefined;
  readonly last: string | null | undefined;
  readonly eventTime: string | null | undefined;
  readonly count: number | undefined;
  readonly series: { readonly count?: number; readonly lastObservedTime?: string | null } | undefined;
  readonly object: { readonly kind?: string; readonly name?: string; readonly fieldPath?: string } | undefined;
  readonly component: string;
  readonly instance: string;
  readonly message: string | undefined;
}

const firstSeen = ({ first, eventTime }: Happening, now: number): string => since(first || eventTime, now);

function lastSeen(event: Happening, now: number): string {
  if (event.series) return since(event.series.lastObservedTime, now);
  return event.last ? since(event.last, now) : firstSeen(event, now);
}

function objectText({ object }: Happening): string {
  const { kind = '', name = '' } = object ?? {};
  const target = kind.toLowerCase();
  return name === '' ? target : `${target}/${name}`;
}

const COLUMNS: readonly Column<CoreEvent | NewEvent, Happening>[] = [
  text('Last Seen', 'Time since it happened last', (_, now, event) => lastSeen(event, now)),
  text('Type', 'Normal or Warning', ({ type }) => type ?? ''),
  text('Reason', 'What happened, in a word for machines', ({ reason }) => reason ?? ''),
  text('Object', 'Object it happened to', (_, _now, event) => objectText(event)),
  wide('Subobject', 'Part of that object', (_, _now, { object }) => object?.fieldPath ?? ''),
  wide('Source', 'Who reported it', (_, _now, { component, instance }) =>
    instance === '' ? component : `${component}, ${instance}`,
  ),
  text('Message', 'What happened, in words for people', (_, _now, { message }) => (message ?? '').trim()),
  wide('First Seen', 'Time since it happened first', (_, now, event) => firstSeen(event, now)),
  wide('Count', 'How often it happened', (_, _now, { series, count }) => (series ? (series.count ?? 0) : count || 1)),
  named(nameOf, 1),
];

export const coreEventPrinter = printer<CoreEvent, Happening>(COLUMNS, (event) => ({
  first: event.firstTimestamp,
  last: event.lastTimestamp,
  eventTime: event.eventTime,
  count: event.count,
  series: event.series,
  object: event.involvedObject,
  component: event.source?.component || event.reportingComponent || '',
  instance: event.source?.host || event.reportingInstance || '',
  message: event.message,
}));

export const eventPrinter = printer<NewEvent, Happening>(COLUMNS, (event) => ({
  first: event.deprecatedFirstTimestamp,
  last: event.deprecatedLastTimestamp,
  eventTime: event.eventTime,
  count: event.deprecatedCount,
  series: event.series,
  object: event.regarding,
  component: event.deprecatedSource?.component || event.reportingController || '',
  instance: event.deprecatedSource?.host || event.reportingInstance || '',
  message: event.note,
}));
