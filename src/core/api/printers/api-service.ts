import type { APIService } from '../types/apiregistration-v1.ts';
import { AGE, NAME, printer, text } from './columns.ts';

function serviceOf({ spec }: APIService): string {
  const service = spec?.service;
  return service === undefined ? 'Local' : `${service.namespace ?? ''}/${service.name ?? ''}`;
}

function availability({ status }: APIService): string {
  const condition = status?.conditions?.find(({ type }) => type === 'Available');
  if (condition === undefined) return 'Unknown';
  return condition.status === 'True' || !condition.reason
    ? condition.status
    : `${condition.status} (${condition.reason})`;
}

export const apiServicePrinter = printer<APIService>([
  NAME,
  text('Service', 'Who serves the group in this version', serviceOf),
  text('Available', 'Whether it answers', availability),
  AGE,
]);
