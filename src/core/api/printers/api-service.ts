import type { APIService } from '../types/apiregistration-v1.ts';
import { AGE, NAME, printer, text } from './columns.ts';
import { age } from './text.ts';

function availability({ status }: APIService): string {
  const condition = status?.conditions?.find(({ type }) => type === 'Available');
  if (condition === undefined) return 'Unknown';
  return condition.status === 'True' || !condition.reason
    ? condition.status
    : `${condition.status} (${condition.reason})`;
}

export const apiServicePrinter = printer<APIService>(
  [NAME, text('Service', 'Who serves the group in this version'), text('Available', 'Whether it answers'), AGE],
  (object, now) => {
    const service = object.spec?.service;
    return [
      object.metadata.name,
      service === undefined ? 'Local' : `${service.namespace ?? ''}/${service.name ?? ''}`,
      availability(object),
      age(object, now),
    ];
  },
);
