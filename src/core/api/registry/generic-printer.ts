/** Name and age: the table of every kind that has no printer of its own. */
import type { KubeObject } from '../../kube/objects.ts';
import type { TablePrinter } from '../kind-definition.ts';

export const GENERIC_PRINTER: TablePrinter = {
  columns: [
    {
      name: 'Name',
      type: 'string',
      format: 'name',
      description: 'Unique among the objects of this kind in its namespace.',
      priority: 0,
    },
    { name: 'Age', type: 'string', description: 'Time since the object was created.', priority: 0 },
  ],
  row: (object: KubeObject, now) => [object.metadata.name, ageOf(object.metadata.creationTimestamp, now)],
};

/** `<unknown>`, `5s`, `3m20s`, `4d3h`, `2y10d`: how kubectl writes how long ago something was. */
export function ageOf(timestamp: string | undefined, now: number): string {
  return timestamp === undefined ? '<unknown>' : humanDuration(now - Date.parse(timestamp));
}

/** Two units at most, fewer the longer it is. A clock two seconds ahead still reads as now. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 192) return two(days, 'd', hours % 24, 'h');
  if (hours < 24 * 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);
  return hours < 24 * 365 * 8 ? two(years, 'y', days % 365, 'd') : `${years}y`;
}

const two = (a: number, unit: string, b: number, small: string): string => `${a}${unit}${b === 0 ? '' : b + small}`;
