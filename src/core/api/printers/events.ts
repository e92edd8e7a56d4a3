/** One event, two APIs: `v1` and `events.k8s.io/v1` name the same things differently. */
import type { Event as CoreEvent } from '../types/core-v1.ts';
import type { Event as NewEvent } from '../types/events-v1.ts';
import { NAME, printer, text, wide } from './columns.ts';
import { since } from './text.ts';

const COLUMNS = [
  text('Last Seen', 'Time since it happened last'),
  text('Type', 'Normal or Warning'),
  text('Reason', 'What happened, in a word for machines'),
  text('Object', 'Object it happened to'),
  wide('Subobject', 'Part of that object'),
  wide('Source', 'Who reported it'),
  text('Message', 'What happened, in words for people'),
  wide('First Seen', 'Time since it happened first'),
  wide('Count', 'How often it happened'),
  { ...NAME, priority: 1 },
];

/** What both versions come down to. */
interface Happening {
  readonly name: string;
  readonly first: string | null | undefined;
  readonly last: string | null | undefined;
  readonly eventTime: string | null | undefined;
  readonly count: number | undefined;
  readonly series: { readonly count?: number; readonly lastObservedTime?: string | null } | undefined;
  readonly type: string | undefined;
  readonly reason: string | undefined;
  readonly object: { readonly kind?: string; readonly name?: string; readonly fieldPath?: string } | undefined;
  readonly component: string;
  readonly instance: string;
  readonly message: string | undefined;
}

function row(event: Happening, now: number): readonly (string | number)[] {
  const first = since(event.first || event.eventTime, now);
  const { kind = '', name = '', fieldPath = '' } = event.object ?? {};
  const target = kind.toLowerCase();
  return [
    event.series ? since(event.series.lastObservedTime, now) : event.last ? since(event.last, now) : first,
    event.type ?? '',
    event.reason ?? '',
    name === '' ? target : `${target}/${name}`,
    fieldPath,
    event.instance === '' ? event.component : `${event.component}, ${event.instance}`,
    (event.message ?? '').trim(),
    first,
    event.series ? (event.series.count ?? 0) : event.count || 1,
    event.name,
  ];
}

export const coreEventPrinter = printer<CoreEvent>(COLUMNS, (event, now) =>
  row(
    {
      name: event.metadata.name,
      first: event.firstTimestamp,
      last: event.lastTimestamp,
      eventTime: event.eventTime,
      count: event.count,
      series: event.series,
      type: event.type,
      reason: event.reason,
      object: event.involvedObject,
      component: event.source?.component || event.reportingComponent || '',
      instance: event.source?.host || event.reportingInstance || '',
      message: event.message,
    },
    now,
  ),
);

export const eventPrinter = printer<NewEvent>(COLUMNS, (event, now) =>
  row(
    {
      name: event.metadata.name,
      first: event.deprecatedFirstTimestamp,
      last: event.deprecatedLastTimestamp,
      eventTime: event.eventTime,
      count: event.deprecatedCount,
      series: event.series,
      type: event.type,
      reason: event.reason,
      object: event.regarding,
      component: event.deprecatedSource?.component || event.reportingController || '',
      instance: event.deprecatedSource?.host || event.reportingInstance || '',
      message: event.note,
    },
    now,
  ),
);
