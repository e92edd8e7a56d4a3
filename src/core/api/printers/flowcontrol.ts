import type { FlowSchema, PriorityLevelConfiguration } from '../types/flowcontrol-v1.ts';
import type { TablePrinter } from '../kind/kind-definition.ts';
import { AGE, NAME, printer, text } from './columns.ts';
import { age, compareText, NONE } from './text.ts';

export const flowSchemaPrinter: TablePrinter<FlowSchema> = {
  columns: [
    NAME,
    text('PriorityLevel', 'Priority level requests are sent to'),
    text('MatchingPrecedence', 'Lower is matched first'),
    text('DistinguisherMethod', 'What separates the flows'),
    AGE,
    text('MissingPL', 'Whether the priority level is missing'),
  ],
  row: (object, now) => [
    object.metadata.name,
    object.spec?.priorityLevelConfiguration?.name ?? '',
    object.spec?.matchingPrecedence ?? 0,
    object.spec?.distinguisherMethod?.type ?? NONE,
    age(object, now),
    object.status?.conditions?.find((condition) => condition.type === 'Dangling')?.status ?? '?',
  ],
  /** The order in which they are matched. */
  compare: (a, b) =>
    (a.spec?.matchingPrecedence ?? 0) - (b.spec?.matchingPrecedence ?? 0) ||
    compareText(a.metadata.name, b.metadata.name),
};

export const priorityLevelPrinter = printer<PriorityLevelConfiguration>(
  [
    NAME,
    text('Type', 'Whether requests are limited at all'),
    text('NominalConcurrencyShares', 'Share of the seats'),
    text('Queues', 'Queues for waiting requests'),
    text('HandSize', 'Queues a flow may use'),
    text('QueueLengthLimit', 'Requests that may wait in a queue'),
    AGE,
  ],
  (object, now) => {
    const limited = object.spec?.limited;
    const queuing = limited?.limitResponse?.queuing;
    return [
      object.metadata.name,
      object.spec?.type ?? '',
      limited ? (limited.nominalConcurrencyShares ?? 0) : NONE,
      queuing ? (queuing.queues ?? 0) : NONE,
      queuing ? (queuing.handSize ?? 0) : NONE,
      queuing ? (queuing.queueLengthLimit ?? 0) : NONE,
      age(object, now),
    ];
  },
);
