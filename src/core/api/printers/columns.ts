/** Small makers of table columns, so that a kind's columns read like the header kubectl prints. */
import type { PrinterColumn, TablePrinter } from '../kind/kind-definition.ts';
import type { KubeObject } from '../../kube/objects.ts';

export type Cell = string | number | boolean | null;

type Maker = (name: string, description: string, priority?: number) => PrinterColumn;

const maker =
  (type: PrinterColumn['type'], format = ''): Maker =>
  (name, description, priority = 0) => ({ name, type, format, description, priority });

export const text = maker('string');
export const int = maker('integer');
export const flag = maker('boolean');
export const date = maker('date');

/** Shown only with `-o wide`. */
export const wide = (name: string, description: string): PrinterColumn => text(name, description, 1);

export const NAME: PrinterColumn = maker('string', 'name')('Name', 'Name of the object, unique in its namespace');
export const AGE: PrinterColumn = text('Age', 'Time since the object was created');
/** Custom resources have a date here where built-in kinds have text; the cell is an age all the same. */
export const DATE_AGE: PrinterColumn = date('Age', 'Time since the object was created');

export const CONTAINERS: PrinterColumn = wide('Containers', 'Names of the containers in the pod template');
export const IMAGES: PrinterColumn = wide('Images', 'Images of the containers in the pod template');
export const SELECTOR: PrinterColumn = wide('Selector', 'Labels that select the pods');

export function printer<T extends KubeObject>(
  columns: readonly PrinterColumn[],
  row: (object: T, now: number) => readonly Cell[],
): TablePrinter<T> {
  return { columns, row };
}
