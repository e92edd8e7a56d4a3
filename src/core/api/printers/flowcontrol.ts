import type { FlowSchema, PriorityLevelConfiguration } from '../types/flowcontrol-v1.ts';
import type { TablePrinter } from '../kind/kind-definition.ts';
import { AGE, NAME, printer, text } from './columns.ts';
import { compareText, NONE } from './text.ts';

export const flowSchemaPrinter: TablePrinter<FlowSchema> = {
  ...printer<FlowSchema>([
    NAME,
    text(
      'PriorityLevel',
      'Priority level requests are sent to',
      ({ spec }) => spec?.priorityLevelConfiguration?.name ?? '',
    ),
    text('MatchingPrecedence', 'Lower is matched first', ({ spec }) => spec?.matchingPrecedence ?? 0),
    text('DistinguisherMethod', 'What separates the flows', ({ spec }) => spec?.distinguisherMethod?.type ?? NONE),
    AGE,
    text(
      'MissingPL',
      'Whether the priority level is missing',
      ({ status }) => status?.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?',
    ),
  ]),
  /** The order in which flow schemas are matched. */
  compare: (a, b) =>
    (a.spec?.matchingPrecedence ?? 0) - (b.spec?.matchingPrecedence ?? 0) ||
    compareText(a.metadata.name, b.metadata.name),
};

const queuingOf = ({ spec }: PriorityLevelConfiguration) => spec?.limited?.limitResponse?.queuing;

/** A number of the queuing configuration; none where requests do not wait. */
const queuingCell = (object: PriorityLevelConfiguration, key: 'queues' | 'handSize' | 'queueLengthLimit') => {
  const queuing = queuingOf(object);
  return queuing ? (queuing[key] ?? 0) : NONE;
};

export const priorityLevelPrinter = printer<PriorityLevelConfiguration>([
  NAME,
  text('Type', 'Whether requests are limited at all', ({ spec }) => spec?.type ?? ''),
  text('NominalConcurrencyShares', 'Share of the seats', ({ spec }) =>
    spec?.limited ? (spec.limited.nominalConcurrencyShares ?? 0) : NONE,
  ),
  text('Queues', 'Queues for waiting requests', (object) => queuingCell(object, 'queues')),
  text('HandSize', 'Queues a flow may use', (object) => queuingCell(object, 'handSize')),
  text('QueueLengthLimit', 'Requests that may wait in a queue', (object) => queuingCell(object, 'queueLengthLimit')),
  AGE,
]);
